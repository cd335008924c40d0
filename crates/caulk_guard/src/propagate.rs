//! Propagation: what the relations and comparisons of a component make of its cells' domains.
//!
//! Each relation narrows its result by its operands and its operands by its result; each comparison narrows both sides.
//! For `x & 6 == y`, `y > 3`, `x < 6` at eight unsigned bits:
//!
//! ```text
//! y in 0..=6, bits 0 and 3.. zero      from the mask
//! y in 4..=6, bit 2 one                from y > 3
//! x has bit 2, so x in 4..=5           back through the mask, then x < 6
//! x has not bit 1, so y is 4           forward again
//! ```
//!
//! Orders between unknowns (`x < y && y < x`) would be narrowed one by one for ever. They are *difference constraints*
//! `x - y <= w`, and relaxing those settles after as many rounds as there are cells unless they run in a circle that
//! contradicts itself (Bellman and Ford). A sum takes part where its operand's domain shows that it cannot wrap around.
//!
//! Invariant: only values that no solution has are removed.

use crate::domain::Domain;
use crate::kind::{Kind, Op};
use crate::theory::{Comparison, Conflict, Relation, Theory};

/// Domains that still move after this many rounds stay as they are: nothing wrong is concluded.
const MAX_ROUNDS: usize = 24;

