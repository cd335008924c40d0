//! Preprocessed tokens to trees, one external declaration at a time.
//!
//! A hand-written recursive descent parser with precedence climbing for binary operators. It looks
//! at the current token and, rarely, at a few after it; it never backs up. Names are classified by
//! [`scope`], which is all that C's grammar needs to know about meaning.
//!
//! ```c
//! int add(int a, int b) { return a + b; }
//! ```
//! `specifiers` reads `int`; `declarator` reads `add(…)`, its parameters in a scope of their own;
//! `{` says that this is a definition, so the parameters are declared again in the function's
//! scope and `block` reads the body into the arenas of the caller's [`Ast`].
//!
//! Invariants:
//! - Every loop consumes a token or ends, so any input ends.
//! - An error gives up exactly one external declaration (or one member of a record): functions
//!   return [`Parse`], `?` leads to [`recovery`], and the next declaration starts clean.
//! - No tree is deeper than [`MAX_DEPTH`] plus a small constant, because later passes recurse
//!   over it. Recursion is counted by `enter` and `leave`; chains that lean to the left
//!   (`a + b + c …`, `a.b.c …`) grow without recursion, so each expression's height is known too.

mod asm;
mod attributes;
mod builtins;
mod declarations;
mod declarators;
mod expressions;
mod initialisers;
mod literals;
mod pragmas;
mod records;
mod recovery;
mod scope;
mod specifiers;
mod statements;
mod strings;
mod unknown_types;

use std::time::{Duration, Instant};

use caulk_base::{Diagnostic, Loc, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{Ast, Expr, ExprId, ExprKind, ExternalDecl, InitItem, List, Stmt, StmtId, StmtKind};
use crate::config::Dialect;
use crate::preprocessor::Preprocessor;
use crate::token::{Token, TokenKind};

use self::declarations::Header;
use self::pragmas::PackStack;
use self::scope::{Names, Word};

/// Trees are not deeper than this. Beyond it the function or declaration is lost, so it may cost a
/// miss, never a false alarm. Later passes recurse over trees on a stack that is made for it.
pub const MAX_DEPTH: u32 = 8000;

/// Tokens that may be looked at beyond the current one.
const AHEAD: usize = 8;

/// Tokens preprocessed at a time: enough that looking at the clock costs nothing.
const BATCH: usize = 512;

/// A function whose body could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostFunction {
    pub name: Symbol,
    pub loc: Loc,
    pub reason: String,
}

/// Reported already; whoever catches it finds the reason in the parser.
#[derive(Clone, Copy, Debug)]
struct Failed;

type Parse<T> = Result<T, Failed>;

/// Pulls tokens from the preprocessor and makes trees of them.
pub struct Parser<'f> {
    pub preprocessor: Preprocessor<'f>,
    pub diagnostics: Vec<Diagnostic>,
    pub lost_functions: Vec<LostFunction>,
    /// Time spent in the preprocessor, and in the lexer below it.
    pub preprocess_time: Duration,
    dialect: Dialect,
    /// Preprocessed tokens, those from `next_in_batch` on not yet taken.
    batch: Vec<Token>,
    next_in_batch: usize,
    /// The current token.
    token: Token,
    /// A ring of tokens after the current one.
    ahead: [Token; AHEAD],
    ahead_start: usize,
    ahead_len: usize,
    /// Braces and parentheses that are open at the current token.
    braces: u32,
    parens: u32,
    names: Names,
    /// Levels of recursion, and the depth of the deepest node of the current subtree.
    depth: u32,
    bottom: u32,
    is_too_deep: bool,
    /// Height of each expression of the tree in hand.
    heights: Vec<u16>,
    /// Lists under construction: nested ones pile up here, finished ones move to the arenas.
    expr_stack: Vec<ExprId>,
    stmt_stack: Vec<StmtId>,
    init_stack: Vec<InitItem>,
    pack: PackStack,
    /// Attribute names without their underscores.
    attribute_names: FxHashMap<Symbol, Symbol>,
    /// Names taken for types though nothing declares them; each is reported once.
    unknown_types: FxHashSet<Symbol>,
    /// Pieces of a string literal being joined.
    pieces: Vec<u8>,
    /// Why the last thing was lost.
    reason: String,
    /// Where the external declaration in hand starts.
    start: Loc,
    /// The first name it declares, and whether it is a function whose body has begun: what a
    /// report says was lost.
    declared: Option<(Symbol, Loc)>,
    is_in_body: bool,
    /// The header of a function that was met inside another with a brace missing.
    pending: Option<Header>,
}

