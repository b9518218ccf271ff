//! Memory images of worlds, as kernels find them, and as the f64 reference leaves them one step later.

use crate::cli::{Fault, inputs};
use clap::Args;
use manyworlds::batch::{Backend, Overflow, Settings};
use manyworlds::fields::Data;
use manyworlds::gpu::arena::Layout;
use manyworlds::{Batch, Model};
use std::path::{Path, PathBuf};

/// Which worlds to write images of.
#[derive(Args, Debug)]
pub struct Images {
    /// Also write images of worlds in memory, 32-bit words: the model (model.words), worlds that begin at these states (before.words)
    /// and the same a step later, by the f64 reference (after.words)
    #[arg(long, value_name = "FILE.npz", requires = "out")]
    state: Option<PathBuf>,
    /// Number of those worlds
    #[arg(long, default_value_t = 64, requires = "state", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    worlds: u32,
}

impl Images {
    /// The file of states.
    pub fn file(&self) -> Option<&Path> {
        self.state.as_deref()
    }

    /// Names and bytes of the files; none where no states are given.
    pub fn bytes(&self, m: &Model, layout: &Layout) -> Result<Vec<(&'static str, Vec<u8>)>, Fault> {
        let Some(path) = &self.state else {
            return Ok(Vec::new());
        };
        let settings = Settings {
            backend: Backend::Cpu,
            // with more room than in `layout`, arrays would be at other addresses
            overflow: Overflow::Error,
            ..Settings::default()
        };
        let mut batch = Batch::with(m, self.worlds as usize, settings)?;
        inputs::state_file(&mut batch, path)?;
        let before = image(m, layout, &batch.worlds()?);
        batch.step(1)?;
        let after = image(m, layout, &batch.worlds()?);
        let model = [layout.model_image(m), layout.fresh_image(m)].concat();
        let files = [
            ("model.words", model),
            ("before.words", before),
            ("after.words", after),
        ];
        let little = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(files.map(|(name, words)| (name, little(&words))).into())
    }
}

// worlds tile after tile, the last tile padded with zeros
fn image(m: &Model, layout: &Layout, worlds: &[Data]) -> Vec<u32> {
    let (tile, words) = (layout.tile as usize, layout.world_words as usize);
    let mut image = vec![0; worlds.len().next_multiple_of(tile) * words];
    for (w, d) in worlds.iter().enumerate() {
        let first = w / tile * tile * words + w % tile;
        for (e, word) in layout.world_image(m, d).into_iter().enumerate() {
            image[first + e * tile] = word;
        }
    }
    image
}
