//! Where each word of each array lies on the device: one arena for the model, one for the worlds.
//!
//! ```text
//! model   | qpos0 | qpos_spring | body_parentid | …            shared by all worlds
//! world   | time | qpos | qvel | … | solver_H | …  (varying)   one image for each world, in tiles of TILE worlds
//!
//! tile 0                              tile 1
//! | e0 w0 | e0 w1 | e1 w0 | e1 w1 |…| | e0 w2 | e0 w3 | …      TILE = 2: word e of world t of a tile
//!                                                              lies at tile_base + e·TILE + t
//! ```
//!
//! `TILE = 1` is world-major, as a team of many lanes likes it; a team of one lane wants worlds side by side. Everything is a
//! 32-bit word. Worlds live in chunks, each one buffer that a shader can bind; a chunk is padded to whole tiles, and the
//! padding is simulated like any other world, so that no kernel needs a branch for it.

use crate::error::{Error, Result};
use crate::fields::{Data, Model};
use crate::fields::{FIELDS, Field, Room, View};

/// Where an array lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// True if every world has its own: the rooms `Data` and `Scratch`, and model fields that vary.
    pub per_world: bool,
    /// First word, in the model's arena or in the image of a world.
    pub offset: u32,
    /// Number of words.
    pub words: u32,
    /// Number of elements.
    pub len: u32,
}

/// Offsets of every array, for one model and one tile size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Worlds whose words are interleaved.
    pub tile: u32,
    /// Words of the model's arena.
    pub model_words: u32,
    /// Words of one world's image.
    pub world_words: u32,
    /// Words of the image that belong to the rooms `Data` and `Scratch`: what a reset rewrites.
    pub state_words: u32,
    // in order of FIELDS
    slots: Vec<Slot>,
}

/// What a number of worlds takes on the device (bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The model's arena, once.
    pub model: u64,
    /// One world.
    pub world: u64,
    /// All worlds, the padding included.
    pub worlds: u64,
    /// Room for moving arrays to and from the host.
    pub staging: u64,
}

impl Memory {
    /// Everything together (bytes).
    pub fn total(&self) -> u64 {
        self.model + self.worlds + self.staging
    }
}

impl Layout {
    /// Lays out a model; `varies` names model fields that may differ from world to world.
    ///
    /// Fails with [`Error::Input`] on a name that is no field of the model, with [`Error::Size`] on an arena that 32-bit
    /// addresses do not reach.
    pub fn new(m: &Model, tile: u32, varies: &[&str]) -> Result<Self> {
        for name in varies {
            if !FIELDS
                .iter()
                .any(|f| f.name == *name && f.room == Room::Model)
            {
                return Err(Error::Input(format!(
                    "no field of the model is named {name}"
                )));
            }
        }
        let per_world = |f: &Field| f.room != Room::Model || varies.contains(&f.name);
        // fields begin at whole sectors of memory (8 words), whatever the tile
        let align = u64::from(8 / tile.clamp(1, 8));
        let mut slots = vec![None; FIELDS.len()];
        let mut place = |pick: &dyn Fn(&Field) -> bool, end: &mut u64| {
            for (slot, field) in slots.iter_mut().zip(FIELDS) {
                if pick(field) {
                    *end = end.next_multiple_of(align);
                    *slot = Some((
                        per_world(field),
                        *end,
                        field.words(m) as u64,
                        field.len(m) as u64,
                    ));
                    *end += field.words(m) as u64;
                }
            }
        };
        let (mut model_words, mut world_words) = (0, 0);
        place(&|f| !per_world(f), &mut model_words);
        place(&|f| f.room == Room::Data, &mut world_words);
        place(&|f| f.room == Room::Scratch, &mut world_words);
        let state_words = world_words;
        place(&|f| f.room == Room::Model && per_world(f), &mut world_words);
        for (what, need) in [
            ("words of the model", model_words),
            ("words of a world", world_words),
        ] {
            let have = i32::MAX as u64;
            if need > have {
                return Err(Error::Size {
                    what: what.to_owned(),
                    need,
                    have,
                });
            }
        }
        Ok(Self {
            tile,
            model_words: model_words as u32,
            world_words: world_words.next_multiple_of(align) as u32,
            state_words: state_words as u32,
            slots: slots
                .into_iter()
                .flatten()
                .map(|(per_world, offset, words, len)| Slot {
                    per_world,
                    offset: offset as u32,
                    words: words as u32,
                    len: len as u32,
                })
                .collect(),
        })
    }

