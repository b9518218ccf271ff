//! The text of an unrolled kernel.

use std::fmt::Write as _;

use naga::{BinaryOperator as B, MathFunction, UnaryOperator as U};

use super::Budget;
use super::graph::{Atom, Graph, Kind, Op, Stmt};

struct Text<'a> {
    graph: &'a Graph,
    // name and number of scalars of each argument of the entry point
    args: &'a [(String, usize)],
    out: String,
}

/// The statements of a kernel.
pub fn print(graph: &Graph, block: &[Stmt], args: &[(String, usize)]) -> String {
    let mut text = Text {
        graph,
        args,
        out: String::new(),
    };
    text.block(block, 1);
    text.out
}

/// Numbers of statements and of words, including those in branches.
pub fn size(graph: &Graph, block: &[Stmt]) -> Budget {
    let mut sum = Budget {
        statements: block.len(),
        words: 0,
    };
    for stmt in block {
        match stmt {
            Stmt::If(_, a, b) => {
                for side in [size(graph, a), size(graph, b)] {
                    sum.statements += side.statements;
                    sum.words += side.words;
                }
            }
            Stmt::Store(..) => sum.words += 1,
            Stmt::Let(id) => {
                let load = matches!(graph.nodes[*id as usize].op, Op::Load(_));
                sum.words += usize::from(load);
            }
            _ => {}
        }
    }
    sum
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "i32",
        Kind::Uint => "u32",
        Kind::Real => "f32",
        Kind::Bool => "bool",
    }
}

fn sign(op: B) -> &'static str {
    match op {
        B::Add => "+",
        B::Subtract => "-",
        B::Multiply => "*",
        B::Divide => "/",
        B::Modulo => "%",
        B::Equal => "==",
        B::NotEqual => "!=",
        B::Less => "<",
        B::LessEqual => "<=",
        B::Greater => ">",
        B::GreaterEqual => ">=",
        B::And => "&",
        B::ExclusiveOr => "^",
        B::InclusiveOr => "|",
        B::LogicalAnd => "&&",
        B::LogicalOr => "||",
        B::ShiftLeft => "<<",
        B::ShiftRight => ">>",
    }
}

impl Text<'_> {
    fn block(&mut self, block: &[Stmt], depth: usize) {
        for stmt in block {
            if let Stmt::Let(id) = stmt
                && self.inlined(*id)
            {
                continue;
            }
            self.out.push_str(&"    ".repeat(depth));
            match stmt {
                Stmt::Let(id) => {
                    let value = self.op(*id);
                    let _ = writeln!(self.out, "let v{id} = {value};");
                }
                Stmt::Store(index, word) => {
                    let (index, word) = (self.atom(*index), self.atom(*word));
                    let _ = writeln!(self.out, "data_words[{index}] = {word};");
                }
                Stmt::Var(var, kind) => {
                    let _ = writeln!(self.out, "var t{var}: {};", type_name(*kind));
                }
                Stmt::Set(var, value) => {
                    let value = self.atom(*value);
                    let _ = writeln!(self.out, "t{var} = {value};");
                }
                Stmt::If(condition, a, b) => {
                    let condition = self.atom(*condition);
                    let _ = writeln!(self.out, "if ({condition}) {{");
                    self.block(a, depth + 1);
                    if !b.is_empty() {
                        self.out.push_str(&"    ".repeat(depth));
                        self.out.push_str("} else {\n");
                        self.block(b, depth + 1);
                    }
                    self.out.push_str(&"    ".repeat(depth));
                    self.out.push_str("}\n");
                }
            }
        }
    }

    // whether a node is printed at its uses: bit casts, inputs and addresses
    fn inlined(&self, id: u32) -> bool {
        let node = self.graph.nodes[id as usize];
        matches!(
            node.op,
            Op::Bits(..) | Op::Input(..) | Op::Binary(B::Add, _, Atom::Uint(_))
        )
    }

    fn atom(&self, a: Atom) -> String {
        match a {
            Atom::Int(i32::MIN) => "i32(-2147483647 - 1)".to_owned(),
            Atom::Int(x) => format!("{x}i"),
            Atom::Uint(x) => format!("{x}u"),
            Atom::Bool(x) => x.to_string(),
            Atom::Real(bits) => {
                let x = f32::from_bits(bits);
                match x.is_finite() {
                    true => format!("{x:e}f"),
                    // WGSL has no literal of a non-finite number
                    false => format!("bitcast<f32>({bits}u + zero)"),
                }
            }
            Atom::Node(id) if self.inlined(id) => self.op(id),
            Atom::Node(id) => format!("v{id}"),
        }
    }

    fn op(&self, id: u32) -> String {
        let node = self.graph.nodes[id as usize];
        match node.op {
            Op::Binary(op, a, b) => {
                format!("({} {} {})", self.atom(a), sign(op), self.atom(b))
            }
            Op::Unary(op, a) => {
                let sign = match op {
                    U::Negate => "-",
                    U::LogicalNot => "!",
                    U::BitwiseNot => "~",
                };
                format!("{sign}({})", self.atom(a))
            }
            Op::Convert(kind, a) => format!("{}({})", type_name(kind), self.atom(a)),
            Op::Bits(kind, a) => format!("bitcast<{}>({})", type_name(kind), self.atom(a)),
            Op::Math(fun, a, b, c) => {
                let all = [Some(a), b, c].into_iter().flatten();
                let list: Vec<String> = all.map(|a| self.atom(a)).collect();
                format!("{}({})", name(fun), list.join(", "))
            }
            Op::Select(c, a, b) => {
                format!(
                    "select({}, {}, {})",
                    self.atom(b),
                    self.atom(a),
                    self.atom(c)
                )
            }
            Op::Load(index) => format!("data_words[{}]", self.atom(index)),
            Op::LoadModel(index) => format!("model_words[{}]", self.atom(index)),
            Op::Get(var) => format!("t{var}"),
            Op::Input(arg, k) => {
                let (name, n) = &self.args[arg as usize];
                match n {
                    1 => name.clone(),
                    _ => format!("{name}[{k}]"),
                }
            }
        }
    }
}

// the function's name in WGSL
fn name(fun: MathFunction) -> String {
    match fun {
        MathFunction::InverseSqrt => "inverseSqrt".to_owned(),
        MathFunction::CountOneBits => "countOneBits".to_owned(),
        fun => format!("{fun:?}").to_lowercase(),
    }
}
