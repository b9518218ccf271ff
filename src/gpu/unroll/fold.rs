//! Constant folding: operations that need no computation when the kernel runs.
//!
//! Operations on known operands are computed here, in `f32` and with the rounding of `f32`. Sums, differences and products with an
//! unknown operand are folded in these cases, and no others:
//!
//! ```text
//! x + 0, x − 0, x · 1, x / 1, x · −1 → −x, x + −y → x − y, −(−x)     the same bits (but −0 + 0, which stays −0)
//! 0 − x → −x                                                       the same number; of zeros the sign may differ
//! x · 0 → 0, 0 / x → 0                                             the same number wherever x is finite
//! ```
//!
//! The last line makes use of a model's zeros, and is the only one that can change a result: where `x` is infinite or NaN,
//! the plain kernel gets a NaN and this one a zero. A non-finite number that enters a step (`qpos`, `qvel`, and the resulting
//! `qacc`) is found in the state itself by `check_pos`, `check_vel`, `check_acc`, which compare bits and have
//! no such products. No sum is reordered, and no quotient becomes a product.

use naga::{BinaryOperator as B, MathFunction as M, UnaryOperator as U};

use super::graph::{Atom, Graph, Kind, Op};

/// The result of folding: an atom, or an operation, which may be the same.
pub enum Folded {
    /// No operation is left.
    Atom(Atom),
    /// An operation is left.
    Op(Op),
}

use Folded::Atom as Is;

/// Simplifies an operation.
pub fn fold(graph: &Graph, op: Op) -> Folded {
    let found = match op {
        Op::Binary(op, a, b) => binary(graph, op, a, b),
        Op::Unary(op, a) => unary(graph, op, a),
        Op::Convert(kind, a) => convert(graph, kind, a),
        Op::Bits(kind, a) => bits(graph, kind, a),
        Op::Math(fun, a, b, c) => math(fun, a, b, c),
        Op::Select(c, a, b) => select(graph, c, a, b),
        _ => None,
    };
    found.unwrap_or(Folded::Op(op))
}

fn binary(graph: &Graph, op: B, a: Atom, b: Atom) -> Option<Folded> {
    match (a, b) {
        (Atom::Int(a), Atom::Int(b)) => int(op, a, b),
        (Atom::Uint(a), Atom::Uint(b)) => uint(op, a, b),
        (Atom::Real(a), Atom::Real(b)) => real(op, f32::from_bits(a), f32::from_bits(b)),
        (Atom::Bool(a), Atom::Bool(b)) => boolean(op, a, b),
        // the second operand of a shift is unsigned whatever the first is
        (Atom::Int(a), Atom::Uint(b)) => match op {
            B::ShiftLeft => Some(Is(Atom::Int(a.wrapping_shl(b)))),
            B::ShiftRight => Some(Is(Atom::Int(a.wrapping_shr(b)))),
            _ => None,
        },
        _ => match graph.kind(a) {
            Kind::Real => partly_real(graph, op, a, b),
            Kind::Bool => partly_bool(op, a, b),
            _ => partly_int(graph, op, a, b),
        },
    }
}

fn int(op: B, a: i32, b: i32) -> Option<Folded> {
    Some(Is(match op {
        B::Add => Atom::Int(a.wrapping_add(b)),
        B::Subtract => Atom::Int(a.wrapping_sub(b)),
        B::Multiply => Atom::Int(a.wrapping_mul(b)),
        B::Divide => Atom::Int(a.checked_div(b)?),
        B::Modulo => Atom::Int(a.checked_rem(b)?),
        B::And => Atom::Int(a & b),
        B::InclusiveOr => Atom::Int(a | b),
        B::ExclusiveOr => Atom::Int(a ^ b),
        _ => return compare(op, &a, &b),
    }))
}

