//! Where each word of each array lies on the device: one arena for the model, one for the worlds.
//!
//! ```text
//! model   | qpos0 | qpos_spring | body_parentid | … | (fresh)  shared by all worlds
//! world   | time | qpos | qvel | … | rk_qpos | …  (varying)    one image for each world, in tiles of TILE worlds
//!
//! tile 0                              tile 1
//! | e0 w0 | e0 w1 | e1 w0 | e1 w1 |…| | e0 w2 | e0 w3 | …      TILE = 2: word e of world t of a tile
//!                                                              lies at tile_base + e·TILE + t
//! ```
//!
//! `TILE = 1` is world-major, as a team of many lanes likes it; a team of one lane wants worlds side by side. Everything is a
//! 32-bit word. Worlds live in chunks, each one buffer that a shader can bind; a chunk is padded to whole tiles, and the
//! padding is simulated like any other world, so that no kernel needs a branch for it.
//!
//! Behind the model lies the image of a world that was reset and has made its forward dynamics: what becomes of one whose
//! acceleration is bad (`check_acc`).
//!
//! What the model's stages never touch has no room. What only one stage touches, on its way, lives on chip where that holds it,
//! in workgroup memory or in the invocation's own; else such arrays of different stages lie in the same place:
//!
//! ```text
//! world   | … | rne_cacc rne_cfrc |        |
//!         | … | solver_U solver_search …   |     two stages, never at the same time
//! ```

use crate::error::{Error, Result};
use crate::fields::{Data, Model};
use crate::fields::{FIELDS, Field, Room, View};
use crate::gpu::dataflow::{Dataflow, touched};
use crate::gpu::own::{added_flow, has_text};
use crate::gpu::run::{ALONE, forward_walk, inverse_walk, step_walk};
use crate::gpu::wgsl::Team;
use crate::model::Opt;
use crate::stages::{Stage, check_acc};
use crate::types::ENBL_INVERSE;

/// Where an array lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// True if every world has its own: the rooms `Data` and `Scratch`, and model fields that vary.
    pub per_world: bool,
    /// True if it is one stage's own and garbage before and after: on its way to what it makes.
    pub transient: bool,
    /// True if it lives on chip for as long as a kernel runs, and has no place in the arena.
    pub chip: bool,
    /// First word, in the model's arena or in the image of a world.
    pub offset: u32,
    /// Number of words; 0 if no stage of the model touches it.
    pub words: u32,
    /// Number of elements.
    pub len: u32,
}

