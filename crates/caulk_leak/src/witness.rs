//! The story of a leak: one path, told from the allocation to the place where the last reference went.
//!
//! The cube that makes a leak feasible decides every branch that matters. The function is evaluated once more with
//! its events recorded; of these, the ones whose guard holds under the cube are the path. Walking along it, the
//! holders of the memory are kept: variables and cells. When the last one goes (it is overwritten, its scope ends, the
//! object it lies in is freed, the function returns) the memory is lost, and that is the place a report points at.
//!
//! As in Xu and Zhang, the feasible path is the explanation.

use caulk_base::{Loc, Symbol as Name};
use caulk_flow::Evaluator;
use caulk_flow::evaluate::{Event, EventKind, Outcome};
use caulk_flow::object::{CellId, HeapId, ObjectKind};
use caulk_flow::value::{Val, ValData};
use caulk_guard::{Cube, Guard, Object};
use caulk_ir::ir::{self, InstKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::describe;
use crate::finding::{Confidence, Finding, Loss, Place, Rule, Step};
use crate::rule::{self, Lost};

/// Objects that came from one call and are told.
const MAX_OBJECTS: usize = 3;

/// The call, and the places in callees where the object was made.
type Site = (ir::Value, Vec<(usize, Loc)>);

/// Findings of one function: one for each allocation site.
pub(crate) fn tell(evaluator: &mut Evaluator<'_>, lost: &[Lost]) -> Vec<Finding> {
    let sites: Vec<(ir::Value, bool, bool)> = lost
        .iter()
        .map(|lost| {
            let site = evaluator.objects.heap[lost.heap].site;
            let same = evaluator.objects.heap.iter().filter(|heap| heap.site == site);
            let is_released = same.clone().any(|heap| !evaluator.objects.get(heap.object).released.is_false());
            let is_handed_on = same.clone().any(|heap| !evaluator.objects.get(heap.object).escaped.is_false());
            (site, is_released, is_handed_on)
        })
        .collect();
    if evaluator.replay().is_err() {
        return Vec::new();
    }
    let events = evaluator.events.take().unwrap_or_default();
    let mut findings: Vec<(Site, Finding)> = Vec::new();
    for (lost, &(site, is_released, is_handed_on)) in lost.iter().zip(&sites) {
        let told = Telling::new(evaluator, &events, lost).tell();
        let finding = told.finding(evaluator, lost, is_released || is_handed_on);
        // One call may yield several objects; each is told, but not the whole of a large structure.
        let site = (site, evaluator.objects.heap[lost.heap].inner.clone());
        let objects = findings.iter().filter(|known| known.0.0 == site.0).count();
        // Whichever of them it is that a variable holds, it is lost once.
        let is_same = |known: &(Site, Finding)| {
            let (known_site, known) = known;
            let is_same_loss = (&known.variable, &known.leak) == (&finding.variable, &finding.leak);
            *known_site == site || (known_site.0 == site.0 && is_same_loss)
        };
        match findings.iter_mut().find(|known| is_same(known)) {
            Some((_, known)) if known.confidence < finding.confidence => *known = finding,
            Some((_, known)) if known.confidence > finding.confidence => {}
            Some((_, known)) => merge(known, finding),
            None if objects >= MAX_OBJECTS => {}
            None => findings.push((site, finding)),
        }
    }
    findings.into_iter().map(|entry| entry.1).collect()
}

/// The same allocation lost at another place, or on another path.
fn merge(known: &mut Finding, mut other: Finding) {
    if (&other.leak.file, other.leak.line) == (&known.leak.file, known.leak.line) {
        return;
    }
    if other.leak < known.leak {
        std::mem::swap(known, &mut other);
        known.also.append(&mut other.also);
    }
    if !known.also.contains(&other.leak) {
        known.also.push(other.leak);
        known.also.sort();
    }
}

/// Who refers to an object on the path.
#[derive(Default)]
struct Holders {
    variables: Vec<(Name, ir::Ty, Object)>,
    cells: FxHashMap<CellId, Object>,
    freed: FxHashSet<Object>,
}

struct Telling<'t, 'e, 'a> {
    evaluator: &'t Evaluator<'a>,
    events: &'e [Event],
    cube: &'t Cube,
    heap: HeapId,
    exit: usize,
    holders: Holders,
    steps: Vec<(Loc, String)>,
}

