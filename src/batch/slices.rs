//! The caller's numbers: slices to read or fill, in the caller's precision.

use crate::error::{Error, Result};
use crate::fields::{Elem, Field};

/// Input numbers for worlds, in any precision: a row for every world, world after world, or one row for all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum In<'a> {
    /// Single precision, as on `simd` and `gpu`.
    F32(&'a [f32]),
    /// Double precision, as on `cpu`.
    F64(&'a [f64]),
    /// Integers.
    I32(&'a [i32]),
}

/// A buffer for numbers of the worlds, in any precision: a row for every world, world after world.
#[derive(Debug, PartialEq)]
pub enum Out<'a> {
    /// Single precision, as on `simd` and `gpu`.
    F32(&'a mut [f32]),
    /// Double precision, as on `cpu`.
    F64(&'a mut [f64]),
    /// Integers; an array of reals cannot be read into it.
    I32(&'a mut [i32]),
}

/// A number of the caller.
pub(super) trait Number: Copy + Send + Sync {
    fn real(self) -> f64;
    fn of_real(x: f64) -> Self;
    fn int(self) -> i32;
    fn of_int(x: i32) -> Self;
}

macro_rules! numbers {
    ($($number:ident $kind:ident)+) => { $(
        impl Number for $number {
            #[inline(always)]
            fn real(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn of_real(x: f64) -> Self {
                x as Self
            }
            #[inline(always)]
            fn int(self) -> i32 {
                self as i32
            }
            #[inline(always)]
            fn of_int(x: i32) -> Self {
                x as Self
            }
        }

        impl<'a> From<&'a [$number]> for In<'a> {
            fn from(x: &'a [$number]) -> Self {
                Self::$kind(x)
            }
        }

        impl<'a> From<&'a Vec<$number>> for In<'a> {
            fn from(x: &'a Vec<$number>) -> Self {
                Self::$kind(x)
            }
        }

        impl<'a> From<&'a mut [$number]> for Out<'a> {
            fn from(x: &'a mut [$number]) -> Self {
                Self::$kind(x)
            }
        }

        impl<'a> From<&'a mut Vec<$number>> for Out<'a> {
            fn from(x: &'a mut Vec<$number>) -> Self {
                Self::$kind(x)
            }
        }
    )+ };
}
numbers! { f32 F32 f64 F64 i32 I32 }

impl In<'_> {
    /// Number of values.
    #[expect(clippy::len_without_is_empty, reason = "a field may have no numbers")]
    pub fn len(&self) -> usize {
        match self {
            Self::F32(x) => x.len(),
            Self::F64(x) => x.len(),
            Self::I32(x) => x.len(),
        }
    }
}

impl Out<'_> {
    /// Number of values that the buffer holds.
    #[expect(clippy::len_without_is_empty, reason = "a field may have no numbers")]
    pub fn len(&self) -> usize {
        match self {
            Self::F32(x) => x.len(),
            Self::F64(x) => x.len(),
            Self::I32(x) => x.len(),
        }
    }

    /// The same buffer, borrowed for a shorter time.
    pub(super) fn again(&mut self) -> Out<'_> {
        match self {
            Self::F32(x) => Out::F32(x),
            Self::F64(x) => Out::F64(x),
            Self::I32(x) => Out::I32(x),
        }
    }

    // checks that the buffer holds `need` numbers and suits the field's type
    pub(super) fn check(&self, field: &Field, need: usize) -> Result<()> {
        let (name, have) = (field.name, self.len());
        if matches!(self, Self::I32(_)) && field.elem != Elem::Int {
            return Err(Error::Input(format!(
                "{name} holds reals: give it room for f32 or f64"
            )));
        }
        match have == need {
            true => Ok(()),
            false => Err(Error::Input(format!(
                "{name}: room for {need} numbers of all worlds needed, {have} given"
            ))),
        }
    }
}

/// The columns of a field in a row of the caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    /// The first column of the field.
    pub first: usize,
    /// Numbers in the whole row.
    pub of: usize,
}

impl Columns {
    /// Columns of a row that consists of the field alone.
    pub fn all(words: usize) -> Self {
        Self {
            first: 0,
            of: words,
        }
    }
}
