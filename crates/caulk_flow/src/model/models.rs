//! The table of all models and kinds.

use caulk_base::{IdVec, Symbol};
use rustc_hash::FxHashMap;

use super::ast::{KindId, Model, ResourceKind};
use super::builtin;
use super::parser::{self, ModelError};

/// Models by the name of their function. Built-in ones come from [`Models::builtin`]; to add a
/// project's own, clone that and [`Models::add`] to it.
#[derive(Clone, Debug, Default)]
pub struct Models {
    pub kinds: IdVec<KindId, ResourceKind>,
    kind_ids: FxHashMap<Symbol, KindId>,
    /// In the order in which the names were first defined.
    functions: Vec<Model>,
    numbers: FxHashMap<Symbol, usize>,
}

impl Models {
    /// No models at all.
    pub fn new() -> Models {
        Models::default()
    }

    /// The models that come with Caulk, read once per process.
    pub fn builtin() -> &'static Models {
        builtin::all()
    }

    /// Reads models from a text; `file` names it in errors. A function or kind that is known already
    /// is replaced. Definitions without mistakes are added even if others have some.
    pub fn add(&mut self, text: &str, file: &str) -> Result<(), Vec<ModelError>> {
        let errors = parser::parse(self, text, file);
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    pub fn get(&self, name: Symbol) -> Option<&Model> {
        self.numbers.get(&name).map(|&number| &self.functions[number])
    }

    pub fn named(&self, name: &str) -> Option<&Model> {
        self.get(Symbol::intern(name))
    }

    pub fn kind(&self, name: Symbol) -> Option<KindId> {
        self.kind_ids.get(&name).copied()
    }

    pub fn kind_named(&self, name: &str) -> Option<KindId> {
        self.kind(Symbol::intern(name))
    }

    /// All models, in the order of their definition.
    pub fn functions(&self) -> &[Model] {
        &self.functions
    }

    pub(super) fn add_function(&mut self, model: Model) {
        match self.numbers.get(&model.name) {
            Some(&number) => self.functions[number] = model,
            None => {
                self.numbers.insert(model.name, self.functions.len());
                self.functions.push(model);
            }
        }
    }

    pub(super) fn add_kind(&mut self, kind: ResourceKind) {
        match self.kind_ids.get(&kind.name) {
            Some(&id) => self.kinds[id] = kind,
            None => {
                let name = kind.name;
                let id = self.kinds.push(kind);
                self.kind_ids.insert(name, id);
            }
        }
    }
}
