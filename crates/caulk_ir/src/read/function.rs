//! Functions, blocks, instructions.
//!
//! Values that the text numbers keep their numbers. Constants and instructions without a result take
//! those that are left, equal constants one.

use caulk_base::{IdVec, Loc, Symbol};
use caulk_sema::types::{Ty, Type};
use rustc_hash::FxHashMap;

use super::lexer::{Cursor, TokenKind, error_at};
use super::{ReadError, Reader, skip_item};
use crate::ir::{
    Block, BlockId, Function, GlobalId, Inst, InstKind, Operands, PhiArgs, StringId, Switch, SwitchCase, Terminator,
    Value,
};
use crate::words::{BINARY_OPS, COMPARE_OPS, find, find_builtin};

/// What makes two constants one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Constant {
    Int(i128),
    /// Its bits.
    Float(u64),
    Undef,
    Global(GlobalId),
    String(StringId),
    BlockAddress(BlockId),
}

struct Body<'r> {
    reader: &'r mut Reader,
    function: Function,
    /// Numbers that the text gives to instructions and parameters.
    is_numbered: Vec<bool>,
    is_defined: Vec<bool>,
    next_free: u32,
    block_count: u32,
    constants: FxHashMap<(Ty, Constant), Value>,
}

/// In a place of the arena that nothing names.
const HOLE: Inst = Inst { kind: InstKind::Undef, ty: Ty::ERROR, loc: Loc::NONE };

impl Reader {
    pub(super) fn function(&mut self, cursor: &mut Cursor<'_>) -> Result<Function, ReadError> {
        let (is_numbered, block_count) = self.scan_numbers(cursor)?;
        cursor.next();
        let global = self.global_id(cursor)?;
        let mut function = Function::new(global, Loc::NONE);
        function.insts = IdVec::filled(HOLE, is_numbered.len());
        let is_defined = vec![false; is_numbered.len()];
        let constants = FxHashMap::default();
        let mut body = Body { reader: self, function, is_numbered, is_defined, next_free: 0, block_count, constants };
        body.header(cursor)?;
        while !cursor.take_mark("}") {
            body.block(cursor)?;
        }
        body.reader.line_end(cursor)?;
        let function = body.function;
        // A jump that is broken over two lines names a block at the start of a line, too.
        if function.blocks.len() != block_count as usize {
            return Err(cursor.error("the name of a block starts a line and begins no block"));
        }
        match self.used_without_value(&function) {
            Some(value) => Err(cursor.error(format!("{value} is used and has no value"))),
            None => Ok(function),
        }
    }

    /// An instruction of type void has no number when it is printed, so nothing can name it, except an
    /// `asm` for its outputs.
    fn used_without_value(&self, function: &Function) -> Option<Value> {
        let has_none = |value: Value| {
            let inst = &function.insts[value];
            self.types().is_void(inst.ty) && inst.kind.is_placed() && !matches!(inst.kind, InstKind::Asm { .. })
        };
        let mut found = None;
        for block in &function.blocks {
            for &value in &block.insts {
                let kind = &function.insts[value].kind;
                kind.for_each_operand(function, |operand| {
                    found = found.or(Some(operand).filter(|&value| has_none(value)))
                });
            }
            found = found.or(block.terminator.operand().filter(|&value| has_none(value)));
        }
        found
    }

    /// Which values have numbers, and how many blocks there are.
    fn scan_numbers(&self, cursor: &Cursor<'_>) -> Result<(Vec<bool>, u32), ReadError> {
        let mut end = cursor.clone();
        skip_item(&mut end);
        let start = cursor.peek().map_or(0, |token| token.offset);
        let last = end.peek().map_or(self.text_len as u32, |token| token.offset);
        let mut is_numbered: Vec<bool> = Vec::new();
        let mut block_count = 0;
        let (mut at, mut in_header, mut starts_param) = (cursor.clone(), true, false);
        while let Some(token) = at.peek().filter(|token| token.offset < last) {
            in_header &= !token.is_mark("{");
            if let Some(number) = token.id("v").filter(|_| token.starts_line || starts_param) {
                self.check_hole(&at, number, (last - start) as usize)?;
                if is_numbered.len() <= number as usize {
                    is_numbered.resize(number as usize + 1, false);
                }
                is_numbered[number as usize] = true;
            }
            block_count += u32::from(token.starts_line && token.id("bb").is_some());
            // A parameter's name may look like a number.
            starts_param = in_header && (token.is_mark("(") || token.is_mark(","));
            at.next();
        }
        Ok((is_numbered, block_count))
    }
}

