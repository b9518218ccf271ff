//! Representation of an unrolled kernel: scalars, the operations that compute them, and statements.

use std::collections::HashMap;

use naga::{BinaryOperator, MathFunction, UnaryOperator};

/// Scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `i32`.
    Int,
    /// `u32`.
    Uint,
    /// `f32`.
    Real,
    /// `bool`.
    Bool,
}

/// A scalar: a known value, or the result of a node when the kernel runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A known `i32`.
    Int(i32),
    /// A known `u32`.
    Uint(u32),
    /// The bits of a known `f32`.
    Real(u32),
    /// A known `bool`.
    Bool(bool),
    /// The result of a node.
    Node(u32),
}

impl Atom {
    /// A known `f32`.
    pub fn real(x: f32) -> Self {
        Atom::Real(x.to_bits())
    }

    /// The number, if it is a known `f32`.
    pub fn as_real(self) -> Option<f32> {
        match self {
            Atom::Real(bits) => Some(f32::from_bits(bits)),
            _ => None,
        }
    }

    /// True if the value is known.
    pub fn known(self) -> bool {
        !matches!(self, Atom::Node(_))
    }

    /// Zero of a kind.
    pub fn zero(kind: Kind) -> Self {
        match kind {
            Kind::Int => Atom::Int(0),
            Kind::Uint => Atom::Uint(0),
            Kind::Real => Atom::Real(0),
            Kind::Bool => Atom::Bool(false),
        }
    }
}

/// An operation that computes a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A binary operator.
    Binary(BinaryOperator, Atom, Atom),
    /// A unary operator.
    Unary(UnaryOperator, Atom),
    /// A conversion of the value to another type.
    Convert(Kind, Atom),
    /// The same bits as another type.
    Bits(Kind, Atom),
    /// A function of up to three scalars.
    Math(MathFunction, Atom, Option<Atom>, Option<Atom>),
    /// The second where the first is true, else the third.
    Select(Atom, Atom, Atom),
    /// A word of the worlds, by its address.
    Load(Atom),
    /// A word of the model, at an unknown address.
    LoadModel(Atom),
    /// The value of a variable that a branch has set.
    Get(u32),
    /// A builtin: index of the entry point's argument, component.
    Input(u32, u32),
}

impl Op {
    /// The operands.
    pub fn operands(self) -> impl Iterator<Item = Atom> {
        let list = match self {
            Op::Binary(_, a, b) => [Some(a), Some(b), None],
            Op::Unary(_, a) | Op::Convert(_, a) | Op::Bits(_, a) => [Some(a), None, None],
            Op::Math(_, a, b, c) => [Some(a), b, c],
            Op::Select(a, b, c) => [Some(a), Some(b), Some(c)],
            Op::Load(a) | Op::LoadModel(a) => [Some(a), None, None],
            Op::Get(_) | Op::Input(..) => [None; 3],
        };
        list.into_iter().flatten()
    }

    // whether the result of an equal operation in scope may be used instead
    fn pure(self) -> bool {
        !matches!(self, Op::Load(_) | Op::Get(_))
    }
}

/// An operation and the type of its result.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// The type of the result.
    pub kind: Kind,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// Computes a node.
    Let(u32),
    /// Writes a word of the worlds: address, word.
    Store(Atom, Atom),
    /// Declares a variable.
    Var(u32, Kind),
    /// Sets a variable.
    Set(u32, Atom),
    /// A branch.
    If(Atom, Vec<Stmt>, Vec<Stmt>),
}

/// An address in the worlds' words: a base and an offset. Two addresses with the same base are equal or different for certain; with
/// two bases nothing is known.
pub type Place = (Atom, u32);

/// All nodes so far, and which of them can be reused.
#[derive(Debug, Default)]
pub struct Graph {
    /// Every node.
    pub nodes: Vec<Node>,
    seen: HashMap<Op, u32>,
    // operations in the order in which they were added, so that those of a branch can be forgotten
    noted: Vec<Op>,
}

impl Graph {
    /// The node of an operation: its atom, and true if it is new and must be computed here.
    pub fn node(&mut self, op: Op, kind: Kind) -> (Atom, bool) {
        if op.pure()
            && let Some(&id) = self.seen.get(&op)
        {
            return (Atom::Node(id), false);
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { op, kind });
        if op.pure() {
            self.seen.insert(op, id);
            self.noted.push(op);
        }
        (Atom::Node(id), true)
    }

    /// A mark for [`Graph::forget`].
    pub fn mark(&self) -> usize {
        self.noted.len()
    }

    /// Forgets the nodes that were made since a mark: they are out of scope.
    pub fn forget(&mut self, mark: usize) {
        for op in self.noted.drain(mark..) {
            self.seen.remove(&op);
        }
    }

    /// The operation that computes an atom.
    pub fn op(&self, a: Atom) -> Option<Op> {
        match a {
            Atom::Node(id) => Some(self.nodes[id as usize].op),
            _ => None,
        }
    }

    /// The type of an atom.
    pub fn kind(&self, a: Atom) -> Kind {
        match a {
            Atom::Int(_) => Kind::Int,
            Atom::Uint(_) => Kind::Uint,
            Atom::Real(_) => Kind::Real,
            Atom::Bool(_) => Kind::Bool,
            Atom::Node(id) => self.nodes[id as usize].kind,
        }
    }

    /// Base and offset of an address.
    pub fn place(&self, index: Atom) -> Place {
        match (index, self.op(index)) {
            (Atom::Uint(k), _) => (Atom::Uint(0), k),
            (_, Some(Op::Binary(BinaryOperator::Add, base, Atom::Uint(k)))) => (base, k),
            _ => (index, 0),
        }
    }
}