impl<'f> Parser<'f> {
    pub fn new(preprocessor: Preprocessor<'f>, dialect: Dialect) -> Parser<'f> {
        let end = Token { kind: TokenKind::End, flags: 0, loc: Loc::NONE, len: 0, data: 0 };
        let mut parser = Parser {
            preprocessor,
            diagnostics: Vec::new(),
            lost_functions: Vec::new(),
            preprocess_time: Duration::ZERO,
            dialect,
            batch: Vec::with_capacity(BATCH),
            next_in_batch: 0,
            token: end,
            ahead: [end; AHEAD],
            ahead_start: 0,
            ahead_len: 0,
            braces: 0,
            parens: 0,
            names: Names::new(dialect),
            depth: 0,
            bottom: 0,
            is_too_deep: false,
            heights: Vec::new(),
            expr_stack: Vec::new(),
            stmt_stack: Vec::new(),
            init_stack: Vec::new(),
            pack: PackStack::default(),
            attribute_names: FxHashMap::default(),
            unknown_types: FxHashSet::default(),
            pieces: Vec::new(),
            reason: String::new(),
            start: Loc::NONE,
            declared: None,
            is_in_body: false,
            pending: None,
        };
        parser.token = parser.pull();
        parser
    }

    /// Parses the next external declaration into `ast`, which the caller has cleared. `None` at the
    /// end of the translation unit.
    pub fn next(&mut self, ast: &mut Ast) -> Option<ExternalDecl> {
        loop {
            self.heights.clear();
            self.heights.resize(ast.exprs.len(), 1);
            self.depth = 0;
            self.bottom = 0;
            self.start = self.token.loc;
            self.declared = None;
            self.is_in_body = false;
            let parsed = match self.pending.take() {
                Some(header) => self.function_definition(ast, header).map(Some),
                None if self.token.is(TokenKind::End) => return None,
                None => self.external_declaration(ast),
            };
            match parsed {
                Ok(Some(declaration)) => return Some(declaration),
                Ok(None) => {}
                Err(Failed) => {
                    self.recover_external();
                    // The tree of a pending header is still in there.
                    if self.pending.is_none() {
                        ast.clear();
                    }
                }
            }
        }
    }

    fn pull(&mut self) -> Token {
        loop {
            let Some(&token) = self.batch.get(self.next_in_batch) else {
                self.fill_batch();
                continue;
            };
            self.next_in_batch += 1;
            if token.kind != TokenKind::Pragma {
                return token;
            }
            self.pragma(&token);
        }
    }

    #[cold]
    fn fill_batch(&mut self) {
        let started = Instant::now();
        self.batch.clear();
        self.next_in_batch = 0;
        while self.batch.len() < BATCH {
            let token = self.preprocessor.next();
            self.batch.push(token);
            if token.kind == TokenKind::End {
                break;
            }
        }
        self.preprocess_time += started.elapsed();
    }

    /// Goes to the next token and returns the one that was current.
    #[inline]
    fn bump(&mut self) -> Token {
        let token = self.token;
        if token.kind as u8 >= TokenKind::LParen as u8 && token.kind as u8 <= TokenKind::RBrace as u8 {
            self.count_nesting(token.kind);
        }
        self.token = if self.ahead_len == 0 {
            self.pull()
        } else {
            let next = self.ahead[self.ahead_start];
            self.ahead_start = (self.ahead_start + 1) % AHEAD;
            self.ahead_len -= 1;
            next
        };
        token
    }

    fn count_nesting(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::LParen => self.parens += 1,
            TokenKind::RParen => self.parens = self.parens.saturating_sub(1),
            TokenKind::LBrace => self.braces += 1,
            TokenKind::RBrace => self.braces = self.braces.saturating_sub(1),
            _ => {}
        }
    }

    /// The token so many after the current one, from 1.
    #[inline]
    fn peek(&mut self, distance: usize) -> Token {
        debug_assert!((1..=AHEAD).contains(&distance));
        while self.ahead_len < distance {
            let token = self.pull();
            self.ahead[(self.ahead_start + self.ahead_len) % AHEAD] = token;
            self.ahead_len += 1;
        }
        self.ahead[(self.ahead_start + distance - 1) % AHEAD]
    }

