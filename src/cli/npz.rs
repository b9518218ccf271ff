//! `.npz` files: written whole or not at all; every read is checked.

use super::array::{Array, Nums};
use super::output::{Kind, Output};
use super::{Fault, USAGE};
use crate::npy;
use npyz::WriterBuilder;
use npyz::npz::{NpzArchive, NpzWriter};
use npyz::zip::write::FileOptions;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Upper bounds on bytes beside the numbers: per array, and for the rest of the file.
const OVERHEAD: u64 = 1 << 10;
const REST: u64 = 1 << 16;

type Zip = NpzWriter<BufWriter<File>>;

/// An unfinished file, which gets its name when it is complete.
pub struct Writer {
    // none after a failed write
    npz: Option<Zip>,
    out: Output,
}

impl Writer {
    /// Begins a file in the folder of its final path, which must not be an input.
    pub fn create(path: &Path, inputs: &[&Path]) -> Result<Self, Fault> {
        let out = Output::create(path, Kind::Npz, inputs)?;
        Ok(Self {
            npz: Some(NpzWriter::new(BufWriter::new(out.file()?))),
            out,
        })
    }

    /// The output file.
    pub fn output(&self) -> &Output {
        &self.out
    }

    /// Reserves disk space for `arrays` arrays with `numbers` numbers in all.
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
            // its drop would write again, and report another error
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

    /// Adds an array of reals from an iterator.
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

    /// Completes the file and gives it its name.
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

/// An open archive.
pub struct Reader {
    path: PathBuf,
    npz: NpzArchive<BufReader<File>>,
}

impl Reader {
    /// Opens a file; a file without seek, such as a pipe, is refused without a wait.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let there = std::fs::metadata(path).map_err(|e| Fault::io(path, e))?;
        if !there.is_file() {
            let path = path.display();
            let msg = format!(
                "{path}: is not a regular file (an npz is read from a file, not from a pipe)"
            );
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

    /// Names of the arrays, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.npz.array_names().map(str::to_owned).collect();
        names.sort();
        names
    }

    /// An error about this file.
    pub fn bad(&self, what: impl std::fmt::Display) -> Fault {
        Fault {
            code: USAGE,
            text: format!("error: {}: {what}\n", self.path.display()),
        }
    }

    /// A range of the numbers of an array, as reals: `wanted` gives the row-major range for the array's shape. No other part of
    /// the array takes memory. Fails on an array with a number that is not finite; `None` if there is no such array.
    pub fn read(
        &mut self,
        name: &str,
        wanted: impl FnOnce(&[usize]) -> Result<Range<usize>, String>,
    ) -> Result<Option<Vec<f64>>, Fault> {
        let path = self.path.clone();
        let bad = |what: String| Fault::usage(format!("{}: {name}: {what}", path.display()));
        let file = npyz::npz::file_name_from_array_name(name);
        let entry = match self.npz.zip_archive().by_name(&file) {
            Ok(entry) => entry,
            Err(npyz::zip::result::ZipError::FileNotFound) => return Ok(None),
            Err(e) => return Err(bad(e.to_string())),
        };
        npy::read(entry, wanted).map(Some).map_err(bad)
    }
}
