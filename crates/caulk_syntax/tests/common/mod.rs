//! Parses a text in memory.

use std::path::Path;
use std::sync::Arc;

use caulk_base::{SourceFile, SourceMap};
use caulk_syntax::ast::{Ast, ExternalDecl};
use caulk_syntax::config::{LexMode, PreprocessorConfig};
use caulk_syntax::lexer::LexedFile;
use caulk_syntax::parser::{LostFunction, Parser};
use caulk_syntax::preprocessor::Preprocessor;
use caulk_syntax::{Dialect, Files};

/// There are no other files.
struct NoFiles;

impl Files for NoFiles {
    fn load(&self, _: &Path, _: LexMode) -> Option<Arc<LexedFile>> {
        None
    }

    fn load_bytes(&self, _: &Path) -> Option<Arc<[u8]>> {
        None
    }
}

/// What was said about a text.
pub(crate) struct Outcome {
    /// `line:column: severity: message`
    pub(crate) messages: Vec<String>,
    pub(crate) lost_functions: Vec<LostFunction>,
}

/// Runs on a stack that is made for deep trees.
pub(crate) fn on_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(1 << 29);
        let handle = thread.spawn_scoped(scope, run).expect("a thread");
        handle.join().expect("no panic")
    })
}

/// Parses the text and shows each external declaration to `visit`.
pub(crate) fn parse(text: &[u8], dialect: Dialect, mut visit: impl FnMut(&Ast, &ExternalDecl, &SourceMap)) -> Outcome {
    let source = Arc::new(SourceFile::new("sample.c".into(), text.into()));
    let config = PreprocessorConfig { dialect, ..PreprocessorConfig::default() };
    let file = Arc::new(LexedFile::new(source, dialect.lex_mode()));
    let mut parser = Parser::new(Preprocessor::new(&NoFiles, &config, file), dialect);
    let mut ast = Ast::default();
    while let Some(external) = parser.next(&mut ast) {
        visit(&ast, &external, &parser.preprocessor.map);
        ast.clear();
    }
    let map = &parser.preprocessor.map;
    let messages = parser
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let place = map.place(diagnostic.loc);
            let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
            let severity = format!("{:?}", diagnostic.severity).to_lowercase();
            format!("{line}:{column}: {severity}: {}", diagnostic.message)
        })
        .collect();
    Outcome { messages, lost_functions: parser.lost_functions }
}