    #[inline]
    fn at(&self, kind: TokenKind) -> bool {
        self.token.kind == kind
    }

    /// What the current token is as a word.
    #[inline]
    fn word(&self) -> Word {
        self.word_of(&self.token)
    }

    #[inline]
    fn word_of(&self, token: &Token) -> Word {
        if token.kind == TokenKind::Ident { self.names.word(Symbol(token.data)) } else { Word::None }
    }

    /// Goes past the current token if it is of this kind.
    #[inline]
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.token.kind == kind;
        if found {
            self.bump();
        }
        found
    }

    #[inline]
    fn expect(&mut self, kind: TokenKind) -> Parse<Token> {
        if self.token.kind == kind { Ok(self.bump()) } else { self.unexpected(kind.spelling()) }
    }

    /// An identifier that is no keyword, or one that is but stands where only names do (members,
    /// labels: `TypedefName` and soft types too).
    fn name(&mut self) -> Parse<(Symbol, Loc)> {
        if self.word().is_name() {
            let token = self.bump();
            return Ok((token.symbol(), token.loc));
        }
        self.unexpected("identifier")
    }

    #[inline]
    fn enter(&mut self) -> Parse<()> {
        self.depth += 1;
        self.bottom = self.bottom.max(self.depth);
        if self.depth > MAX_DEPTH { self.too_deep() } else { Ok(()) }
    }

    #[inline]
    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// For what puts several nodes on top of each other.
    fn enter_levels(&mut self, levels: u32) -> Parse<()> {
        self.depth += levels - 1;
        self.enter()
    }

    fn leave_levels(&mut self, levels: u32) {
        self.depth -= levels;
    }

    /// Starts to measure what comes next; hand the result to [`Parser::finish_subtree`].
    fn start_subtree(&mut self) -> u32 {
        std::mem::replace(&mut self.bottom, self.depth)
    }

    /// The height of what was parsed since.
    fn finish_subtree(&mut self, outer: u32) -> u16 {
        let height = self.bottom - self.depth;
        self.bottom = self.bottom.max(outer);
        u16::try_from(height).unwrap_or(u16::MAX - 1)
    }

    /// Adds an expression whose highest operand has this height.
    #[inline]
    fn node(&mut self, ast: &mut Ast, kind: ExprKind, loc: Loc, below: u16) -> ExprId {
        let height = below.saturating_add(1);
        self.heights.push(height);
        self.bottom = self.bottom.max(self.depth + u32::from(height));
        ast.exprs.push(Expr { kind, loc })
    }

    #[inline]
    fn leaf(&mut self, ast: &mut Ast, kind: ExprKind, loc: Loc) -> ExprId {
        self.node(ast, kind, loc, 0)
    }

    #[inline]
    fn height(&self, expr: ExprId) -> u16 {
        self.heights[expr.0 as usize]
    }

    #[inline]
    fn max_height(&self, a: ExprId, b: ExprId) -> u16 {
        self.height(a).max(self.height(b))
    }

    /// To be asked where a chain grows without recursion.
    #[inline]
    fn check_height(&mut self, expr: ExprId) -> Parse<()> {
        if self.depth + u32::from(self.height(expr)) > MAX_DEPTH { self.too_deep() } else { Ok(()) }
    }

    fn stmt(&mut self, ast: &mut Ast, kind: StmtKind, loc: Loc) -> StmtId {
        ast.stmts.push(Stmt { kind, loc })
    }

    /// Moves what was put on the stack since `mark` to the arena.
    fn finish_exprs(&mut self, ast: &mut Ast, mark: usize) -> List {
        let start = ast.expr_lists.len() as u32;
        ast.expr_lists.extend_from_slice(&self.expr_stack[mark..]);
        self.expr_stack.truncate(mark);
        List { start, len: ast.expr_lists.len() as u32 - start }
    }

    fn finish_stmts(&mut self, ast: &mut Ast, mark: usize) -> List {
        let start = ast.stmt_lists.len() as u32;
        ast.stmt_lists.extend_from_slice(&self.stmt_stack[mark..]);
        self.stmt_stack.truncate(mark);
        List { start, len: ast.stmt_lists.len() as u32 - start }
    }

    fn finish_inits(&mut self, ast: &mut Ast, mark: usize) -> List {
        let start = ast.init_items.len() as u32;
        ast.init_items.extend(self.init_stack.drain(mark..));
        List { start, len: ast.init_items.len() as u32 - start }
    }
}