impl Body<'_> {
    /// `(v0 n: int) -> int calls_returns_twice {`
    fn header(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        cursor.mark("(")?;
        while !cursor.take_mark(")") {
            let value = self.define(cursor)?;
            while !cursor.take_mark(":") {
                let name = Symbol::intern(cursor.name()?);
                self.function.variable_names.push((value, name));
            }
            let ty = self.reader.ty(cursor)?;
            let number = self.function.params.len() as u32;
            self.function.insts[value] = Inst { kind: InstKind::Param(number), ty, loc: Loc::NONE };
            self.function.params.push(value);
            cursor.take_mark(",");
        }
        if cursor.take_mark("->") {
            // The global has it.
            self.reader.ty(cursor)?;
        }
        self.function.calls_returns_twice = cursor.take_word("calls_returns_twice");
        if cursor.take_word("labels") {
            cursor.mark("[")?;
            while !cursor.take_mark("]") {
                let label = cursor.number()?;
                cursor.mark(":")?;
                let block = self.block_id(cursor)?;
                self.function.label_blocks.push((label, block));
                cursor.take_mark(",");
            }
        }
        self.function.loc = self.reader.loc(cursor)?;
        cursor.mark("{")
    }

    fn block(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ReadError> {
        let next = self.function.blocks.next_id();
        if !cursor.peek().is_some_and(|token| token.starts_line && token.id("bb") == Some(next.0)) {
            return Err(cursor.error(format!("expected `{next}:`")));
        }
        cursor.next();
        cursor.mark(":")?;
        let mut block = Block::default();
        loop {
            if let Some(terminator) = self.terminator(cursor)? {
                block.terminator = terminator;
                block.terminator_loc = self.reader.loc(cursor)?;
                break;
            }
            block.insts.push(self.inst(cursor)?);
        }
        self.function.blocks.push(block);
        self.reader.line_end(cursor)
    }

    /// The value whose number stands before an instruction or in a header.
    fn define(&mut self, cursor: &mut Cursor<'_>) -> Result<Value, ReadError> {
        let start = cursor.clone();
        let number = cursor.id("v")?;
        match self.is_defined.get_mut(number as usize) {
            Some(is_defined) if !*is_defined => {
                *is_defined = true;
                Ok(Value(number))
            }
            _ => Err(start.error(format!("v{number} is defined twice"))),
        }
    }

    /// The next value that the text has not numbered.
    fn free_value(&mut self) -> Value {
        while self.is_numbered.get(self.next_free as usize) == Some(&true) {
            self.next_free += 1;
        }
        let value = Value(self.next_free);
        self.next_free += 1;
        self.function.insts.grow_to(value, HOLE);
        value
    }

    fn inst(&mut self, cursor: &mut Cursor<'_>) -> Result<Value, ReadError> {
        if !cursor.at_line_end() {
            return Err(cursor.error("expected an instruction on a line of its own"));
        }
        let (value, ty) = if cursor.peek().is_some_and(|token| token.id("v").is_some()) {
            let value = self.define(cursor)?;
            cursor.mark(":")?;
            let ty = self.reader.ty(cursor)?;
            cursor.mark("=")?;
            (value, ty)
        } else {
            (self.free_value(), Ty::VOID)
        };
        let kind = self.kind(cursor)?;
        let loc = self.reader.loc(cursor)?;
        self.function.insts[value] = Inst { kind, ty, loc };
        if cursor.take_mark(";") {
            while !cursor.at_line_end() {
                let name = Symbol::intern(cursor.name()?);
                self.function.variable_names.push((value, name));
            }
        }
        self.reader.line_end(cursor)?;
        Ok(value)
    }

    fn kind(&mut self, cursor: &mut Cursor<'_>) -> Result<InstKind, ReadError> {
        let Some(token) = cursor.next() else { return Err(cursor.error("expected an instruction")) };
        Ok(match token.text {
            "slot" => {
                let is_named = !cursor.at_line_end()
                    && cursor.peek().is_some_and(|token| matches!(token.kind, TokenKind::Word | TokenKind::Quoted(_)));
                InstKind::Slot { name: if is_named { Symbol::intern(cursor.name()?) } else { Symbol::EMPTY } }
            }
            "alloca" => {
                let size = self.value(cursor)?;
                let name = if cursor.take_mark(",") { Symbol::intern(cursor.name()?) } else { Symbol::EMPTY };
                InstKind::Alloca { size, name }
            }
            "end" => InstKind::End { object: self.value(cursor)? },
            "bind" => {
                let variable = Symbol::intern(cursor.name()?);
                cursor.mark(",")?;
                InstKind::Bind { variable, value: self.value(cursor)? }
            }
            "load" => InstKind::Load { address: self.value(cursor)?, is_volatile: cursor.take_word("volatile") },
            "store" => {
                let (address, value) = self.two(cursor)?;
                InstKind::Store { address, value, is_volatile: cursor.take_word("volatile") }
            }
            "load_bits" => {
                let address = self.value(cursor)?;
                cursor.mark(",")?;
                let bits = self.reader.bits(cursor)?;
                InstKind::LoadBits { address, bits, is_volatile: cursor.take_word("volatile") }
            }
            "store_bits" => {
                let (address, value) = self.two(cursor)?;
                cursor.mark(",")?;
                let bits = self.reader.bits(cursor)?;
                InstKind::StoreBits { address, value, bits, is_volatile: cursor.take_word("volatile") }
            }
            "zero" => {
                let address = self.value(cursor)?;
                cursor.mark(",")?;
                InstKind::Zero { address, size: cursor.number()? }
            }
            "copy_string" => {
                let address = self.value(cursor)?;
                cursor.mark(",")?;
                let string = self.reader.string_id(cursor)?;
                cursor.mark(",")?;
                InstKind::CopyString { address, string, size: cursor.number()? }
            }
            "field" => self.field(cursor)?,
            "element" => self.two(cursor).map(|(base, index)| InstKind::Element { base, index })?,
            "pointer_diff" => self.two(cursor).map(|(a, b)| InstKind::PointerDiff { a, b })?,
            "negate" => InstKind::Negate(self.value(cursor)?),
            "not" => InstKind::BitNot(self.value(cursor)?),
            "cast" => InstKind::Cast(self.value(cursor)?),
            "bit_cast" => InstKind::BitCast(self.value(cursor)?),
            "real" => InstKind::ComplexPart { value: self.value(cursor)?, is_imag: false },
            "imag" => InstKind::ComplexPart { value: self.value(cursor)?, is_imag: true },
            "make_complex" => self.two(cursor).map(|(real, imag)| InstKind::MakeComplex { real, imag })?,
            "vector_element" => self.two(cursor).map(|(vector, index)| InstKind::VectorElement { vector, index })?,
            "phi" => self.phi(cursor)?,
            "call" => InstKind::Call { callee: self.value(cursor)?, args: self.arguments(cursor)? },
            "builtin" => {
                let word = cursor.name()?;
                let name = || cursor.name().map(Symbol::intern);
                match find_builtin(word, name)? {
                    Some(op) => InstKind::Builtin { op, args: self.arguments(cursor)? },
                    None => return Err(cursor.error(format!("no builtin is called `{word}`"))),
                }
            }
            "va_arg" => InstKind::VaArg { address: self.value(cursor)? },
            "asm" => {
                let template = Symbol::intern(cursor.quoted_text()?);
                let operands = self.arguments(cursor)?;
                InstKind::Asm { template, operands, clobbers_memory: cursor.take_word("memory") }
            }
            "asm_output" => {
                let asm = self.value(cursor)?;
                cursor.mark(",")?;
                InstKind::AsmOutput { asm, index: cursor.number()? }
            }
            "unknown" => {
                let reason = Symbol::intern(cursor.quoted_text()?);
                InstKind::Unknown { reason, operands: self.arguments(cursor)? }
            }
            word => {
                if let Some(op) = find(&BINARY_OPS, word) {
                    self.two(cursor).map(|(a, b)| InstKind::Binary { op, a, b })?
                } else if let Some(op) = find(&COMPARE_OPS, word) {
                    self.two(cursor).map(|(a, b)| InstKind::Compare { op, a, b })?
                } else {
                    return Err(error_at(token, format!("no instruction is called `{word}`")));
                }
            }
        })
    }

    fn terminator(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<Terminator>, ReadError> {
        let Some(token) = cursor.peek() else { return Err(cursor.error("the function does not end")) };
        let before = cursor.clone();
        cursor.next();
        Ok(Some(match token.text {
            "missing" => Terminator::None,
            "jump" => Terminator::Jump(self.block_id(cursor)?),
            "branch" => {
                let condition = self.value(cursor)?;
                cursor.mark(",")?;
                let then = self.block_id(cursor)?;
                cursor.mark(",")?;
                Terminator::Branch { condition, then, otherwise: self.block_id(cursor)? }
            }
            "switch" => self.switch(cursor)?,
            "goto" => {
                let address = self.value(cursor)?;
                cursor.mark(",")?;
                Terminator::Indirect { address, targets: self.block_list(cursor)? }
            }
            "asm_goto" => Terminator::AsmGoto { targets: self.block_list(cursor)? },
            "return" if cursor.at_line_end() || cursor.peek().is_some_and(|token| token.is_mark("!")) => {
                Terminator::Return(None)
            }
            "return" => Terminator::Return(Some(self.value(cursor)?)),
            "unreachable" => Terminator::Unreachable,
            _ => {
                *cursor = before;
                return Ok(None);
            }
        }))
    }

    fn switch(&mut self, cursor: &mut Cursor<'_>) -> Result<Terminator, ReadError> {
        let value = self.value(cursor)?;
        cursor.mark(",")?;
        let default = self.block_id(cursor)?;
        let mut cases = Vec::new();
        cursor.mark("[")?;
        while !cursor.take_mark("]") {
            let low = cursor.number()?;
            let high = if cursor.take_mark("..") { cursor.number()? } else { low };
            cursor.mark(":")?;
            cases.push(SwitchCase { low, high, target: self.block_id(cursor)? });
            cursor.take_mark(",");
        }
        Ok(Terminator::Switch(Box::new(Switch { value, cases, default })))
    }

    fn block_list(&mut self, cursor: &mut Cursor<'_>) -> Result<Box<[BlockId]>, ReadError> {
        let mut blocks = Vec::new();
        cursor.mark("[")?;
        while !cursor.take_mark("]") {
            blocks.push(self.block_id(cursor)?);
            cursor.take_mark(",");
        }
        Ok(blocks.into())
    }

    fn block_id(&mut self, cursor: &mut Cursor<'_>) -> Result<BlockId, ReadError> {
        let start = cursor.clone();
        let number = cursor.id("bb")?;
        if number >= self.block_count {
            return Err(start.error(format!("bb{number} is defined nowhere")));
        }
        Ok(BlockId(number))
    }

    fn field(&mut self, cursor: &mut Cursor<'_>) -> Result<InstKind, ReadError> {
        let base = self.value(cursor)?;
        cursor.mark(",")?;
        let start = cursor.clone();
        let ty = self.reader.ty(cursor)?;
        let types = self.reader.types();
        let record = types.record_of(ty).ok_or_else(|| start.error("expected a struct or union"))?;
        cursor.mark(".")?;
        let fields = types.layout(record).map_or(&[][..], |layout| &layout.fields);
        let start = cursor.clone();
        let field = if cursor.take_mark("#") {
            cursor.number::<u32>().ok().filter(|&number| (number as usize) < fields.len())
        } else {
            let name = Symbol::intern(cursor.name()?);
            fields.iter().position(|field| field.name == name).map(|number| number as u32)
        };
        let field = field.ok_or_else(|| start.error("no such field"))?;
        Ok(InstKind::Field { base, record, field })
    }

    fn phi(&mut self, cursor: &mut Cursor<'_>) -> Result<InstKind, ReadError> {
        let mut args = Vec::new();
        cursor.mark("[")?;
        while !cursor.take_mark("]") {
            let block = self.block_id(cursor)?;
            cursor.mark(":")?;
            args.push((block, self.value(cursor)?));
            cursor.take_mark(",");
        }
        let (values, blocks) = (self.function.operand_pool.len() as u32, self.function.phi_blocks.len() as u32);
        self.function.operand_pool.extend(args.iter().map(|(_, value)| value));
        self.function.phi_blocks.extend(args.iter().map(|(block, _)| block));
        Ok(InstKind::Phi(PhiArgs { values, blocks, len: args.len() as u32 }))
    }

    fn arguments(&mut self, cursor: &mut Cursor<'_>) -> Result<Operands, ReadError> {
        let mut args = Vec::new();
        cursor.mark("(")?;
        while !cursor.take_mark(")") {
            args.push(self.value(cursor)?);
            cursor.take_mark(",");
        }
        if args.is_empty() {
            return Ok(Operands::EMPTY);
        }
        let start = self.function.operand_pool.len() as u32;
        let len = args.len() as u32;
        self.function.operand_pool.extend(args);
        Ok(Operands { start, len })
    }

    fn two(&mut self, cursor: &mut Cursor<'_>) -> Result<(Value, Value), ReadError> {
        let first = self.value(cursor)?;
        cursor.mark(",")?;
        Ok((first, self.value(cursor)?))
    }

    /// A value by number, or a constant.
    fn value(&mut self, cursor: &mut Cursor<'_>) -> Result<Value, ReadError> {
        let Some(token) = cursor.peek() else { return Err(cursor.error("expected a value")) };
        if let Some(number) = token.id("v") {
            if self.is_numbered.get(number as usize) != Some(&true) {
                return Err(cursor.error(format!("v{number} is defined nowhere")));
            }
            cursor.next();
            return Ok(Value(number));
        }
        let is_bare = matches!(token.kind, TokenKind::Global(_)) || token.id("str").is_some();
        let ty = if is_bare { None } else { Some(self.reader.ty(cursor)?) };
        self.constant(cursor, ty)
    }

    /// What follows the type of a constant; globals and strings have one of their own.
    fn constant(&mut self, cursor: &mut Cursor<'_>, ty: Option<Ty>) -> Result<Value, ReadError> {
        let Some(token) = cursor.peek() else { return Err(cursor.error("expected a value")) };
        if matches!(token.kind, TokenKind::Global(_)) {
            let id = self.reader.global_id(cursor)?;
            let own = self.reader.unit.globals[id].ty;
            let ty = ty.unwrap_or_else(|| self.reader.types_mut().pointer_to(own));
            return Ok(self.intern(ty, Constant::Global(id), InstKind::Global(id)));
        }
        if token.id("str").is_some() {
            let id = self.reader.string_id(cursor)?;
            let array = self.reader.unit.strings[id].ty;
            let element = self.reader.types().element(array).unwrap_or(Ty::CHAR);
            let ty = ty.unwrap_or_else(|| self.reader.types_mut().pointer_to(element));
            return Ok(self.intern(ty, Constant::String(id), InstKind::String(id)));
        }
        let Some(ty) = ty else { return Err(cursor.error("expected a value")) };
        if cursor.take_word("undef") {
            return Ok(self.intern(ty, Constant::Undef, InstKind::Undef));
        }
        if cursor.take_mark("&") {
            let block = self.block_id(cursor)?;
            return Ok(self.intern(ty, Constant::BlockAddress(block), InstKind::BlockAddress(block)));
        }
        match self.reader.types().get(ty) {
            Type::Pointer(_) | Type::Nullptr if cursor.take_word("null") => {
                Ok(self.intern(ty, Constant::Int(0), InstKind::Int(0)))
            }
            Type::Float(_) => {
                let value = cursor.float()?;
                Ok(self.intern(ty, Constant::Float(value.to_bits()), InstKind::Float(value)))
            }
            Type::Bool | Type::Int(_) | Type::BitInt { .. } | Type::Enum(_) => {
                let value = cursor.wide_number()?;
                Ok(self.integer(ty, value))
            }
            Type::Pointer(_) | Type::Nullptr | Type::Error => {
                let value = cursor.number()?;
                Ok(self.intern(ty, Constant::Int(i128::from(value)), InstKind::Int(value)))
            }
            Type::Void
            | Type::Complex(_)
            | Type::Array(..)
            | Type::Vla(..)
            | Type::Vector(..)
            | Type::Function(_)
            | Type::Record(_) => Err(cursor.error("expected `undef`: no other constants have this type")),
        }
    }

    /// In the form that the type asks for: wrapped, and extended by its signedness.
    fn integer(&mut self, ty: Ty, value: i128) -> Value {
        let (width, is_signed) = self.reader.types().int_info(ty).unwrap_or((64, true));
        let wrapped = match (width, is_signed) {
            (128.., _) => value,
            (_, true) => value << (128 - width) >> (128 - width),
            (64, false) => i128::from(value as i64),
            (_, false) => value & ((1 << width) - 1),
        };
        let kind = match i64::try_from(wrapped) {
            Ok(value) => InstKind::Int(value),
            Err(_) => {
                self.function.wide_constants.push(wrapped);
                InstKind::WideInt(self.function.wide_constants.len() as u32 - 1)
            }
        };
        self.intern(ty, Constant::Int(wrapped), kind)
    }

    fn intern(&mut self, ty: Ty, constant: Constant, kind: InstKind) -> Value {
        if let Some(&value) = self.constants.get(&(ty, constant)) {
            return value;
        }
        let value = self.free_value();
        self.function.insts[value] = Inst { kind, ty, loc: Loc::NONE };
        self.constants.insert((ty, constant), value);
        value
    }
}
