//! `.npz` files: written whole or not at all, read with suspicion.

use super::array::{Array, Nums};
use super::output::{Kind, Output};
use super::{Fault, USAGE};
use half::f16;
use npyz::npz::{NpzArchive, NpzWriter};
use npyz::zip::write::FileOptions;
use npyz::{Deserialize, NpyFile, NpyHeader, Order, WriterBuilder};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes that a file has beside its numbers: at most so many for an array, and for all the rest.
const OVERHEAD: u64 = 1 << 10;
const REST: u64 = 1 << 16;

/// Largest number of bytes in the header of an array.
const HEADER: usize = 1 << 12;

type Zip = NpzWriter<BufWriter<File>>;

/// A file in the making: it takes its name when it is whole.
pub struct Writer {
    // none once it failed
    npz: Option<Zip>,
    out: Output,
}

impl Writer {
    /// Begins a file beside its final place, which is none of the inputs.
    pub fn create(path: &Path, inputs: &[&Path]) -> Result<Self, Fault> {
        let out = Output::create(path, Kind::Npz, inputs)?;
        Ok(Self {
            npz: Some(NpzWriter::new(BufWriter::new(out.file()?))),
            out,
        })
    }

    /// Where it is written.
    pub fn output(&self) -> &Output {
        &self.out
    }

    /// Makes sure that so many arrays with so many numbers together will find room.
    pub fn reserve(&mut self, arrays: usize, numbers: u64) -> Result<(), Fault> {
        let bytes = numbers.saturating_mul(8);
        let bytes = bytes.saturating_add(REST + OVERHEAD * arrays as u64);
        self.out.reserve(bytes)
    }

    fn write(&mut self, run: impl FnOnce(&mut Zip) -> io::Result<()>) -> Result<(), Fault> {
        let done = match &mut self.npz {
            Some(npz) => run(npz),
            None => Err(io::Error::other("an earlier write failed")),
        };
        done.map_err(|e| {
            // its end would write once more, and complain once more
            std::mem::forget(self.npz.take());
            self.out.fault(&e)
        })
    }

    /// Adds an array.
    pub fn add(&mut self, name: &str, array: &Array) -> Result<(), Fault> {
        let shape: Vec<u64> = array.shape.iter().map(|&n| n as u64).collect();
        self.write(|npz| match &array.nums {
            Nums::Int(x) => write(npz, name, &shape, x.iter().copied().map(Ok)),
            Nums::Real(x) => write(npz, name, &shape, x.iter().copied().map(Ok)),
        })
    }

    /// Adds an array of reals as they come.
    pub fn add_from(
        &mut self,
        name: &str,
        shape: &[usize],
        values: impl Iterator<Item = io::Result<f64>>,
    ) -> Result<(), Fault> {
        let shape: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
        self.write(|npz| write(npz, name, &shape, values))
    }

    /// Adds a text as an array of bytes.
    pub fn add_text(&mut self, name: &str, text: &str) -> Result<(), Fault> {
        let shape = [text.len() as u64];
        self.write(|npz| write(npz, name, &shape, text.bytes().map(Ok)))
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<(), Fault> {
        let mut bytes = 0;
        self.write(|npz| {
            let mut file = npz.zip_writer().finish()?;
            file.flush()?;
            bytes = file.stream_position()?;
            Ok(())
        })?;
        self.out.finish(bytes)
    }
}

fn write<T: npyz::AutoSerialize>(
    npz: &mut Zip,
    name: &str,
    shape: &[u64],
    mut values: impl Iterator<Item = io::Result<T>>,
) -> io::Result<()> {
    let options = FileOptions::default()
        .compression_method(npyz::zip::CompressionMethod::Stored)
        .large_file(shape.iter().product::<u64>() > 1 << 28);
    let builder = npz.array::<T>(name, options)?;
    let mut writer = builder.default_dtype().shape(shape).begin_nd()?;
    values.try_for_each(|x| writer.push(&x?))?;
    writer.finish()
}

/// An archive that is read.
pub struct Reader {
    path: PathBuf,
    npz: NpzArchive<BufReader<File>>,
}

impl Reader {
    /// Opens a file; what cannot be sought, such as a pipe, is refused and not waited for.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let there = std::fs::metadata(path).map_err(|e| Fault::io(path, e))?;
        if !there.is_file() {
            let path = path.display();
            let msg = format!("{path}: is no file (an npz is read from a file, not from a pipe)");
            return Err(Fault::usage(msg));
        }
        let npz = NpzArchive::open(path).map_err(|e| match e.kind() {
            io::ErrorKind::InvalidData => {
                Fault::usage(format!("{}: is no npz file: {e}", path.display()))
            }
            _ => Fault::io(path, e),
        })?;
        Ok(Self {
            path: path.to_owned(),
            npz,
        })
    }

