//! Several worlds at once: one SIMD lane per world.
//!
//! ```text
//!            lane 0    lane 1    lane 2   …
//! qpos[7]  [ world 0 | world 1 | world 2 | … ]   one register
//! ```
//!
//! Each type exists twice, by its parameter `OWN`: for worlds that share one model, and for worlds with values of the model of
//! their own ([`Real::OWN`]).

use super::{Mask, Real};
use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign,
};
use wide::{f32x8, f32x16, f64x8, i32x8, i32x16, i64x8};

macro_rules! wide {
    ($(#[doc = $doc:literal])+ $name:ident, $mask:ident, $simd:ty, $scalar:ty, $ints:ty, $int:ty, $width:literal, $math:ident) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[repr(transparent)]
        pub struct $name<const OWN: bool = false>($simd);

        // SAFETY: the type has the layout of its one member, which is `Zeroable`.
        #[expect(unsafe_code, reason = "bytemuck's derive takes four more crates")]
        unsafe impl<const OWN: bool> bytemuck::Zeroable for $name<OWN> {}

        // SAFETY: the type has the layout of its one member, which is `Pod`, and is `Copy` and `'static` as that is.
        #[expect(unsafe_code, reason = "bytemuck's derive takes four more crates")]
        unsafe impl<const OWN: bool> bytemuck::Pod for $name<OWN> {}

        const _: () = {
            const fn is_pod<T: bytemuck::Pod>() {}
            is_pod::<$simd>();
        };

        /// A boolean for every lane: all bits of a lane set, or none.
        #[derive(Clone, Copy, Debug)]
        pub struct $mask($simd);

        impl BitAnd for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl BitOr for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl BitXor for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                Self(self.0 ^ other.0)
            }
        }

        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        impl Mask for $mask {
            #[inline(always)]
            fn any(self) -> bool {
                self.0.any()
            }
            #[inline(always)]
            fn all(self) -> bool {
                self.0.all()
            }
            #[inline(always)]
            fn bits(self) -> u32 {
                self.0.to_bitmask()
            }
        }

        wide!(@op $name, Add, add, AddAssign, add_assign);
        wide!(@op $name, Sub, sub, SubAssign, sub_assign);
        wide!(@op $name, Mul, mul, MulAssign, mul_assign);
        wide!(@op $name, Div, div, DivAssign, div_assign);

        impl<const OWN: bool> Neg for $name<OWN> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }

        impl<const OWN: bool> Real for $name<OWN> {
            type Int = [i32; $width];
            type Mask = $mask;
            const WIDTH: usize = $width;
            const OWN: bool = OWN;
            const ROUNDING: f64 = <$scalar>::EPSILON as f64 / 2.0;

            #[inline(always)]
            fn splat(x: f64) -> Self {
                Self(<$simd>::splat(x as $scalar))
            }
            #[inline(always)]
            fn lane(&self, lane: usize) -> f64 {
                self.0.as_array()[lane] as f64
            }
            #[inline(always)]
            fn set_lane(&mut self, lane: usize, x: f64) {
                self.0.as_mut_array()[lane] = x as $scalar;
            }
            #[inline(always)]
            fn copy_lane(&mut self, lane: usize, from: &Self) {
                self.0.as_mut_array()[lane] = from.0.as_array()[lane];
            }
            #[inline(always)]
            fn int_lane(x: Self::Int, lane: usize) -> i32 {
                x[lane]
            }
            #[inline(always)]
            fn int(x: i32) -> Self::Int {
                [x; $width]
            }
            #[inline(always)]
            fn set_int_lane(x: &mut Self::Int, lane: usize, value: i32) {
                x[lane] = value;
            }
            #[inline(always)]
            fn to_int(self) -> Self::Int {
                let x: [$int; $width] = self.0.fast_trunc_int().to_array();
                x.map(|x| x as i32)
            }
            #[inline(always)]
            fn of_int(x: Self::Int) -> Self {
                Self(<$simd>::from(x.map(|x| x as $scalar)))
            }
            #[inline(always)]
            fn select_int(mask: $mask, yes: Self::Int, no: Self::Int) -> Self::Int {
                let bits = |x: Self::Int| -> $simd { bytemuck::cast(x.map(<$int>::from)) };
                let chosen: [$int; $width] = bytemuck::cast(mask.0.bitselect(bits(yes), bits(no)));
                chosen.map(|x| x as i32)
            }
            #[inline(always)]
            fn int_is(x: Self::Int, value: i32) -> $mask {
                let x: $ints = bytemuck::cast(x.map(<$int>::from));
                $mask(bytemuck::cast(x.simd_eq(<$ints>::splat(<$int>::from(value)))))
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                $mask(self.0.simd_lt(other.0))
            }
            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                $mask(self.0.simd_le(other.0))
            }
            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                Self(mask.0.bitselect(yes.0, no.0))
            }
            wide!(@$math $width);

            #[inline(always)]
            fn sqrt(self) -> Self {
                Self(self.0.sqrt())
            }
            #[inline(always)]
            fn abs(self) -> Self {
                Self(self.0.abs())
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Self(self.0.fast_min(other.0))
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Self(self.0.fast_max(other.0))
            }
            #[inline]
            fn powf(self, other: Self) -> Self {
                let (mut x, y) = (self, other);
                for lane in 0..$width {
                    x.set_lane(lane, self.lane(lane).powf(y.lane(lane)));
                }
                x
            }
        }
    };
    (@fast $width:literal) => {
        #[inline(always)]
        fn mul_add(self, a: Self, b: Self) -> Self {
            Self(self.0.mul_add(a.0, b.0))
        }
        #[inline(always)]
        fn sin_cos(self) -> (Self, Self) {
            let (s, c) = self.0.sin_cos();
            (Self(s), Self(c))
        }
        #[inline(always)]
        fn atan2(self, other: Self) -> Self {
            Self(self.0.atan2(other.0))
        }
        #[inline(always)]
        fn exp(self) -> Self {
            Self(self.0.exp())
        }
    };
    // every lane has the same bits as a scalar number, on every processor
    (@exact $width:literal) => {
        #[inline(always)]
        fn mul_add(self, a: Self, b: Self) -> Self {
            self * a + b
        }
        #[inline]
        fn sin_cos(self) -> (Self, Self) {
            let (mut s, mut c) = (self, self);
            for lane in 0..$width {
                let (sin, cos) = self.lane(lane).sin_cos();
                s.set_lane(lane, sin);
                c.set_lane(lane, cos);
            }
            (s, c)
        }
        #[inline]
        fn atan2(self, other: Self) -> Self {
            let (mut x, y) = (self, other);
            for lane in 0..$width {
                x.set_lane(lane, x.lane(lane).atan2(y.lane(lane)));
            }
            x
        }
        #[inline]
        fn exp(self) -> Self {
            let mut x = self;
            for lane in 0..$width {
                x.set_lane(lane, x.lane(lane).exp());
            }
            x
        }
    };
    (@op $name:ident, $op:ident, $f:ident, $assign:ident, $g:ident) => {
        impl<const OWN: bool> $op for $name<OWN> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, other: Self) -> Self {
                Self($op::$f(self.0, other.0))
            }
        }
        impl<const OWN: bool> $assign for $name<OWN> {
            #[inline(always)]
            fn $g(&mut self, other: Self) {
                *self = $op::$f(*self, other);
            }
        }
    };
}

wide! {
    /// Eight worlds in single precision.
    F32x8, Mask32x8, f32x8, f32, i32x8, i32, 8, fast
}
wide! {
    /// Sixteen worlds in single precision.
    F32x16, Mask32x16, f32x16, f32, i32x16, i32, 16, fast
}
wide! {
    /// Eight worlds in double precision, each with the same bits as `f64`.
    F64x8, Mask64x8, f64x8, f64, i64x8, i64, 8, exact
}
