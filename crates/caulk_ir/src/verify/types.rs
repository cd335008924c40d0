//! The rules about types; the list is in the header of [`verify`](super).

use caulk_sema::attributes;
use caulk_sema::types::{Ty, Type, TypeTable};

use super::Checker;
use crate::ir::{BinaryOp, Bits, Builtin, Function, Inst, InstKind, Operands, RecordId, Switch, Terminator, Value};
use crate::print::print_type;

impl<'a> Checker<'a> {
    pub(super) fn check_types(&mut self) {
        let function = self.function;
        self.check_param_types();
        for inst in function.insts.iter().filter(|inst| !inst.kind.is_placed()) {
            self.check_constant(inst);
        }
        for (id, block) in function.blocks.iter_enumerated() {
            for &value in &block.insts {
                self.at = Some((id, Some(value)));
                self.check_inst(value, &function.insts[value]);
            }
            self.at = Some((id, None));
            self.check_terminator(&block.terminator);
        }
        self.at = None;
    }

    fn types(&self) -> &'a TypeTable {
        &self.unit.types
    }

    fn show(&self, ty: Ty) -> String {
        print_type(&self.unit.types, ty)
    }

    fn check_param_types(&mut self) {
        let function = self.function;
        let Some(ty) = self.types().function_of(self.unit.globals[function.global].ty).cloned() else {
            return self.error("its global is no function".to_owned());
        };
        if ty.is_unprototyped {
            return;
        }
        if ty.parameters.len() != function.params.len() {
            self.error(format!("{} parameters instead of {}", function.params.len(), ty.parameters.len()));
        }
        for (&param, &expected) in function.params.iter().zip(&ty.parameters) {
            self.expect_type("the parameter", function.ty(param), expected);
        }
    }

    /// A constant must be of a type that can have it, and an integer in the form that its type asks for.
    fn check_constant(&mut self, inst: &Inst) {
        let types = self.types();
        let ty = inst.ty;
        if types.is_error(ty) {
            return;
        }
        let fits = match inst.kind {
            InstKind::Int(value) => match types.get(ty) {
                Type::Pointer(_) | Type::Nullptr => types.target.pointer_size == 8 || u32::try_from(value).is_ok(),
                Type::Bool => value == 0 || value == 1,
                _ => types.int_info(ty).is_some_and(|info| is_extended(value, info)),
            },
            InstKind::WideInt(_) => types.int_info(ty).is_some_and(|(width, _)| width > 64),
            InstKind::Float(_) => types.is_float(ty),
            InstKind::Global(_) | InstKind::String(_) | InstKind::BlockAddress(_) => types.is_pointer(ty),
            InstKind::Undef | InstKind::Param(_) => !types.is_void(ty),
            _ => true,
        };
        if !fits {
            let kind = inst.kind;
            self.error(format!("constant {kind:?} of type {}", self.show(ty)));
        }
    }

    fn check_inst(&mut self, value: Value, inst: &Inst) {
        let function = self.function;
        let ty = inst.ty;
        match inst.kind {
            // Checked where constants are; they stand in no block.
            InstKind::Param(_)
            | InstKind::Int(_)
            | InstKind::WideInt(_)
            | InstKind::Float(_)
            | InstKind::Undef
            | InstKind::Global(_)
            | InstKind::String(_)
            | InstKind::BlockAddress(_) => {}
            InstKind::Slot { .. } => self.expect_pointer("the slot", ty),
            InstKind::Alloca { size, .. } => {
                self.expect_pointer("the result", ty);
                self.expect_integer("the size", function.ty(size));
            }
            InstKind::Bind { .. } => self.expect_no_result(ty),
            InstKind::End { object } => {
                self.expect_no_result(ty);
                if !self.is_frame_object(object) {
                    self.error(format!("end of {object}, which is no slot or alloca"));
                }
            }
            InstKind::Load { address, .. } => self.check_access(address, ty),
            InstKind::Store { address, value, .. } => {
                self.expect_no_result(ty);
                self.check_access(address, function.ty(value));
            }
            InstKind::LoadBits { address, bits, .. } => self.check_bits(address, ty, bits),
            InstKind::StoreBits { address, value, bits, .. } => {
                self.expect_no_result(ty);
                self.check_bits(address, function.ty(value), bits);
            }
            InstKind::Zero { address, .. } | InstKind::CopyString { address, .. } => {
                self.expect_no_result(ty);
                self.expect_pointer("the address", function.ty(address));
            }
            InstKind::Field { base, record, field } => self.check_field(base, record, field, ty),
            InstKind::Element { base, index } => {
                self.expect_pointer("the base", function.ty(base));
                self.expect_integer("the index", function.ty(index));
                self.check_stride(ty);
            }
            InstKind::PointerDiff { a, b } => {
                self.expect_pointer("the first operand", function.ty(a));
                self.expect_pointer("the second operand", function.ty(b));
                self.expect_integer("the result", ty);
                self.check_stride(function.ty(a));
            }
            InstKind::Binary { op, a, b } => self.check_binary(op, a, b, ty),
            InstKind::Negate(a) | InstKind::BitNot(a) => {
                self.expect_type("the operand", function.ty(a), ty);
                self.expect_number(ty);
            }
            InstKind::Compare { a, b, .. } => self.check_compare(function.ty(a), function.ty(b), ty),
            InstKind::Cast(a) => self.check_cast(function.ty(a), ty),
            InstKind::BitCast(a) => self.check_bit_cast(function.ty(a), ty),
            InstKind::ComplexPart { value, .. } => self.check_complex(function.ty(value), ty),
            InstKind::MakeComplex { real, imag } => {
                self.check_complex(ty, function.ty(real));
                self.check_complex(ty, function.ty(imag));
            }
            InstKind::VectorElement { vector, index } => {
                self.expect_integer("the index", function.ty(index));
                match self.types().get(function.ty(vector)) {
                    Type::Vector(element, _) => self.expect_type("the result", ty, element),
                    Type::Error => {}
                    _ => self.error("element of what is no vector".to_owned()),
                }
            }
            InstKind::Phi(args) => {
                if self.types().is_void(ty) {
                    self.error("phi of type void".to_owned());
                }
                for (_, argument) in function.phi_args(args) {
                    self.expect_type("an argument", function.ty(argument), ty);
                }
            }
            InstKind::Call { callee, args } => self.check_call(callee, args, ty),
            InstKind::Builtin { op, args } => self.check_builtin(op, args),
            InstKind::VaArg { address } => self.expect_pointer("the address", function.ty(address)),
            InstKind::Asm { .. } | InstKind::Unknown { .. } => {}
            InstKind::AsmOutput { asm, .. } => {
                if !matches!(function.insts[asm].kind, InstKind::Asm { .. }) {
                    self.error(format!("{asm} is no asm"));
                }
                if self.types().is_void(ty) {
                    self.error(format!("{value} has no type"));
                }
            }
        }
    }

    fn check_terminator(&mut self, terminator: &Terminator) {
        let function = self.function;
        match terminator {
            Terminator::None | Terminator::Jump(_) | Terminator::AsmGoto { .. } | Terminator::Unreachable => {}
            Terminator::Branch { condition, .. } => {
                self.expect_type("the condition", function.ty(*condition), Ty::INT);
            }
            Terminator::Switch(switch) => self.check_switch(switch),
            Terminator::Indirect { address, .. } => self.expect_pointer("the address", function.ty(*address)),
            Terminator::Return(value) => {
                let Some(ty) = self.types().function_of(self.unit.globals[function.global].ty) else { return };
                let result = ty.result;
                match value {
                    Some(value) if self.types().is_void(result) => {
                        self.error(format!("returns {value} from a void function"));
                    }
                    Some(value) => self.expect_type("the result", function.ty(*value), result),
                    None if self.types().is_void(result) || self.types().is_error(result) => {}
                    None => self.error("returns nothing".to_owned()),
                }
            }
        }
    }

    // ---- single rules ----------------------------------------------------------------------

    fn expect_type(&mut self, what: &str, found: Ty, expected: Ty) {
        if !same_type(self.types(), found, expected) {
            self.error(format!("{what} is {}, expected {}", self.show(found), self.show(expected)));
        }
    }

    fn expect_pointer(&mut self, what: &str, found: Ty) {
        if !matches!(self.types().get(found), Type::Pointer(_) | Type::Error) {
            self.error(format!("{what} is {}, expected a pointer", self.show(found)));
        }
    }

    fn expect_integer(&mut self, what: &str, found: Ty) {
        if !self.types().is_integer(found) && !self.types().is_error(found) {
            self.error(format!("{what} is {}, expected an integer", self.show(found)));
        }
    }

    fn expect_number(&mut self, found: Ty) {
        let types = self.types();
        if !types.is_arithmetic(found) && !types.is_vector(found) && !types.is_error(found) {
            self.error(format!("arithmetic on {}", self.show(found)));
        }
    }

    fn expect_no_result(&mut self, ty: Ty) {
        if !self.types().is_void(ty) {
            self.error(format!("has no result but the type {}", self.show(ty)));
        }
    }

    fn check_access(&mut self, address: Value, ty: Ty) {
        let types = self.types();
        let found = self.function.ty(address);
        if matches!(types.get(ty), Type::Void | Type::Function(_) | Type::Array(..) | Type::Vla(..)) {
            return self.error(format!("loads or stores {}", self.show(ty)));
        }
        match types.get(found) {
            Type::Pointer(pointee) if types.is_void(pointee) || same_type(types, pointee, ty) => {}
            Type::Error => {}
            _ => self.error(format!("the address is {}, the value {}", self.show(found), self.show(ty))),
        }
    }

    fn check_bits(&mut self, address: Value, ty: Ty, bits: Bits) {
        self.expect_pointer("the address", self.function.ty(address));
        self.expect_integer("the bit-field", ty);
        if bits.shift > 7 || bits.width == 0 || bits.width > 128 {
            self.error(format!("bits {}+{}", bits.shift, bits.width));
        }
    }

    fn check_field(&mut self, base: Value, record: RecordId, field: u32, ty: Ty) {
        let types = self.types();
        let base = self.function.ty(base);
        if types.is_error(base) || types.is_error(ty) {
            return;
        }
        if types.pointee(base).and_then(|pointee| types.record_of(pointee)) != Some(record) {
            return self.error(format!("the base is {}, expected a pointer to {record}", self.show(base)));
        }
        let Some(field) = types.layout(record).and_then(|layout| layout.fields.get(field as usize)) else { return };
        let is_right = match types.pointee(ty) {
            None => false,
            Some(pointee) => field.bits.is_some() || same_type(types, pointee, field.ty),
        };
        if !is_right {
            let field = field.ty;
            self.error(format!("the result is {}, the field {}", self.show(ty), self.show(field)));
        }
    }

    fn check_stride(&mut self, pointer: Ty) {
        let types = self.types();
        let has_size = match types.get(pointer) {
            Type::Error => true,
            Type::Pointer(pointee) => types.is_error(pointee) || types.size_of(pointee).is_some(),
            _ => false,
        };
        if !has_size {
            self.error(format!("steps of {}", self.show(pointer)));
        }
    }

    fn check_binary(&mut self, op: BinaryOp, a: Value, b: Value, ty: Ty) {
        let (a, b) = (self.function.ty(a), self.function.ty(b));
        self.expect_type("the first operand", a, ty);
        self.expect_number(ty);
        let is_float = self.types().is_float(ty) || self.types().is_complex(ty);
        match op {
            BinaryOp::Shl | BinaryOp::Shr => {
                if !self.types().is_vector(b) {
                    self.expect_integer("the shift count", b);
                }
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                return self.expect_type("the second operand", b, ty);
            }
            BinaryOp::Rem | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                self.expect_type("the second operand", b, ty);
            }
        }
        if is_float {
            self.error(format!("{op:?} on {}", self.show(ty)));
        }
    }

    fn check_compare(&mut self, a: Ty, b: Ty, ty: Ty) {
        let types = self.types();
        if types.is_error(a) || types.is_error(b) {
            return;
        }
        let is_address = |ty| matches!(types.get(ty), Type::Pointer(_) | Type::Nullptr);
        if !(is_address(a) && is_address(b)) {
            self.expect_type("the second operand", b, a);
        }
        let types = self.types();
        let is_right = if types.is_vector(a) { types.is_vector(ty) } else { ty.unqualified() == Ty::INT };
        if !types.is_scalar(a) && !types.is_vector(a) {
            self.error(format!("compares {}", self.show(a)));
        } else if !is_right {
            self.error(format!("the result is {}", self.show(ty)));
        }
    }

    fn check_cast(&mut self, from: Ty, to: Ty) {
        let types = self.types();
        let can = |ty| types.is_scalar(ty) || types.is_vector(ty) || types.is_error(ty);
        if !can(from) || !can(to) {
            self.error(format!("cast from {} to {}", self.show(from), self.show(to)));
        }
    }

    fn check_bit_cast(&mut self, from: Ty, to: Ty) {
        let types = self.types();
        if let (Some(a), Some(b)) = (types.size_of(from), types.size_of(to))
            && a != b
        {
            self.error(format!("bit cast from {} to {}", self.show(from), self.show(to)));
        }
    }

    fn check_complex(&mut self, complex: Ty, part: Ty) {
        match self.types().get(complex) {
            Type::Complex(element) => self.expect_type("the part", part, element),
            Type::Error => {}
            _ => self.error(format!("{} is not complex", self.show(complex))),
        }
    }

    fn check_call(&mut self, callee: Value, args: Operands, ty: Ty) {
        let unit = self.unit;
        let types = &unit.types;
        let function: &Function = self.function;
        let callee = function.ty(callee);
        if types.is_error(callee) {
            return;
        }
        let Some(callee) = types.pointee(callee).and_then(|pointee| types.function_of(pointee)) else {
            return self.error(format!("calls {}", self.show(callee)));
        };
        self.expect_type("the result", ty, callee.result);
        if callee.is_unprototyped {
            return;
        }
        let args = function.operands(args);
        let wanted = callee.parameters.len();
        if args.len() < wanted || (args.len() > wanted && !callee.is_variadic) {
            self.error(format!("{} arguments instead of {wanted}", args.len()));
        }
        for (&arg, &parameter) in args.iter().zip(&callee.parameters) {
            let is_transparent = types.record_of(parameter).is_some_and(|record| {
                attributes::find(&types.records[record].attributes, "transparent_union").is_some()
            });
            if !is_transparent {
                self.expect_type("an argument", function.ty(arg), parameter);
            }
        }
    }

    fn check_builtin(&mut self, op: Builtin, args: Operands) {
        let wanted = match op {
            Builtin::Unreachable
            | Builtin::Trap
            | Builtin::Fence
            | Builtin::FrameAddress
            | Builtin::ReturnAddress
            | Builtin::Pure(_)
            | Builtin::Opaque(_) => 0,
            Builtin::Alloca
            | Builtin::VaStart
            | Builtin::VaEnd
            | Builtin::Clz
            | Builtin::Ctz
            | Builtin::Clrsb
            | Builtin::Ffs
            | Builtin::Popcount
            | Builtin::Parity
            | Builtin::Bswap
            | Builtin::Bitreverse
            | Builtin::AtomicLoad
            | Builtin::Setjmp
            | Builtin::Longjmp => 1,
            Builtin::VaCopy
            | Builtin::RotateLeft
            | Builtin::RotateRight
            | Builtin::AtomicStore
            | Builtin::AtomicExchange
            | Builtin::AtomicRmw { .. }
            | Builtin::Shuffle => 2,
            Builtin::AddOverflow
            | Builtin::SubOverflow
            | Builtin::MulOverflow
            | Builtin::AddOverflowP
            | Builtin::SubOverflowP
            | Builtin::MulOverflowP
            | Builtin::AtomicCompareExchange
            | Builtin::SyncValCompareExchange
            | Builtin::SyncBoolCompareExchange => 3,
        };
        if (args.len as usize) < wanted {
            self.error(format!("{op:?} with {} operands", args.len));
        }
    }

    fn check_switch(&mut self, switch: &Switch) {
        let ty = self.function.ty(switch.value);
        let Some((width, is_signed)) = self.types().int_info(ty) else {
            return self.expect_integer("the value", ty);
        };
        // Unsigned values compare as unsigned, however they were written down.
        let key = |value: i128| if is_signed { value } else { zero_extend(value, width) };
        let less = |a: i128, b: i128| if is_signed { a < b } else { (a as u128) < (b as u128) };
        let mut last: Option<i128> = None;
        for case in &switch.cases {
            let (low, high) = (key(case.low), key(case.high));
            if less(high, low) || last.is_some_and(|last| !less(last, low)) {
                self.error(format!("case {}..{} out of order", case.low, case.high));
            }
            last = Some(high);
        }
    }
}

/// Equal, qualifiers aside: on the type itself and, as they stand there, on the elements of arrays.
fn same_type(types: &TypeTable, a: Ty, b: Ty) -> bool {
    if a.unqualified() == b.unqualified() {
        return true;
    }
    match (types.get(a), types.get(b)) {
        (Type::Error, _) | (_, Type::Error) => true,
        (Type::Array(a, a_len), Type::Array(b, b_len)) => a_len == b_len && same_type(types, a, b),
        (Type::Vla(a, a_len), Type::Vla(b, b_len)) => a_len == b_len && same_type(types, a, b),
        _ => false,
    }
}

fn is_extended(value: i64, (width, is_signed): (u32, bool)) -> bool {
    match width {
        0 => false,
        64.. => true,
        _ if is_signed => value << (64 - width) >> (64 - width) == value,
        _ => value >> width == 0,
    }
}

fn zero_extend(value: i128, width: u32) -> i128 {
    if width >= 128 { value } else { value & ((1 << width) - 1) }
}
