//! Device memory layout: the place of each word of each array, in one arena for the model and one for the worlds.
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
//! `TILE = 1` is world-major, which suits a team of many lanes; a team of one lane needs worlds side by side. Everything is a
//! 32-bit word. Worlds live in chunks, each one buffer that a shader can bind; a chunk is padded to whole tiles, and the
//! padding is simulated like any other world, so that no kernel needs a branch for it.
//!
//! Behind the model lies the image of a reset world after forward dynamics: it replaces a world whose
//! acceleration is bad (`check_acc`).
//!
//! An array that no stage of the model touches has no memory. An array that only one stage touches, as scratch, is on chip if it fits,
//! in workgroup memory or in private memory of the invocation; else such arrays of different stages share the same words:
//!
//! ```text
//! world   | … | rne_cacc rne_cfrc |        |
//!         | … | solver_U solver_search …   |     two stages that never run at the same time
//! ```

use crate::error::{Error, Result};
use crate::fields::{Data, Model};
use crate::fields::{FIELDS, Field, Room, View, ViewMut};
use crate::gpu::dataflow::{Dataflow, touched};
use crate::gpu::own::{added_flow, has_text};
use crate::gpu::run::{ALONE, forward_walk, inverse_walk, step_walk};
use crate::gpu::wgsl::Team;
use crate::model::Opt;
use crate::stages::{Stage, check_acc};
use crate::types::ENBL_INVERSE;

/// The place of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// True if every world has its own copy: the rooms `Data` and `Scratch`, and model fields that vary.
    pub per_world: bool,
    /// True if it is scratch of one stage: garbage before and after the stage.
    pub transient: bool,
    /// True if it is on chip while a kernel runs, and has no place in the arena.
    pub chip: bool,
    /// First word, in the model's arena or in the image of a world.
    pub offset: u32,
    /// Number of words; 0 if no stage of the model touches it.
    pub words: u32,
    /// Number of elements.
    pub len: u32,
}

/// Words of one world that may be on chip. With several lanes: seven eighths of the workgroup memory that every device has, less the
/// words that lanes exchange. With one lane: the private memory that an invocation may use.
pub fn chip_words(team: Team) -> u32 {
    // bytes that lanes exchange: an invocation's words in `device/many_lanes.wgsl`, and the group's own
    let told = 4 * (6 * team.lanes * team.worlds + 1);
    match team.lanes {
        1 => 2048,
        _ => (16 * 1024_u32).saturating_sub(told).min(14 * 1024) / 4 / team.worlds,
    }
}

/// The place of every array, for one model and one tile size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Worlds whose words are interleaved.
    pub tile: u32,
    /// Words of the model's arena.
    pub model_words: u32,
    /// Words of one world's image.
    pub world_words: u32,
    /// Words of the image that belong to the rooms `Data` and `Scratch`, which a reset rewrites.
    pub state_words: u32,
    /// Words of `state_words` that are kept between stages: the image of a fresh world behind the model.
    pub fresh_words: u32,
    // in order of FIELDS
    slots: Vec<Slot>,
    // options stored per world, and the first word of each in the image of a world
    options: Vec<(&'static str, u32)>,
}

/// Device memory of a number of worlds (bytes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The model's arena, once.
    pub model: u64,
    /// One world.
    pub world: u64,
    /// All worlds, padding included.
    pub worlds: u64,
    /// Staging buffers for arrays to and from the host.
    pub staging: u64,
}

impl Memory {
    /// Sum of all parts (bytes).
    pub fn total(&self) -> u64 {
        self.model + self.worlds + self.staging
    }
}

impl Layout {
    /// Lays out a model. `varies` names model fields and options of reals that may differ from world to world. Up to `chip` words of each world may
    /// be on chip.
    ///
    /// Fails with [`Error::Input`] on a name that is neither, with [`Error::Size`] on an arena beyond 32-bit
    /// addresses.
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

    /// The place of an array, by its row in [`FIELDS`].
    pub fn slot(&self, field: &Field) -> Slot {
        let row = FIELDS.iter().position(|f| f.name == field.name);
        self.slots[row.expect("a field is a row of the table")]
    }

