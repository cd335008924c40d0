//! Strings, as far as they are compared with literals.
//!
//! ```c
//! if (strcmp(mode, "read") == 0) in = open_input(name);
//! if (strcmp(mode, "write") == 0) return create(name);     // mode is not "read": there is no input
//! ```
//!
//! - *text*: a number that stands for what a string says, to one way of looking at it: all of it, its first bytes, without
//!   regard to case. A literal's is its own.
//!
//! A comparison is zero where the text is that of the literal. So a string that is one literal is not another, by
//! arithmetic alone. What a string begins with is known as well, if it was asked before.

use std::hash::{Hash, Hasher};

use caulk_guard::{Guard, Kind, Object, Symbol, Term, TermKind};
use caulk_sema::unit::StringId;
use rustc_hash::{FxHashMap, FxHasher};
use smallvec::smallvec;

use super::given::Since;
use super::merge::Ways;
use super::{Evaluator, State};
use crate::object::{CellClass, ObjectKind, Origin};
use crate::value::Val;

const TEXT: Kind = Kind::signed(32);

#[derive(Default)]
pub(crate) struct Texts {
    /// By string and how it is looked at: its text, and what there was before that.
    of_strings: FxHashMap<u64, (Term, Since)>,
    of_literals: FxHashMap<Vec<u8>, i128>,
    /// The literals, by number.
    literals: Vec<Vec<u8>>,
    /// By text: the string, and how it is looked at.
    strings: FxHashMap<Symbol, (Term, View)>,
    /// By strings and how they are looked at: how they compare.
    orders: FxHashMap<u64, Val>,
    /// Comparisons that only a caller may know more about.
    compared: FxHashMap<Symbol, ([Term; 2], View)>,
}

impl Texts {
    /// What a number is the order of.
    pub(crate) fn compared(&self, symbol: Symbol) -> Option<([Term; 2], View)> {
        self.compared.get(&symbol).copied()
    }

    /// The string that a text is of, and the literal with such a number.
    pub(crate) fn asked(&self, text: Symbol, number: i64) -> Option<(Term, View, &[u8])> {
        let &(string, view) = self.strings.get(&text)?;
        Some((string, view, self.literals.get(usize::try_from(number).ok()?)?))
    }
}

/// How much of a string is looked at, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct View {
    pub most: Option<i64>,
    pub ignores_case: bool,
}

impl View {
    /// What is seen of a literal.
    fn of(self, mut literal: Vec<u8>) -> Vec<u8> {
        if let Some(most) = self.most {
            literal.truncate(usize::try_from(most).unwrap_or(0));
        }
        if self.ignores_case {
            literal.make_ascii_lowercase();
        }
        literal
    }
}

