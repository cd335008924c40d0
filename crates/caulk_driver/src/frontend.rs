//! One translation unit: text to verified IR.
//!
//! Parsing, checking, lowering and verifying go on side by side, one external declaration at a time,
//! so the tree of a whole file is never held. Each function meets one fate ([`Fate`]): lowered,
//! lowered with something unknown in it, or skipped for a reason; they are all counted.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use caulk_base::{Diagnostic, Loc, Severity, SourceMap, Symbol};
use caulk_ir::ir::{Function, Module};
use caulk_ir::lower::{LowerScratch, lower_function};
use caulk_ir::verify::verify;
use caulk_sema::check::{Checker, Options};
use caulk_sema::hir::Body;
use caulk_sema::unit::{GlobalId, Unit};
use caulk_syntax::ast::{Ast, ExternalDecl};
use caulk_syntax::config::PreprocessorConfig;
use caulk_syntax::parser::Parser;
use caulk_syntax::preprocessor::Preprocessor;
use caulk_syntax::preprocessor::print::{Style, print};

use crate::crash::guarded;
use crate::file_cache::take_lex_time;
use crate::messages::{MISSING_HEADER, Message};
use crate::phases::Phases;
use crate::project::UnitPlan;
use crate::session::Session;

/// What became of a function definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// In the module, whole.
    Lowered,
    /// In the module; somewhere in it stands an instruction of unknown effect.
    Unknown,
    /// Not in the module, for this reason.
    Skipped(String),
}

#[derive(Clone, Debug)]
pub struct FunctionReport {
    pub name: Symbol,
    pub file: PathBuf,
    pub line: u32,
    pub fate: Fate,
}

/// A header that no directory has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MissingHeader {
    pub header: String,
    /// The file that asked for it; empty for the command line.
    pub from: PathBuf,
}

/// A translation unit, analysed.
#[derive(Debug)]
pub struct UnitResult {
    /// Absolute.
    pub file: PathBuf,
    /// Its number in the compile database.
    pub command: Option<usize>,
    pub module: Module,
    pub map: SourceMap,
    /// Every definition met, in order; those of headers too.
    pub functions: Vec<FunctionReport>,
    /// In the order of their places.
    pub messages: Vec<Message>,
    pub missing_headers: Vec<MissingHeader>,
    /// Lines of the main file.
    pub lines: usize,
    pub phases: Phases,
}

/// Memory reused from unit to unit.
#[derive(Default)]
pub(crate) struct Scratch {
    ast: Ast,
    lower: LowerScratch,
}

/// Analyses one unit; `Err` if its main file cannot be read.
pub(crate) fn analyze_unit(session: &Session, plan: &UnitPlan, scratch: &mut Scratch) -> Result<UnitResult, String> {
    let started = Instant::now();
    take_lex_time();
    let config = session.preprocessor_config(plan);
    let main = session.load_main(plan)?;
    let lines = main.source.line_count();
    let preprocessor = Preprocessor::new(&session.files, &config, main);
    let parser = Parser::new(preprocessor, config.dialect);
    let options = Options { dialect: config.dialect, gnu89_inline: plan.settings.has_gnu89_inline() };
    let checker = Checker::new(plan.settings.target(), options);
    let mut analysis = Analysis {
        parser,
        checker,
        work: FunctionWork {
            lower: &mut scratch.lower,
            functions: Vec::new(),
            fates: Vec::new(),
            phases: Phases::default(),
        },
        crashes: Vec::new(),
    };
    // The parser has pulled its first tokens already; `finish` takes all of its preprocessing out.
    let first_tokens = analysis.parser.preprocess_time;
    analysis.work.phases.parse = first_tokens;
    analysis.work.phases.preprocess = started.elapsed().saturating_sub(first_tokens);
    analysis.run(&mut scratch.ast);
    Ok(analysis.finish(plan, lines))
}

/// A unit on its way.
struct Analysis<'a> {
    parser: Parser<'a>,
    checker: Checker,
    work: FunctionWork<'a>,
    /// Our own bugs, with the place of the declaration that showed them.
    crashes: Vec<(Loc, String)>,
}

/// What happens to a function body as soon as it is checked.
struct FunctionWork<'a> {
    lower: &'a mut LowerScratch,
    functions: Vec<Function>,
    fates: Vec<(Symbol, Loc, Fate)>,
    phases: Phases,
}

impl FunctionWork<'_> {
    fn body(&mut self, unit: &mut Unit, global: GlobalId, body: &Body) {
        let started = Instant::now();
        let name = unit.globals[global].source_name;
        let loc = unit.globals[global].loc;
        let lowered = guarded(|| lower_function(unit, global, body, self.lower));
        let after_lowering = Instant::now();
        self.phases.lower += after_lowering - started;
        let fate = match lowered {
            Ok(function) => {
                let verified = guarded(|| verify(unit, &function));
                let fate = match verified {
                    Ok(Ok(())) if function.has_unknown() => Fate::Unknown,
                    Ok(Ok(())) => Fate::Lowered,
                    Ok(Err(errors)) => {
                        let first = errors.first().map_or("", String::as_str);
                        Fate::Skipped(format!("{BUG}the IR breaks a rule: {first}"))
                    }
                    Err(panic) => Fate::Skipped(format!("{BUG}{panic}")),
                };
                if !matches!(fate, Fate::Skipped(_)) {
                    self.functions.push(function);
                }
                fate
            }
            Err(panic) => {
                *self.lower = LowerScratch::default();
                Fate::Skipped(format!("{BUG}{panic}"))
            }
        };
        self.fates.push((name, loc, fate));
        self.phases.verify += after_lowering.elapsed();
    }
}

