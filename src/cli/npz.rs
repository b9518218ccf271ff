//! `.npz` files: written whole or not at all, read with suspicion.

use super::Fault;
use super::array::{Array, Nums};
use npyz::WriterBuilder;
use npyz::npz::{NpzArchive, NpzWriter};
use npyz::zip::write::FileOptions;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};

/// Largest number of values that are read from one array.
const MOST: u64 = 1 << 28;

/// A file in the making: it takes its name when it is whole.
pub struct Writer {
    npz: NpzWriter<BufWriter<File>>,
    path: PathBuf,
    part: PathBuf,
}

impl Writer {
    /// Begins a file beside its final place.
    pub fn create(path: &Path) -> Result<Self, Fault> {
        let part = part(path, "npz");
        let file = File::create(&part).map_err(|e| Fault::io(&part, e))?;
        Ok(Self {
            npz: NpzWriter::new(BufWriter::new(file)),
            path: path.to_owned(),
            part,
        })
    }

    fn options(&self, large: bool) -> FileOptions {
        FileOptions::default()
            .compression_method(npyz::zip::CompressionMethod::Stored)
            .large_file(large)
    }

    /// Adds an array.
    pub fn add(&mut self, name: &str, array: &Array) -> Result<(), Fault> {
        let shape: Vec<u64> = array.shape.iter().map(|&n| n as u64).collect();
        let options = self.options(false);
        let done = match &array.nums {
            Nums::Int(x) => write(&mut self.npz, name, options, &shape, x.iter().copied()),
            Nums::Real(x) => write(&mut self.npz, name, options, &shape, x.iter().copied()),
        };
        done.map_err(|e| Fault::io(&self.part, e))
    }

    /// Adds an array of reals whose little-endian bytes come from a reader.
    pub fn add_from(&mut self, name: &str, shape: &[usize], from: impl Read) -> Result<(), Fault> {
        let shape: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
        let large = shape.iter().product::<u64>() > 1 << 28;
        let options = self.options(large);
        let mut from = BufReader::new(from);
        let mut run = || -> io::Result<()> {
            let builder = self.npz.array::<f64>(name, options)?;
            let mut writer = builder.default_dtype().shape(&shape).begin_nd()?;
            let mut bytes = [0; 8];
            for _ in 0..shape.iter().product() {
                from.read_exact(&mut bytes)?;
                writer.push(&f64::from_le_bytes(bytes))?;
            }
            writer.finish()
        };
        run().map_err(|e| Fault::io(&self.part, e))
    }

    /// Adds a text as an array of bytes.
    pub fn add_text(&mut self, name: &str, text: &str) -> Result<(), Fault> {
        let shape = [text.len() as u64];
        let options = self.options(false);
        write(&mut self.npz, name, options, &shape, text.bytes())
            .map_err(|e| Fault::io(&self.part, e))
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<(), Fault> {
        let closed = self.npz.zip_writer().finish().map(drop);
        closed.map_err(|e| Fault::usage(format!("{}: {e}", self.part.display())))?;
        std::fs::rename(&self.part, &self.path).map_err(|e| Fault::io(&self.path, e))
    }
}

fn write<T: npyz::AutoSerialize>(
    npz: &mut NpzWriter<BufWriter<File>>,
    name: &str,
    options: FileOptions,
    shape: &[u64],
    values: impl Iterator<Item = T>,
) -> io::Result<()> {
    let builder = npz.array::<T>(name, options)?;
    let mut writer = builder.default_dtype().shape(shape).begin_nd()?;
    writer.extend(values)?;
    writer.finish()
}

/// A name beside a file for what is not whole yet.
pub fn part(path: &Path, what: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{what}.part"));
    path.with_file_name(name)
}

/// An array of a file.
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its numbers, row-major.
    pub values: Vec<f64>,
}

/// Every array of a file as reals, in order of name. Fails on what is no array of finite numbers.
pub fn read(path: &Path) -> Result<Vec<Entry>, Fault> {
    let bad = |what: String| Fault::usage(format!("{}: {what}", path.display()));
    let mut npz = NpzArchive::open(path).map_err(|e| Fault::io(path, e))?;
    let mut names: Vec<String> = npz.array_names().map(str::to_owned).collect();
    names.sort();
    let mut out = Vec::new();
    for name in names {
        let entry = npz
            .by_name(&name)
            .map_err(|e| bad(format!("{name}: {e}")))?;
        let Some(array) = entry else { continue };
        let shape: Vec<u64> = array.shape().to_vec();
        let len = shape.iter().try_fold(1u64, |n, &axis| n.checked_mul(axis));
        if len.is_none_or(|len| len > MOST) {
            return Err(bad(format!("{name}: shape {shape:?} is too large")));
        }
        if array.order() != npyz::Order::C {
            return Err(bad(format!(
                "{name}: is in Fortran order; save np.ascontiguousarray"
            )));
        }
        let dtype = array.dtype().descr();
        let values = numbers(array, &dtype)
            .map_err(|e| bad(format!("{name}: {e}")))?
            .ok_or_else(|| {
                bad(format!(
                    "{name}: dtype {dtype} is not a number; save float64"
                ))
            })?;
        if let Some(at) = values.iter().position(|x| !x.is_finite()) {
            let x = values[at];
            return Err(bad(format!(
                "{name}: value {at} (counted flat, from 0) is {x}"
            )));
        }
        let shape = shape.iter().map(|&n| n as usize).collect();
        out.push(Entry {
            name,
            shape,
            values,
        });
    }
    Ok(out)
}

fn numbers<R: Read>(array: npyz::NpyFile<R>, dtype: &str) -> io::Result<Option<Vec<f64>>> {
    let dtype = dtype.trim_matches('\'');
    Ok(Some(match dtype {
        "<f8" => array.into_vec::<f64>()?,
        "<f4" => array
            .into_vec::<f32>()?
            .into_iter()
            .map(f64::from)
            .collect(),
        "<i8" => array
            .into_vec::<i64>()?
            .into_iter()
            .map(|x| x as f64)
            .collect(),
        "<i4" => array
            .into_vec::<i32>()?
            .into_iter()
            .map(f64::from)
            .collect(),
        "|u1" => array.into_vec::<u8>()?.into_iter().map(f64::from).collect(),
        "|b1" => array
            .into_vec::<bool>()?
            .into_iter()
            .map(f64::from)
            .collect(),
        _ => return Ok(None),
    }))
}
