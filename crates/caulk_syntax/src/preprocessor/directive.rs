//! Directives, executed.

use caulk_base::symbol::word;
use caulk_base::{Diagnostic, Loc, Severity, Symbol};

use super::Preprocessor;
use super::include::Request;
use super::macros::{Definition, Meaning};
use super::{MissingHeader, number};
use crate::lexer::{Directive, DirectiveKind, LexedFile, Macro, NO_PAYLOAD, next_line};
use crate::token::{Token, TokenKind, flag};

/// What came of a directive.
pub(super) enum Outcome {
    Continue,
    /// A pragma for the parser.
    Token(Token),
    EndOfUnit,
}

impl Preprocessor<'_> {
    pub(super) fn error(&mut self, loc: Loc, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(loc, message));
    }

    pub(super) fn warning(&mut self, loc: Loc, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(loc, message));
    }

    /// Executes the next directive of the current file.
    pub(super) fn execute_directive(&mut self) -> Outcome {
        use DirectiveKind::*;
        let at = self.current.directive;
        let directive = self.current.lexed.directives[at as usize];
        if directive.kind == End {
            return if self.leave_file() { Outcome::Continue } else { Outcome::EndOfUnit };
        }
        self.current.go_to(at + 1);
        let loc = self.map_loc(directive.offset);
        match directive.kind {
            Define => self.define(directive),
            Undef => {
                if directive.payload != NO_PAYLOAD && directive.payload != word::DEFINED.0 {
                    self.macros.undefine(Symbol(directive.payload));
                }
            }
            If | Ifdef | Ifndef => {
                if directive.is_unterminated {
                    self.error(loc, "unterminated conditional directive");
                }
                if !self.is_true(directive) {
                    self.skip_group(directive);
                }
            }
            // Reached by reading the group before it: that one was the one to read.
            Elif | Elifdef | Elifndef | Else => {
                let mut next = directive.next;
                while !matches!(self.current.lexed.directives[next as usize].kind, Endif | End) {
                    next = self.current.lexed.directives[next as usize].next;
                }
                self.current.skip_to(next);
            }
            Endif | Ignored => {}
            Include | IncludeNext | Import => self.include_directive(directive, loc),
            Embed => self.embed_directive(directive, loc),
            Line | LineMarker => self.line_directive(directive, loc),
            Error | Warning => {
                let lexed = self.current.lexed.clone();
                let text = &lexed.source.text[directive.offset as usize..directive.end as usize];
                let message = String::from_utf8_lossy(text.trim_ascii()).into_owned();
                match directive.kind {
                    Error => self.error(loc, message),
                    _ => self.warning(loc, message),
                }
            }
            Pragma => {
                let tokens = self.line(directive);
                return self.execute_pragma(tokens, loc);
            }
            Unknown => {
                let name = self.line(directive).first().map(|name| self.text(name).into_owned()).unwrap_or_default();
                self.error(loc, format!("invalid preprocessing directive #{}", String::from_utf8_lossy(&name)));
            }
            Problem => {
                let problem = &self.current.lexed.problems[directive.payload as usize];
                let message = problem.message.to_string();
                match problem.severity {
                    Severity::Error => self.error(loc, message),
                    Severity::Warning => self.warning(loc, message),
                }
            }
            End => {}
        }
        Outcome::Continue
    }

    /// A directive's tokens after its name, with locations of the unit.
    pub(super) fn line(&self, directive: Directive) -> Vec<Token> {
        let base = self.current.base;
        let tokens = &self.current.lexed.directive_tokens[directive.tokens()];
        tokens.iter().map(|token| Token { loc: Loc::from_raw(base + token.loc.to_raw()), ..*token }).collect()
    }

    fn is_true(&mut self, directive: Directive) -> bool {
        use DirectiveKind::*;
        // Without a name, which was reported, the condition is false either way.
        let is_defined = |pp: &Self| directive.payload != NO_PAYLOAD && pp.macros.is_macro(directive.payload);
        match directive.kind {
            Ifdef | Elifdef => is_defined(self),
            Ifndef | Elifndef => directive.payload != NO_PAYLOAD && !is_defined(self),
            Else => true,
            _ => self.evaluate_condition(directive),
        }
    }

    /// After a false condition: to the first group that is to be read, or behind the `#endif`.
    fn skip_group(&mut self, mut directive: Directive) {
        loop {
            let next = directive.next;
            directive = self.current.lexed.directives[next as usize];
            match directive.kind {
                DirectiveKind::End => return self.current.skip_to(next),
                DirectiveKind::Endif => {
                    self.current.skip_to(next);
                    return self.current.go_to(next + 1);
                }
                _ => {
                    self.current.skip_to(next);
                    self.current.go_to(next + 1);
                    if self.is_true(directive) {
                        return;
                    }
                }
            }
        }
    }

    #[inline]
    fn define(&mut self, directive: Directive) {
        if directive.payload == NO_PAYLOAD {
            return;
        }
        let name = self.current.lexed.macros[directive.payload as usize].name;
        let definition = Definition {
            file: self.current.number,
            number: directive.payload,
            base: self.current.base,
            is_disabled: false,
        };
        if self.macros.is_macro(name.0) {
            self.redefine(name, definition);
        } else {
            self.macros.define(name, definition);
        }
    }

    fn redefine(&mut self, name: Symbol, definition: Definition) {
        let (new, loc) = self.macro_of(definition);
        let message = match self.macros.meaning(name.0) {
            Meaning::Definition(old) => {
                let old = *self.macros.definition(old);
                let is_same = (old.file, old.number) == (definition.file, definition.number) || {
                    let (old_macro, _) = self.macro_of(old);
                    self.same_macro((&self.included[old.file as usize], old_macro), (&self.current.lexed, new))
                };
                (!is_same).then_some("redefined")
            }
            _ => Some("redefined, which the preprocessor supplies"),
        };
        if let Some(message) = message
            && !self.current.is_system
        {
            self.warning(loc, format!("\"{name}\" {message}"));
        }
        self.macros.define(name, definition);
    }

    fn macro_of(&self, definition: Definition) -> (&Macro, Loc) {
        let body = &self.included[definition.file as usize].macros[definition.number as usize];
        (body, Loc::from_raw(definition.base + body.offset))
    }

    /// Whether two definitions are the same token for token, white space present or not.
    fn same_macro(&self, (old_file, old): (&LexedFile, &Macro), (new_file, new): (&LexedFile, &Macro)) -> bool {
        let old_body = &old_file.bodies[old.body()];
        let new_body = &new_file.bodies[new.body()];
        let text = |file: &LexedFile, at: Loc, len: u32| -> Vec<u8> {
            file.source.text[at.to_raw() as usize..][..len as usize].to_vec()
        };
        old.is_function == new.is_function
            && old.variadic == new.variadic
            && old.parameters.iter().map(|p| p.name).eq(new.parameters.iter().map(|p| p.name))
            && old_body.len() == new_body.len()
            && old_body.iter().zip(new_body).all(|(a, b)| {
                a.kind == b.kind
                    && a.role == b.role
                    && (a.flags ^ b.flags) & flag::SPACE == 0
                    && match a.kind {
                        TokenKind::Ident => a.data == b.data,
                        _ => text(old_file, a.loc, a.len) == text(new_file, b.loc, b.len),
                    }
            })
    }

    fn include_directive(&mut self, directive: Directive, loc: Loc) {
        let Some((name, is_angled)) = self.header_operand(directive, loc) else { return };
        let is_next = directive.kind == DirectiveKind::IncludeNext;
        match self.search(Request { name, is_angled, is_next }) {
            Some(found) => self.include(found, loc, directive.kind == DirectiveKind::Import),
            None => self.missing_headers.push(MissingHeader { name: name.to_string(), loc }),
        }
    }

    /// The name in an `#include`, and whether in angle brackets.
    fn header_operand(&mut self, directive: Directive, loc: Loc) -> Option<(Symbol, bool)> {
        let lexed = &self.current.lexed;
        let first = lexed.directive_tokens[directive.tokens()].first();
        if directive.payload != NO_PAYLOAD
            && let Some(first) = first
        {
            let is_angled = lexed.source.text[first.loc.to_raw() as usize] == b'<';
            return Some((Symbol(directive.payload), is_angled));
        }
        let line = self.line(directive);
        let expanded = self.expand_line(&line, false);
        let header = self.header_in(&expanded);
        if header.is_none() {
            self.error(loc, "#include expects \"FILENAME\" or <FILENAME>");
        }
        header.map(|(name, is_angled)| (Symbol::intern(&name), is_angled))
    }

    /// The header that computed tokens name: a string, or what stands between `<` and `>`.
    pub(super) fn header_in(&self, tokens: &[Token]) -> Option<(String, bool)> {
        let first = tokens.first()?;
        let unquoted = |text: &[u8]| String::from_utf8_lossy(&text[1..text.len() - 1]).into_owned();
        match first.kind {
            TokenKind::HeaderName => {
                let text = self.text(first);
                Some((unquoted(&text), text.first() == Some(&b'<')))
            }
            TokenKind::String if !first.has(flag::UNTERMINATED) => {
                let text = self.text(first);
                text.starts_with(b"\"").then(|| (unquoted(&text), false))
            }
            TokenKind::Less => {
                let mut name = Vec::new();
                for (number, token) in tokens[1..].iter().enumerate() {
                    if token.kind == TokenKind::Greater {
                        return Some((String::from_utf8_lossy(&name).into_owned(), true));
                    }
                    if number > 0 && token.has(flag::SPACE) {
                        name.push(b' ');
                    }
                    name.extend_from_slice(&self.text(token));
                }
                None
            }
            _ => None,
        }
    }

    /// `#line 12 "file"`, `# 12 "file" 1 3`.
    fn line_directive(&mut self, directive: Directive, loc: Loc) {
        let mut tokens = self.line(directive);
        if directive.kind == DirectiveKind::Line && tokens.iter().any(|t| self.macros.is_macro(t.symbol().0)) {
            tokens = self.expand_line(&tokens, false);
        }
        let line = tokens.first().filter(|t| t.kind == TokenKind::Number).and_then(|t| number::line(&self.text(t)));
        let Some(line) = line else {
            self.error(loc, "a line directive needs a line number");
            return;
        };
        let path = tokens.get(1).filter(|t| t.kind == TokenKind::String).map(|t| {
            let text = super::stringify::destringify(&self.text(t));
            String::from_utf8_lossy(&text).into_owned().into()
        });
        let after = self.map_loc(next_line(&self.current.lexed.source.text, directive.end));
        self.map.mark_line(after, line, path);
        if directive.kind == DirectiveKind::LineMarker {
            let is_system = tokens.iter().skip(2).any(|t| *self.text(t) == *b"3");
            let was_system = self.is_system(after);
            if is_system != was_system {
                let marks = &mut self.unit.system_marks;
                let at = marks.partition_point(|&(mark, ..)| mark <= after);
                marks.insert(at, (after, self.current.id, is_system));
            }
        }
    }
}
