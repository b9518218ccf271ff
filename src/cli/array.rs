//! Arrays to be written to files or read from them.

use manyworlds::Model;
use manyworlds::fields::{Elem, Field, View};

/// Integers or reals.
#[derive(Clone, Debug, PartialEq)]
pub enum Nums {
    /// Integers.
    Int(Vec<i32>),
    /// Reals.
    Real(Vec<f64>),
}

/// Numbers and their shape, row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Length of each axis.
    pub shape: Vec<usize>,
    /// The numbers.
    pub nums: Nums,
}

impl Array {
    /// Reals of a shape.
    pub fn real(shape: &[usize], x: Vec<f64>) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), x.len());
        Self {
            shape: shape.to_vec(),
            nums: Nums::Real(x),
        }
    }

    /// Integers of a shape.
    pub fn int(shape: &[usize], x: Vec<i32>) -> Self {
        debug_assert_eq!(shape.iter().product::<usize>(), x.len());
        Self {
            shape: shape.to_vec(),
            nums: Nums::Int(x),
        }
    }

    /// A copy of a field.
    pub fn of(m: &Model, field: &Field, view: View<'_>) -> Self {
        let shape = shape(m, field);
        match view {
            View::Int(x) => Self::int(&shape, x.to_vec()),
            View::Real(x) => Self::real(&shape, x.to_vec()),
        }
    }
}

/// Shape of a field: its dimensions, and the width of its element where that is not one.
pub fn shape(m: &Model, field: &Field) -> Vec<usize> {
    let dims = field.dims.iter().map(|dim| m.size(dim).unwrap_or(0));
    let width = match field.elem {
        Elem::Int | Elem::Real => None,
        wide => Some(wide.width()),
    };
    dims.chain(width).collect()
}
