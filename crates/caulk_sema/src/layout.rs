//! Where the fields of a record lie: the System V rules as gcc applies them.
//!
//! ```c
//! struct s { char c; int a : 3; long b : 40; };   // a at bit 8, b at bit 64: it may not cross
//! ```
//! A bit-field goes into the next free bits unless it would then touch more units of its type's
//! alignment than its type has; `packed` and `#pragma pack` lift that rule. Unnamed bit-fields do
//! not raise the record's alignment; one of width zero closes the current unit.

use caulk_base::{Loc, Symbol};

use crate::attributes::Attribute;
use crate::types::{Bits, Field, MAX_SIZE, RecordLayout, Ty, TypeTable};

/// A field before its place is known.
pub(crate) struct FieldSpec {
    /// Empty for anonymous members and unnamed bit-fields.
    pub(crate) name: Symbol,
    pub(crate) ty: Ty,
    pub(crate) bit_width: Option<u32>,
    /// From `aligned` or `_Alignas`: raises the alignment.
    pub(crate) align: Option<u64>,
    /// From a typedef with `aligned`: replaces the type's own alignment.
    pub(crate) type_align: Option<u64>,
    pub(crate) is_packed: bool,
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) loc: Loc,
}

pub(crate) struct RecordShape {
    pub(crate) is_union: bool,
    pub(crate) is_packed: bool,
    /// `#pragma pack(n)`; 0 for none.
    pub(crate) pack: u64,
    pub(crate) align: Option<u64>,
}

pub(crate) fn lay_out(types: &TypeTable, shape: &RecordShape, specs: Vec<FieldSpec>) -> RecordLayout {
    let mut fields = Vec::with_capacity(specs.len());
    let mut record_align = 1;
    // Next free bit; for a union always 0, with the largest end kept apart. Sizes may use all 64 bits.
    let mut next_bit: u128 = 0;
    let mut end_bit: u128 = 0;
    for spec in specs {
        let is_packed = shape.is_packed || spec.is_packed;
        let size = types.size_of(spec.ty).unwrap_or(0);
        let natural = spec.type_align.or_else(|| types.align_of(spec.ty)).unwrap_or(1).max(1);
        let raised = spec.align.unwrap_or(1);
        let align = match (spec.bit_width.is_some(), shape.pack) {
            (_, 0) => (if is_packed { 1 } else { natural }).max(raised),
            // gcc lets `#pragma pack` win over `packed` for bit-fields, but not over `aligned`.
            (true, pack) => natural.min(pack).max(raised),
            (false, pack) => (if is_packed { 1 } else { natural }).max(raised).min(pack),
        };
        let bits_of = |bytes: u64| u128::from(bytes) * 8;
        let start = match spec.bit_width {
            None => next_bit.next_multiple_of(bits_of(align)),
            Some(0) => next_bit.next_multiple_of(bits_of(natural)),
            Some(width) => {
                let mut at = next_bit;
                if let Some(raised) = spec.align {
                    at = at.next_multiple_of(bits_of(raised));
                }
                let unit = bits_of(natural);
                let units_touched = (at % unit + u128::from(width)).div_ceil(unit);
                let crosses = units_touched > bits_of(size).div_ceil(unit);
                if crosses && !is_packed && shape.pack == 0 { at.next_multiple_of(unit) } else { at }
            }
        };
        let is_unnamed_bits = spec.bit_width.is_some() && spec.name == Symbol::EMPTY;
        if !is_unnamed_bits {
            record_align = record_align.max(align);
            let bits = spec.bit_width.map(|width| Bits { shift: (start % 8) as u8, width: width.min(128) as u8 });
            fields.push(Field {
                name: spec.name,
                ty: spec.ty,
                offset: (start / 8) as u64,
                bits,
                attributes: spec.attributes,
                loc: spec.loc,
            });
        }
        let end = (start + spec.bit_width.map_or(bits_of(size), u128::from)).min(bits_of(MAX_SIZE));
        end_bit = end_bit.max(end);
        if !shape.is_union {
            next_bit = end;
        }
    }
    let align = record_align.max(shape.align.unwrap_or(1));
    let size = u64::try_from(end_bit.div_ceil(8)).ok().and_then(|size| size.checked_next_multiple_of(align));
    let size = size.unwrap_or(u64::MAX);
    RecordLayout { fields, size, align }
}
