//! Statements as indented text.

use crate::ast::*;

use super::Printer;

impl Printer<'_> {
    pub(super) fn stmt(&mut self, id: StmtId) {
        let Stmt { kind, loc } = self.ast.stmts[id];
        match kind {
            StmtKind::Empty => self.line_at("empty", loc),
            StmtKind::Expr(value) => {
                self.line_at("expression", loc);
                self.nested(|p| p.expr(value));
            }
            StmtKind::Declaration(id) => self.declaration(id),
            StmtKind::StaticAssert(condition, message) => {
                self.static_assert(&StaticAssert { condition, message, loc });
            }
            StmtKind::Block { stmts, .. } => {
                self.line_at("block", loc);
                self.nested(|p| {
                    for &stmt in p.ast.stmt_list(stmts) {
                        p.stmt(stmt);
                    }
                });
            }
            StmtKind::If { condition, then, otherwise } => {
                self.line_at("if", loc);
                self.nested(|p| {
                    p.expr(condition);
                    p.stmt(then);
                });
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.nested(|p| p.stmt(otherwise));
                }
            }
            StmtKind::While { condition, body } => {
                self.line_at("while", loc);
                self.nested(|p| {
                    p.expr(condition);
                    p.stmt(body);
                });
            }
            StmtKind::DoWhile { body, condition } => {
                self.line_at("do", loc);
                self.nested(|p| {
                    p.stmt(body);
                    p.expr(condition);
                });
            }
            StmtKind::For { init, condition, step, body } => {
                self.line_at("for", loc);
                self.nested(|p| {
                    p.for_part("init", init, Printer::stmt);
                    p.for_part("condition", condition, Printer::expr);
                    p.for_part("step", step, Printer::expr);
                    p.stmt(body);
                });
            }
            StmtKind::Switch { value, body } => {
                self.line_at("switch", loc);
                self.nested(|p| {
                    p.expr(value);
                    p.stmt(body);
                });
            }
            StmtKind::Case { low, high, body } => {
                self.line_at(if high.is_some() { "case range" } else { "case" }, loc);
                self.nested(|p| {
                    p.expr(low);
                    if let Some(high) = high {
                        p.expr(high);
                    }
                    p.stmt(body);
                });
            }
            StmtKind::Default { body } => {
                self.line_at("default", loc);
                self.nested(|p| p.stmt(body));
            }
            StmtKind::Label { name, body } => {
                self.line_at(format_args!("label {name}"), loc);
                self.nested(|p| p.stmt(body));
            }
            StmtKind::LocalLabel(name) => self.line_at(format_args!("local label {name}"), loc),
            StmtKind::Goto(name) => self.line_at(format_args!("goto {name}"), loc),
            StmtKind::GotoComputed(target) => {
                self.line_at("goto *", loc);
                self.nested(|p| p.expr(target));
            }
            StmtKind::Break => self.line_at("break", loc),
            StmtKind::Continue => self.line_at("continue", loc),
            StmtKind::Return(value) => {
                self.line_at("return", loc);
                if let Some(value) = value {
                    self.nested(|p| p.expr(value));
                }
            }
            StmtKind::Asm(id) => self.asm(id),
            StmtKind::NestedFunction { specifiers, declarator, body } => {
                self.line_at("nested function", loc);
                self.nested(|p| {
                    p.specifiers(specifiers);
                    p.declarator(declarator);
                    p.stmt(body);
                });
            }
            StmtKind::Error => self.line_at("error", loc),
        }
    }

    /// A part of a `for`, under its name because any of them may be missing.
    fn for_part<T>(&mut self, name: &str, part: Option<T>, print: fn(&mut Self, T)) {
        if let Some(part) = part {
            self.line(name);
            self.nested(|p| print(p, part));
        }
    }

    pub(super) fn asm(&mut self, id: AsmId) {
        let asm = &self.ast.asms[id];
        self.line_at(if asm.is_volatile { "asm volatile" } else { "asm" }, asm.loc);
        self.nested(|p| {
            p.string("template", asm.template);
            p.asm_operands("output", &asm.outputs);
            p.asm_operands("input", &asm.inputs);
            for &clobber in &asm.clobbers {
                p.string("clobber", clobber);
            }
            for label in &asm.labels {
                p.line(format_args!("label {label}"));
            }
        });
    }

    fn asm_operands(&mut self, what: &str, operands: &[AsmOperand]) {
        for operand in operands {
            match operand.name {
                Some(name) => self.string(&format!("{what} [{name}]"), operand.constraint),
                None => self.string(what, operand.constraint),
            }
            self.nested(|p| p.expr(operand.expr));
        }
    }
}