/// Where and how the last reference went.
struct Told {
    loc: Loc,
    loss: Loss,
    variable: String,
    steps: Vec<(Loc, String)>,
}

impl<'t, 'e, 'a> Telling<'t, 'e, 'a> {
    fn new(evaluator: &'t Evaluator<'a>, events: &'e [Event], lost: &'t Lost) -> Telling<'t, 'e, 'a> {
        Telling {
            evaluator,
            events,
            cube: &lost.cube,
            heap: lost.heap,
            exit: lost.exit,
            holders: Holders::default(),
            steps: Vec::new(),
        }
    }

    fn holds(&self, guard: Guard) -> bool {
        self.evaluator.space.evaluate(guard, |atom| self.cube.value(atom).unwrap_or(false))
    }

    fn object(&self, val: Val) -> Option<Object> {
        let ways = self.evaluator.values.alternatives(val);
        let term = ways.iter().find(|way| self.holds(way.0)).map(|way| way.1)?;
        describe::object_of(self.evaluator, term)
    }

    fn tell(mut self) -> Told {
        let target = self.evaluator.objects.heap[self.heap].object;
        let mut is_allocated = false;
        // The last event that had a reference in hand though nothing held it.
        let mut in_passing: Option<Loc> = None;
        let mut was_held = false;
        let mut name = String::new();
        for event in self.events {
            if !self.holds(event.guard) {
                continue;
            }
            let before = self.holder(target);
            let loss = self.follow(event, target, &mut is_allocated, &mut in_passing);
            if !is_allocated {
                continue;
            }
            if let Some(holder) = before {
                was_held = true;
                name = holder;
            }
            let is_end = matches!(event.kind, EventKind::Return(number) if number == self.exit);
            if is_end {
                let (loc, loss) = match (was_held, in_passing) {
                    (false, Some(loc)) => (loc, Loss::ResultDropped),
                    _ => (event.loc, Loss::Return),
                };
                return self.told(loc, loss, name);
            }
            if was_held && self.holder(target).is_none() && !self.comes_back(event, target) {
                return self.told(event.loc, loss, name);
            }
        }
        let loc = self.evaluator.body.insts[self.evaluator.objects.heap[self.heap].site].loc;
        self.told(loc, Loss::Return, name)
    }

    fn told(self, loc: Loc, mut loss: Loss, variable: String) -> Told {
        let target = self.evaluator.objects.heap[self.heap].object;
        if loss == Loss::Overwritten && rule::old_place(self.evaluator, target).is_some() {
            loss = Loss::ReallocFailed;
        }
        Told { loc, loss, variable, steps: self.steps }
    }

    /// Takes the event in; how a reference goes by it, if one goes.
    fn follow(&mut self, event: &Event, target: Object, is_allocated: &mut bool, in_passing: &mut Option<Loc>) -> Loss {
        match &event.kind {
            EventKind::Allocate(heap) => {
                if *heap == self.heap {
                    *is_allocated = true;
                    *in_passing = Some(event.loc);
                    if let Some(cell) = rule::old_place(self.evaluator, target) {
                        self.holders.cells.insert(cell, target);
                    }
                }
            }
            EventKind::Branch { condition, outcome } => {
                if *is_allocated {
                    let condition = describe::expression(self.evaluator, *condition);
                    self.steps.push((event.loc, outcome_text(&condition, *outcome)));
                }
            }
            EventKind::Bind { variable, ty, val } => {
                let object = self.object(*val);
                self.holders.variables.retain(|entry| entry.0 != *variable);
                if let Some(object) = object {
                    self.holders.variables.push((*variable, *ty, object));
                }
                let is_end = self.evaluator.values.only(*val).is_some() && object.is_none();
                return if is_end && is_undefined(self.evaluator, *val) { Loss::ScopeEnd } else { Loss::Overwritten };
            }
            EventKind::Store { cells, val, .. } => self.store(cells, *val),
            EventKind::Release { val } => {
                if let Some(object) = self.object(*val) {
                    self.holders.freed.insert(object);
                    return Loss::HolderFreed;
                }
            }
            EventKind::End { object } => {
                let objects = &self.evaluator.objects;
                let root = objects.root(*object);
                self.holders.cells.retain(|&cell, _| objects.root(objects.cells[cell].object) != root);
                return Loss::ScopeEnd;
            }
            EventKind::Call { instruction } => {
                let InstKind::Call { args, .. } = self.evaluator.body.insts[*instruction].kind else {
                    return Loss::Overwritten;
                };
                let body = self.evaluator.body;
                for &arg in body.operands(args) {
                    let val = self.evaluator.known_value(arg);
                    if val.is_some_and(|val| self.object(val) == Some(target)) {
                        *in_passing = Some(event.loc);
                    }
                }
            }
            EventKind::Return(_) => {}
        }
        Loss::Overwritten
    }

    fn store(&mut self, cells: &[CellId], val: Val) {
        if let ValData::Record(parts) = self.evaluator.values.get(val) {
            // Cells were written in the order of the parts, one each where the address is certain.
            if cells.len() == parts.len() {
                for (&cell, part) in cells.iter().zip(parts) {
                    self.set_cell(cell, part.val);
                }
            }
            return;
        }
        for &cell in cells {
            self.set_cell(cell, val);
        }
    }

    fn set_cell(&mut self, cell: CellId, val: Val) {
        match self.object(val) {
            Some(object) => self.holders.cells.insert(cell, object),
            None => self.holders.cells.remove(&cell),
        };
    }

    /// Something that leads to the object, by name; `None` if nothing does.
    fn holder(&self, target: Object) -> Option<String> {
        self.named(target, 0).map(|named| named.0)
    }

    fn named(&self, object: Object, depth: u32) -> Option<describe::Named> {
        if depth > 4 {
            return None;
        }
        if let Some(&(name, ty, _)) = self.holders.variables.iter().find(|entry| entry.2 == object) {
            return Some((name.as_str().to_owned(), ty));
        }
        let mut cells: Vec<CellId> =
            self.holders.cells.iter().filter(|entry| *entry.1 == object).map(|entry| *entry.0).collect();
        cells.sort_unstable();
        let mut nameless = None;
        for cell in cells {
            let home = self.evaluator.objects.root(self.evaluator.objects.cells[cell].object);
            if self.holders.freed.contains(&home) {
                continue;
            }
            let is_heap = matches!(self.evaluator.objects.get(home).kind, ObjectKind::Heap(_));
            if is_heap && self.named(home, depth + 1).is_none() {
                continue;
            }
            let holder = |heap: Object| self.named(heap, depth + 1);
            match describe::cell(self.evaluator, cell, &holder) {
                Some(named) => return Some(named),
                None => nameless = Some((String::new(), ir::Ty::VOID)),
            }
        }
        nameless
    }

    /// Whether the object is held again before the path ends: it was only between two holders.
    fn comes_back(&self, lost: &Event, target: Object) -> bool {
        let place = self.events.iter().position(|event| std::ptr::eq(event, lost)).unwrap_or(0);
        self.events[place + 1..].iter().any(|event| {
            self.holds(event.guard)
                && match &event.kind {
                    EventKind::Bind { val, .. } | EventKind::Store { val, .. } => self.object(*val) == Some(target),
                    _ => false,
                }
        })
    }
}