    /// Where an array lies, by its row in [`FIELDS`].
    pub fn slot(&self, field: &Field) -> Slot {
        let row = FIELDS.iter().position(|f| f.name == field.name);
        self.slots[row.expect("a field is a row of the table")]
    }

    /// Every array and where it lies, in order of the table.
    pub fn slots(&self) -> impl Iterator<Item = (&'static Field, Slot)> + '_ {
        FIELDS.iter().zip(self.slots.iter().copied())
    }

    /// Worlds that one chunk can hold: whole tiles, within the limits on bindings, buffers and dispatches.
    /// `group_worlds` is the number of worlds of a workgroup.
    pub fn chunk_worlds(&self, limits: &wgpu::Limits, group_worlds: u32) -> u64 {
        let bytes = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        // addresses are 32-bit words
        let words = (bytes / 4).min(u64::from(u32::MAX));
        let groups =
            u64::from(limits.max_compute_workgroups_per_dimension) * u64::from(group_worlds);
        let worlds = (words / u64::from(self.world_words.max(1))).min(groups);
        worlds / u64::from(self.tile) * u64::from(self.tile)
    }

    /// What `nworld` worlds take, in chunks of at most `chunk` worlds.
    pub fn memory(&self, nworld: u64, staging_words: u64) -> Memory {
        let world = u64::from(self.world_words) * 4;
        Memory {
            model: u64::from(self.model_words.max(4)) * 4,
            world,
            worlds: nworld.next_multiple_of(u64::from(self.tile)) * world,
            staging: staging_words * 4,
        }
    }

    /// The largest number of worlds that fits a number of bytes.
    pub fn worlds_within(&self, bytes: u64, staging_words: u64) -> u64 {
        let fixed = self.memory(0, staging_words).total();
        let worlds = bytes.saturating_sub(fixed) / (u64::from(self.world_words) * 4).max(1);
        worlds / u64::from(self.tile) * u64::from(self.tile)
    }

    /// The words of the model's arena.
    pub fn model_image(&self, m: &Model) -> Vec<u32> {
        let mut image = vec![0; self.model_words as usize];
        for (field, slot) in self.slots().filter(|(_, slot)| !slot.per_world) {
            put(&mut image, slot, m.field(field.name));
        }
        image
    }

    /// The words of one world: its state, and the model's values of what varies.
    pub fn world_image(&self, m: &Model, d: &Data) -> Vec<u32> {
        let mut image = vec![0; self.world_words as usize];
        for (field, slot) in self.slots().filter(|(_, slot)| slot.per_world) {
            match field.room {
                Room::Model => put(&mut image, slot, m.field(field.name)),
                Room::Data | Room::Scratch => put(&mut image, slot, d.field(field.name)),
            }
        }
        image
    }
}

fn put(image: &mut [u32], slot: Slot, view: Option<View<'_>>) {
    let to = &mut image[slot.offset as usize..(slot.offset + slot.words) as usize];
    if let Some(view) = view {
        for (to, word) in to.iter_mut().zip(words(view)) {
            *to = word;
        }
    }
}

/// The 32-bit words of an array: integers as they are, reals as `f32`.
pub fn words(view: View<'_>) -> Vec<u32> {
    match view {
        View::Int(x) => x.iter().map(|&x| x as u32).collect(),
        View::Real(x) => x.iter().map(|&x| (x as f32).to_bits()).collect(),
    }
}
