//! Tiles of worlds side by side.

use manyworlds::fields::View;
use manyworlds::real::Real;
use manyworlds::simd::copy_lane;
use manyworlds::{Data, Model};

/// A tile whose lanes are these worlds, repeated cyclically.
pub fn lanes<R: Real>(m: &Model, worlds: &[Data]) -> Data<R> {
    let mut tile = Data::<R>::new(m);
    for lane in 0..R::WIDTH {
        copy_lane(&mut tile, &worlds[lane % worlds.len()], lane, 0);
    }
    tile
}

/// The values of an array in one lane.
pub fn lane<R: Real>(tile: &Data<R>, name: &str, lane: usize) -> Vec<f64> {
    match tile.field(name).unwrap() {
        View::Real(x) => x.iter().map(|x| x.lane(lane)).collect(),
        View::Int(x) => x
            .iter()
            .skip(lane)
            .step_by(R::WIDTH)
            .map(|&x| f64::from(x))
            .collect(),
    }
}
