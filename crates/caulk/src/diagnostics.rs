//! Messages on standard error, as compilers write them: `file:line:column: error: …` and the line.
//!
//! Each is said once, however many units meet it, and a missing header once for all its places.

use std::path::PathBuf;

use caulk_base::Severity;
use caulk_driver::Message;
use rustc_hash::FxHashSet;

use crate::commands::shown;
use crate::eprintln_quietly;

/// Beyond these the rest is only counted: whoever reads has enough to go on.
const MAX_MESSAGES: usize = 200;

pub(crate) struct Reporter {
    here: PathBuf,
    said: FxHashSet<(PathBuf, u32, u32, String)>,
    /// Messages that were left out.
    rest: usize,
}

impl Reporter {
    pub(crate) fn new() -> Reporter {
        let here = std::env::current_dir().unwrap_or_default();
        Reporter { here, said: FxHashSet::default(), rest: 0 }
    }

    /// About the run, not about a place.
    pub(crate) fn error(&mut self, text: &str) {
        self.say(format!("caulk: error: {text}\n"));
    }

    pub(crate) fn warning(&mut self, text: &str) {
        self.say(format!("caulk: warning: {text}\n"));
    }

    fn say(&mut self, text: String) {
        if self.said.insert((PathBuf::new(), 0, 0, text.clone())) {
            eprintln_quietly(&text);
        }
    }

    pub(crate) fn message(&mut self, message: &Message) {
        if message.is_system && message.severity == Severity::Warning {
            return;
        }
        let key = match message.is_general {
            true => (PathBuf::new(), 0, 0, message.text.clone()),
            false => (message.path.clone(), message.line, message.column, message.text.clone()),
        };
        if !self.said.insert(key) {
            return;
        }
        if self.said.len() > MAX_MESSAGES {
            self.rest += 1;
            return;
        }
        eprintln_quietly(&self.render(message));
    }

    fn render(&self, message: &Message) -> String {
        let severity = match message.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        if message.line == 0 {
            return format!("caulk: {severity}: {}\n", message.text);
        }
        let path = shown(&message.path, &self.here);
        let mut text = format!("{path}:{}:{}: {severity}: {}\n", message.line, message.column, message.text);
        if !message.excerpt.is_empty() {
            let number = format!("{:5}", message.line);
            let margin = " ".repeat(number.len());
            let indent = " ".repeat(message.caret);
            text.push_str(&format!("{number} | {}\n{margin} | {indent}^\n", message.excerpt));
        }
        text
    }

    /// Says how many were left out.
    pub(crate) fn finish(self) {
        if self.rest > 0 {
            eprintln_quietly(&format!("caulk: {} more messages\n", self.rest));
        }
    }
}
