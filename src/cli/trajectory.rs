//! The kept frames of a rollout: written to disk one by one, and made into one file at the end, also after an error.
//!
//! Arrays of contacts and constraint rows grow with their room. So each frame is kept with its own row length, and all frames get
//! the largest length at the end. Disk space for the final file is reserved with each frame: a full disk stops the rollout, and
//! the frames kept until then still become a file.

use super::output::Output;
use super::{Fault, array, npz};
use manyworlds::Batch;
use manyworlds::fields::{Field, View, field};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::iter::repeat_n;
use std::path::Path;

/// Largest number of numbers of a track that wait in memory before they are written.
const WAIT: usize = 1 << 13;

/// One kept array.
struct Track {
    field: &'static Field,
    // shapes of a world's row, each with the number of consecutive frames that have it
    rows: Vec<(usize, Vec<usize>)>,
    file: File,
    // count of numbers in the file, and the numbers that are not yet in it
    written: u64,
    tail: Vec<f64>,
}

/// An unfinished trajectory.
pub struct Trajectory {
    file: npz::Writer,
    nworld: usize,
    nframe: usize,
    tracks: Vec<Track>,
}

impl Trajectory {
    /// Begins a trajectory with the named arrays of a world; the file must not be an input.
    pub fn create(
        path: &Path,
        batch: &mut Batch,
        names: &[String],
        inputs: &[&Path],
    ) -> Result<Self, Fault> {
        let mut fields: Vec<&Field> = Vec::new();
        for name in names {
            // the error suggests the nearest name
            let known = batch.read(name).map(drop);
            known.map_err(|e| Fault::usage(format!("--keep {name}: {e}")))?;
            let found = field(name).filter(|f| !fields.iter().any(|old| old.name == f.name));
            fields.extend(found);
        }
        let file = npz::Writer::create(path, inputs)?;
        let track = |field| {
            Ok(Track {
                field,
                rows: Vec::new(),
                file: file.output().scratch()?,
                written: 0,
                tail: Vec::new(),
            })
        };
        Ok(Self {
            tracks: fields
                .into_iter()
                .map(track)
                .collect::<Result<_, Fault>>()?,
            file,
            nworld: batch.nworld(),
            nframe: 0,
        })
    }

    /// The output file.
    pub fn output(&self) -> &Output {
        self.file.output()
    }

    /// Number of frames so far.
    pub fn nframe(&self) -> usize {
        self.nframe
    }

    /// Adds a frame with the worlds' present arrays. If that fails, earlier frames are not lost.
    pub fn frame(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        let m = batch.model();
        let shapes: Vec<_> = self.tracks.iter().map(|t| row(m, t.field)).collect();
        let words: usize = shapes.iter().map(|row| row.iter().product::<usize>()).sum();
        let numbers = (self.nframe + 1) as u64 * self.nworld as u64 * words as u64;
        self.file.reserve(self.tracks.len() + 1, numbers)?;
        let mut failed = None;
        for (track, row) in self.tracks.iter_mut().zip(shapes) {
            match track.rows.last_mut() {
                Some((frames, old)) if *old == row => *frames += 1,
                _ => track.rows.push((1, row)),
            }
            let done = match batch.read(track.field.name)? {
                View::Real(x) => track.put(x),
                View::Int(x) => track.put(&x.iter().map(|&x| f64::from(x)).collect::<Vec<_>>()),
            };
            failed = failed.or(done.err());
        }
        // numbers that could not be written stay in memory
        self.nframe += 1;
        match failed {
            None => Ok(()),
            Some(e) => Err(self.output().fault(&e)),
        }
    }

    /// Writes the file with all complete frames and the text `meta`.
    pub fn finish(mut self, meta: &str) -> Result<(), Fault> {
        self.file.add_text("meta", meta)?;
        for track in self.tracks {
            // room only grows: the last shape is the largest
            let last = track.rows.last().map(|(_, row)| row.clone());
            let row = last.unwrap_or_default();
            let shape = [&[self.nframe, self.nworld], row.as_slice()].concat();
            let name = track.field.name;
            let values = track.values(self.nframe, self.nworld, &row);
            let values = values.map_err(|e| self.file.output().fault(&e))?;
            self.file.add_from(name, &shape, values)?;
        }
        self.file.finish()
    }
}

impl Track {
    // numbers are in the file or in the tail
    fn put(&mut self, x: &[f64]) -> io::Result<()> {
        if self.tail.len() + x.len() <= WAIT {
            self.tail.extend_from_slice(x);
            return Ok(());
        }
        let done = self.write_tail().and_then(|()| self.write(x));
        if done.is_err() {
            self.tail.extend_from_slice(x);
        }
        done
    }

    fn write_tail(&mut self) -> io::Result<()> {
        let mut tail = std::mem::take(&mut self.tail);
        let done = self.write(&tail);
        if done.is_ok() {
            tail.clear();
        }
        self.tail = tail;
        done
    }

    // if it fails, `written` stays unchanged, so that the numbers count as not written
    fn write(&mut self, x: &[f64]) -> io::Result<()> {
        self.file.write_all(bytemuck::cast_slice(x))?;
        self.written += x.len() as u64;
        Ok(())
    }

    // every number of complete frames, each row padded with zeros
    fn values(
        self,
        nframe: usize,
        nworld: usize,
        row: &[usize],
    ) -> io::Result<impl Iterator<Item = io::Result<f64>>> {
        let mut file = self.file;
        file.rewind()?;
        let written = BufReader::with_capacity(1 << 16, file).take(8 * self.written);
        let tail = self.tail.into_iter().flat_map(f64::to_ne_bytes);
        let mut from = written.chain(io::Cursor::new(tail.collect::<Vec<u8>>()));
        let full: usize = row.iter().product();
        let rows = self.rows.into_iter();
        let rows = rows.flat_map(move |(frames, row)| {
            repeat_n(row.iter().product::<usize>(), frames * nworld)
        });
        let places = rows.flat_map(move |own| (0..full).map(move |k| k < own));
        let places = places.take(nframe * nworld * full);
        Ok(places.map(move |there| {
            let mut bytes = [0; 8];
            if there {
                from.read_exact(&mut bytes)?;
            }
            Ok(f64::from_ne_bytes(bytes))
        }))
    }
}

// shape of a world's row; a time is one number and has no axis of its own
fn row(m: &manyworlds::Model, field: &Field) -> Vec<usize> {
    match field.name {
        "time" => Vec::new(),
        _ => array::shape(m, field),
    }
}
