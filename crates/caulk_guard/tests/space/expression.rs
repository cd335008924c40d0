//! Expressions kept apart from the space: built twice, evaluated by plain arithmetic.

use caulk_guard::{Guard, Kind, Op, Predicate, Space, Term, TermKind};

use crate::random::Random;

/// A formula over comparisons.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Equal(Node, Node),
    Less(Node, Node),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
}

/// The naive twin of a term; every part carries its kind.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Symbol(usize, Kind),
    Int(i128, Kind),
    Binary(Op, Box<Node>, Box<Node>, Kind),
    Extend(Box<Node>, Kind),
}

impl Node {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Node::Symbol(_, kind) | Node::Int(_, kind) | Node::Binary(_, _, _, kind) | Node::Extend(_, kind) => *kind,
        }
    }

    /// The value under the symbols' values; nothing where C leaves it undefined.
    pub(crate) fn evaluate(&self, symbols: &[i128]) -> Option<i128> {
        let reduce = |value: i128, kind: Kind| {
            let modulus = 1i128 << kind.bits;
            let low = value.rem_euclid(modulus);
            if kind.signed && low >= modulus / 2 { low - modulus } else { low }
        };
        let kind = self.kind();
        let value = match self {
            Node::Symbol(symbol, _) => symbols[*symbol],
            Node::Int(value, _) => *value,
            Node::Extend(a, _) => a.evaluate(symbols)?,
            Node::Binary(op, a, b, _) => {
                let (a, b) = (a.evaluate(symbols)?, b.evaluate(symbols)?);
                match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    Op::Mul => a.wrapping_mul(b),
                    Op::Div | Op::Rem if b == 0 => return None,
                    Op::Div => a / b,
                    Op::Rem => a % b,
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Shl | Op::Shr if b < 0 || b >= kind.bits as i128 => return None,
                    Op::Shl => a << b,
                    Op::Shr => a >> b,
                }
            }
        };
        Some(reduce(value, kind))
    }

    pub(crate) fn build(&self, space: &mut Space, symbols: &[Term]) -> Term {
        match self {
            Node::Symbol(symbol, _) => symbols[*symbol],
            Node::Int(value, kind) => space.int(*value, *kind),
            Node::Binary(op, a, b, kind) => {
                let (a, b) = (a.build(space, symbols), b.build(space, symbols));
                space.binary(*op, a, b, *kind)
            }
            Node::Extend(a, kind) => {
                let a = a.build(space, symbols);
                space.extend(a, *kind)
            }
        }
    }
}

impl Formula {
    pub(crate) fn evaluate(&self, symbols: &[i128]) -> Option<bool> {
        Some(match self {
            Formula::Equal(a, b) => a.evaluate(symbols)? == b.evaluate(symbols)?,
            Formula::Less(a, b) => a.evaluate(symbols)? < b.evaluate(symbols)?,
            Formula::Not(a) => !a.evaluate(symbols)?,
            Formula::And(a, b) => a.evaluate(symbols)? & b.evaluate(symbols)?,
            Formula::Or(a, b) => a.evaluate(symbols)? | b.evaluate(symbols)?,
        })
    }

    pub(crate) fn build(&self, space: &mut Space, symbols: &[Term]) -> Guard {
        match self {
            Formula::Equal(a, b) => {
                let (a, b) = (a.build(space, symbols), b.build(space, symbols));
                space.equal(a, b)
            }
            Formula::Less(a, b) => {
                let (a, b) = (a.build(space, symbols), b.build(space, symbols));
                space.less(a, b)
            }
            Formula::Not(a) => a.build(space, symbols).not(),
            Formula::And(a, b) => {
                let (a, b) = (a.build(space, symbols), b.build(space, symbols));
                space.and(a, b)
            }
            Formula::Or(a, b) => {
                let (a, b) = (a.build(space, symbols), b.build(space, symbols));
                space.or(a, b)
            }
        }
    }
}

/// What random expressions are made of.
pub(crate) struct Recipe<'a> {
    pub(crate) symbols: &'a [Kind],
    pub(crate) operations: &'a [Op],
    /// Of a hundred operands, how many are operations at the top.
    pub(crate) operation_share: usize,
    /// Whether multiplications, divisions and shifts take constants only on the right.
    pub(crate) constant_right: bool,
}

