//! What a rollout keeps: frames go to disk as they come, and become one file at the end, however that is.

use super::{Fault, npz};
use manyworlds::Batch;
use manyworlds::fields::{View, field};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// One array that is kept.
struct Track {
    name: String,
    row: Vec<usize>,
    part: PathBuf,
    file: BufWriter<File>,
}

/// A trajectory in the making.
pub struct Trajectory {
    path: PathBuf,
    nworld: usize,
    nframe: usize,
    tracks: Vec<Track>,
}

impl Trajectory {
    /// Begins one with the given arrays of a world.
    pub fn create(path: &Path, batch: &Batch, names: &[String]) -> Result<Self, Fault> {
        let m = batch.model();
        let mut tracks: Vec<Track> = Vec::new();
        for name in names {
            if tracks.iter().any(|track| track.name == *name) {
                continue;
            }
            let field = field(name).filter(|field| m.field(field.name).is_none());
            let field = field.ok_or_else(|| {
                Fault::usage(format!("--keep {name}: no array of a world has that name"))
            })?;
            let part = npz::part(path, name);
            let file = File::create(&part).map_err(|e| Fault::io(&part, e))?;
            // a time is one number: no axis of its own
            let row = match name.as_str() {
                "time" => Vec::new(),
                _ => super::array::shape(m, field),
            };
            tracks.push(Track {
                name: name.clone(),
                row,
                part,
                file: BufWriter::new(file),
            });
        }
        Ok(Self {
            path: path.to_owned(),
            nworld: batch.nworld(),
            nframe: 0,
            tracks,
        })
    }

    /// Number of frames so far.
    pub fn nframe(&self) -> usize {
        self.nframe
    }

    /// Keeps the worlds as they are.
    pub fn frame(&mut self, batch: &mut Batch) -> Result<(), Fault> {
        for track in &mut self.tracks {
            let file = &mut track.file;
            let mut put = |x: f64| file.write_all(&x.to_le_bytes());
            let done = match batch.read(&track.name)? {
                View::Real(x) => x.iter().try_for_each(|&x| put(x)),
                View::Int(x) => x.iter().try_for_each(|&x| put(f64::from(x))),
            };
            done.map_err(|e| Fault::io(&track.part, e))?;
        }
        self.nframe += 1;
        Ok(())
    }

    /// Makes the file of all whole frames and the text `meta`.
    pub fn finish(mut self, meta: &str) -> Result<(), Fault> {
        let mut out = npz::Writer::create(&self.path)?;
        out.add_text("meta", meta)?;
        for track in &mut self.tracks {
            track.file.flush().map_err(|e| Fault::io(&track.part, e))?;
            let file = File::open(&track.part).map_err(|e| Fault::io(&track.part, e))?;
            let shape = [&[self.nframe, self.nworld], track.row.as_slice()].concat();
            out.add_from(&track.name, &shape, file)?;
        }
        out.finish()?;
        // only now are the parts of no more use
        for track in &self.tracks {
            let _ = std::fs::remove_file(&track.part);
        }
        Ok(())
    }
}
