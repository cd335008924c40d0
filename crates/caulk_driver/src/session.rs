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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::{CompileCommand, Language};
    use crate::frontend::{Fate, Scratch, analyze_unit};
    use crate::headers::ALL_HEADERS;

    /// A machine without any compiler or C library.
    fn bare_session() -> Session {
        Session { files: FileCache::default(), include_dirs: IncludeDirs::default(), predefined: Mutex::default() }
    }

    #[test]
    fn embedded_headers_stand_on_their_own() {
        let root = std::env::temp_dir().join(format!("caulk_headers_{}", std::process::id()));
        std::fs::create_dir_all(&root).expect("writable");
        let mut text: String = ALL_HEADERS.iter().map(|(name, _)| format!("#include <{name}>\n")).collect();
        text.push_str(
            "int sum(int n, ...) { va_list v; va_start(v, n); int s = va_arg(v, int); va_end(v); return s + CHAR_BIT; }
             __m128i add(__m128i a, __m128i b) { return _mm_add_epi32(a, b); }
             _Static_assert(sizeof(__m256i) == 32 && sizeof(size_t) == sizeof(void *), \"\");
             _Static_assert(INT64_MAX > 0 && UINT_MAX == ~0u && DBL_DIG == 15, \"\");
             int flag(atomic_flag *f) { return atomic_flag_test_and_set(f); }\n",
        );
        // `varargs.h` names its macros as `stdarg.h` does, and nobody has both.
        let text = text.replace("#include <varargs.h>\n", "");
        std::fs::write(root.join("a.c"), text).expect("writable");
        for flags in ["gcc", "gcc -m32", "clang -std=c11", "gcc -std=c2x", "gcc -ffreestanding -O2 -mavx2"] {
            let words: Vec<String> =
                flags.split(' ').chain([&*format!("--sysroot={}", root.display())]).map(str::to_owned).collect();
            let command = CompileCommand::parse(&words, &root);
            let plan =
                UnitPlan { file: root.join("a.c"), command: None, language: Language::C, settings: command.settings };
            let unit = analyze_unit(&bare_session(), &plan, &mut Scratch::default()).expect("readable");
            assert!(unit.messages.is_empty(), "{flags}: {:#?}", unit.messages);
            assert!(
                unit.functions.iter().all(|function| function.fate == Fate::Lowered),
                "{flags}: {:?}",
                unit.functions
            );
        }
        std::fs::remove_dir_all(&root).expect("ours");
    }
}