/// How a reason begins that is our own fault.
pub(crate) const BUG: &str = "internal error: ";

/// What to do about it.
pub(crate) const PLEASE_REPORT: &str =
    "this is a bug in caulk, please report it with the file as `caulk preprocess` prints it";

impl Analysis<'_> {
    fn run(&mut self, ast: &mut Ast) {
        let mut clock = Instant::now();
        loop {
            ast.clear();
            let parsed = guarded(|| self.parser.next(ast));
            let now = Instant::now();
            self.work.phases.parse += now - clock;
            clock = now;
            let declaration = match parsed {
                Ok(Some(declaration)) => declaration,
                Ok(None) => break,
                Err(panic) => {
                    // The parser's state is lost, and with it the rest of the unit.
                    self.crashes.push((Loc::NONE, format!("{BUG}{panic}; the rest of the file is lost")));
                    break;
                }
            };
            self.check(ast, declaration);
            let now = Instant::now();
            self.work.phases.sema += now - clock;
            clock = now;
        }
    }

    fn check(&mut self, ast: &Ast, declaration: ExternalDecl) {
        let known = self.work.fates.len();
        let complaints = self.checker.diagnostics.len();
        let checked = guarded(|| {
            let work = &mut self.work;
            self.checker.external_decl(ast, declaration, &mut |unit, global, body| work.body(unit, global, body));
        });
        let reason = match checked {
            Ok(()) => None,
            Err(panic) => Some(format!("{BUG}{panic}")),
        };
        let ExternalDecl::Function(definition) = declaration else {
            self.crashes.extend(reason.map(|reason| (Loc::NONE, reason)));
            return;
        };
        if self.work.fates.len() == known {
            let complaint = self.checker.diagnostics.get(complaints).map(|diagnostic| diagnostic.message.clone());
            let reason = reason.or(complaint).unwrap_or_else(|| "not a function by its type".to_owned());
            let declarator = &ast.declarators[definition.declarator];
            let name = declarator.name.unwrap_or(Symbol::EMPTY);
            self.work.fates.push((name, declarator.loc, Fate::Skipped(reason)));
        }
    }

    fn finish(self, plan: &UnitPlan, lines: usize) -> UnitResult {
        let Parser { preprocessor, preprocess_time, diagnostics: syntax_diagnostics, lost_functions, .. } = self.parser;
        let (unit, sema_diagnostics) = self.checker.finish();
        let FunctionWork { functions, mut fates, mut phases, .. } = self.work;
        let map = preprocessor.map;
        // Lowering and verifying happened inside checking, preprocessing inside parsing, lexing inside
        // preprocessing.
        phases.sema = phases.sema.saturating_sub(phases.lower + phases.verify);
        phases.lex = take_lex_time();
        phases.parse = phases.parse.saturating_sub(preprocess_time);
        phases.preprocess = (phases.preprocess + preprocess_time).saturating_sub(phases.lex);

        fates.extend(lost_functions.into_iter().map(|lost| (lost.name, lost.loc, Fate::Skipped(lost.reason))));
        let mut order: Vec<usize> = (0..fates.len()).collect();
        order.sort_by_key(|&index| map.written(fates[index].1));
        let reports = order.into_iter().map(|index| report(&map, &plan.file, &fates[index])).collect();

        let bugs = fates.iter().filter_map(|(name, loc, fate)| match fate {
            Fate::Skipped(reason) if reason.starts_with(BUG) => Some((*loc, format!("{reason}; `{name}` is lost"))),
            _ => None,
        });
        let mut crashes: Vec<(Loc, String)> = bugs.collect();
        crashes.extend(self.crashes);
        let mut diagnostics = preprocessor.diagnostics;
        diagnostics.extend(syntax_diagnostics);
        diagnostics.extend(sema_diagnostics);
        diagnostics
            .extend(crashes.into_iter().map(|(loc, text)| Diagnostic::error(loc, format!("{text}; {PLEASE_REPORT}"))));
        let mut missing_headers = Vec::new();
        for missing in preprocessor.missing_headers {
            let from = map.place(missing.loc).map(|place| place.path.to_owned()).unwrap_or_default();
            diagnostics.push(missing_header(missing.loc, &missing.name));
            missing_headers.push(MissingHeader { header: missing.name, from });
        }
        diagnostics.sort_by_key(|diagnostic| map.written(diagnostic.loc));
        UnitResult {
            file: plan.file.clone(),
            command: plan.command,
            module: Module { unit, functions },
            functions: reports,
            messages: diagnostics.iter().map(|diagnostic| Message::new(&map, diagnostic)).collect(),
            map,
            missing_headers,
            lines,
            phases,
        }
    }
}

