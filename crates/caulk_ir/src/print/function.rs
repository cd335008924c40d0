//! Functions, blocks, instructions.

use caulk_base::{IdVec, Symbol};
use caulk_sema::types::{Ty, Type};
use caulk_sema::unit::Unit;

use super::Printer;
use crate::ir::{BlockId, Function, Inst, InstKind, Operands, Terminator, Value};
use crate::words::{BINARY_OPS, COMPARE_OPS, builtin_word, word_of};

impl Printer<'_> {
    pub(super) fn function(&mut self, unit: &Unit, function: &Function) {
        let names = variable_names(function);
        let mut body = BodyPrinter { printer: self, unit, function, names };
        body.header();
        for (id, block) in function.blocks.iter_enumerated() {
            body.write(format_args!("{id}:\n"));
            for &value in &block.insts {
                body.inst(value, &function.insts[value]);
            }
            body.terminator(&block.terminator);
            body.printer.loc(block.terminator_loc);
            body.text("\n");
        }
        body.text("}\n");
    }

    /// What is printed must be empty so far, and is so afterwards.
    pub(super) fn block_lines(
        &mut self,
        unit: &Unit,
        function: &Function,
        is_shown: impl Fn(Value) -> bool,
    ) -> IdVec<BlockId, Vec<String>> {
        let names = variable_names(function);
        let mut body = BodyPrinter { printer: self, unit, function, names };
        let mut blocks = IdVec::new();
        for block in &function.blocks {
            for &value in block.insts.iter().filter(|&&value| is_shown(value)) {
                body.inst(value, &function.insts[value]);
            }
            body.terminator(&block.terminator);
            body.printer.loc(block.terminator_loc);
            let text = std::mem::take(body.printer.out);
            blocks.push(text.lines().map(|line| line.trim().to_owned()).collect());
        }
        blocks
    }
}

/// Names of each value, sorted by value, each once, in the order they were assigned.
fn variable_names(function: &Function) -> Vec<(Value, Symbol)> {
    let mut names = function.variable_names.clone();
    names.sort_by_key(|&(value, _)| value);
    let mut kept: Vec<(Value, Symbol)> = Vec::with_capacity(names.len());
    for pair in names {
        let is_known = kept.iter().rev().take_while(|(value, _)| *value == pair.0).any(|&other| other == pair);
        if !is_known {
            kept.push(pair);
        }
    }
    kept
}

struct BodyPrinter<'a, 'p> {
    printer: &'a mut Printer<'p>,
    unit: &'a Unit,
    function: &'a Function,
    names: Vec<(Value, Symbol)>,
}

impl BodyPrinter<'_, '_> {
    fn text(&mut self, text: &str) {
        self.printer.text(text);
    }

    fn write(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.printer.write(arguments);
    }

    /// `function @f(v0 n: int) -> int {`
    fn header(&mut self) {
        let global = &self.unit.globals[self.function.global];
        self.text("function ");
        self.printer.global_name(self.function.global);
        self.text("(");
        for (number, &param) in self.function.params.iter().enumerate() {
            self.write(format_args!("{}{param}", if number == 0 { "" } else { ", " }));
            self.variables(param, " ");
            self.text(": ");
            self.printer.ty(self.function.ty(param));
        }
        self.text(")");
        if let Some(ty) = self.unit.types.function_of(global.ty) {
            self.text(" -> ");
            self.printer.ty(ty.result);
        }
        if self.function.calls_returns_twice {
            self.text(" calls_returns_twice");
        }
        self.labels();
        self.printer.loc(self.function.loc);
        self.text(" {\n");
    }

    /// ` labels [0: bb2, 3: bb7]`: what `label 3` in a static table means.
    fn labels(&mut self) {
        for (number, (label, block)) in self.function.label_blocks.iter().enumerate() {
            self.write(format_args!("{}{label}: {block}", if number == 0 { " labels [" } else { ", " }));
        }
        if !self.function.label_blocks.is_empty() {
            self.text("]");
        }
    }

    fn variables(&mut self, value: Value, separator: &str) {
        let start = self.names.partition_point(|(other, _)| *other < value);
        let mut at = start;
        while let Some(&(other, name)) = self.names.get(at)
            && other == value
        {
            self.text(if at == start { separator } else { " " });
            self.printer.word(name);
            at += 1;
        }
    }

    fn inst(&mut self, value: Value, inst: &Inst) {
        self.text("  ");
        if !self.unit.types.is_void(inst.ty) || matches!(inst.kind, InstKind::Asm { .. }) {
            self.write(format_args!("{value}: "));
            self.printer.ty(inst.ty);
            self.text(" = ");
        }
        self.kind(&inst.kind);
        self.printer.loc(inst.loc);
        self.variables(value, " ; ");
        self.text("\n");
    }