fn is_undefined(evaluator: &Evaluator<'_>, val: Val) -> bool {
    evaluator
        .values
        .only(val)
        .is_some_and(|term| matches!(evaluator.space.term(term), caulk_guard::TermKind::Symbol(_)))
}

fn outcome_text(condition: &str, outcome: Outcome) -> String {
    match outcome {
        Outcome::True => format!("`{condition}` is true"),
        Outcome::False => format!("`{condition}` is false"),
        Outcome::Case(low, high) if low == high => format!("`{condition}` is {low}"),
        Outcome::Case(low, high) => format!("`{condition}` is between {low} and {high}"),
        Outcome::Default => format!("`{condition}` is none of the cases"),
    }
}

impl Told {
    fn finding(self, evaluator: &Evaluator<'_>, lost: &Lost, is_conditional: bool) -> Finding {
        let program = evaluator.cx.program;
        let module = evaluator.module_number;
        let heap = &evaluator.objects.heap[lost.heap];
        let place = |loc: Loc| describe::place(program, module, loc);
        let alloc_loc = evaluator.body.insts[heap.site].loc;
        let (alloc, leak) = (place(alloc_loc), place(self.loc));
        let kind = &evaluator.cx.models.kinds[heap.kind];
        let is_memory = kind.name.as_str() == "heap";
        let resource = if is_memory { "memory".to_owned() } else { kind.noun.clone() };
        let rule = match (is_memory, is_conditional) {
            (false, _) => Rule::Resource,
            (true, true) => Rule::Conditional,
            (true, false) => Rule::NeverFreed,
        };
        let unit = &evaluator.module.unit;
        let function = unit.globals[evaluator.body.global].source_name.as_str().to_owned();
        let allocator = heap.allocator.as_str().to_owned();
        let mut path = Vec::new();
        for &(module, loc) in heap.inner.iter().take(heap.inner.len().saturating_sub(1)) {
            path.push(Step {
                place: describe::place(program, module, loc),
                message: format!("{resource} is allocated here"),
            });
        }
        let verb = if self.loss == Loss::ReallocFailed { "is given" } else { "yields" };
        path.push(Step { place: alloc.clone(), message: format!("`{allocator}` {verb} the {resource}") });
        path.extend(self.steps.into_iter().map(|(loc, message)| Step { place: place(loc), message }));
        let last = loss_text(self.loss, &self.variable, &resource);
        path.push(Step { place: leak.clone(), message: last });
        let message = sentence(self.loss, &self.variable, &resource, &allocator, &function);
        let fingerprint = fingerprint(rule, &leak, &function, &self.variable, &allocator, self.loss);
        Finding {
            rule,
            function,
            variable: self.variable,
            alloc,
            allocator,
            resource,
            leak,
            loss: self.loss,
            path,
            also: Vec::new(),
            confidence: if lost.is_certain { Confidence::High } else { Confidence::Low },
            fingerprint,
            message,
        }
    }
}

