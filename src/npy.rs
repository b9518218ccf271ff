//! Arrays in NumPy's format, read as untrusted input: `.npy`, the entries of an `.npz`.

use half::f16;
use npyz::{Deserialize, NpyFile, NpyHeader, Order};
use std::io::{self, BufReader, Read};
use std::ops::Range;

/// Largest number of bytes in the header of an array.
const HEADER: usize = 1 << 12;

/// Numbers of an array, as reals: the row-major range that `wanted` gives for its shape. Only this range takes memory. Fails with
/// a sentence if the entry is no array of finite numbers.
pub fn read(
    mut entry: impl Read,
    wanted: impl FnOnce(&[usize]) -> Result<Range<usize>, String>,
) -> Result<Vec<f64>, String> {
    let broken = |e: io::Error| match e.kind() {
        io::ErrorKind::UnexpectedEof => "the file ends before its last number".to_owned(),
        // some errors have many lines
        _ => e.to_string().lines().next().unwrap_or_default().to_owned(),
    };
    let header = header(&mut entry).map_err(broken)?;
    let shape: Vec<usize> = header.shape().iter().map(|&n| n as usize).collect();
    let len = shape
        .iter()
        .try_fold(1usize, |n, &axis| n.checked_mul(axis));
    if len.is_none_or(|len| len > isize::MAX as usize / 8) {
        return Err(format!("shape {shape:?} is too large"));
    }
    let range = wanted(&shape)?;
    let array = NpyFile::with_header(header, BufReader::new(entry));
    let dtype = array.dtype().descr();
    let values = numbers(array, &dtype, range.clone()).map_err(broken)?;
    let values = values.ok_or_else(|| format!("dtype {dtype} cannot be read; save float64"))?;
    if let Some(at) = values.iter().position(|x| !x.is_finite()) {
        let (x, at) = (values[at], range.start + at);
        return Err(format!(
            "value {at} (counted flat, from 0) is {x}, and must be finite"
        ));
    }
    Ok(values)
}

// The header of an array of plain numbers. It is an expression in Python, and its parser takes a time that doubles with each
// nested bracket: a header with more brackets than a shape needs is refused.
fn header(entry: &mut impl Read) -> io::Result<NpyHeader> {
    let mut bytes = [0; 10];
    entry.read_exact(&mut bytes)?;
    let mut bytes = bytes.to_vec();
    let mut len = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    if bytes[6] > 1 {
        let mut more = [0; 2];
        entry.read_exact(&mut more)?;
        bytes.extend(more);
        len |= usize::from(u16::from_le_bytes(more)) << 16;
    }
    if len > HEADER {
        return Err(io::Error::other(
            "its header is too long for an array of numbers",
        ));
    }
    let start = bytes.len();
    bytes.resize(start + len, 0);
    entry.read_exact(&mut bytes[start..])?;
    let most = [(b'{', 1), (b'(', 1), (b'[', 1), (b'-', 8)];
    let few = |(mark, most)| bytes[start..].iter().filter(|c| **c == mark).count() <= most;
    match most.into_iter().all(few) {
        true => NpyHeader::from_reader(bytes.as_slice()),
        false => Err(io::Error::other("its dtype cannot be read; save float64")),
    }
}

// numbers of any width and byte order
fn numbers<R: Read>(
    array: NpyFile<R>,
    dtype: &str,
    range: Range<usize>,
) -> io::Result<Option<Vec<f64>>> {
    let dtype = dtype.trim_matches(['\'', '<', '>', '|', '=']);
    Ok(Some(match dtype {
        "f8" => pick::<f64, R>(array, range, |x| x)?,
        "f4" => pick::<f32, R>(array, range, f64::from)?,
        "f2" => pick::<f16, R>(array, range, f64::from)?,
        "i8" => pick::<i64, R>(array, range, |x| x as f64)?,
        "i4" => pick::<i32, R>(array, range, f64::from)?,
        "i2" => pick::<i16, R>(array, range, f64::from)?,
        "i1" => pick::<i8, R>(array, range, f64::from)?,
        "u8" => pick::<u64, R>(array, range, |x| x as f64)?,
        "u4" => pick::<u32, R>(array, range, f64::from)?,
        "u2" => pick::<u16, R>(array, range, f64::from)?,
        "u1" => pick::<u8, R>(array, range, f64::from)?,
        "b1" => pick::<bool, R>(array, range, f64::from)?,
        _ => return Ok(None),
    }))
}

// the numbers of a row-major range, whatever order they come in
fn pick<T: Deserialize, R: Read>(
    array: NpyFile<R>,
    range: Range<usize>,
    real: impl Fn(T) -> f64,
) -> io::Result<Vec<f64>> {
    let shape: Vec<usize> = array.shape().iter().map(|&n| n as usize).collect();
    let order = array.order();
    let data = array.data::<T>().map_err(io::Error::other)?;
    let mut out = Vec::new();
    if order == Order::C {
        for x in data.skip(range.start).take(range.len()) {
            out.push(real(x?));
        }
        return match out.len() == range.len() {
            true => Ok(out),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        };
    }
    out.resize(range.len(), 0.0);
    let mut index = vec![0; shape.len()];
    for x in data {
        let x = real(x?);
        let at = index.iter().zip(&shape).fold(0, |at, (i, n)| at * n + i);
        if let Some(to) = at.checked_sub(range.start).and_then(|k| out.get_mut(k)) {
            *to = x;
        }
        // the first axis runs fastest
        for (i, n) in index.iter_mut().zip(&shape) {
            *i += 1;
            if *i < *n {
                break;
            }
            *i = 0;
        }
    }
    Ok(out)
}
