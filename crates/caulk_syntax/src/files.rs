//! How the preprocessor gets files, so that nothing here does IO.

use std::path::Path;
use std::sync::Arc;

use crate::config::LexMode;
use crate::lexer::LexedFile;

/// Where the lexed text of files comes from. The driver's implementation reads each file once per
/// run and shares it between translation units and threads; tests use a map in memory.
pub trait Files: Sync {
    /// The file at this path, lexed in this mode; `None` if there is no readable regular file.
    fn load(&self, path: &Path, mode: LexMode) -> Option<Arc<LexedFile>>;

    /// The bytes of a file that is not source text (`#embed`).
    fn load_bytes(&self, path: &Path) -> Option<Arc<[u8]>>;
}