    fn kind(&mut self, kind: &InstKind) {
        match *kind {
            InstKind::Param(_)
            | InstKind::Int(_)
            | InstKind::WideInt(_)
            | InstKind::Float(_)
            | InstKind::Undef
            | InstKind::Global(_)
            | InstKind::String(_)
            | InstKind::BlockAddress(_) => self.text("misplaced constant"),
            InstKind::Slot { name } => {
                self.text("slot");
                self.optional_name(" ", name);
            }
            InstKind::Alloca { size, name } => {
                self.operation("alloca", &[size]);
                self.optional_name(", ", name);
            }
            InstKind::End { object } => self.operation("end", &[object]),
            InstKind::Bind { variable, value } => {
                self.text("bind ");
                self.printer.word(variable);
                self.text(", ");
                self.value(value);
            }
            InstKind::Load { address, is_volatile } => {
                self.operation("load", &[address]);
                self.volatile(is_volatile);
            }
            InstKind::Store { address, value, is_volatile } => {
                self.operation("store", &[address, value]);
                self.volatile(is_volatile);
            }
            InstKind::LoadBits { address, bits, is_volatile } => {
                self.operation("load_bits", &[address]);
                self.text(", ");
                self.printer.bits(bits);
                self.volatile(is_volatile);
            }
            InstKind::StoreBits { address, value, bits, is_volatile } => {
                self.operation("store_bits", &[address, value]);
                self.text(", ");
                self.printer.bits(bits);
                self.volatile(is_volatile);
            }
            InstKind::Zero { address, size } => {
                self.operation("zero", &[address]);
                self.write(format_args!(", {size}"));
            }
            InstKind::CopyString { address, string, size } => {
                self.operation("copy_string", &[address]);
                self.write(format_args!(", {string}, {size}"));
            }
            InstKind::Field { base, record, field } => {
                self.operation("field", &[base]);
                self.text(", ");
                self.printer.record_name(record);
                let fields = self.unit.types.layout(record).map_or(&[][..], |layout| &layout.fields);
                let name = fields.get(field as usize).map_or(Symbol::EMPTY, |field| field.name);
                let is_unique = fields.iter().filter(|field| field.name == name).count() == 1;
                self.text(".");
                if name != Symbol::EMPTY && is_unique {
                    self.printer.word(name);
                } else {
                    self.write(format_args!("#{field}"));
                }
            }
            InstKind::Element { base, index } => self.operation("element", &[base, index]),
            InstKind::PointerDiff { a, b } => self.operation("pointer_diff", &[a, b]),
            InstKind::Binary { op, a, b } => self.operation(word_of(&BINARY_OPS, op), &[a, b]),
            InstKind::Negate(a) => self.operation("negate", &[a]),
            InstKind::BitNot(a) => self.operation("not", &[a]),
            InstKind::Compare { op, a, b } => self.operation(word_of(&COMPARE_OPS, op), &[a, b]),
            InstKind::Cast(a) => self.operation("cast", &[a]),
            InstKind::BitCast(a) => self.operation("bit_cast", &[a]),
            InstKind::ComplexPart { value, is_imag } => {
                self.operation(if is_imag { "imag" } else { "real" }, &[value]);
            }
            InstKind::MakeComplex { real, imag } => self.operation("make_complex", &[real, imag]),
            InstKind::VectorElement { vector, index } => self.operation("vector_element", &[vector, index]),
            InstKind::Phi(args) => {
                self.text("phi [");
                for (number, (block, value)) in self.function.phi_args(args).enumerate() {
                    self.write(format_args!("{}{block}: ", if number == 0 { "" } else { ", " }));
                    self.value(value);
                }
                self.text("]");
            }
            InstKind::Call { callee, args } => {
                self.operation("call", &[callee]);
                self.arguments(args);
            }
            InstKind::Builtin { op, args } => {
                let (word, name) = builtin_word(op);
                self.write(format_args!("builtin {word}"));
                self.optional_name(" ", name.unwrap_or(Symbol::EMPTY));
                self.arguments(args);
            }
            InstKind::VaArg { address } => self.operation("va_arg", &[address]),
            InstKind::Asm { template, operands, clobbers_memory } => {
                self.text("asm ");
                self.printer.quoted(template.as_str().as_bytes());
                self.arguments(operands);
                self.text(if clobbers_memory { " memory" } else { "" });
            }
            InstKind::AsmOutput { asm, index } => {
                self.operation("asm_output", &[asm]);
                self.write(format_args!(", {index}"));
            }
            InstKind::Unknown { reason, operands } => {
                self.text("unknown ");
                self.printer.quoted(reason.as_str().as_bytes());
                self.arguments(operands);
            }
        }
    }

