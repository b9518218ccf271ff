//! A number type that counts its operations: the cost of a stage if every operation is necessary.

use super::Real;
use std::cell::Cell;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

thread_local! {
    static DONE: Cell<u64> = const { Cell::new(0) };
}

/// A number in double precision that counts the operations of its thread.
///
/// Sums, products, quotients, roots, minima and maxima count one; a fused multiply-add counts two, and so does a sine with its
/// cosine; other functions count one. Signs, comparisons and selections are free.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Counted(f64);

/// Number of operations of this thread since the last call.
pub fn take_count() -> u64 {
    DONE.replace(0)
}

#[inline]
fn count(n: u64) {
    DONE.set(DONE.get() + n);
}

macro_rules! operator {
    ($op:ident, $f:ident, $assign:ident, $g:ident) => {
        impl $op for Counted {
            type Output = Self;
            #[inline]
            fn $f(self, other: Self) -> Self {
                count(1);
                Self($op::$f(self.0, other.0))
            }
        }
        impl $assign for Counted {
            #[inline]
            fn $g(&mut self, other: Self) {
                *self = $op::$f(*self, other);
            }
        }
    };
}

operator!(Add, add, AddAssign, add_assign);
operator!(Sub, sub, SubAssign, sub_assign);
operator!(Mul, mul, MulAssign, mul_assign);
operator!(Div, div, DivAssign, div_assign);

impl Neg for Counted {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

macro_rules! function {
    ($($name:ident($($other:ident)?)),+) => {
        $(
            #[inline]
            fn $name(self $(, $other: Self)?) -> Self {
                count(1);
                Self(f64::$name(self.0 $(, $other.0)?))
            }
        )+
    };
}

impl Real for Counted {
    type Int = i32;
    type Mask = bool;
    const WIDTH: usize = 1;
    const OWN: bool = false;
    const ROUNDING: f64 = f64::ROUNDING;

    #[inline]
    fn splat(x: f64) -> Self {
        Self(x)
    }
    #[inline]
    fn lane(&self, _lane: usize) -> f64 {
        self.0
    }
    #[inline]
    fn set_lane(&mut self, _lane: usize, x: f64) {
        self.0 = x;
    }
    #[inline]
    fn int_lane(x: i32, _lane: usize) -> i32 {
        x
    }
    #[inline]
    fn int(x: i32) -> i32 {
        x
    }
    #[inline]
    fn set_int_lane(x: &mut i32, _lane: usize, value: i32) {
        *x = value;
    }
    #[inline]
    fn to_int(self) -> i32 {
        self.0 as i32
    }
    #[inline]
    fn of_int(x: i32) -> Self {
        Self(f64::from(x))
    }
    #[inline]
    fn select_int(mask: bool, yes: i32, no: i32) -> i32 {
        if mask { yes } else { no }
    }
    #[inline]
    fn int_is(x: i32, value: i32) -> bool {
        x == value
    }
    #[inline]
    fn lt(self, other: Self) -> bool {
        self.0 < other.0
    }
    #[inline]
    fn le(self, other: Self) -> bool {
        self.0 <= other.0
    }
    #[inline]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline]
    fn mul_add(self, a: Self, b: Self) -> Self {
        count(2);
        Self(self.0 * a.0 + b.0)
    }
    #[inline]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        count(2);
        let (s, c) = self.0.sin_cos();
        (Self(s), Self(c))
    }
    function!(
        sqrt(),
        min(other),
        max(other),
        atan2(other),
        exp(),
        powf(other)
    );
}
