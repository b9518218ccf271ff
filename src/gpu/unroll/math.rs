//! Arithmetic of vectors and matrices, scalar by scalar.

use naga::{BinaryOperator, MathFunction as M, TypeInner};

use super::Why;
use super::graph::{Atom, Kind, Op};
use super::state::State;

/// Applies `f` to every scalar.
pub fn each(
    all: Vec<Atom>,
    mut f: impl FnMut(Atom) -> Result<Atom, Why>,
) -> Result<Vec<Atom>, Why> {
    all.into_iter().map(&mut f).collect()
}

/// A binary operator on two scalars.
pub fn two(s: &mut State, op: BinaryOperator, a: Atom, b: Atom) -> Result<Atom, Why> {
    use BinaryOperator as B;
    let kind = match op {
        B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual => {
            Kind::Bool
        }
        _ => s.graph.kind(a),
    };
    // both operands are computed already, so short-circuit operators have nothing to skip
    let op = match op {
        B::LogicalAnd => B::And,
        B::LogicalOr => B::InclusiveOr,
        op => op,
    };
    s.make(Op::Binary(op, a, b), kind)
}

/// Sum of products, in order.
pub fn dot(s: &mut State, a: &[Atom], b: &[Atom]) -> Result<Atom, Why> {
    let mut sum = two(s, BinaryOperator::Multiply, a[0], b[0])?;
    for k in 1..a.len() {
        let term = two(s, BinaryOperator::Multiply, a[k], b[k])?;
        sum = two(s, BinaryOperator::Add, sum, term)?;
    }
    Ok(sum)
}

/// A matrix times a vector, column by column.
pub fn columns(s: &mut State, m: &[Atom], rows: usize, v: &[Atom]) -> Result<Vec<Atom>, Why> {
    let mut out = Vec::with_capacity(rows);
    for row in 0..rows {
        let row: Vec<Atom> = m[row..].iter().step_by(rows).copied().collect();
        out.push(dot(s, &row, v)?);
    }
    Ok(out)
}

/// A function of scalars, vectors and matrices.
pub fn math(
    s: &mut State,
    fun: M,
    ty: &TypeInner,
    a: &[Atom],
    b: Option<&[Atom]>,
    c: Option<&[Atom]>,
) -> Result<Vec<Atom>, Why> {
    let second = b.unwrap_or(a);
    use BinaryOperator::{Divide, Multiply, Subtract};
    Ok(match fun {
        M::Dot => vec![dot(s, a, second)?],
        M::Length => {
            let square = dot(s, a, a)?;
            vec![s.make(Op::Math(M::Sqrt, square, None, None), Kind::Real)?]
        }
        M::Normalize => {
            let square = dot(s, a, a)?;
            let length = s.make(Op::Math(M::Sqrt, square, None, None), Kind::Real)?;
            each(a.to_vec(), |a| two(s, Divide, a, length))?
        }
        M::Cross => {
            let mut out = Vec::with_capacity(3);
            for k in 0..3 {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                let first = two(s, Multiply, a[i], second[j])?;
                let other = two(s, Multiply, a[j], second[i])?;
                out.push(two(s, Subtract, first, other)?);
            }
            out
        }
        M::Transpose => {
            let TypeInner::Matrix { rows, .. } = *ty else {
                return Err(Why::Foreign("a transpose of no matrix"));
            };
            let rows = rows as usize;
            let row = |row: usize| a[row..].iter().step_by(rows).copied();
            (0..rows).flat_map(row).collect()
        }
        M::Abs
        | M::Min
        | M::Max
        | M::Clamp
        | M::Sqrt
        | M::InverseSqrt
        | M::Exp
        | M::Log
        | M::Pow
        | M::Sin
        | M::Cos
        | M::Tan
        | M::Atan
        | M::Atan2
        | M::Asin
        | M::Acos
        | M::Floor
        | M::Ceil
        | M::Round
        | M::Trunc
        | M::Sign
        | M::Fract
        | M::Exp2
        | M::Log2
        | M::Tanh
        | M::CountOneBits => {
            let of = |list: Option<&[Atom]>, k: usize| list.map(|list| list[k % list.len()]);
            let mut out = Vec::with_capacity(a.len());
            for (k, &x) in a.iter().enumerate() {
                let kind = s.graph.kind(x);
                out.push(s.make(Op::Math(fun, x, of(b, k), of(c, k)), kind)?);
            }
            out
        }
        _ => return Err(Why::Foreign("a function that no stage has")),
    })
}
