//! What all units of a run share.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashSet;

use crate::file_cache::FileCache;
use crate::include_dirs::IncludeDirs;
use crate::predefined::predefined_macros;
use crate::project::UnitPlan;

/// Files, directories and macro texts of one run.
pub(crate) struct Session {
    pub(crate) files: FileCache,
    pub(crate) include_dirs: IncludeDirs,
    /// Equal texts are one text, so that each is lexed once.
    predefined: Mutex<FxHashSet<Arc<str>>>,
}

impl Session {
    pub(crate) fn new() -> Session {
        Session { files: FileCache::default(), include_dirs: IncludeDirs::find(), predefined: Mutex::default() }
    }

    pub(crate) fn predefined(&self, plan: &UnitPlan) -> Arc<str> {
        let text = predefined_macros(&plan.settings, &plan.language);
        let mut known = self.predefined.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(text.as_str()) {
            Some(shared) => Arc::clone(shared),
            None => {
                let shared: Arc<str> = text.into();
                known.insert(Arc::clone(&shared));
                shared
            }
        }
    }
}
