//! The guard space against its specifications: truth tables, plain arithmetic, exhaustion, and z3.

mod arithmetic;
mod canonical;
mod exhaustive;
mod expression;
mod limits;
mod pointers;
mod random;
mod solver;
mod speed;
mod truth_table;
