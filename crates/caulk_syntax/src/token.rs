//! Tokens, sixteen bytes each. Their text stays in the file.

use caulk_base::{Loc, Symbol};

/// What a token is. Punctuators have a kind each; digraphs have the kind of what they stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum TokenKind {
    /// End of the file (in a lexed file) or of the translation unit (from the preprocessor).
    End,
    Ident,
    /// A preprocessing number.
    Number,
    /// A character constant with its prefix and quotes.
    Char,
    /// A string literal with its prefix and quotes.
    String,
    /// `<name>` or `"name"`; made only when a directive asks for it.
    HeaderName,
    /// A byte that starts no token (`@`, a lone quote, an invalid byte).
    Stray,
    /// A pragma the preprocessor did not use up; `data` is its number in the preprocessor's list.
    Pragma,
    /// Stands for an empty macro argument between `##`s; never leaves the preprocessor.
    Placemarker,

    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Dot,
    Ellipsis,
    Arrow,
    PlusPlus,
    MinusMinus,
    Amp,
    Star,
    Plus,
    Minus,
    Tilde,
    Bang,
    Slash,
    Percent,
    Shl,
    Shr,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    EqualEqual,
    BangEqual,
    Caret,
    Pipe,
    AmpAmp,
    PipePipe,
    Question,
    Colon,
    ColonColon,
    Semicolon,
    Equal,
    StarEqual,
    SlashEqual,
    PercentEqual,
    PlusEqual,
    MinusEqual,
    ShlEqual,
    ShrEqual,
    AmpEqual,
    CaretEqual,
    PipeEqual,
    Comma,
    Hash,
    HashHash,
}

impl TokenKind {
    /// The usual spelling of a punctuator; empty for the rest.
    pub fn spelling(self) -> &'static str {
        use TokenKind::*;
        match self {
            End | Ident | Number | Char | String | HeaderName | Stray | Pragma | Placemarker => "",
            LParen => "(",
            RParen => ")",
            LBracket => "[",
            RBracket => "]",
            LBrace => "{",
            RBrace => "}",
            Dot => ".",
            Ellipsis => "...",
            Arrow => "->",
            PlusPlus => "++",
            MinusMinus => "--",
            Amp => "&",
            Star => "*",
            Plus => "+",
            Minus => "-",
            Tilde => "~",
            Bang => "!",
            Slash => "/",
            Percent => "%",
            Shl => "<<",
            Shr => ">>",
            Less => "<",
            Greater => ">",
            LessEqual => "<=",
            GreaterEqual => ">=",
            EqualEqual => "==",
            BangEqual => "!=",
            Caret => "^",
            Pipe => "|",
            AmpAmp => "&&",
            PipePipe => "||",
            Question => "?",
            Colon => ":",
            ColonColon => "::",
            Semicolon => ";",
            Equal => "=",
            StarEqual => "*=",
            SlashEqual => "/=",
            PercentEqual => "%=",
            PlusEqual => "+=",
            MinusEqual => "-=",
            ShlEqual => "<<=",
            ShrEqual => ">>=",
            AmpEqual => "&=",
            CaretEqual => "^=",
            PipeEqual => "|=",
            Comma => ",",
            Hash => "#",
            HashHash => "##",
        }
    }
}

/// Bits of [`Token::flags`].
pub mod flag {
    /// First token of its line.
    pub const LINE_START: u8 = 1;
    /// White space or a comment stands before it.
    pub const SPACE: u8 = 2;
    /// The text holds a line splice, a trigraph or a universal character name: clean it before use.
    pub const DIRTY: u8 = 4;
    /// An identifier that must not expand any more (it was met inside its own expansion).
    pub const NO_EXPAND: u8 = 8;
    /// The literal has no closing quote.
    pub const UNTERMINATED: u8 = 16;
    /// Spelled as a digraph (`<:` …); the text is needed to print or stringify it.
    pub const DIGRAPH: u8 = 32;
}

/// One token. In a lexed file `loc` is the byte offset in that file (as `Loc::from_raw`); from the
/// preprocessor it is a location of the translation unit's source map.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub flags: u8,
    pub loc: Loc,
    /// Bytes of text at the spelling location.
    pub len: u32,
    /// The [`Symbol`] of an identifier, the number of a pragma; 0 otherwise.
    pub data: u32,
}

impl Token {
    pub fn is(&self, kind: TokenKind) -> bool {
        self.kind == kind
    }

    /// The name of an identifier; the empty symbol for any other token.
    pub fn symbol(&self) -> Symbol {
        if self.kind == TokenKind::Ident { Symbol(self.data) } else { Symbol::EMPTY }
    }

    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}