    /// Names of its arrays, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.npz.array_names().map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Something that is wrong with the file.
    pub fn bad(&self, what: impl std::fmt::Display) -> Fault {
        Fault {
            code: USAGE,
            text: format!("error: {}: {what}\n", self.path.display()),
        }
    }

    /// Some of the numbers of an array, as reals: those in the range, counted row-major, that `wanted` gives for its shape. Nothing
    /// else of it takes memory. Fails on what is no array of finite numbers; `None` if there is no such array.
    pub fn read(
        &mut self,
        name: &str,
        wanted: impl FnOnce(&[usize]) -> Result<Range<usize>, String>,
    ) -> Result<Option<Vec<f64>>, Fault> {
        let path = self.path.clone();
        let bad = |what: String| Fault::usage(format!("{}: {name}: {what}", path.display()));
        // some say it in many lines
        let first = |text: String| text.lines().next().unwrap_or_default().to_owned();
        let broken = |e: io::Error| match e.kind() {
            io::ErrorKind::UnexpectedEof => bad("the file ends before its last number".to_owned()),
            _ => bad(first(e.to_string())),
        };
        let file = npyz::npz::file_name_from_array_name(name);
        let mut entry = match self.npz.zip_archive().by_name(&file) {
            Ok(entry) => entry,
            Err(npyz::zip::result::ZipError::FileNotFound) => return Ok(None),
            Err(e) => return Err(bad(e.to_string())),
        };
        let header = header(&mut entry).map_err(broken)?;
        let shape: Vec<usize> = header.shape().iter().map(|&n| n as usize).collect();
        let len = shape
            .iter()
            .try_fold(1usize, |n, &axis| n.checked_mul(axis));
        if len.is_none_or(|len| len > isize::MAX as usize / 8) {
            return Err(bad(format!("shape {shape:?} is too large")));
        }
        let range = wanted(&shape).map_err(bad)?;
        let array = NpyFile::with_header(header, BufReader::new(entry));
        let dtype = array.dtype().descr();
        let values = numbers(array, &dtype, range.clone()).map_err(broken)?;
        let values = values.ok_or_else(|| {
            bad(format!(
                "dtype {dtype} is no number that is read; save float64"
            ))
        })?;
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            let (x, at) = (values[at], range.start + at);
            return Err(bad(format!("value {at} (counted flat, from 0) is {x}")));
        }
        Ok(Some(values))
    }
}

// The header of an array of plain numbers. It is an expression in Python, and its parser takes a time that doubles with each
// bracket inside another: what has more of them than a shape needs is no such array.
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
            "its header is longer than that of numbers",
        ));
    }
    let start = bytes.len();
    bytes.resize(start + len, 0);
    entry.read_exact(&mut bytes[start..])?;
    let most = [(b'{', 1), (b'(', 1), (b'[', 1), (b'-', 8)];
    let few = |(mark, most)| bytes[start..].iter().filter(|c| **c == mark).count() <= most;
    match most.into_iter().all(few) {
        true => NpyHeader::from_reader(bytes.as_slice()),
        false => Err(io::Error::other(
            "its dtype is no number that is read; save float64",
        )),
    }
}

// of any width and order of bytes
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
