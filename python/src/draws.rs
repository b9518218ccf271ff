//! Random numbers of worlds: a key for each world, and numbers that depend on the key and on their place alone.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The seed of stream k is offset by k times this (mod 2^64): odd, so that its multiples differ.
const STREAM: u64 = 0xD1B5_4A32_D192_ED03;

/// Keys of worlds for a stream of a seed: of their numbers, their episodes and, if given, their steps; (n,) each.
#[pyfunction]
#[pyo3(signature = (seed, stream, worlds, episodes, steps))]
pub fn draw_keys<'py>(
    py: Python<'py>,
    seed: u64,
    stream: u64,
    worlds: PyReadonlyArray1<'py, i64>,
    episodes: PyReadonlyArray1<'py, i64>,
    steps: Option<PyReadonlyArray1<'py, i64>>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let first = mixed(seed.wrapping_add(stream.wrapping_mul(STREAM)));
    let mut keys = vec![first; worlds.as_array().len()];
    for numbers in [Some(worlds), Some(episodes), steps].into_iter().flatten() {
        let numbers = numbers.as_array();
        if numbers.len() != keys.len() {
            return Err(PyValueError::new_err(format!(
                "{} worlds, but {} numbers of them",
                keys.len(),
                numbers.len()
            )));
        }
        for (key, &number) in keys.iter_mut().zip(numbers) {
            *key = mixed(*key ^ number.cast_unsigned());
        }
    }
    Ok(keys.to_pyarray(py))
}

/// Numbers of every world, from its number `first` on, uniform in [0, 1): (n, width).
#[pyfunction]
pub fn draw<'py>(
    py: Python<'py>,
    keys: PyReadonlyArray1<'py, u64>,
    first: u64,
    width: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let places: Vec<u64> = (first..).take(width).map(mixed).collect();
    let keys = keys.as_array();
    let mut numbers = Vec::with_capacity(keys.len() * width);
    for key in keys {
        let bits = places.iter().map(|place| mixed(key.wrapping_add(*place)));
        numbers.extend(bits.map(|bits| (bits >> 11) as f64 * 2f64.powi(-53)));
    }
    numbers.to_pyarray(py).reshape([keys.len(), width])
}

/// A permutation of 64-bit numbers in which each output bit depends on each input bit (splitmix64; Steele, Lea, Flood 2014).
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}
