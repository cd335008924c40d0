//! How long each step took.

use std::ops::AddAssign;
use std::time::Duration;

/// Time by step, summed over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phases {
    /// Reading and lexing; a header counts where it was met first.
    pub lex: Duration,
    pub preprocess: Duration,
    pub parse: Duration,
    pub sema: Duration,
    pub lower: Duration,
    pub verify: Duration,
}

impl Phases {
    pub fn total(&self) -> Duration {
        self.lex + self.preprocess + self.parse + self.sema + self.lower + self.verify
    }
}

impl AddAssign for Phases {
    fn add_assign(&mut self, other: Phases) {
        self.lex += other.lex;
        self.preprocess += other.preprocess;
        self.parse += other.parse;
        self.sema += other.sema;
        self.lower += other.lower;
        self.verify += other.verify;
    }
}
