//! Expressions and initialisers as indented text.

use crate::ast::*;

use super::{Printer, basic_name};

impl Printer<'_> {
    pub(super) fn expr(&mut self, id: ExprId) {
        let Expr { kind, loc } = self.ast.exprs[id];
        match kind {
            ExprKind::Name(name) => self.line_at(format_args!("name {name}"), loc),
            ExprKind::Int { value, suffix } => {
                self.line_at(format_args!("int {value}{}", suffix_text(suffix)), loc);
            }
            ExprKind::Float { value, ty, is_imaginary } => {
                let imaginary = if is_imaginary { " imaginary" } else { "" };
                self.line_at(format_args!("float {value:?} {}{imaginary}", basic_name(ty)), loc);
            }
            ExprKind::Char { value, encoding } => self.line_at(format_args!("char {value} {encoding:?}"), loc),
            ExprKind::String(string) => self.string("string", string),
            ExprKind::Bool(value) => self.line_at(value, loc),
            ExprKind::Nullptr => self.line_at("nullptr", loc),
            ExprKind::Unary(op, operand) => {
                self.line_at(format_args!("unary {}", unary_name(op)), loc);
                self.exprs(&[operand]);
            }
            ExprKind::Binary(op, left, right) => {
                self.line_at(format_args!("binary {}", binary_name(op)), loc);
                self.exprs(&[left, right]);
            }
            ExprKind::Assign(op, left, right) => {
                self.line_at(format_args!("assign {}=", op.map_or("", binary_name)), loc);
                self.exprs(&[left, right]);
            }
            ExprKind::Conditional(condition, Some(then), otherwise) => {
                self.line_at("conditional", loc);
                self.exprs(&[condition, then, otherwise]);
            }
            ExprKind::Conditional(condition, None, otherwise) => {
                self.line_at("conditional ?:", loc);
                self.exprs(&[condition, otherwise]);
            }
            ExprKind::Comma(left, right) => {
                self.line_at("comma", loc);
                self.exprs(&[left, right]);
            }
            ExprKind::Cast(ty, operand) => self.typed("cast", loc, ty, &[operand]),
            ExprKind::CompoundLiteral(ty, init) => {
                self.line_at("compound literal", loc);
                self.nested(|p| {
                    p.type_name(ty);
                    p.init(init);
                });
            }
            ExprKind::Call(callee, arguments) => {
                self.line_at("call", loc);
                self.exprs(&[callee]);
                self.exprs(self.ast.expr_list(arguments));
            }
            ExprKind::Member { base, name, is_arrow } => {
                self.line_at(format_args!("member {}{name}", if is_arrow { "->" } else { "." }), loc);
                self.exprs(&[base]);
            }
            ExprKind::Index(base, index) => {
                self.line_at("index", loc);
                self.exprs(&[base, index]);
            }
            ExprKind::SizeofExpr(operand) => self.operator("sizeof", loc, operand),
            ExprKind::SizeofType(ty) => self.typed("sizeof", loc, ty, &[]),
            ExprKind::AlignofExpr(operand) => self.operator("alignof", loc, operand),
            ExprKind::AlignofType(ty) => self.typed("alignof", loc, ty, &[]),
            ExprKind::CountofExpr(operand) => self.operator("countof", loc, operand),
            ExprKind::CountofType(ty) => self.typed("countof", loc, ty, &[]),
            ExprKind::Generic(id) => self.generic(id, loc),
            ExprKind::StmtExpr(block) => {
                self.line_at("statement expression", loc);
                self.nested(|p| p.stmt(block));
            }
            ExprKind::LabelAddress(label) => self.line_at(format_args!("label address {label}"), loc),
            ExprKind::Offsetof(ty, member) => self.typed("offsetof", loc, ty, &[member]),
            ExprKind::OffsetofBase => self.line("offsetof base"),
            ExprKind::VaArg(list, ty) => self.typed("va_arg", loc, ty, &[list]),
            ExprKind::ChooseExpr(condition, then, otherwise) => {
                self.line_at("choose_expr", loc);
                self.exprs(&[condition, then, otherwise]);
            }
            ExprKind::TypesCompatible(left, right) => {
                self.line_at("types_compatible", loc);
                self.nested(|p| {
                    p.type_name(left);
                    p.type_name(right);
                });
            }
            ExprKind::ConvertVector(vector, ty) => self.typed("convertvector", loc, ty, &[vector]),
            ExprKind::BitCast(ty, operand) => self.typed("bit_cast", loc, ty, &[operand]),
            ExprKind::Type(ty) => self.type_name(ty),
            ExprKind::Error => self.line_at("error", loc),
        }
    }

    fn exprs(&mut self, operands: &[ExprId]) {
        self.nested(|p| {
            for &operand in operands {
                p.expr(operand);
            }
        });
    }

    fn operator(&mut self, name: &str, loc: caulk_base::Loc, operand: ExprId) {
        self.line_at(name, loc);
        self.exprs(&[operand]);
    }

    fn typed(&mut self, name: &str, loc: caulk_base::Loc, ty: TypeName, operands: &[ExprId]) {
        self.line_at(name, loc);
        self.nested(|p| p.type_name(ty));
        self.exprs(operands);
    }

    fn generic(&mut self, id: GenericId, loc: caulk_base::Loc) {
        let generic = &self.ast.generics[id];
        self.line_at("generic", loc);
        self.nested(|p| {
            match generic.control {
                GenericControl::Expr(expr) => p.expr(expr),
                GenericControl::Type(ty) => p.type_name(ty),
            }
            for &(ty, value) in &generic.arms {
                match ty {
                    Some(ty) => p.type_name(ty),
                    None => p.line("default"),
                }
                p.exprs(&[value]);
            }
        });
    }

    pub(super) fn init(&mut self, id: InitId) {
        match self.ast.inits[id] {
            Init::Expr(expr) => self.expr(expr),
            Init::List { items, loc } => {
                self.line_at("list", loc);
                self.nested(|p| {
                    for item in p.ast.init_items(items) {
                        p.init_item(item);
                    }
                });
            }
        }
    }

    fn init_item(&mut self, item: &InitItem) {
        for designator in &item.designators {
            match *designator {
                Designator::Field(name, loc) => self.line_at(format_args!("designator .{name}"), loc),
                Designator::Index(index) => {
                    self.line("designator []");
                    self.exprs(&[index]);
                }
                Designator::Range(low, high) => {
                    self.line("designator [...]");
                    self.exprs(&[low, high]);
                }
            }
        }
        self.init(item.init);
    }
}