    fn terminator(&mut self, terminator: &Terminator) {
        self.text("  ");
        match terminator {
            Terminator::None => self.text("missing"),
            Terminator::Jump(target) => self.write(format_args!("jump {target}")),
            Terminator::Branch { condition, then, otherwise } => {
                self.operation("branch", &[*condition]);
                self.write(format_args!(", {then}, {otherwise}"));
            }
            Terminator::Switch(switch) => {
                self.operation("switch", &[switch.value]);
                self.write(format_args!(", {} [", switch.default));
                for (number, case) in switch.cases.iter().enumerate() {
                    self.write(format_args!("{}{}", if number == 0 { "" } else { ", " }, case.low));
                    if case.high != case.low {
                        self.write(format_args!("..{}", case.high));
                    }
                    self.write(format_args!(": {}", case.target));
                }
                self.text("]");
            }
            Terminator::Indirect { address, targets } => {
                self.operation("goto", &[*address]);
                self.write(format_args!(", {targets:?}"));
            }
            Terminator::AsmGoto { targets } => self.write(format_args!("asm_goto {targets:?}")),
            Terminator::Return(None) => self.text("return"),
            Terminator::Return(Some(value)) => self.operation("return", &[*value]),
            Terminator::Unreachable => self.text("unreachable"),
        }
    }

    fn operation(&mut self, word: &str, operands: &[Value]) {
        self.text(word);
        for (number, &operand) in operands.iter().enumerate() {
            self.text(if number == 0 { " " } else { ", " });
            self.value(operand);
        }
    }

    fn arguments(&mut self, operands: Operands) {
        self.text("(");
        for (number, &operand) in self.function.operands(operands).iter().enumerate() {
            self.text(if number == 0 { "" } else { ", " });
            self.value(operand);
        }
        self.text(")");
    }

    fn optional_name(&mut self, before: &str, name: Symbol) {
        if name != Symbol::EMPTY {
            self.text(before);
            self.printer.word(name);
        }
    }

    fn volatile(&mut self, is_volatile: bool) {
        self.text(if is_volatile { " volatile" } else { "" });
    }

    /// A value where it is used: constants in full, others by number.
    fn value(&mut self, value: Value) {
        let Some(inst) = self.function.insts.get(value) else { return self.write(format_args!("{value}")) };
        match inst.kind {
            InstKind::Int(number) => {
                self.printer.ty(inst.ty);
                self.integer(inst.ty, i128::from(number));
            }
            InstKind::WideInt(number) => {
                self.printer.ty(inst.ty);
                let number = self.function.wide_constants.get(number as usize).copied().unwrap_or(0);
                self.integer(inst.ty, number);
            }
            InstKind::Float(number) => {
                self.printer.ty(inst.ty);
                self.text(" ");
                self.printer.float(number);
            }
            InstKind::Undef => {
                self.printer.ty(inst.ty);
                self.text(" undef");
            }
            InstKind::Global(id) => {
                if self.unit.types.pointee(inst.ty) != self.unit.globals.get(id).map(|global| global.ty) {
                    self.printer.ty(inst.ty);
                    self.text(" ");
                }
                self.printer.global_name(id);
            }
            InstKind::String(id) => {
                let array = self.unit.strings.get(id).map(|string| string.ty);
                let element = array.and_then(|array| self.unit.types.element(array));
                if self.unit.types.pointee(inst.ty) != element || inst.ty.qualifiers() != 0 {
                    self.printer.ty(inst.ty);
                    self.text(" ");
                }
                self.write(format_args!("{id}"));
            }
            InstKind::BlockAddress(block) => {
                self.printer.ty(inst.ty);
                self.write(format_args!(" &{block}"));
            }
            _ => self.write(format_args!("{value}")),
        }
    }

    fn integer(&mut self, ty: Ty, number: i128) {
        match (self.unit.types.get(ty), self.unit.types.int_info(ty)) {
            (Type::Pointer(_) | Type::Nullptr, _) if number == 0 => self.text(" null"),
            (_, Some((width, false))) if width < 128 => {
                self.write(format_args!(" {}", number & ((1 << width) - 1)));
            }
            (_, Some((_, false))) => self.write(format_args!(" {}", number as u128)),
            _ => self.write(format_args!(" {number}")),
        }
    }
}
