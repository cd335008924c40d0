//! What is reported: plain data, no ids of any other layer.

/// One leak: an allocation site of a function whose memory is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub rule: Rule,
    /// The function that loses the memory, by its source name.
    pub function: String,
    /// What last held the memory, as the programmer wrote it (`p`, `cur.name`, `data->req.newurl`);
    /// empty for a result that was never stored.
    pub variable: String,
    /// The call in this function that yielded the memory.
    pub alloc: Place,
    /// The name of the function called there.
    pub allocator: String,
    /// What is lost: `memory`, or a resource kind (`file`, `descriptor` …).
    pub resource: String,
    pub leak: Place,
    pub loss: Loss,
    /// From the allocation to the loss, in order.
    pub path: Vec<Step>,
    /// Further places where the same allocation is lost.
    pub also: Vec<Place>,
    pub confidence: Confidence,
    /// Survives unrelated edits: made of names, not of lines.
    pub fingerprint: String,
    /// One sentence.
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// No path through the function releases it.
    NeverFreed,
    /// Some paths release it, or hand it on; the reported one does not.
    Conditional,
    /// A resource other than memory.
    Resource,
}

/// How the last reference went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Loss {
    Return,
    Overwritten,
    ScopeEnd,
    HolderFreed,
    ResultDropped,
    ReallocFailed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// It hangs on a number that was forgotten together with how the memory was made.
    Low,
    High,
}

/// A position in a source file. Line and column count from 1; the column counts bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// One step of the story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub place: Place,
    /// `memory is allocated here`, `` `n > 0` is false ``, `` `p` is overwritten ``.
    pub message: String,
}

impl Rule {
    /// The name in reports and configuration.
    pub fn name(self) -> &'static str {
        match self {
            Rule::NeverFreed => "never-freed",
            Rule::Conditional => "conditional-leak",
            Rule::Resource => "resource-leak",
        }
    }
}

impl Confidence {
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::High => "high",
        }
    }
}