fn uint(op: B, a: u32, b: u32) -> Option<Folded> {
    Some(Is(match op {
        B::Add => Atom::Uint(a.wrapping_add(b)),
        B::Subtract => Atom::Uint(a.wrapping_sub(b)),
        B::Multiply => Atom::Uint(a.wrapping_mul(b)),
        B::Divide => Atom::Uint(a.checked_div(b)?),
        B::Modulo => Atom::Uint(a.checked_rem(b)?),
        B::And => Atom::Uint(a & b),
        B::InclusiveOr => Atom::Uint(a | b),
        B::ExclusiveOr => Atom::Uint(a ^ b),
        B::ShiftLeft => Atom::Uint(a.wrapping_shl(b)),
        B::ShiftRight => Atom::Uint(a.wrapping_shr(b)),
        _ => return compare(op, &a, &b),
    }))
}

fn real(op: B, a: f32, b: f32) -> Option<Folded> {
    Some(Is(match op {
        B::Add => Atom::real(a + b),
        B::Subtract => Atom::real(a - b),
        B::Multiply => Atom::real(a * b),
        B::Divide => Atom::real(a / b),
        B::Modulo => Atom::real(a % b),
        _ => return compare(op, &a, &b),
    }))
}

fn boolean(op: B, a: bool, b: bool) -> Option<Folded> {
    Some(Is(Atom::Bool(match op {
        B::And | B::LogicalAnd => a & b,
        B::InclusiveOr | B::LogicalOr => a | b,
        B::ExclusiveOr | B::NotEqual => a != b,
        B::Equal => a == b,
        _ => return None,
    })))
}

fn compare<T: PartialOrd>(op: B, a: &T, b: &T) -> Option<Folded> {
    Some(Is(Atom::Bool(match op {
        B::Equal => a == b,
        B::NotEqual => a != b,
        B::Less => a < b,
        B::LessEqual => a <= b,
        B::Greater => a > b,
        B::GreaterEqual => a >= b,
        _ => return None,
    })))
}

fn negated(graph: &Graph, a: Atom) -> Option<Atom> {
    match graph.op(a) {
        Some(Op::Unary(U::Negate, a)) => Some(a),
        _ => None,
    }
}

fn partly_real(graph: &Graph, op: B, a: Atom, b: Atom) -> Option<Folded> {
    let (x, y) = (a.as_real(), b.as_real());
    let minus = |a: Atom| match negated(graph, a) {
        Some(a) => Is(a),
        None => Folded::Op(Op::Unary(U::Negate, a)),
    };
    let zero = Some(0.0);
    match op {
        B::Add if y == zero => Some(Is(a)),
        B::Add if x == zero => Some(Is(b)),
        B::Add => match (negated(graph, a), negated(graph, b)) {
            (_, Some(b)) => Some(Folded::Op(Op::Binary(B::Subtract, a, b))),
            (Some(a), _) => Some(Folded::Op(Op::Binary(B::Subtract, b, a))),
            _ => None,
        },
        B::Subtract if y == zero => Some(Is(a)),
        B::Subtract if x == zero => Some(minus(b)),
        B::Subtract => negated(graph, b).map(|b| Folded::Op(Op::Binary(B::Add, a, b))),
        B::Multiply if x == zero || y == zero => Some(Is(Atom::real(0.0))),
        B::Multiply if y == Some(1.0) => Some(Is(a)),
        B::Multiply if x == Some(1.0) => Some(Is(b)),
        B::Multiply if y == Some(-1.0) => Some(minus(a)),
        B::Multiply if x == Some(-1.0) => Some(minus(b)),
        B::Divide if x == zero => Some(Is(Atom::real(0.0))),
        B::Divide if y == Some(1.0) => Some(Is(a)),
        _ => None,
    }
}

