//! Attributes as later layers read them: names and folded arguments.

use caulk_base::Symbol;

/// An attribute on a declaration or type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Without surrounding underscores: `malloc`, `cleanup`, `ownership_takes`.
    pub name: Symbol,
    pub args: Vec<AttributeValue>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    Name(Symbol),
    Int(i128),
    String(Box<str>),
    /// A type, or an expression that is no constant.
    Other,
}

/// The attribute of this name, if it is there.
pub fn find<'a>(attributes: &'a [Attribute], name: &str) -> Option<&'a Attribute> {
    attributes.iter().find(|attribute| attribute.name.as_str() == name)
}
