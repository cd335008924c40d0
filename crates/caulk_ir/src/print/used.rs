//! What the definitions of a module reach: the rest of its headers is not printed.

use caulk_base::IdVec;
use caulk_sema::types::{EnumId, RecordId, Ty, Type, TypeTable};
use caulk_sema::unit::{Datum, Definition, GlobalId, StringId, Unit};

use crate::ir::{Function, InstKind, Module};

pub(crate) struct Used {
    pub(crate) records: IdVec<RecordId, bool>,
    pub(crate) enums: IdVec<EnumId, bool>,
    pub(crate) globals: IdVec<GlobalId, bool>,
    pub(crate) strings: IdVec<StringId, bool>,
    waiting_types: Vec<Ty>,
    waiting_globals: Vec<GlobalId>,
}

impl Used {
    pub(crate) fn of(module: &Module) -> Used {
        let unit = &module.unit;
        let mut used = Used {
            records: IdVec::filled(false, unit.types.records.len()),
            enums: IdVec::filled(false, unit.types.enums.len()),
            globals: IdVec::filled(false, unit.globals.len()),
            strings: IdVec::filled(false, unit.strings.len()),
            waiting_types: Vec::new(),
            waiting_globals: Vec::new(),
        };
        for (id, global) in unit.globals.iter_enumerated() {
            match global.definition {
                Definition::None if global.alias.is_none() => {}
                Definition::None | Definition::Function | Definition::Zero | Definition::Data(_) => {
                    used.add_global(id);
                }
            }
        }
        for function in &module.functions {
            used.add_function(function);
        }
        while let Some(id) = used.waiting_globals.pop() {
            used.follow_global(unit, id);
        }
        for (id, string) in unit.strings.iter_enumerated() {
            if used.strings[id] {
                used.waiting_types.push(string.ty);
            }
        }
        used.follow_types(&unit.types);
        used
    }

    fn add_global(&mut self, id: GlobalId) {
        if !std::mem::replace(&mut self.globals[id], true) {
            self.waiting_globals.push(id);
        }
    }

    fn add_function(&mut self, function: &Function) {
        self.add_global(function.global);
        for inst in &function.insts {
            self.waiting_types.push(inst.ty);
            match inst.kind {
                InstKind::Global(global) => self.add_global(global),
                InstKind::String(string) | InstKind::CopyString { string, .. } => self.strings[string] = true,
                InstKind::Field { record, .. } => self.records[record] = true,
                _ => {}
            }
        }
    }

    fn follow_global(&mut self, unit: &Unit, id: GlobalId) {
        let global = &unit.globals[id];
        self.waiting_types.push(global.ty);
        let Definition::Data(initializer) = &global.definition else { return };
        for item in &initializer.items {
            self.waiting_types.push(item.ty);
            match item.value {
                Datum::Global(other, _) => self.add_global(other),
                Datum::String(string, _) | Datum::Bytes(string) => self.strings[string] = true,
                Datum::Int(_) | Datum::Float(_) | Datum::Complex(..) | Datum::Label(_) | Datum::Unknown => {}
            }
        }
    }

    fn follow_types(&mut self, types: &TypeTable) {
        // Records that a `Field` names were marked without their fields.
        for (id, record) in types.records.iter_enumerated() {
            if self.records[id]
                && let Some(layout) = &record.layout
            {
                self.waiting_types.extend(layout.fields.iter().map(|field| field.ty));
            }
        }
        while let Some(ty) = self.waiting_types.pop() {
            match types.get(ty) {
                Type::Error | Type::Void | Type::Bool | Type::Int(_) | Type::BitInt { .. } | Type::Float(_) => {}
                Type::Nullptr => {}
                Type::Complex(inner)
                | Type::Pointer(inner)
                | Type::Array(inner, _)
                | Type::Vla(inner, _)
                | Type::Vector(inner, _) => self.waiting_types.push(inner),
                Type::Function(id) => {
                    let function = types.function(id);
                    self.waiting_types.push(function.result);
                    self.waiting_types.extend_from_slice(&function.parameters);
                }
                Type::Record(id) => {
                    if !std::mem::replace(&mut self.records[id], true)
                        && let Some(layout) = &types.records[id].layout
                    {
                        self.waiting_types.extend(layout.fields.iter().map(|field| field.ty));
                    }
                }
                Type::Enum(id) => {
                    if !std::mem::replace(&mut self.enums[id], true) {
                        self.waiting_types.extend(types.enums[id].underlying);
                    }
                }
            }
        }
    }
}
