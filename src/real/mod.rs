//! The number type of the twins: `f64` is the reference; with a wide type the same twin computes several worlds at once.

#[cfg(feature = "count")]
pub mod counted;
mod wide;

#[cfg(feature = "count")]
pub use self::counted::Counted;
pub use self::wide::{F32x8, F32x16, F64x8};

use std::fmt::Debug;
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign,
};

/// Result of a comparison: a boolean for every lane.
pub trait Mask:
    Copy
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// True if it is true in any lane.
    fn any(self) -> bool;
    /// True if it is true in every lane.
    fn all(self) -> bool;
    /// A bit for every lane, the first lane's the lowest.
    fn bits(self) -> u32;
}

impl Mask for bool {
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        u32::from(self)
    }
}

/// The lanes where a mask is true, ascending.
#[inline(always)]
pub fn lanes<R: Real>(mask: R::Mask) -> impl Iterator<Item = usize> {
    ones(mask.bits())
}

/// The positions of the ones among the bits of a number, ascending.
#[inline(always)]
pub fn ones(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = bits.trailing_zeros();
        bits &= bits.checked_sub(1)?;
        Some(lane as usize)
    })
}

/// A real number, or one for every lane. [`Mask`] and [`Real::select`] replace branches.
pub trait Real:
    bytemuck::Pod
    + Default
    + Debug
    + PartialEq
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
{
    /// An integer, or one for every lane.
    type Int: bytemuck::Pod + Default + Debug + PartialEq + Send + Sync;
    /// A boolean, or one for every lane.
    type Mask: Mask;
    /// Number of lanes (worlds).
    const WIDTH: usize;
    /// Whether worlds may have values of the model of their own: if not, code that reads them is not compiled.
    const OWN: bool;
    /// Half a unit in the last place of 1: the largest rounding.
    const ROUNDING: f64;

    /// The same number in every lane.
    fn splat(x: f64) -> Self;
    /// The number of one lane.
    fn lane(&self, lane: usize) -> f64;
    /// Sets the number of one lane.
    fn set_lane(&mut self, lane: usize, x: f64);
    /// Sets the number of one lane to that of another number.
    #[inline(always)]
    fn copy_lane(&mut self, lane: usize, from: &Self) {
        self.set_lane(lane, from.lane(lane));
    }
    /// The integer of one lane.
    fn int_lane(x: Self::Int, lane: usize) -> i32;
    /// The same integer in every lane.
    fn int(x: i32) -> Self::Int;
    /// Sets the integer of one lane.
    fn set_int_lane(x: &mut Self::Int, lane: usize, value: i32);
    /// The integer part, as an integer.
    fn to_int(self) -> Self::Int;
    /// An integer as a number.
    fn of_int(x: Self::Int) -> Self;
    /// `yes` where the mask is true, else `no`.
    fn select_int(mask: Self::Mask, yes: Self::Int, no: Self::Int) -> Self::Int;
    /// `x == value` in each lane.
    fn int_is(x: Self::Int, value: i32) -> Self::Mask;
    /// `self < other` in each lane.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other` in each lane.
    fn le(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is true, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// `self * a + b`, rounded once if the processor can and the type is not the reference.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// The smaller of two.
    fn min(self, other: Self) -> Self;
    /// The larger of two.
    fn max(self, other: Self) -> Self;
    /// Sine and cosine (rad).
    fn sin_cos(self) -> (Self, Self);
    /// Angle of the point (x = other, y = self) (rad).
    fn atan2(self, other: Self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// `self` to the power `other`.
    fn powf(self, other: Self) -> Self;

    /// Zero in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::default()
    }
    /// One in every lane.
    #[inline(always)]
    fn one() -> Self {
        Self::splat(1.0)
    }
    /// Clamped to `[lo, hi]`.
    #[inline(always)]
    fn clamp(self, lo: Self, hi: Self) -> Self {
        self.max(lo).min(hi)
    }
}

impl Real for f64 {
    type Int = i32;
    type Mask = bool;
    const WIDTH: usize = 1;
    const OWN: bool = true;
    const ROUNDING: f64 = f64::EPSILON / 2.0;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn lane(&self, _lane: usize) -> f64 {
        *self
    }
    #[inline(always)]
    fn set_lane(&mut self, _lane: usize, x: f64) {
        *self = x;
    }
    #[inline(always)]
    fn int_lane(x: i32, _lane: usize) -> i32 {
        x
    }
    #[inline(always)]
    fn int(x: i32) -> i32 {
        x
    }
    #[inline(always)]
    fn set_int_lane(x: &mut i32, _lane: usize, value: i32) {
        *x = value;
    }
    #[inline(always)]
    fn to_int(self) -> i32 {
        self as i32
    }
    #[inline(always)]
    fn of_int(x: i32) -> Self {
        f64::from(x)
    }
    #[inline(always)]
    fn select_int(mask: bool, yes: i32, no: i32) -> i32 {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn int_is(x: i32, value: i32) -> bool {
        x == value
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn le(self, other: Self) -> bool {
        self <= other
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        self * a + b
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        f64::min(self, other)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        f64::max(self, other)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        f64::sin_cos(self)
    }
    #[inline(always)]
    fn atan2(self, other: Self) -> Self {
        f64::atan2(self, other)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        f64::exp(self)
    }
    #[inline(always)]
    fn powf(self, other: Self) -> Self {
        f64::powf(self, other)
    }
}