impl Theory {
    pub(crate) fn propagate(&mut self) -> Result<(), Conflict> {
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for at in 0..self.comparisons.len() {
                changed |= self.apply_comparison(self.comparisons[at])?;
            }
            for at in 0..self.relations.len() {
                changed |= self.apply_forward(self.relations[at])?;
            }
            for at in (0..self.relations.len()).rev() {
                changed |= self.apply_backward(self.relations[at])?;
                changed |= self.apply_carry(at)?;
            }
            changed |= self.relax_differences()?;
            if !changed {
                break;
            }
        }
        Ok(())
    }

    /// Keeps of a cell what the domain allows; tells whether anything was lost.
    pub(crate) fn narrow(&mut self, cell: usize, domain: &Domain) -> Result<bool, Conflict> {
        let changed = self.domains[cell].meet(self.kinds[cell], domain);
        if changed && self.domains[cell].is_empty() { Err(Conflict) } else { Ok(changed) }
    }

    fn narrow_low(&mut self, cell: usize, low: i128) -> Result<bool, Conflict> {
        let domain = self.domains[cell];
        if low <= domain.low { Ok(false) } else { self.narrow(cell, &Domain { low, zeros: 0, ones: 0, ..domain }) }
    }

    fn narrow_high(&mut self, cell: usize, high: i128) -> Result<bool, Conflict> {
        let domain = self.domains[cell];
        if high >= domain.high { Ok(false) } else { self.narrow(cell, &Domain { high, zeros: 0, ones: 0, ..domain }) }
    }

    fn apply_comparison(&mut self, comparison: Comparison) -> Result<bool, Conflict> {
        match comparison {
            Comparison::Less(a, b) => {
                Ok(self.narrow_high(a, self.domains[b].high - 1)? | self.narrow_low(b, self.domains[a].low + 1)?)
            }
            Comparison::LessOrEqual(a, b) => {
                Ok(self.narrow_high(a, self.domains[b].high)? | self.narrow_low(b, self.domains[a].low)?)
            }
            Comparison::Differ(a, b) => Ok(self.exclude(a, b)? | self.exclude(b, a)?),
        }
    }

    /// If `b` is known, `a` is not that.
    fn exclude(&mut self, a: usize, b: usize) -> Result<bool, Conflict> {
        let Some(value) = self.domains[b].as_constant() else { return Ok(false) };
        let mut changed = false;
        if self.domains[a].low == value {
            changed |= self.narrow_low(a, value + 1)?;
        }
        if self.domains[a].high == value {
            changed |= self.narrow_high(a, value - 1)?;
        }
        Ok(changed)
    }

    fn apply_forward(&mut self, relation: Relation) -> Result<bool, Conflict> {
        match relation {
            Relation::Binary { op, result, a, b } => {
                let domain = Domain::of_binary(op, self.kinds[result], &self.domains[a], &self.domains[b]);
                self.narrow(result, &domain)
            }
            Relation::Extend { result, a } => {
                let domain = Domain::of_extend(self.kinds[a], self.kinds[result], &self.domains[a]);
                self.narrow(result, &domain)
            }
            Relation::Shift { result, base, offset } => self.shift(result, base, offset),
        }
    }

    /// `to == from + offset`, modulo the width.
    fn shift(&mut self, to: usize, from: usize, offset: u64) -> Result<bool, Conflict> {
        let kind = self.kinds[to];
        let offset = Domain::constant(kind, kind.number(offset));
        let domain = Domain::of_binary(Op::Add, kind, &self.domains[from], &offset);
        self.narrow(to, &domain)
    }

    fn apply_backward(&mut self, relation: Relation) -> Result<bool, Conflict> {
        match relation {
            Relation::Binary { op, result, a, b } => self.narrow_operands(op, result, a, b),
            Relation::Shift { result, base, offset } => self.shift(base, result, offset.wrapping_neg()),
            Relation::Extend { result, a } => self.narrow_extended(result, a),
        }
    }

    fn narrow_extended(&mut self, result: usize, a: usize) -> Result<bool, Conflict> {
        let (from, to) = (self.kinds[a], self.kinds[result]);
        let (outer, inner) = (self.domains[result], self.domains[a]);
        let shared = from.mask() & to.mask();
        let mut changed = self.narrow(a, &Domain::bits(from, outer.zeros & shared, outer.ones & shared))?;
        // Where the conversion adds one amount to all values, the interval comes back by taking it off.
        if let Some(added) = added_by_wrap(to, inner.low, inner.high) {
            changed |= self.narrow_low(a, outer.low - added)?;
            changed |= self.narrow_high(a, outer.high - added)?;
        } else if from.bits <= to.bits {
            // A wider result determines the number: an interval on one side of the seam maps back as one piece.
            let (low, high) = (from.wrap(outer.low), from.wrap(outer.high));
            let is_whole = low <= high && to.wrap(low) == outer.low && to.wrap(high) == outer.high;
            if is_whole && added_by_wrap(to, low, high).is_some() {
                changed |= self.narrow(a, &Domain::interval(from, low, high))?;
            }
        }
        Ok(changed)
    }

    fn narrow_operands(&mut self, op: Op, result: usize, a: usize, b: usize) -> Result<bool, Conflict> {
        let kind = self.kinds[result];
        let (whole, left, right) = (self.domains[result], self.domains[a], self.domains[b]);
        match op {
            Op::Add => {
                let changed = self.narrow(a, &Domain::of_binary(Op::Sub, kind, &whole, &right))?;
                let left = self.domains[a];
                Ok(changed | self.narrow(b, &Domain::of_binary(Op::Sub, kind, &whole, &left))?)
            }
            Op::Sub => {
                let changed = self.narrow(a, &Domain::of_binary(Op::Add, kind, &whole, &right))?;
                let left = self.domains[a];
                Ok(changed | self.narrow(b, &Domain::of_binary(Op::Sub, kind, &left, &whole))?)
            }
            Op::Xor => {
                let changed = self.narrow(a, &Domain::of_binary(Op::Xor, kind, &whole, &right))?;
                Ok(changed | self.narrow(b, &Domain::of_binary(Op::Xor, kind, &whole, &left))?)
            }
            Op::And => {
                let changed = self.narrow(a, &Domain::bits(kind, whole.zeros & right.ones, whole.ones))?;
                Ok(changed | self.narrow(b, &Domain::bits(kind, whole.zeros & left.ones, whole.ones))?)
            }
            Op::Or => {
                let changed = self.narrow(a, &Domain::bits(kind, whole.zeros, whole.ones & right.zeros))?;
                Ok(changed | self.narrow(b, &Domain::bits(kind, whole.zeros, whole.ones & left.zeros))?)
            }
            Op::Mul => {
                // Only a positive factor that cannot wrap is undone.
                let Some(factor) = right.as_constant().filter(|&factor| factor > 0) else { return Ok(false) };
                let fits = left.low >= kind.min() / factor && left.high <= kind.max() / factor;
                if !fits {
                    return Ok(false);
                }
                let low = whole.low.div_euclid(factor) + (whole.low.rem_euclid(factor) != 0) as i128;
                Ok(self.narrow_low(a, low)? | self.narrow_high(a, whole.high.div_euclid(factor))?)
            }
            Op::Shr => {
                let Some(count) = right.as_constant().filter(|&count| 0 <= count && count < kind.bits as i128) else {
                    return Ok(false);
                };
                let high = ((whole.high + 1) << count) - 1;
                Ok(self.narrow_low(a, whole.low << count)? | self.narrow_high(a, high)?)
            }
            Op::Div => {
                let Some(divisor) = right.as_constant().filter(|&divisor| divisor > 0) else { return Ok(false) };
                let low = if whole.low > 0 { whole.low * divisor } else { (whole.low - 1) * divisor + 1 };
                let high = if whole.high < 0 { whole.high * divisor } else { (whole.high + 1) * divisor - 1 };
                Ok(self.narrow_low(a, low)? | self.narrow_high(a, high)?)
            }
            Op::Rem | Op::Shl => Ok(false),
        }
    }

    /// What wrapping adds to a sum or difference, if only one amount goes with what is known of operands and result.
    pub(crate) fn carry(&self, relation: usize) -> Result<Option<i128>, Conflict> {
        let Relation::Binary { op, result, a, b } = self.relations[relation] else { return Ok(None) };
        if !matches!(op, Op::Add | Op::Sub) {
            return Ok(None);
        }
        if self.carries[relation].is_some() {
            return Ok(self.carries[relation]);
        }
        let mut possible = self.possible_carries(op, result, a, b);
        match (possible.next(), possible.next()) {
            (None, _) => Err(Conflict),
            (only, None) => Ok(only),
            _ => Ok(None),
        }
    }

    /// The amounts that wrapping may add to `a op b`, a sum or a difference.
    pub(crate) fn possible_carries(&self, op: Op, result: usize, a: usize, b: usize) -> impl Iterator<Item = i128> {
        let (whole, left, right) = (self.domains[result], self.domains[a], self.domains[b]);
        let (low, high) = if op == Op::Add {
            (left.low + right.low, left.high + right.high)
        } else {
            (left.low - right.high, left.high - right.low)
        };
        let modulus = self.kinds[result].mask() as i128 + 1;
        [0, -modulus, modulus].into_iter().filter(move |&added| low + added <= whole.high && high + added >= whole.low)
    }

    /// Where it is known what wrapping adds, a sum is plain arithmetic.
    fn apply_carry(&mut self, relation: usize) -> Result<bool, Conflict> {
        let Some(added) = self.carry(relation)? else { return Ok(false) };
        let Relation::Binary { op, result, a, b } = self.relations[relation] else { return Ok(false) };
        let mut changed = false;
        // Either way: x == y + z + added, with x and one of the others exchanged for a difference.
        let (x, y, z, added) = if op == Op::Add { (result, a, b, added) } else { (a, result, b, -added) };
        changed |= self.narrow_low(x, self.domains[y].low + self.domains[z].low + added)?;
        changed |= self.narrow_high(x, self.domains[y].high + self.domains[z].high + added)?;
        for (y, z) in [(y, z), (z, y)] {
            changed |= self.narrow_low(y, self.domains[x].low - added - self.domains[z].high)?;
            changed |= self.narrow_high(y, self.domains[x].high - added - self.domains[z].low)?;
        }
        Ok(changed)
    }

    /// Settles all difference constraints, or finds that they run in a circle.
    fn relax_differences(&mut self) -> Result<bool, Conflict> {
        self.collect_edges();
        if self.edges.len() < 2 {
            return Ok(false);
        }
        // On plain bounds: known bits would keep moving them long after the constraints have settled.
        self.bounds.clear();
        self.bounds.extend(self.domains.iter().map(|domain| (domain.low, domain.high)));
        for round in 0.. {
            let mut changed = false;
            for &(x, y, w) in &self.edges {
                let (high, low) = (self.bounds[y].1 + w, self.bounds[x].0 - w);
                if high < self.bounds[x].1 {
                    self.bounds[x].1 = high;
                    changed = true;
                }
                if low > self.bounds[y].0 {
                    self.bounds[y].0 = low;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            if round > self.bounds.len() {
                return Err(Conflict);
            }
        }
        let mut changed = false;
        for cell in 0..self.domains.len() {
            let (low, high) = self.bounds[cell];
            changed |= self.narrow_low(cell, low)?;
            changed |= self.narrow_high(cell, high)?;
        }
        Ok(changed)
    }

    fn collect_edges(&mut self) {
        self.edges.clear();
        for &comparison in &self.comparisons {
            match comparison {
                Comparison::Less(a, b) => self.edges.push((a, b, -1)),
                Comparison::LessOrEqual(a, b) => self.edges.push((a, b, 0)),
                Comparison::Differ(..) => {}
            }
        }
        // Without an order between unknowns there is nothing to run in a circle.
        if self.edges.is_empty() {
            return;
        }
        for at in 0..self.relations.len() {
            let (result, a, added) = match self.relations[at] {
                Relation::Shift { result, base, offset } => {
                    let (kind, domain) = (self.kinds[base], &self.domains[base]);
                    let offset = kind.number(offset);
                    let added = added_by_wrap(kind, domain.low + offset, domain.high + offset);
                    (result, base, added.map(|added| added + offset))
                }
                Relation::Extend { result, a } => {
                    let added = added_by_wrap(self.kinds[result], self.domains[a].low, self.domains[a].high);
                    (result, a, added)
                }
                Relation::Binary { op, result, a, b } => {
                    if let Ok(Some(added)) = self.carry(at) {
                        self.add_edges_of_sum(op, result, a, b, added);
                    }
                    continue;
                }
            };
            if let Some(added) = added {
                self.edges.push((result, a, added));
                self.edges.push((a, result, -added));
            }
        }
    }
}

impl Theory {
    /// Of `x == y + z + added`, any two are apart by what the third can be.
    fn add_edges_of_sum(&mut self, op: Op, result: usize, a: usize, b: usize, added: i128) {
        let (x, y, z, added) = if op == Op::Add { (result, a, b, added) } else { (a, result, b, -added) };
        for (y, z) in [(y, z), (z, y)] {
            let third = self.domains[z];
            self.edges.push((x, y, third.high + added));
            self.edges.push((y, x, -third.low - added));
        }
    }
}

/// What wrapping to the kind adds, if it is the same for the whole interval.
pub(crate) fn added_by_wrap(kind: Kind, low: i128, high: i128) -> Option<i128> {
    let added = kind.wrap(low) - low;
    (kind.wrap(high) - high == added).then_some(added)
}