fn missing_header(loc: Loc, name: &str) -> Diagnostic {
    Diagnostic { severity: Severity::Error, loc, message: format!("{MISSING_HEADER}{name}") }
}

fn report(map: &SourceMap, main: &Path, (name, loc, fate): &(Symbol, Loc, Fate)) -> FunctionReport {
    let (file, line) = match map.place(*loc) {
        Some(place) => (place.path.to_owned(), place.line),
        None => (main.to_owned(), 0),
    };
    FunctionReport { name: *name, file, line, fate: fate.clone() }
}

/// A unit's text after preprocessing, or its tree as text.
#[derive(Debug)]
pub struct TextResult {
    /// Bytes, because strings and comments of C have any encoding.
    pub text: Vec<u8>,
    pub messages: Vec<Message>,
}

/// The unit as its compiler would see it after `-E`.
pub(crate) fn preprocess_unit(session: &Session, plan: &UnitPlan) -> Result<TextResult, String> {
    let config = session.preprocessor_config(plan);
    let main = session.load_main(plan)?;
    let mut preprocessor = Preprocessor::new(&session.files, &config, main);
    let mut text = Vec::new();
    let style = Style { line_markers: true };
    print(&mut preprocessor, style, &mut text).map_err(|error| error.to_string())?;
    let mut diagnostics = std::mem::take(&mut preprocessor.diagnostics);
    diagnostics.extend(preprocessor.missing_headers.iter().map(|missing| missing_header(missing.loc, &missing.name)));
    Ok(TextResult { text, messages: messages(&preprocessor.map, diagnostics) })
}

/// The trees of the declarations that stand in the main file.
pub(crate) fn print_tree(session: &Session, plan: &UnitPlan) -> Result<TextResult, String> {
    let config = session.preprocessor_config(plan);
    let main = session.load_main(plan)?;
    let main_path = main.source.path.clone();
    let preprocessor = Preprocessor::new(&session.files, &config, main);
    let mut parser = Parser::new(preprocessor, config.dialect);
    let mut ast = Ast::default();
    let mut text = String::new();
    while let Some(declaration) = parser.next(&mut ast) {
        let map = &parser.preprocessor.map;
        let place = map.physical_place(location(&ast, declaration));
        if place.is_none_or(|place| place.path == main_path) {
            text.push_str(&caulk_syntax::ast_print::print(&ast, &declaration, Some(map)));
        }
        ast.clear();
    }
    let mut diagnostics = std::mem::take(&mut parser.preprocessor.diagnostics);
    diagnostics.append(&mut parser.diagnostics);
    let missing = parser.preprocessor.missing_headers.iter();
    diagnostics.extend(missing.map(|missing| missing_header(missing.loc, &missing.name)));
    Ok(TextResult { text: text.into_bytes(), messages: messages(&parser.preprocessor.map, diagnostics) })
}

fn messages(map: &SourceMap, mut diagnostics: Vec<Diagnostic>) -> Vec<Message> {
    diagnostics.sort_by_key(|diagnostic| map.written(diagnostic.loc));
    diagnostics.iter().map(|diagnostic| Message::new(map, diagnostic)).collect()
}

fn location(ast: &Ast, declaration: ExternalDecl) -> Loc {
    match declaration {
        ExternalDecl::Declaration(id) => ast.declarations[id].loc,
        ExternalDecl::Function(definition) => definition.loc,
        ExternalDecl::StaticAssert(assertion) => assertion.loc,
        ExternalDecl::Asm(id) => ast.asms[id].loc,
    }
}

impl Session {
    fn preprocessor_config(&self, plan: &UnitPlan) -> PreprocessorConfig {
        let settings = &plan.settings;
        let path = self.include_dirs.search_path(settings);
        let is_clang = settings.is_clang();
        PreprocessorConfig {
            dialect: settings.dialect,
            quote_dirs: path.quote,
            dirs: path.dirs,
            predefined: self.predefined(plan),
            command_line: settings.macros.clone(),
            macro_files: settings.macro_files.clone(),
            forced_includes: settings.forced_includes.clone(),
            builtin_headers: path.builtin_headers,
            is_builtin: Some(if is_clang { crate::names::clang_has_builtin } else { crate::names::gcc_has_builtin }),
            attribute_version: Some(if is_clang {
                crate::names::clang_attribute_version
            } else {
                crate::names::gcc_attribute_version
            }),
            is_clang,
        }
    }

    fn load_main(&self, plan: &UnitPlan) -> Result<Arc<caulk_syntax::lexer::LexedFile>, String> {
        let loaded = self.files.try_load(&plan.file, plan.settings.dialect.lex_mode());
        loaded.map_err(|error| format!("{}: {error}", plan.file.display()))
    }
}