    /// Options stored per world, and the first word of each in the image of a world.
    pub(crate) fn options(&self) -> &[(&'static str, u32)] {
        &self.options
    }

    /// True if any field or option of the model is stored per world.
    pub(crate) fn differs(&self) -> bool {
        let mut own = self.slots().filter(|(_, slot)| slot.per_world);
        own.any(|(field, _)| field.room == Room::Model) || !self.options.is_empty()
    }

    /// Every array and its place, in order of the table.
    pub fn slots(&self) -> impl Iterator<Item = (&'static Field, Slot)> + '_ {
        FIELDS.iter().zip(self.slots.iter().copied())
    }

    /// Number of worlds that fit in one chunk: whole tiles, within the limits on bindings, buffers and dispatches.
    /// `group_worlds` is the number of worlds per workgroup.
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

    /// Memory of `nworld` worlds.
    pub fn memory(&self, nworld: u64, staging_words: u64) -> Memory {
        let world = u64::from(self.world_words) * 4;
        Memory {
            model: self.model_arena_words() * 4,
            world,
            worlds: nworld.next_multiple_of(u64::from(self.tile)) * world,
            staging: staging_words * 4,
        }
    }

    /// The largest number of worlds that fits in `bytes`.
    pub fn worlds_within(&self, bytes: u64, staging_words: u64) -> u64 {
        let fixed = self.memory(0, staging_words).total();
        let worlds = bytes.saturating_sub(fixed) / (u64::from(self.world_words) * 4).max(1);
        worlds / u64::from(self.tile) * u64::from(self.tile)
    }

    /// Words of the model's arena and of the fresh world behind it.
    pub fn model_arena_words(&self) -> u64 {
        (u64::from(self.model_words) + u64::from(self.fresh_words)).max(4)
    }

    /// The words of a world that was reset because its acceleration was bad, after forward dynamics: the result of the twin of
    /// `check_acc`.
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

    /// The words of one world: its state, and the model's values of the fields that vary.
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

// assigns a place to every array
struct Place<'a> {
    m: &'a Model,
    // words per world in a sector of memory
    sector: u64,
    slots: Vec<Slot>,
    placed: Vec<bool>,
    // for each array that one stage uses as scratch, the index of that stage in the walk
    owner: Vec<Option<usize>>,
    // the on-chip group of an array: its owner, if that stage is a kernel of its own, else none
    kernel: Vec<Option<usize>>,
}

// arrays of MuJoCo that are scratch of one stage
const INNER: &[&str] = &["qH", "qHDiagInv"];

// stages that run several times and read the values of their previous run
const AGAIN: &[&str] = &["rk4", "compare_fwd_inv"];

// most accessed arrays, most first: a factor is read and written once for each of its entries and columns
const BUSY: &[&str] = &["solver_tile", "solver_rows"];

// arrays of at least this many words begin at whole sectors
const LARGE: u64 = 32;

impl<'a> Place<'a> {
    fn new(m: &'a Model, tile: u32, varies: &[&str]) -> Self {
        let mut walk = step_walk(m);
        walk.extend(forward_walk(m));
        if m.opt.enabled(ENBL_INVERSE) {
            walk.extend(inverse_walk(m));
        }
        // arrays that user texts touch too
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
            // the stages that touch the field, each stage once; scratch that later runs of a stage read (`AGAIN`) is kept
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

    // every on-chip group gets all the words; stages that may share a kernel share one group
    fn on_chip(&mut self, words: u32) {
        let mut kernels = self.kernel.clone();
        kernels.sort_unstable();
        kernels.dedup();
        for kernel in kernels {
            self.on_chip_of(kernel, words);
        }
    }

    // most accessed arrays first, then small ones, so that more arrays fit
    fn on_chip_of(&mut self, kernel: Option<usize>, words: u32) {
        let mut rows: Vec<usize> = (0..FIELDS.len())
            .filter(|&k| self.slots[k].transient && self.kernel[k] == kernel)
            .collect();
        let busy = |k: usize| BUSY.iter().position(|name| *name == FIELDS[k].name);
        rows.sort_by_key(|&k| (busy(k).unwrap_or(BUSY.len()), self.slots[k].words));
        let mut left = words;
        for k in rows {
            let slot = &mut self.slots[k];
            // an array that the model lacks is not declared
            if slot.words > 0 && slot.words <= left {
                left -= slot.words;
                (slot.chip, self.placed[k]) = (true, true);
            }
        }
    }

    // places the picked arrays that have no place yet, from word `first` on; returns the end
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

    // places scratch arrays: those of different stages share the same words; returns the end
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

/// The 32-bit words of an array: integers unchanged, reals as `f32`.
pub fn words(view: View<'_>) -> Vec<u32> {
    match view {
        View::Int(x) => x.iter().map(|&x| x as u32).collect(),
        View::Real(x) => x.iter().map(|&x| (x as f32).to_bits()).collect(),
    }
}

/// Puts the numbers that the words of an array hold into it.
pub(super) fn unpack(to: ViewMut<'_>, from: &[u32]) {
    match to {
        ViewMut::Int(to) => to.iter_mut().zip(from).for_each(|(to, &x)| *to = x as i32),
        ViewMut::Real(to) => to
            .iter_mut()
            .zip(from)
            .for_each(|(to, &x)| *to = f64::from(f32::from_bits(x))),
    }
}
