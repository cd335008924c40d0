//! `#embed`: a file's bytes as numbers and commas.
//!
//! ```c
//! const char icon[] = {
//! #embed "icon.png" limit(4) suffix(, 0)
//! };                             // 137, 80, 78, 71, 0
//! ```

use std::path::Path;
use std::sync::Arc;

use caulk_base::source::Expansion;
use caulk_base::symbol::word;
use caulk_base::{Loc, Symbol};

use super::context::Source;
use super::spacing::Padding;
use super::{MissingHeader, Preprocessor};
use crate::lexer::{Directive, DirectiveKind};
use crate::token::{Token, TokenKind, flag};

/// Beyond this the rest of the file is left out: the array is shorter than the program's, its other
/// uses stay the same.
const MAX_BYTES: usize = 1 << 22;
/// The same for all files of a unit together: one that includes and embeds itself is read many times.
const MAX_UNIT_BYTES: usize = 1 << 23;

/// The parameters after the file's name.
#[derive(Default)]
struct Parameters {
    limit: Option<u64>,
    prefix: Vec<Token>,
    suffix: Vec<Token>,
    if_empty: Vec<Token>,
    has_unknown: bool,
}

impl Preprocessor<'_> {
    pub(super) fn embed_directive(&mut self, directive: Directive, loc: Loc) {
        debug_assert!(directive.kind == DirectiveKind::Embed);
        let mut line = self.line(directive);
        if line.first().is_none_or(|first| first.kind != TokenKind::HeaderName) {
            line = self.expand_line(&line, false);
        }
        let Some((name, is_angled)) = self.header_in(&line) else {
            self.error(loc, "#embed expects \"FILENAME\" or <FILENAME>");
            return;
        };
        let parameters = self.embed_parameters(&line, loc);
        let Some(bytes) = self.find_bytes(&name, is_angled) else {
            self.missing_headers.push(MissingHeader { name, loc });
            return;
        };
        let len =
            parameters.limit.map_or(bytes.len(), |limit| bytes.len().min(usize::try_from(limit).unwrap_or(usize::MAX)));
        let mut tokens = Vec::new();
        if len == 0 {
            tokens = parameters.if_empty;
        } else {
            let kept = len.min(MAX_BYTES).min(MAX_UNIT_BYTES - self.unit.embedded_bytes);
            self.unit.embedded_bytes += kept;
            if kept < len {
                self.warning(loc, format!("#embed of {len} bytes cut to {kept}"));
            }
            tokens.extend(parameters.prefix);
            self.append_bytes(&mut tokens, &bytes[..kept], loc);
            tokens.extend(parameters.suffix);
        }
        if let Some(first) = tokens.first_mut() {
            first.flags |= flag::SPACE;
            self.is_busy = true;
            self.begin_expansion(*first);
            self.push_context(Source::Tokens { tokens, at: 0 }, None, Padding::NONE);
        }
    }

    fn append_bytes(&mut self, tokens: &mut Vec<Token>, bytes: &[u8], loc: Loc) {
        // Equal bytes share one text.
        let mut spellings = [None; 256];
        let expansion = self.map.add_expansion(Expansion { name: word::EMBED, call: loc });
        for (number, &byte) in bytes.iter().enumerate() {
            if number > 0 {
                tokens.push(Token { kind: TokenKind::Comma, flags: 0, loc, len: 0, data: 0 });
            }
            let text = byte.to_string();
            let token = *spellings[byte as usize]
                .get_or_insert_with(|| self.scratch_token(TokenKind::Number, text.as_bytes(), expansion));
            tokens.push(Token { flags: flag::SPACE, ..token });
        }
    }

    /// `limit(n) prefix(…) suffix(…) if_empty(…)`, with or without underscores.
    fn embed_parameters(&mut self, line: &[Token], loc: Loc) -> Parameters {
        let mut parameters = Parameters::default();
        let mut at = line
            .iter()
            .position(|t| t.kind == TokenKind::Greater)
            .map_or(1, |end| if line[0].kind == TokenKind::Less { end + 1 } else { 1 });
        while let Some(name) = line.get(at) {
            at += 1;
            // `vendor::name`
            while line.get(at).is_some_and(|t| matches!(t.kind, TokenKind::ColonColon)) {
                at += 2;
            }
            let mut value = &line[at..at];
            if line.get(at).is_some_and(|t| t.kind == TokenKind::LParen) {
                let end = matching_paren(line, at);
                value = &line[at + 1..end];
                at = end + 1;
            }
            match bare(name.symbol()) {
                "limit" => parameters.limit = self.evaluate_integer(value, loc),
                "prefix" => parameters.prefix = value.to_vec(),
                "suffix" => parameters.suffix = value.to_vec(),
                "if_empty" => parameters.if_empty = value.to_vec(),
                _ => parameters.has_unknown = true,
            }
        }
        parameters
    }

    /// `__has_embed`: 0 for not found, 1 for found, 2 for empty.
    pub(super) fn has_embed(&mut self, operand: &[Token], loc: Loc) -> u64 {
        let Some((name, is_angled)) = self.header_in(operand) else { return 0 };
        let limit = operand.iter().position(|token| bare(token.symbol()) == "limit").and_then(|at| {
            let value = operand.get(at + 2..matching_paren(operand, at + 1))?;
            // The condition around it was expanded with it.
            let text = self.text(value.first()?);
            super::number::integer(&text).ok().map(|(value, _)| value)
        });
        let _ = loc;
        match self.find_bytes(&name, is_angled) {
            None => 0,
            Some(bytes) if bytes.is_empty() || limit == Some(0) => 2,
            Some(_) => 1,
        }
    }

    fn find_bytes(&self, name: &str, is_angled: bool) -> Option<Arc<[u8]>> {
        let beside = self.current.lexed.source.path.parent().unwrap_or(Path::new("")).join(name);
        if !is_angled && let Some(bytes) = self.files.load_bytes(&beside) {
            return Some(bytes);
        }
        self.config.dirs.iter().find_map(|dir| self.files.load_bytes(&dir.path.join(name)))
    }
}

/// Number of the `)` that closes the `(` at `at`, or of the last token.
fn matching_paren(line: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (number, token) in line.iter().enumerate().skip(at) {
        match token.kind {
            TokenKind::LParen => depth += 1,
            TokenKind::RParen => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return number;
        }
    }
    line.len().saturating_sub(1).max(at + 1).min(line.len())
}

fn bare(name: Symbol) -> &'static str {
    let name = name.as_str();
    name.strip_prefix("__").and_then(|name| name.strip_suffix("__")).unwrap_or(name)
}
