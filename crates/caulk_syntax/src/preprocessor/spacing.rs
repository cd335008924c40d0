//! White space between tokens that macros bring together, by GCC's rules.
//!
//! GCC strews *padding* between the tokens of an expansion: where a macro's name or a parameter was
//! replaced ("as white as that token was") and where an expansion ends ("a seam"). A token's white space is
//! then what the first padding before it says, or its own if only seams stand there:
//!
//! - at a replacement: if nothing is decided yet, the replaced token decides: white or tight;
//! - at a seam: tight becomes undecided again, white stays.
//!
//! ```c
//! #define EMPTY
//! #define f(x) [x]
//! f(EMPTY y)        // `[ y]`: tight before `x`, seam after EMPTY, so `y` has its own white space
//! ```
//!
//! Padding is not kept as tokens. Between two tokens it is a function on {undecided, white, tight}; white
//! is always a fixed point, so two results describe it, and for the token after it two bits do: its
//! white space if nothing was decided before (`SPACE`) and if it was tight before (`SPACE_IF_TIGHT`).

use crate::token::flag;

/// Private bits of [`Token::flags`](crate::token::Token::flags), never seen outside.
pub(super) const SPACE_IF_TIGHT: u8 = 64;
/// What the source says, padding aside.
pub(super) const OWN_SPACE: u8 = 128;

/// Flags as they were lexed, with the private bits set from them.
pub(super) fn own(flags: u8) -> u8 {
    const { assert!(flag::SPACE << 6 == OWN_SPACE) };
    flags & !(SPACE_IF_TIGHT | OWN_SPACE) | (flags & flag::SPACE) << 6
}

/// Flags with all padding before the token forgotten.
pub(super) fn without_padding(flags: u8) -> u8 {
    flags & !(SPACE_IF_TIGHT | flag::SPACE) | (flags & OWN_SPACE) >> 6
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Undecided,
    White,
    Tight,
}

/// The padding since the last token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Padding {
    from_undecided: State,
    from_tight: State,
}

impl Padding {
    pub(super) const NONE: Padding = Padding { from_undecided: State::Undecided, from_tight: State::Tight };

    fn map(self, step: impl Fn(State) -> State) -> Padding {
        Padding { from_undecided: step(self.from_undecided), from_tight: step(self.from_tight) }
    }

    /// A token with these own flags was replaced here.
    pub(super) fn replaced(self, is_white: bool) -> Padding {
        let decision = if is_white { State::White } else { State::Tight };
        self.map(|state| if state == State::Undecided { decision } else { state })
    }

    /// A token with these flags stood here, after its own padding, and was replaced.
    pub(super) fn replaced_token(self, flags: u8) -> Padding {
        self.map(|state| if is_white(state, flags) { State::White } else { State::Tight })
    }

    pub(super) fn seam(self) -> Padding {
        self.map(|state| if state == State::Tight { State::Undecided } else { state })
    }

    pub(super) fn then(self, later: Padding) -> Padding {
        self.map(|state| match state {
            State::Undecided => later.from_undecided,
            State::Tight => later.from_tight,
            State::White => State::White,
        })
    }

    /// The flags of a token after this padding.
    #[inline]
    pub(super) fn apply(self, flags: u8) -> u8 {
        if self == Padding::NONE {
            return flags;
        }
        let mut result = flags & !(flag::SPACE | SPACE_IF_TIGHT);
        if is_white(self.from_undecided, flags) {
            result |= flag::SPACE;
        }
        if is_white(self.from_tight, flags) {
            result |= SPACE_IF_TIGHT;
        }
        result
    }
}

fn is_white(state: State, flags: u8) -> bool {
    match state {
        State::Undecided => flags & flag::SPACE != 0,
        State::Tight => flags & SPACE_IF_TIGHT != 0,
        State::White => true,
    }
}
