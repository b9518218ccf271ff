//! `.npz` files: written whole or not at all; every read is checked.

use super::array::{Array, Nums};
use super::output::{Kind, Output};
use super::{Fault, USAGE};
use crate::npy;
use npyz::WriterBuilder;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Upper bounds on bytes beside the numbers: per array, and for the rest of the file.
const OVERHEAD: u64 = 1 << 10;
const REST: u64 = 1 << 16;

/// Numbers above which the entry of an array gets sizes of 64 bits.
const LARGE: u64 = 1 << 28;

/// What follows an array's name in the name of its entry.
const SUFFIX: &str = ".npy";

type Zip = ZipWriter<Sink>;

/// A file that takes what is written after a failed write without a word: an archive that is dropped writes its end.
struct Sink {
    file: BufWriter<File>,
    // where the next byte goes, or would go
    at: u64,
    failed: bool,
}

impl Sink {
    fn unless_failed(
        &mut self,
        run: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.failed {
            return Ok(());
        }
        let done = run(&mut self.file);
        self.failed = done.is_err();
        done
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_failed(|file| file.write_all(bytes))?;
        self.at += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_failed(|file| file.flush())
    }
}

impl Seek for Sink {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let mut at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(by) => self.at.saturating_add_signed(by),
            SeekFrom::End(_) => self.at,
        };
        self.unless_failed(|file| file.seek(to).map(|there| at = there))?;
        self.at = at;
        Ok(at)
    }
}

/// An unfinished file, which gets its name when it is complete.
pub struct Writer {
    // none after a failed write
    zip: Option<Zip>,
    out: Output,
}

impl Writer {
    /// Begins a file in the folder of its final path, which must not be an input.
    pub fn create(path: &Path, inputs: &[&Path]) -> Result<Self, Fault> {
        let out = Output::create(path, Kind::Npz, inputs)?;
        Ok(Self {
            zip: Some(ZipWriter::new(Sink {
                file: BufWriter::new(out.file()?),
                at: 0,
                failed: false,
            })),
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
        let done = match &mut self.zip {
            Some(zip) => run(zip),
            None => Err(failed_before()),
        };
        done.map_err(|e| {
            self.zip = None;
            self.out.fault(&e)
        })
    }

    /// Adds an array.
    pub fn add(&mut self, name: &str, array: &Array) -> Result<(), Fault> {
        let shape: Vec<u64> = array.shape.iter().map(|&n| n as u64).collect();
        self.write(|zip| match &array.nums {
            Nums::Int(x) => write(zip, name, &shape, x.iter().copied().map(Ok)),
            Nums::Real(x) => write(zip, name, &shape, x.iter().copied().map(Ok)),
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
        self.write(|zip| write(zip, name, &shape, values))
    }

    /// Adds a text as an array of bytes.
    pub fn add_text(&mut self, name: &str, text: &str) -> Result<(), Fault> {
        let shape = [text.len() as u64];
        self.write(|zip| write(zip, name, &shape, text.bytes().map(Ok)))
    }

    /// Completes the file and gives it its name.
    pub fn finish(mut self) -> Result<(), Fault> {
        let zip = self.zip.take();
        let end = |zip: Zip| {
            let mut file = zip.finish().map_err(plain)?;
            file.flush()?;
            file.stream_position()
        };
        let bytes = zip.ok_or_else(failed_before).and_then(end);
        let bytes = bytes.map_err(|e| self.out.fault(&e))?;
        self.out.finish(bytes)
    }
}

// the system's own error, without the archive's words before it
fn plain(e: ZipError) -> io::Error {
    match e {
        ZipError::Io(e) => e,
        e => e.into(),
    }
}

fn failed_before() -> io::Error {
    io::Error::other("an earlier write failed")
}

fn write<T: npyz::AutoSerialize>(
    zip: &mut Zip,
    name: &str,
    shape: &[u64],
    mut values: impl Iterator<Item = io::Result<T>>,
) -> io::Result<()> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(shape.iter().product::<u64>() > LARGE);
    zip.start_file(format!("{name}{SUFFIX}"), options)
        .map_err(plain)?;
    let array = npyz::WriteOptions::new().default_dtype().shape(shape);
    let mut writer = array.writer(zip).begin_nd()?;
    values.try_for_each(|x| writer.push(&x?))?;
    writer.finish()
}

/// An open archive.
pub struct Reader {
    path: PathBuf,
    zip: ZipArchive<BufReader<File>>,
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
        let file = File::open(path).map_err(|e| Fault::io(path, e))?;
        let zip = ZipArchive::new(BufReader::new(file)).map_err(|e| match e {
            ZipError::Io(e) => Fault::io(path, e),
            e => Fault::usage(format!("{}: is no npz file: {e}", path.display())),
        })?;
        Ok(Self {
            path: path.to_owned(),
            zip,
        })
    }

    /// Names of the arrays, sorted.
    pub fn names(&self) -> Vec<String> {
        let files = self.zip.file_names().flatten();
        let arrays = files.filter_map(|file| Some(file.strip_suffix(SUFFIX)?.to_owned()));
        let mut names: Vec<String> = arrays.collect();
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
        let entry = match self.zip.by_name(&format!("{name}{SUFFIX}")) {
            Ok(entry) => entry,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(e) => return Err(bad(e.to_string())),
        };
        npy::read(entry, wanted).map(Some).map_err(bad)
    }
}
