//! Planes that separated pairs of solids when they were last looked at, as hints for the next look.
//!
//! Solids that are apart mostly are apart by nearly the same plane in the next step. Whether it separates them now is computed anew
//! from where they are now: so the planes decide how long a look takes, never which contacts there are.

use crate::real::Real;

/// Largest number of pairs that have a place; pairs beyond it share places.
const PLACES: usize = 256;

/// The planes of a tile of worlds.
#[derive(Debug)]
pub struct Parted<R: Real> {
    // the pair whose plane is in a place; -1: none
    pair: Vec<i32>,
    normal: Vec<[R; 3]>,
}

impl<R: Real> Default for Parted<R> {
    fn default() -> Self {
        Self {
            pair: Vec::new(),
            normal: Vec::new(),
        }
    }
}

// hints are no part of the state
impl<R: Real> PartialEq for Parted<R> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The lanes in which a plane is known, by its normal.
pub(crate) fn known<R: Real>(normal: &[R; 3]) -> R::Mask {
    let [x, y, z] = *normal;
    R::splat(0.5).lt(x * x + y * y + z * z)
}

impl<R: Real> Parted<R> {
    /// Unit normal of the plane of pair `k` of `num` pairs, in each lane: in the frame of the first geom, from the second to the first.
    /// Zero where no plane is known.
    pub(crate) fn of(&mut self, num: usize, k: usize) -> &mut [R; 3] {
        if self.pair.is_empty() {
            let places = num.next_power_of_two().min(PLACES);
            self.pair = vec![-1; places];
            self.normal = vec![[R::zero(); 3]; places];
        }
        let place = k & (self.pair.len() - 1);
        if self.pair[place] != k as i32 {
            self.pair[place] = k as i32;
            self.normal[place] = [R::zero(); 3];
        }
        &mut self.normal[place]
    }
}