/// Words of one world that may live on chip: seven eighths of the workgroup memory that every device has, as far as what
/// lanes tell each other leaves it; or what an invocation that works alone may call its own.
pub fn chip_words(team: Team) -> u32 {
    // an invocation's words in `device/many_lanes.wgsl`, and the group's own
    let told = 4 * (6 * team.lanes * team.worlds + 1);
    match team.lanes {
        1 => 2048,
        _ => (16 * 1024_u32).saturating_sub(told).min(14 * 1024) / 4 / team.worlds,
    }
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
    /// Those of them that are kept from stage to stage: the image of a fresh world behind the model.
    pub fresh_words: u32,
    // in order of FIELDS
    slots: Vec<Slot>,
    // options that every world has for itself, and where each begins in the image of a world
    options: Vec<(&'static str, u32)>,
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
    /// Lays out a model; `varies` names model fields and options of reals that may differ from world to world, and `chip` words of each world may
    /// live on chip.
    ///
    /// Fails with [`Error::Input`] on a name that is neither, with [`Error::Size`] on an arena that 32-bit
    /// addresses do not reach.
    pub fn new(m: &Model, tile: u32, varies: &[&str], chip: u32) -> Result<Self> {
        for name in varies {
            let is_field = FIELDS
                .iter()
                .any(|f| f.name == *name && f.room == Room::Model);
            if !is_field && Opt::real(name).is_none() {
                return Err(Error::Input(format!(
                    "no field of the model and no option of reals is named {name}"
                )));
            }
        }
        let mut place = Place::new(m, tile, varies);
        place.on_chip(chip);
        let model_words = place.fields(0, |f, per_world| f.room == Room::Model && !per_world);
        let data = place.fields(0, |f, _| f.room == Room::Data);
        let kept = place.fields(data, |f, _| f.room == Room::Scratch);
        let state_words = place.transient(kept);
        let mut world_words = place.fields(state_words, |f, per_world| {
            f.room == Room::Model && per_world
        });
        let mut options = Vec::new();
        for name in varies.iter().filter_map(|name| Opt::real(name)) {
            options.push((name, world_words as u32));
            world_words += m.opt.get(name).map_or(0, |values| values.len() as u64);
        }
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
            world_words: world_words.next_multiple_of(place.sector) as u32,
            state_words: state_words as u32,
            fresh_words: kept as u32,
            slots: place.slots,
            options,
        })
    }

    /// Where an array lies, by its row in [`FIELDS`].
    pub fn slot(&self, field: &Field) -> Slot {
        let row = FIELDS.iter().position(|f| f.name == field.name);
        self.slots[row.expect("a field is a row of the table")]
    }

    /// Options that every world has for itself, and where each begins in the image of a world.
    pub(crate) fn options(&self) -> &[(&'static str, u32)] {
        &self.options
    }

    /// True if worlds have something of the model for themselves.
    pub(crate) fn differs(&self) -> bool {
        let mut own = self.slots().filter(|(_, slot)| slot.per_world);
        own.any(|(field, _)| field.room == Room::Model) || !self.options.is_empty()
    }

    /// Every array and where it lies, in order of the table.
    pub fn slots(&self) -> impl Iterator<Item = (&'static Field, Slot)> + '_ {
        FIELDS.iter().zip(self.slots.iter().copied())
    }

    /// Worlds that one chunk can hold: whole tiles, within the limits on bindings, buffers and dispatches.
    /// `group_worlds` is the number of worlds of a workgroup.
    pub(crate) fn chunk_worlds(&self, limits: &wgpu::Limits, group_worlds: u32) -> u64 {
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
            model: self.model_arena_words() * 4,
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

    /// Words of the model's arena and of the fresh world behind it.
    pub fn model_arena_words(&self) -> u64 {
        (u64::from(self.model_words) + u64::from(self.fresh_words)).max(4)
    }

    /// The words of a world that was reset because its acceleration was bad, and has made its forward dynamics: what the twin of
    /// `check_acc` leaves.
    pub fn fresh_image(&self, m: &Model) -> Vec<u32> {
        let mut d = Data::new(m);
        d.qacc.fill(f64::NAN);
        (check_acc.twin)(m, &mut d);
        let mut image = self.world_image(m, &d);
        image.truncate(self.fresh_words as usize);
        image
    }

    /// The words of the model's arena.
    pub fn model_image(&self, m: &Model) -> Vec<u32> {
        let mut image = vec![0; self.model_words as usize];
        for (field, slot) in self.slots().filter(|(_, slot)| !slot.per_world) {
            put(&mut image, slot, m.view(field.row));
        }
        image
    }

    /// The words of one world: its state, and the model's values of what varies.
    pub fn world_image(&self, m: &Model, d: &Data) -> Vec<u32> {
        let mut image = vec![0; self.world_words as usize];
        let kept = |slot: &Slot| slot.per_world && !slot.transient;
        for (field, slot) in self.slots().filter(|(_, slot)| kept(slot)) {
            match field.room {
                Room::Model => put(&mut image, slot, m.view(field.row)),
                Room::Data | Room::Scratch => put(&mut image, slot, d.view(field.row)),
            }
        }
        for (name, at) in &self.options {
            let values = m.opt.get(name).unwrap_or_default();
            let words = image[*at as usize..].iter_mut().zip(values);
            words.for_each(|(to, x)| *to = (x as f32).to_bits());
        }
        image
    }
}

// finds a place for every array
struct Place<'a> {
    m: &'a Model,
    // words of a sector of memory that one world has
    sector: u64,
    slots: Vec<Slot>,
    placed: Vec<bool>,
    // who touches an array on its way, by their place in the walk
    owner: Vec<Option<usize>>,
    // whose arrays are on chip together with an array: its owner's, if that is a kernel of its own
    kernel: Vec<Option<usize>>,
}

// arrays of MuJoCo's that are a stage's own all the same
const INNER: &[&str] = &["qH", "qHDiagInv"];

// stages that come again and find what they left
const AGAIN: &[&str] = &["rk4", "compare_fwd_inv"];

// a factor is read and written once for each of its entries and columns; the first of these comes first
const BUSY: &[&str] = &["solver_tile", "solver_rows"];

// arrays from this many words on begin at whole sectors
const LARGE: u64 = 32;

impl<'a> Place<'a> {
    fn new(m: &'a Model, tile: u32, varies: &[&str]) -> Self {
        let mut walk = step_walk(m);
        walk.extend(forward_walk(m));
        if m.opt.enabled(ENBL_INVERSE) {
            walk.extend(inverse_walk(m));
        }
        // texts of one's own touch more
        let more = |stage: &&Stage| {
            let Dataflow { mut reads, writes } = match has_text(m, stage) {
                true => added_flow(m, stage),
                false => Dataflow::default(),
            };
            reads.extend(writes);
            reads
        };
        let more: Vec<Vec<&str>> = walk.iter().map(more).collect();
        let mut place = Self {
            m,
            sector: u64::from(8 / tile.clamp(1, 8)),
            slots: Vec::new(),
            placed: vec![false; FIELDS.len()],
            owner: Vec::new(),
            kernel: Vec::new(),
        };
        for field in FIELDS {
            // the stages that touch it; what the turns of one stage hand on to each other is kept
            let mut by: Vec<usize> = (0..walk.len())
                .filter(|&k| {
                    touched(walk[k]).contains(&field.name) || more[k].contains(&field.name)
                })
                .filter_map(|k| walk.iter().position(|stage| stage.name == walk[k].name))
                .collect();
            by.sort_unstable();
            by.dedup();
            let varies = varies.contains(&field.name);
            let room = !by.is_empty() || varies;
            let owner = match by[..] {
                [k] if INNER.contains(&field.name) => Some(k),
                [k] if field.room == Room::Scratch && !AGAIN.contains(&walk[k].name) => Some(k),
                _ => None,
            };
            place.owner.push(owner);
            place
                .kernel
                .push(owner.filter(|&k| ALONE.contains(&walk[k].name)));
            place.slots.push(Slot {
                per_world: field.room != Room::Model || varies,
                transient: owner.is_some(),
                chip: false,
                offset: 0,
                words: if room { field.words(m) as u32 } else { 0 },
                len: if room { field.len(m) as u32 } else { 0 },
            });
        }
        place
    }

    // every kernel has all the room; stages that may share one share it
    fn on_chip(&mut self, words: u32) {
        let mut kernels = self.kernel.clone();
        kernels.sort_unstable();
        kernels.dedup();
        for kernel in kernels {
            self.on_chip_of(kernel, words);
        }
    }

    // what is touched most first, then small arrays: more of them find room
    fn on_chip_of(&mut self, kernel: Option<usize>, words: u32) {
        let mut rows: Vec<usize> = (0..FIELDS.len())
            .filter(|&k| self.slots[k].transient && self.kernel[k] == kernel)
            .collect();
        let busy = |k: usize| BUSY.iter().position(|name| *name == FIELDS[k].name);
        rows.sort_by_key(|&k| (busy(k).unwrap_or(BUSY.len()), self.slots[k].words));
        let mut left = words;
        for k in rows {
            let slot = &mut self.slots[k];
            if slot.words <= left {
                left -= slot.words;
                (slot.chip, self.placed[k]) = (true, true);
            }
        }
    }

    // places what is picked and not yet placed from a word on; the end
    fn fields(&mut self, first: u64, pick: impl Fn(&Field, bool) -> bool) -> u64 {
        let mut end = first;
        for (k, field) in FIELDS.iter().enumerate() {
            let slot = &self.slots[k];
            if !self.placed[k] && !slot.transient && pick(field, slot.per_world) {
                end = self.put(k, end);
            }
        }
        end
    }

    fn put(&mut self, k: usize, end: u64) -> u64 {
        let words = FIELDS[k].words(self.m) as u64;
        let words = if self.slots[k].words == 0 { 0 } else { words };
        let at = match words >= LARGE {
            true => end.next_multiple_of(self.sector),
            false => end,
        };
        self.slots[k].offset = at as u32;
        self.placed[k] = true;
        at + words
    }

    // what stages need on their way lies in the same place for all of them
    fn transient(&mut self, first: u64) -> u64 {
        let mut owners: Vec<usize> = self.owner.iter().copied().flatten().collect();
        owners.sort_unstable();
        owners.dedup();
        let mut most = first;
        for owner in owners {
            let mut end = first;
            for k in 0..FIELDS.len() {
                if self.owner[k] == Some(owner) && !self.placed[k] {
                    end = self.put(k, end);
                }
            }
            most = most.max(end);
        }
        most
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
