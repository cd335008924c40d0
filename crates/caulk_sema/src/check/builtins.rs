//! Compiler builtins: folded, turned into library calls, or kept as [`Builtin`] operations.

use caulk_base::{Loc, Symbol};
use caulk_syntax::ast;

use super::Cx;
use super::library::is_math;
use crate::hir::{Builtin, ExprId, ExprKind};
use crate::types::{FloatKind, Ty, Type, quals};

impl Cx<'_> {
    /// A call of a builtin by name; `None` if the name is none.
    pub(super) fn builtin_call(&mut self, name: Symbol, args: &[ast::ExprId], loc: Loc) -> Option<ExprId> {
        let text = name.as_str();
        if let Some(rest) = text.strip_prefix("__builtin_") {
            return Some(self.builtin(name, rest, args, loc));
        }
        if text.starts_with("__sync_") || text.starts_with("__atomic_") || text.starts_with("__c11_atomic_") {
            return self.atomic_call(text, args, loc);
        }
        if text == "alloca" {
            return Some(self.builtin(name, text, args, loc));
        }
        None
    }

    fn builtin(&mut self, name: Symbol, rest: &str, args: &[ast::ExprId], loc: Loc) -> ExprId {
        if let Some(result) = self.folded_builtin(rest, args, loc) {
            return result;
        }
        if let Some(result) = self.bit_builtin(rest, args, loc) {
            return result;
        }
        if let Some(result) = self.overflow_builtin(rest, args, loc) {
            return result;
        }
        if let Some(result) = self.control_builtin(rest, args, loc) {
            return result;
        }
        if let Some(result) = self.float_builtin(rest, args, loc) {
            return result;
        }
        if let Some(global) = self.library_global(rest, loc) {
            let callee = self.global(global, loc);
            return self.call_value(callee, args, loc);
        }
        let values = self.values_of(args);
        match rest {
            "shuffle" => {
                let ty = values.first().map_or(Ty::ERROR, |&value| self.ty_of(value));
                self.builtin_node(Builtin::Shuffle, &values, ty, loc)
            }
            "nontemporal_load" if values.len() == 1 => {
                let place = self.deref(values[0], loc);
                self.rvalue(place)
            }
            "nontemporal_store" if values.len() == 2 => {
                let place = self.deref(values[1], loc);
                self.assign_to(place, values[0], loc)
            }
            "tgmath" => self.tgmath(&values, loc),
            // Whatever uses the result says what type it has.
            _ => self.opaque_builtin(name, &values, Ty::ERROR, loc),
        }
    }

    pub(super) fn values_of(&mut self, args: &[ast::ExprId]) -> Vec<ExprId> {
        args.iter()
            .filter(|&&arg| !matches!(self.ast.exprs[arg].kind, ast::ExprKind::Type(_)))
            .copied()
            .collect::<Vec<_>>()
            .into_iter()
            .map(|arg| self.value(arg))
            .collect()
    }

    pub(super) fn builtin_node(&mut self, op: Builtin, args: &[ExprId], ty: Ty, loc: Loc) -> ExprId {
        let values: Vec<ExprId> = args.iter().map(|&arg| self.usable_value(arg)).collect();
        let args = self.expr_list(&values);
        self.push_expr(ExprKind::Builtin { op, args }, ty, loc)
    }

    pub(super) fn opaque_builtin(&mut self, name: Symbol, args: &[ExprId], ty: Ty, loc: Loc) -> ExprId {
        self.builtin_node(Builtin::Opaque(name), args, ty, loc)
    }

    /// Builtins that are one of their arguments, or a number.
    fn folded_builtin(&mut self, rest: &str, args: &[ast::ExprId], loc: Loc) -> Option<ExprId> {
        let result = match (rest, args) {
            ("expect" | "expect_with_probability", [value, expected, ..]) => {
                let value = self.value(*value);
                let value = self.cast(value, Ty::LONG);
                let expected = self.value(*expected);
                if self.int_value(expected).is_some() {
                    return Some(value);
                }
                let expected = self.effect(expected);
                self.push_expr(ExprKind::Comma(expected, value), Ty::LONG, loc)
            }
            ("assume_aligned", [pointer, ..]) => {
                let value = self.value(*pointer);
                self.cast(value, Ty::VOID_PTR)
            }
            (
                "speculation_safe_value"
                | "preserve_access_index"
                | "launder"
                | "extract_return_addr"
                | "frob_return_addr"
                | "addressof",
                [value, ..],
            ) => self.value(*value),
            ("constant_p", [value]) => {
                let value = self.value(*value);
                let is_constant = match self.kind_of(value) {
                    ExprKind::Int(_) | ExprKind::Float(_) => true,
                    ExprKind::AddressOf(lvalue) => matches!(self.kind_of(lvalue), ExprKind::String(_)),
                    _ => false,
                };
                self.int(is_constant.into(), Ty::INT, loc)
            }
            ("object_size" | "dynamic_object_size", [_, kind]) => {
                let kind = self.constant(*kind).unwrap_or(0);
                let size_type = self.size_type();
                self.int(if kind & 2 != 0 { 0 } else { -1 }, size_type, loc)
            }
            ("classify_type", [value]) => {
                let ty = match self.ast.exprs[*value].kind {
                    ast::ExprKind::Type(name) => self.type_name(name),
                    _ => {
                        let value = self.value(*value);
                        self.ty_of(value)
                    }
                };
                let class = match self.unit.types.get(ty) {
                    Type::Void => 0,
                    Type::Pointer(_) | Type::Array(..) | Type::Vla(..) | Type::Function(_) | Type::Nullptr => 5,
                    Type::Float(_) => 8,
                    Type::Complex(_) => 9,
                    Type::Record(record) => {
                        if self.unit.types.records[record].is_union {
                            13
                        } else {
                            12
                        }
                    }
                    Type::Bool | Type::Int(_) | Type::BitInt { .. } | Type::Enum(_) | Type::Error => 1,
                    Type::Vector(..) => 19,
                };
                self.int(class, Ty::INT, loc)
            }
            ("has_attribute" | "is_constant_evaluated", _) => self.int(0, Ty::INT, loc),
            ("LINE", _) => self.int(0, Ty::INT, loc),
            ("FILE" | "FUNCTION", _) => {
                let name = self.function.as_ref().map_or("", |function| function.name.as_str());
                let string = self.intern_string(name.as_bytes(), Ty::CHAR.with(quals::CONST), 1);
                let ty = self.unit.strings[string].ty;
                let literal = self.push_expr(ExprKind::String(string), ty, loc);
                self.rvalue(literal)
            }
            ("complex", [real, imag]) => {
                let (real, imag) = (self.value(*real), self.value(*imag));
                let element = self.common_type(self.ty_of(real), self.ty_of(imag));
                let (real, imag) = (self.cast(real, element), self.cast(imag, element));
                let ty = self.unit.types.intern(Type::Complex(element));
                self.push_expr(ExprKind::MakeComplex(real, imag), ty, loc)
            }
            _ => return None,
        };
        Some(result)
    }

    /// `clz`, `popcountll`, `bswap32` …
    fn bit_builtin(&mut self, rest: &str, args: &[ast::ExprId], loc: Loc) -> Option<ExprId> {
        let [first, more @ ..] = args else { return None };
        let (base, width) = match rest.strip_suffix("ll") {
            Some(base) => (base, Some(Ty::ULONG_LONG)),
            None => match rest.strip_suffix('l') {
                Some(base) => (base, Some(Ty::ULONG)),
                None => match rest.strip_suffix('g') {
                    Some(base) => (base, None),
                    None => (rest, Some(Ty::UINT)),
                },
            },
        };
        let op = match base {
            "clz" => Builtin::Clz,
            "ctz" => Builtin::Ctz,
            "ffs" => Builtin::Ffs,
            "popcount" => Builtin::Popcount,
            "parity" => Builtin::Parity,
            "clrsb" => Builtin::Clrsb,
            _ => return self.width_builtin(rest, *first, more, loc),
        };
        let value = self.value(*first);
        let value = match width {
            Some(ty) => self.cast(value, ty),
            None => self.promote(value),
        };
        Some(match self.int_value(value).and_then(|number| self.fold_bits(op, number, self.ty_of(value))) {
            Some(number) => self.int(number, Ty::INT, loc),
            None => self.builtin_node(op, &[value], Ty::INT, loc),
        })
    }

    fn fold_bits(&self, op: Builtin, number: i128, ty: Ty) -> Option<i128> {
        let (bits, _) = self.unit.types.int_info(ty)?;
        let number = crate::fold::wrap(number, bits, false) as u128;
        let count = match op {
            Builtin::Clz if number != 0 => number.leading_zeros() - (128 - bits),
            Builtin::Ctz if number != 0 => number.trailing_zeros(),
            Builtin::Ffs => {
                if number == 0 {
                    0
                } else {
                    number.trailing_zeros() + 1
                }
            }
            Builtin::Popcount => number.count_ones(),
            Builtin::Parity => number.count_ones() & 1,
            _ => return None,
        };
        Some(count.into())
    }

    /// Builtins with their width in the name.
    fn width_builtin(&mut self, rest: &str, first: ast::ExprId, more: &[ast::ExprId], loc: Loc) -> Option<ExprId> {
        let digits = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        let base = rest.strip_suffix(digits)?;
        let ty = match digits {
            "8" => Ty::UCHAR,
            "16" => Ty::USHORT,
            "32" => Ty::UINT,
            "64" => {
                if self.unit.types.target.long_size == 8 {
                    Ty::ULONG
                } else {
                    Ty::ULONG_LONG
                }
            }
            "128" => Ty::UINT128,
            _ => return None,
        };
        let op = match base {
            "bswap" => Builtin::Bswap,
            "bitreverse" => Builtin::Bitreverse,
            "rotateleft" => Builtin::RotateLeft,
            "rotateright" => Builtin::RotateRight,
            _ => return None,
        };
        let value = self.value(first);
        let value = self.cast(value, ty);
        if let (Builtin::Bswap, Some(number)) = (op, self.int_value(value)) {
            let bytes = self.unit.types.size_of(ty)? as u32;
            let swapped = (number as u128).swap_bytes() >> (128 - bytes * 8);
            return Some(self.int(swapped as i128, ty, loc));
        }
        let mut operands = vec![value];
        for &arg in more {
            let count = self.value(arg);
            operands.push(self.cast(count, ty));
        }
        Some(self.builtin_node(op, &operands, ty, loc))
    }

    /// `add_overflow`, `smull_overflow`, `sub_overflow_p` …
    fn overflow_builtin(&mut self, rest: &str, args: &[ast::ExprId], loc: Loc) -> Option<ExprId> {
        let (base, is_p) = match rest.strip_suffix("_overflow_p") {
            Some(base) => (base, true),
            None => (rest.strip_suffix("_overflow")?, false),
        };
        let find = |name: &str| base.find(name).map(|at| (&base[..at], &base[at + name.len()..]));
        let (op, (sign, width)) = if let Some(parts) = find("add") {
            (if is_p { Builtin::AddOverflowP } else { Builtin::AddOverflow }, parts)
        } else if let Some(parts) = find("sub") {
            (if is_p { Builtin::SubOverflowP } else { Builtin::SubOverflow }, parts)
        } else {
            (if is_p { Builtin::MulOverflowP } else { Builtin::MulOverflow }, find("mul")?)
        };
        let typed = match (sign, width) {
            ("s", "") => Some(Ty::INT),
            ("s", "l") => Some(Ty::LONG),
            ("s", "ll") => Some(Ty::LONG_LONG),
            ("u", "") => Some(Ty::UINT),
            ("u", "l") => Some(Ty::ULONG),
            ("u", "ll") => Some(Ty::ULONG_LONG),
            _ => None,
        };
        let [a, b, result] = args else { return None };
        let mut values = [self.value(*a), self.value(*b), self.value(*result)];
        if let Some(ty) = typed {
            values[0] = self.cast(values[0], ty);
            values[1] = self.cast(values[1], ty);
        }
        Some(self.builtin_node(op, &values, Ty::BOOL, loc))
    }

    /// Stack, control flow, variable arguments.
    fn control_builtin(&mut self, rest: &str, args: &[ast::ExprId], loc: Loc) -> Option<ExprId> {
        let (op, ty) = match rest {
            "alloca" | "alloca_with_align" | "alloca_with_align_and_max" | "alloca_uninitialized" => {
                let size = self.value(*args.first()?);
                let size_type = self.size_type();
                let size = self.cast(size, size_type);
                return Some(self.builtin_node(Builtin::Alloca, &[size], Ty::VOID_PTR, loc));
            }
            "va_start" | "c23_va_start" | "stdarg_start" | "next_arg" => {
                let list = self.expr(*args.first()?);
                let list = self.va_list_address(list, loc);
                return Some(self.builtin_node(Builtin::VaStart, &[list], Ty::VOID, loc));
            }
            "va_end" => {
                let list = self.expr(*args.first()?);
                let list = self.va_list_address(list, loc);
                return Some(self.builtin_node(Builtin::VaEnd, &[list], Ty::VOID, loc));
            }
            "va_copy" => {
                let [to, from] = args else { return None };
                let (to, from) = (self.expr(*to), self.expr(*from));
                let (to, from) = (self.va_list_address(to, loc), self.va_list_address(from, loc));
                return Some(self.builtin_node(Builtin::VaCopy, &[to, from], Ty::VOID, loc));
            }
            "unreachable" => (Builtin::Unreachable, Ty::VOID),
            "trap" | "verbose_trap" => (Builtin::Trap, Ty::VOID),
            "frame_address" | "dwarf_cfa" | "stack_address" => (Builtin::FrameAddress, Ty::VOID_PTR),
            "return_address" => (Builtin::ReturnAddress, Ty::VOID_PTR),
            "prefetch"
            | "__clear_cache"
            | "assume"
            | "unwind_init"
            | "cpu_init"
            | "debugtrap"
            | "init_dwarf_reg_size_table" => {
                let values = self.values_of(args);
                let name = Symbol::intern(&format!("__builtin_{rest}"));
                return Some(self.opaque_builtin(name, &values, Ty::VOID, loc));
            }
            "cpu_supports" | "cpu_is" | "va_arg_pack" | "va_arg_pack_len" => {
                let values = self.values_of(args);
                let name = Symbol::intern(&format!("__builtin_{rest}"));
                return Some(self.opaque_builtin(name, &values, Ty::INT, loc));
            }
            "setjmp" => {
                self.body.calls_returns_twice = true;
                (Builtin::Setjmp, Ty::INT)
            }
            "longjmp" => (Builtin::Longjmp, Ty::VOID),
            "fence" => (Builtin::Fence, Ty::VOID),
            _ => return None,
        };
        let values = self.values_of(args);
        Some(self.builtin_node(op, &values, ty, loc))
    }

    /// The address of a `va_list` object, which is an array on some targets and so a pointer where
    /// it is a parameter.
    pub(super) fn va_list_address(&mut self, list: ExprId, loc: Loc) -> ExprId {
        let ty = self.ty_of(list);
        let is_address =
            self.unit.types.is_array(ty) || !self.kind_of(list).is_lvalue() || self.unit.types.is_array(self.va_list);
        let address = if is_address { self.rvalue(list) } else { self.address_of(list, loc) };
        let is_pointer = self.unit.types.is_pointer(self.ty_of(address));
        if is_pointer { address } else { self.unknown(&[address], Ty::VOID_PTR, loc) }
    }

    /// Float constants, classification and math.
    fn float_builtin(&mut self, rest: &str, args: &[ast::ExprId], loc: Loc) -> Option<ExprId> {
        let with_suffix = |base: &str| rest.strip_prefix(base).and_then(float_suffix);
        for (base, value) in
            [("huge_val", f64::INFINITY), ("inf", f64::INFINITY), ("nans", f64::NAN), ("nan", f64::NAN)]
        {
            if let Some(kind) = with_suffix(base) {
                let ty = self.unit.types.intern(Type::Float(kind));
                return Some(self.push_expr(ExprKind::Float(value), ty, loc));
            }
        }
        let pure = Symbol::intern(rest);
        let is_classification = matches!(
            rest,
            "isnan"
                | "isinf"
                | "isinf_sign"
                | "isfinite"
                | "isnormal"
                | "signbit"
                | "fpclassify"
                | "isgreater"
                | "isgreaterequal"
                | "isless"
                | "islessequal"
                | "islessgreater"
                | "isunordered"
                | "finite"
                | "finitef"
                | "finitel"
                | "isnanf"
                | "isnanl"
                | "isinff"
                | "isinfl"
                | "signbitf"
                | "signbitl"
                | "issignaling"
                | "iseqsig"
                | "issubnormal"
                | "iszero"
        );
        if is_classification {
            let values = self.values_of(args);
            return Some(self.builtin_node(Builtin::Pure(pure), &values, Ty::INT, loc));
        }
        if is_math(rest) {
            let global = self.library_global(rest, loc)?;
            let result = self.unit.types.function_of(self.unit.globals[global].ty)?.result;
            let values: Vec<ExprId> = self.values_of(args);
            let values: Vec<ExprId> = values.into_iter().map(|value| self.cast(value, result)).collect();
            return Some(self.builtin_node(Builtin::Pure(pure), &values, result, loc));
        }
        if let Some(base) = rest.strip_suffix("f128").or_else(|| rest.strip_suffix('q'))
            && matches!(base, "fabs" | "copysign" | "sqrt" | "fmax" | "fmin")
        {
            let ty = self.unit.types.intern(Type::Float(FloatKind::Float128));
            let values = self.values_of(args);
            return Some(self.builtin_node(Builtin::Pure(pure), &values, ty, loc));
        }
        None
    }

    /// `__builtin_tgmath(f, g, …, args)`: the function whose parameter fits the widest argument.
    fn tgmath(&mut self, values: &[ExprId], loc: Loc) -> ExprId {
        let is_function = |cx: &Self, value: ExprId| cx.unit.types.callee(cx.ty_of(value)).is_some();
        let count = values.iter().take_while(|&&value| is_function(self, value)).count();
        let (functions, args) = values.split_at(count);
        let mut common = Ty::FLOAT;
        for &arg in args {
            let ty = if self.unit.types.is_integer(self.ty_of(arg)) { Ty::DOUBLE } else { self.ty_of(arg) };
            common = self.common_type(common, ty);
        }
        let fits = |&&function: &&ExprId| {
            self.unit.types.callee(self.ty_of(function)).and_then(|f| f.parameters.first()) == Some(&common)
        };
        match functions.iter().find(fits).or(functions.first()) {
            Some(&function) => self.call_with(function, args.to_vec(), loc),
            None => self.unknown(values, Ty::ERROR, loc),
        }
    }
}

fn float_suffix(suffix: &str) -> Option<FloatKind> {
    Some(match suffix {
        "" => FloatKind::Double,
        "f" => FloatKind::Float,
        "l" => FloatKind::LongDouble,
        "q" | "f128" => FloatKind::Float128,
        "f16" => FloatKind::Float16,
        "f32" => FloatKind::Float32,
        "f64" => FloatKind::Float64,
        "f32x" => FloatKind::Float32x,
        "f64x" => FloatKind::Float64x,
        "d32" => FloatKind::Decimal32,
        "d64" => FloatKind::Decimal64,
        "d128" => FloatKind::Decimal128,
        _ => return None,
    })
}
