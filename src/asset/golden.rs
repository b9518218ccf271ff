//! Reads `tests/golden/mesh.json` for the tests of this module.

use serde_json::Value;

pub(crate) fn load() -> Value {
    serde_json::from_str(include_str!("../../tests/golden/mesh.json")).unwrap()
}

pub(crate) fn array<const N: usize>(v: &Value) -> [f64; N] {
    list(v).try_into().unwrap()
}

pub(crate) fn list(v: &Value) -> Vec<f64> {
    let items = v.as_array().unwrap();
    items.iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Bytes written as pairs of hexadecimal digits.
pub(crate) fn unhex(text: &str) -> Vec<u8> {
    let digits = (0..text.len()).step_by(2);
    digits
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap())
        .collect()
}

/// Asserts `|a - b| <= tol (1 + |b|)`.
pub(crate) fn close(a: f64, b: f64, tol: f64) {
    assert!((a - b).abs() <= tol * (1.0 + b.abs()), "{a} is not {b}");
}
