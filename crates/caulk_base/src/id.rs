//! Typed ids and the vectors they index.
//!
//! Things name each other by id, never by pointer: `define_id!(BlockId, "bb")` makes a four-byte
//! name that prints as the dumps print it (`bb2`), and `IdVec<BlockId, Block>` is the only thing it
//! indexes.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A four-byte name for an entry of an [`IdVec`].
pub trait Id: Copy {
    fn from_index(index: usize) -> Self;
    fn index(self) -> usize;
}

/// Defines an id type with its printed prefix.
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $crate::id::Id for $name {
            fn from_index(index: usize) -> Self {
                debug_assert!(index < u32::MAX as usize);
                $name(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// A stretch of an arena that holds lists one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct List {
    pub start: u32,
    pub len: u32,
}

impl List {
    pub const EMPTY: List = List { start: 0, len: 0 };

    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// A vector indexed by one id type only.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    marker: PhantomData<fn(I) -> I>,
}

impl<I: Id, T> IdVec<I, T> {
    pub const fn new() -> Self {
        IdVec { items: Vec::new(), marker: PhantomData }
    }

    pub fn from_vec(items: Vec<T>) -> Self {
        IdVec { items, marker: PhantomData }
    }

    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The id that the next `push` will return.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    pub fn clear(&mut self) {
        self.items.clear();
    }

    pub fn truncate(&mut self, len: usize) {
        self.items.truncate(len);
    }

    pub fn shrink_to_fit(&mut self) {
        self.items.shrink_to_fit();
    }

    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    pub fn iter_enumerated(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }

    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    pub fn last(&self) -> Option<&T> {
        self.items.last()
    }

    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.items.last_mut()
    }
}

impl<I: Id, T: Clone> IdVec<I, T> {
    pub fn filled(item: T, len: usize) -> Self {
        IdVec::from_vec(vec![item; len])
    }

    /// Grows to cover `id`, filling with `item`.
    pub fn grow_to(&mut self, id: I, item: T) {
        if self.items.len() <= id.index() {
            self.items.resize(id.index() + 1, item);
        }
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        IdVec::new()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        IdVec::from_vec(iter.into_iter().collect())
    }
}

impl<I: Id, T> IntoIterator for IdVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, I: Id, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<I, T: std::fmt::Debug> std::fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::IdVec;

    define_id!(
        #[expect(unreachable_pub, reason = "ids are made to be public")]
        Block,
        "bb"
    );

    #[test]
    fn ids_print_as_dumps_do_and_index_their_vector() {
        let mut blocks: IdVec<Block, &str> = IdVec::new();
        blocks.push("entry");
        let second = blocks.push("exit");
        assert_eq!(format!("{second} {second:?}"), "bb1 bb1");
        assert_eq!(blocks[second], "exit");
    }
}