fn partly_bool(op: B, a: Atom, b: Atom) -> Option<Folded> {
    let (known, other) = match (a, b) {
        (Atom::Bool(x), y) | (y, Atom::Bool(x)) => (x, y),
        _ if a == b && op != B::ExclusiveOr && op != B::NotEqual && op != B::Equal => {
            return Some(Is(a));
        }
        _ => return None,
    };
    let not = Folded::Op(Op::Unary(U::LogicalNot, other));
    Some(match (op, known) {
        (B::And | B::LogicalAnd, false) => Is(Atom::Bool(false)),
        (B::InclusiveOr | B::LogicalOr, true) => Is(Atom::Bool(true)),
        (B::And | B::LogicalAnd, true) | (B::InclusiveOr | B::LogicalOr, false) => Is(other),
        (B::Equal, true) | (B::NotEqual | B::ExclusiveOr, false) => Is(other),
        (B::Equal, false) | (B::NotEqual | B::ExclusiveOr, true) => not,
        _ => return None,
    })
}

fn partly_int(graph: &Graph, op: B, a: Atom, b: Atom) -> Option<Folded> {
    let value = |a: Atom| match a {
        Atom::Int(x) => Some(i64::from(x)),
        Atom::Uint(x) => Some(i64::from(x)),
        _ => None,
    };
    let nothing = Atom::zero(graph.kind(a));
    match (op, value(a), value(b)) {
        (B::Add | B::InclusiveOr | B::ExclusiveOr, _, Some(0)) => Some(Is(a)),
        (B::Add | B::InclusiveOr | B::ExclusiveOr, Some(0), _) => Some(Is(b)),
        (B::Subtract | B::ShiftLeft | B::ShiftRight, _, Some(0)) => Some(Is(a)),
        (B::Multiply | B::And, Some(0), _) | (B::Multiply | B::And, _, Some(0)) => {
            Some(Is(nothing))
        }
        (B::Multiply, Some(1), _) => Some(Is(b)),
        (B::Multiply | B::Divide, _, Some(1)) => Some(Is(a)),
        (B::Modulo, _, Some(1)) => Some(Is(nothing)),
        // constants go last and are added up, so that addresses with one base can be compared
        (B::Add, Some(_), None) => Some(Folded::Op(Op::Binary(B::Add, b, a))),
        (B::Add, None, Some(_)) => match (graph.op(a), b) {
            (Some(Op::Binary(B::Add, x, Atom::Uint(k))), Atom::Uint(n)) => {
                let sum = Atom::Uint(k.wrapping_add(n));
                Some(Folded::Op(Op::Binary(B::Add, x, sum)))
            }
            (Some(Op::Binary(B::Add, x, Atom::Int(k))), Atom::Int(n)) => {
                let sum = Atom::Int(k.wrapping_add(n));
                Some(Folded::Op(Op::Binary(B::Add, x, sum)))
            }
            _ => None,
        },
        _ => None,
    }
}

fn unary(graph: &Graph, op: U, a: Atom) -> Option<Folded> {
    Some(Is(match (op, a) {
        (U::Negate, Atom::Int(x)) => Atom::Int(x.wrapping_neg()),
        (U::Negate, Atom::Real(x)) => Atom::real(-f32::from_bits(x)),
        (U::LogicalNot, Atom::Bool(x)) => Atom::Bool(!x),
        (U::BitwiseNot, Atom::Int(x)) => Atom::Int(!x),
        (U::BitwiseNot, Atom::Uint(x)) => Atom::Uint(!x),
        _ => match graph.op(a) {
            Some(Op::Unary(inner, x)) if inner == op => x,
            _ => return None,
        },
    }))
}

fn convert(graph: &Graph, kind: Kind, a: Atom) -> Option<Folded> {
    if graph.kind(a) == kind {
        return Some(Is(a));
    }
    Some(Is(match (kind, a) {
        (Kind::Uint, Atom::Int(x)) => Atom::Uint(x as u32),
        (Kind::Int, Atom::Uint(x)) => Atom::Int(x as i32),
        (Kind::Real, Atom::Int(x)) => Atom::real(x as f32),
        (Kind::Real, Atom::Uint(x)) => Atom::real(x as f32),
        (Kind::Int, Atom::Real(x)) => Atom::Int(f32::from_bits(x) as i32),
        (Kind::Uint, Atom::Real(x)) => Atom::Uint(f32::from_bits(x) as u32),
        (Kind::Int, Atom::Bool(x)) => Atom::Int(x.into()),
        (Kind::Uint, Atom::Bool(x)) => Atom::Uint(x.into()),
        (Kind::Real, Atom::Bool(x)) => Atom::real(f32::from(u8::from(x))),
        _ => return None,
    }))
}