fn suffix_text(suffix: IntSuffix) -> String {
    let mut text = String::new();
    let mut add = |is_set: bool, word: &str| {
        if is_set {
            text.push(' ');
            text.push_str(word);
        }
    };
    add(suffix.is_unsigned, "unsigned");
    add(suffix.longs == 1, "long");
    add(suffix.longs == 2, "long long");
    add(suffix.is_bit_int, "_BitInt");
    add(suffix.is_imaginary, "imaginary");
    text
}

fn unary_name(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Plus => "+",
        UnaryOp::Minus => "-",
        UnaryOp::Not => "!",
        UnaryOp::BitNot => "~",
        UnaryOp::Deref => "*",
        UnaryOp::AddressOf => "&",
        UnaryOp::PreIncrement => "++ before",
        UnaryOp::PreDecrement => "-- before",
        UnaryOp::PostIncrement => "++ after",
        UnaryOp::PostDecrement => "-- after",
        UnaryOp::Real => "__real__",
        UnaryOp::Imag => "__imag__",
        UnaryOp::Extension => "__extension__",
    }
}

fn binary_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Less => "<",
        BinaryOp::Greater => ">",
        BinaryOp::LessEqual => "<=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::LogicalAnd => "&&",
        BinaryOp::LogicalOr => "||",
    }
}
