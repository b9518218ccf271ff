//! Stages without a kernel: their twins run on the host, on the worlds' arrays, between two kernels.

use rayon::prelude::*;

use crate::error::Result;
use crate::fields::{Data, Model, Room, ViewMut};
use crate::gpu::Gpu;
use crate::gpu::arena::{Slot, unpack, words};
use crate::gpu::transfer::Span;
use crate::stages::{Hosted, Stage};

/// Words of the worlds that are on the host at once.
const MOST: usize = 1 << 24;

impl Gpu {
    /// Runs the twin of a stage over all worlds, and waits for it.
    pub(super) fn host(&self, stage: &Stage, hosted: &Hosted) -> Result<()> {
        let start = Data::new(&self.m);
        let whole = Span {
            offset: 0,
            words: self.layout.world_words,
        };
        let each = whole.words as usize;
        let all: Vec<u32> = (0..self.nworld() as u32).collect();
        for worlds in all.chunks((MOST / each.max(1)).max(1)) {
            let images = self.read_words(Some(worlds), whole)?;
            let run = |image: &[u32]| {
                let mut d = self.unpack(&start, image);
                match self.layout.differs() {
                    true => (stage.twin)(&self.model_of(image), &mut d),
                    false => (stage.twin)(&self.m, &mut d),
                }
                d
            };
            let done: Vec<Data> = images.par_chunks_exact(each).map(run).collect();
            for name in hosted.writes {
                self.take(name, worlds, &done)?;
            }
        }
        Ok(())
    }

    // writes an array of some worlds to the device
    fn take(&self, name: &str, worlds: &[u32], from: &[Data]) -> Result<()> {
        let (field, span) = self.span(name)?;
        let rows = from.iter().filter_map(|d| d.view(field.row));
        let row: Vec<u32> = rows.flat_map(words).collect();
        match span.words {
            0 => Ok(()),
            _ => self.write_words(Some(worlds), span, &row),
        }
    }

    // the model with the values that a world has of its own
    fn model_of(&self, image: &[u32]) -> Model {
        let mut model = self.m.clone();
        let m = model.arrays_mut();
        let own = |slot: &Slot| slot.per_world && slot.words > 0;
        let slots = self.layout.slots().filter(|(_, slot)| own(slot));
        for (field, slot) in slots.filter(|(field, _)| field.room == Room::Model) {
            let from = &image[slot.offset as usize..][..slot.words as usize];
            if let Some(to) = m.view_mut(field.row) {
                unpack(to, from);
            }
        }
        for &(name, offset) in self.layout.options() {
            let mut values = m.opt.get(name).unwrap_or_default();
            unpack(ViewMut::Real(&mut values), &image[offset as usize..]);
            m.opt.set(name, &values);
        }
        model
    }
}
