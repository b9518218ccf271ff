//! How an element of an array is stored, for a model (`f64`) and for a world (`R`), and what each row of the table does to its
//! array.
#![expect(non_camel_case_types, reason = "the kinds are the words of the table")]

use std::fmt::Debug;

use super::{View, ViewMut};
use crate::real::Real;

pub trait Kind<R> {
    type T: bytemuck::Pod + Default + Debug + PartialEq + Send + Sync;

    /// The element of a model.
    type Of: Copy;

    /// A model's element, the same in every lane.
    fn splat(x: Self::Of) -> Self::T;

    /// Fills an empty array of a tile with the model's array, the same in every lane.
    #[inline(never)]
    fn fill(array: &mut Vec<Self::T>, model: &[Self::Of]) {
        if array.is_empty() {
            array.extend(model.iter().map(|x| Self::splat(*x)));
        }
    }

    /// An array as plain numbers.
    fn view(array: &[Self::T]) -> View<'_, R>;

    /// An array as plain numbers, to be written.
    fn view_mut(array: &mut [Self::T]) -> ViewMut<'_, R>;
}

macro_rules! kinds {
    ($($name:ident $width:literal)+) => {
        $(
            pub struct $name;
            impl<R: Real> Kind<R> for $name {
                type T = [R; $width];
                type Of = [f64; $width];

                #[inline(always)]
                fn splat(x: [f64; $width]) -> [R; $width] {
                    x.map(R::splat)
                }

                fn view(array: &[[R; $width]]) -> View<'_, R> {
                    View::Real(array.as_flattened())
                }

                fn view_mut(array: &mut [[R; $width]]) -> ViewMut<'_, R> {
                    ViewMut::Real(array.as_flattened_mut())
                }
            }
        )+
    };
}
kinds! { vec3 3 quat 4 mat3 9 spatial 6 inert 10 }

pub struct real;
impl<R: Real> Kind<R> for real {
    type T = R;
    type Of = f64;

    #[inline(always)]
    fn splat(x: f64) -> R {
        R::splat(x)
    }

    fn view(array: &[R]) -> View<'_, R> {
        View::Real(array)
    }

    fn view_mut(array: &mut [R]) -> ViewMut<'_, R> {
        ViewMut::Real(array)
    }
}

// integers of a world: one for every lane of `R`
pub struct int;
impl<R: Real> Kind<R> for int {
    type T = R::Int;
    type Of = i32;

    #[inline(always)]
    fn splat(x: i32) -> R::Int {
        R::int(x)
    }

    fn view(array: &[R::Int]) -> View<'_, R> {
        View::Int(bytemuck::cast_slice(array))
    }

    fn view_mut(array: &mut [R::Int]) -> ViewMut<'_, R> {
        ViewMut::Int(bytemuck::cast_slice_mut(array))
    }
}

// integers of a slot of contacts, which are the same in all lanes that have it: a view of several worlds is empty, since none of them
// has numbers of its own
pub struct slot;
impl<R: Real> Kind<R> for slot {
    type T = i32;
    type Of = i32;

    #[inline(always)]
    fn splat(x: i32) -> i32 {
        x
    }

    fn view(array: &[i32]) -> View<'_, R> {
        match R::WIDTH {
            1 => View::Int(array),
            _ => View::Int(&[]),
        }
    }

    fn view_mut(array: &mut [i32]) -> ViewMut<'_, R> {
        match R::WIDTH {
            1 => ViewMut::Int(array),
            _ => ViewMut::Int(&mut []),
        }
    }
}

// What each row of the table does to its array. They are functions that stay functions: inlined into some four hundred rows, they
// took a quarter of the time to build this crate.

/// An array of zeros. Memory that nobody writes takes none.
#[inline(never)]
pub fn zeros<T: bytemuck::Pod>(num: usize) -> Vec<T> {
    bytemuck::zeroed_vec(num)
}

/// Gives an array another length; new elements are zero.
#[inline(never)]
pub fn resize<T: Clone + Default>(array: &mut Vec<T>, num: usize) {
    array.resize(num, T::default());
}

/// Replaces an array by a copy of another one.
#[inline(never)]
pub fn copy<T: Clone>(array: &mut Vec<T>, of: &[T]) {
    *array = of.to_vec();
}