impl Evaluator<'_> {
    /// How two strings compare, as long as they are the same.
    pub(super) fn order(&mut self, state: &mut State, strings: [Val; 2], view: View, kind: Kind) -> Val {
        let mut key = FxHasher::default();
        view.hash(&mut key);
        strings.iter().for_each(|&string| self.hash_contents(state, string, &mut key));
        let key = key.finish();
        if let Some(&known) = self.texts.orders.get(&key) {
            return known;
        }
        let order = self.new_order(state, strings, view, kind);
        self.texts.orders.insert(key, order);
        order
    }

    fn new_order(&mut self, state: &mut State, strings: [Val; 2], view: View, kind: Kind) -> Val {
        let order = self.opaque_symbol(kind);
        let only = strings.map(|string| self.values.only(string));
        let (is_same, since) = match only.map(|term| term.and_then(|term| self.literal(term))) {
            [Some(a), Some(b)] => {
                let is_same = if view.of(a) == view.of(b) { Guard::TRUE } else { Guard::FALSE };
                (is_same, self.since())
            }
            [Some(literal), None] => self.has_text(state, strings[1], view.of(literal), view),
            [None, Some(literal)] => self.has_text(state, strings[0], view.of(literal), view),
            [None, None] => {
                if let ([Some(a), Some(b)], Some(symbol)) = (only, self.symbol_of(order)) {
                    self.texts.compared.insert(symbol, ([a, b], view));
                }
                return self.values.single(order);
            }
        };
        let zero = self.space.int(0, kind);
        let is_zero = self.space.equal(order, zero);
        self.must(state, is_zero.not(), since);
        self.scalar(smallvec![(is_same, zero), (is_same.not(), order)])
    }

    /// Zero if a string is such a literal to such a view, as somebody else asked, else one.
    pub(super) fn text_asked(&mut self, state: &mut State, string: Val, view: View, literal: &[u8], kind: Kind) -> Val {
        let known = self.values.only(string).and_then(|term| self.literal(term));
        let is_same = match known {
            Some(known) if view.of(known.clone()) == literal => Guard::TRUE,
            Some(_) => Guard::FALSE,
            None => self.has_text(state, string, literal.to_vec(), view).0,
        };
        self.truth_value(is_same.not(), kind)
    }

    /// When a string is a literal, to such a view; and what there was before anybody asked.
    fn has_text(&mut self, state: &mut State, string: Val, literal: Vec<u8>, view: View) -> (Guard, Since) {
        let now = self.since();
        let Some(&first) = literal.first() else { return (Guard::TRUE, now) };
        let is_empty = literal == [0];
        let mut key = FxHasher::default();
        view.hash(&mut key);
        self.hash_contents(state, string, &mut key);
        let key = key.finish();
        let (text, since) = match self.texts.of_strings.get(&key) {
            Some(&known) => known,
            None => (self.opaque_symbol(TEXT), now),
        };
        self.texts.of_strings.insert(key, (text, since));
        if let (Some(symbol), Some(string)) = (self.symbol_of(text), self.values.only(string)) {
            self.texts.strings.insert(symbol, (string, view));
        }
        let Texts { of_literals, literals, .. } = &mut self.texts;
        let number = *of_literals.entry(literal).or_insert_with_key(|literal| {
            literals.push(literal.clone());
            literals.len() as i128 - 1
        });
        let number = self.space.int(number, TEXT);
        let is_same = self.space.equal(text, number);
        if let Some((byte, kind)) = self.first_byte(state, string) {
            let letters = if view.ignores_case { [first, first.to_ascii_uppercase()] } else { [first, first] };
            let mut begins_so = Guard::FALSE;
            for letter in letters {
                let letter = self.int_val(i128::from(letter), kind);
                let is_letter = self.relate(byte, letter, |this, a, b| this.equal(a, b));
                begins_so = self.space.or(begins_so, is_letter);
            }
            let mut fact = self.space.or(is_same.not(), begins_so);
            if is_empty {
                let back = self.space.or(is_same, begins_so.not());
                fact = self.space.and(fact, back);
            }
            self.must(state, fact, since);
        }
        (is_same, since)
    }

    /// How long a string is.
    pub(super) fn length_of(&mut self, state: &mut State, string: Val, kind: Kind) -> Val {
        let since = self.since();
        let mut ways = Ways::new();
        let mut rest = Guard::FALSE;
        for place in 0..self.values.alternatives(string).len() {
            let (guard, term) = self.values.alternatives(string)[place];
            match self.literal(term) {
                Some(literal) => ways.push((guard, self.space.int(literal.len() as i128 - 1, kind))),
                None => rest = self.space.or(rest, guard),
            }
        }
        if !rest.is_false() {
            ways.push((rest, self.some_length(kind)));
        }
        let length = self.scalar(ways);
        if let Some((byte, byte_kind)) = self.first_byte(state, string) {
            let (none, end) = (self.int_val(0, kind), self.int_val(0, byte_kind));
            let is_none = self.relate(length, none, |this, a, b| this.equal(a, b));
            let is_end = self.relate(byte, end, |this, a, b| this.equal(a, b));
            let fact = self.space.xor(is_none, is_end).not();
            self.must(state, fact, since);
        }
        length
    }

    /// The bytes from here on, with the terminator.
    fn literal(&self, term: Term) -> Option<Vec<u8>> {
        let TermKind::Address { object, offset } = self.space.term(term) else { return None };
        let (bytes, width) = self.literal_bytes(object)?;
        let rest = bytes.get(usize::try_from(offset).ok()?..).filter(|_| width == 1)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        Some(rest[..=end].to_vec())
    }

    /// All bytes of a literal of this function's, and the width of a character.
    fn literal_bytes(&self, object: Object) -> Option<(&[u8], u64)> {
        let ObjectKind::Literal(number) = self.objects.get(object).kind else { return None };
        let unit = &self.module.unit;
        let string = unit.strings.get(StringId(number))?;
        let width = unit.types.element(string.ty).and_then(|element| unit.types.size_of(element))?;
        Some((&string.bytes, width))
    }

    /// The first character of a literal. If the others were known, too, a loop that looks for the end would not be seen
    /// to find it: it is visited a few times only.
    pub(super) fn first_letter(&self, object: Object, kind: Kind) -> Option<i128> {
        let (bytes, width) = self.literal_bytes(object)?;
        let bytes = bytes.get(..width as usize).filter(|_| u64::from(kind.bits) == width * 8)?;
        Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | i128::from(byte)))
    }

    /// What a string begins with, if that was asked for and has been the same ever since.
    fn first_byte(&self, state: &State, string: Val) -> Option<(Val, Kind)> {
        let term = self.values.only(string)?;
        let (object, offset) = match self.space.term(term) {
            TermKind::Address { object, offset } => (object, offset),
            TermKind::Symbol(symbol) => (self.objects.known(&ObjectKind::Pointee(symbol))?, 0),
            _ => return None,
        };
        let cell = *self.objects.get(object).cells.iter().find(|&&cell| {
            let info = self.objects.cells[cell];
            info.offset == offset && info.kind.bits == 8 && info.class == CellClass::Value
        })?;
        let now = state.cells.get(cell.0 as usize).copied().filter(|val| val.is_real());
        let byte = now.or(self.objects.initial[cell])?;
        let is_lasting = |term: Term| match self.symbol_of(term) {
            Some(symbol) => {
                let info = self.objects.symbols.get(symbol.0 as usize);
                info.is_some_and(|info| matches!(info.origin, Origin::Contents(_)))
            }
            None => true,
        };
        self.values.terms(byte).all(is_lasting).then_some((byte, self.objects.cells[cell].kind))
    }
}