fn loss_text(loss: Loss, variable: &str, resource: &str) -> String {
    let holder = if variable.is_empty() { "the last reference".to_owned() } else { format!("`{variable}`") };
    match loss {
        Loss::Return => format!("the function returns while {holder} still holds the {resource}"),
        Loss::Overwritten => format!("{holder} is overwritten"),
        Loss::ScopeEnd => format!("{holder} goes out of scope"),
        Loss::HolderFreed => format!("what contains {holder} is freed"),
        Loss::ResultDropped => "the result is not kept".to_owned(),
        Loss::ReallocFailed => format!("{holder} is overwritten with null, and the old block is lost"),
    }
}

fn sentence(loss: Loss, variable: &str, resource: &str, allocator: &str, function: &str) -> String {
    let what = format!("{resource} from `{allocator}`");
    let holder = if variable.is_empty() { String::new() } else { format!(" held by `{variable}`") };
    match loss {
        Loss::Return => format!("{what}{holder} is lost when `{function}` returns"),
        Loss::Overwritten => format!("{what}{holder} is lost when the last reference is overwritten"),
        Loss::ScopeEnd => format!("{what}{holder} is lost at the end of its scope"),
        Loss::HolderFreed => format!("{what}{holder} is lost when what contains it is freed"),
        Loss::ResultDropped => format!("{what} is lost: the result is not kept"),
        Loss::ReallocFailed => format!("{what}{holder} is lost if the reallocation fails"),
    }
}

/// Names only, so that lines may move; a 64-bit FNV hash.
fn fingerprint(rule: Rule, leak: &Place, function: &str, variable: &str, allocator: &str, loss: Loss) -> String {
    let file = leak.file.rsplit('/').next().unwrap_or_default();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in [rule.name(), file, function, variable, allocator, &format!("{loss:?}")] {
        for byte in part.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