impl Recipe<'_> {
    pub(crate) fn node(&self, random: &mut Random, kind: Kind, depth: usize) -> Node {
        if depth > 0 && random.chance(self.operation_share) {
            let op = random.pick(self.operations);
            let a = self.node(random, kind, depth - 1);
            let is_hard = matches!(op, Op::Mul | Op::Div | Op::Rem | Op::Shl | Op::Shr);
            let b = match op {
                Op::Shl | Op::Shr => Node::Int(random.below(kind.bits as usize + 1) as i128, kind),
                _ if is_hard && self.constant_right || random.chance(50) => Node::Int(constant(random, kind), kind),
                _ => self.node(random, kind, depth - 1),
            };
            return Node::Binary(op, Box::new(a), Box::new(b), kind);
        }
        if random.chance(25) {
            return Node::Int(constant(random, kind), kind);
        }
        let symbol = random.below(self.symbols.len());
        let node = Node::Symbol(symbol, self.symbols[symbol]);
        if self.symbols[symbol] == kind { node } else { Node::Extend(Box::new(node), kind) }
    }

    pub(crate) fn formula(&self, random: &mut Random, depth: usize) -> Formula {
        if depth == 0 || random.chance(10) {
            let kind = random.pick(self.symbols);
            let a = self.node(random, kind, 2);
            let b =
                if random.chance(60) { Node::Int(constant(random, kind), kind) } else { self.node(random, kind, 1) };
            let comparison = if random.chance(50) { Formula::Equal(a, b) } else { Formula::Less(a, b) };
            return if random.chance(50) { Formula::Not(Box::new(comparison)) } else { comparison };
        }
        let (a, b) = (Box::new(self.formula(random, depth - 1)), Box::new(self.formula(random, depth - 1)));
        if random.chance(65) { Formula::And(a, b) } else { Formula::Or(a, b) }
    }
}

/// A literal as C code tests it: an unknown against a small number or another unknown, a flag, a difference.
pub(crate) fn plain_literal(random: &mut Random, symbols: &[Kind]) -> Formula {
    let at = random.below(symbols.len());
    let kind = symbols[at];
    let converted = |at: usize| {
        let symbol = Node::Symbol(at, symbols[at]);
        if symbols[at] == kind { symbol } else { Node::Extend(Box::new(symbol), kind) }
    };
    let small = |random: &mut Random| Node::Int(kind.wrap(random.below(9) as i128 - 2), kind);
    let other = converted(random.below(symbols.len()));
    let (a, b) = match random.below(8) {
        0 | 1 => (converted(at), small(random)),
        2 | 3 => (converted(at), other),
        4 => (converted(at), Node::Binary(Op::Add, Box::new(other), Box::new(small(random)), kind)),
        5 => (Node::Binary(Op::Sub, Box::new(converted(at)), Box::new(other), kind), small(random)),
        6 => (Node::Binary(Op::And, Box::new(converted(at)), Box::new(small(random)), kind), small(random)),
        _ => (converted(at), Node::Int(constant(random, kind), kind)),
    };
    let comparison = if random.chance(40) { Formula::Equal(a, b) } else { Formula::Less(a, b) };
    if random.chance(50) { Formula::Not(Box::new(comparison)) } else { comparison }
}

/// A path condition: so many literals together, now and then one of two.
pub(crate) fn path_condition(random: &mut Random, symbols: &[Kind], literals: usize) -> Formula {
    let mut formula = plain_literal(random, symbols);
    for _ in 1..literals {
        let mut literal = plain_literal(random, symbols);
        if random.chance(20) {
            literal = Formula::Or(Box::new(literal), Box::new(plain_literal(random, symbols)));
        }
        formula = Formula::And(Box::new(formula), Box::new(literal));
    }
    formula
}

/// Small numbers, ends of the range, powers of two and their neighbours, anything.
pub(crate) fn constant(random: &mut Random, kind: Kind) -> i128 {
    let power = 1i128 << random.below(kind.bits as usize);
    let value = match random.below(6) {
        0 | 1 => random.below(6) as i128 - 1,
        2 => power,
        3 => power - 1,
        4 => -power,
        _ => random.next() as i128,
    };
    kind.wrap(value)
}

/// A value for a symbol, likely to be interesting.
pub(crate) fn value(random: &mut Random, kind: Kind) -> i128 {
    constant(random, kind)
}

/// The value of a term of the space, through its public view.
pub(crate) fn evaluate_term(space: &Space, term: Term, symbols: &[i128]) -> i128 {
    let kind = space.kind(term);
    match space.term(term) {
        TermKind::Int(value) => kind.number(value as u64),
        // Symbols beyond the given ones stand for undefined results.
        TermKind::Symbol(symbol) => symbols.get(symbol.0 as usize).copied().unwrap_or(0),
        TermKind::Binary { op, a, b } => {
            let (a, b) = (evaluate_term(space, a, symbols), evaluate_term(space, b, symbols));
            op.apply(kind, a, b).unwrap_or(0)
        }
        TermKind::Extend { a } => kind.wrap(evaluate_term(space, a, symbols)),
        TermKind::Address { .. } | TermKind::Inside { .. } => panic!("no addresses in these tests"),
    }
}

pub(crate) fn evaluate_predicate(space: &Space, predicate: Predicate, symbols: &[i128]) -> bool {
    match predicate {
        Predicate::Equal(a, b) => evaluate_term(space, a, symbols) == evaluate_term(space, b, symbols),
        Predicate::Less(a, b) => evaluate_term(space, a, symbols) < evaluate_term(space, b, symbols),
        Predicate::Choice => panic!("no choices in these tests"),
    }
}