fn bits(graph: &Graph, kind: Kind, a: Atom) -> Option<Folded> {
    let word = match a {
        Atom::Int(x) => x as u32,
        Atom::Uint(x) | Atom::Real(x) => x,
        Atom::Bool(_) => return None,
        Atom::Node(_) if graph.kind(a) == kind => return Some(Is(a)),
        Atom::Node(_) => {
            return match graph.op(a) {
                Some(Op::Bits(_, inner)) => match graph.kind(inner) == kind {
                    true => Some(Is(inner)),
                    false => Some(Folded::Op(Op::Bits(kind, inner))),
                },
                _ => None,
            };
        }
    };
    Some(Is(match kind {
        Kind::Int => Atom::Int(word as i32),
        Kind::Uint => Atom::Uint(word),
        Kind::Real => Atom::Real(word),
        Kind::Bool => return None,
    }))
}

fn math(fun: M, a: Atom, b: Option<Atom>, c: Option<Atom>) -> Option<Folded> {
    let rest = [b, c].map(|x| x.and_then(Atom::as_real));
    let real = match (fun, a, rest) {
        (M::Abs, Atom::Int(x), _) => return Some(Is(Atom::Int(x.wrapping_abs()))),
        (M::Min, Atom::Int(x), _) | (M::Max, Atom::Int(x), _) => {
            let Some(Atom::Int(y)) = b else { return None };
            let least = fun == M::Min;
            return Some(Is(Atom::Int(if least { x.min(y) } else { x.max(y) })));
        }
        (M::Min, Atom::Uint(x), _) | (M::Max, Atom::Uint(x), _) => {
            let Some(Atom::Uint(y)) = b else { return None };
            let least = fun == M::Min;
            return Some(Is(Atom::Uint(if least { x.min(y) } else { x.max(y) })));
        }
        (M::Abs, Atom::Real(x), _) => f32::from_bits(x).abs(),
        (M::Sqrt, Atom::Real(x), _) => f32::from_bits(x).sqrt(),
        (M::Floor, Atom::Real(x), _) => f32::from_bits(x).floor(),
        (M::Ceil, Atom::Real(x), _) => f32::from_bits(x).ceil(),
        (M::Trunc, Atom::Real(x), _) => f32::from_bits(x).trunc(),
        (M::Round, Atom::Real(x), _) => f32::from_bits(x).round_ties_even(),
        (M::Min, Atom::Real(x), [Some(y), _]) => f32::from_bits(x).min(y),
        (M::Max, Atom::Real(x), [Some(y), _]) => f32::from_bits(x).max(y),
        _ => return None,
    };
    Some(Is(Atom::real(real)))
}

fn select(graph: &Graph, c: Atom, a: Atom, b: Atom) -> Option<Folded> {
    let (c, a, b) = match graph.op(c) {
        Some(Op::Unary(U::LogicalNot, c)) => (c, b, a),
        _ => (c, a, b),
    };
    // within its own branch the condition has a known value
    let a = if a == c { Atom::Bool(true) } else { a };
    let b = if b == c { Atom::Bool(false) } else { b };
    Some(match (c, a, b) {
        (Atom::Bool(true), ..) => Is(a),
        (Atom::Bool(false), ..) => Is(b),
        _ if a == b => Is(a),
        (_, Atom::Bool(true), Atom::Bool(false)) => Is(c),
        (_, Atom::Bool(false), Atom::Bool(true)) => Folded::Op(Op::Unary(U::LogicalNot, c)),
        (_, Atom::Bool(true), _) => Folded::Op(Op::Binary(B::InclusiveOr, c, b)),
        (_, _, Atom::Bool(false)) => Folded::Op(Op::Binary(B::And, c, a)),
        _ => Folded::Op(Op::Select(c, a, b)),
    })
}
