//! Other numbers in a model: what follows from those that changed, and from no others, is derived again, in place.
//!
//! ```text
//! rows that changed ─written─▶ checked ─▶ each part of PARTS that reads one of them ─▶ rows that came out otherwise, for the parts behind
//!        └── Kept: what was there before, put back where something is refused
//! ```

use super::edit::sizes_of_data;
use super::{bounds, check, layout, needs, pair, plastic, setconst};
use crate::error::{Error, Result};
use crate::fields::{Arrays, Data, FIELDS, Field, Model, Room, Row, View, ViewMut};
use crate::model::Opt;
use crate::rowset::RowSet;

/// Sizes that only count what is not zero, and of which fields: a stage is left out where there is none, and no array hangs on them.
pub(crate) const COUNTS: &[(&str, &[&str])] = &[
    ("ngravcomp", &["body_gravcomp"]),
    ("nsurfacevel", &["geom_surfacevel"]),
    ("nadhesion", &["geom_adhesion", "pair_adhesion"]),
];

/// What changed in a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    /// Arrays.
    pub rows: RowSet,
    /// Options that are reals, some of them.
    pub options: bool,
}

impl Changed {
    /// True if it is nothing.
    pub fn is_nothing(&self) -> bool {
        self.rows.is_empty() && !self.options
    }
}

/// One thing that follows from numbers.
struct Part {
    // the arrays that it reads, if they may change
    reads: RowSet,
    // whether it reads options
    options: bool,
    // the arrays that it may change
    writes: &'static [Row],
    derive: fn(&mut Model, &mut Option<Data>),
}

/// All of them, each behind those that it hangs on.
static PARTS: [Part; 12] = [
    Part {
        reads: RowSet::of(&[
            Row::body_ipos,
            Row::body_iquat,
            Row::geom_pos,
            Row::geom_quat,
            Row::site_pos,
            Row::site_quat,
        ]),
        options: false,
        writes: &[
            Row::body_sameframe,
            Row::geom_sameframe,
            Row::site_sameframe,
        ],
        derive: |m, _| bounds::frames(m.arrays_mut()),
    },
    Part {
        reads: RowSet::of(&[Row::geom_size, Row::hfield_size, Row::geom_fluid]),
        options: false,
        writes: &[
            Row::geom_size,
            Row::geom_rbound,
            Row::geom_aabb,
            Row::geom_fluid,
        ],
        derive: |m, _| bounds::shapes(m.arrays_mut()),
    },
    Part {
        reads: RowSet::of(&[Row::geom_margin, Row::geom_gap]),
        options: false,
        writes: &[Row::body_margin],
        derive: |m, _| bounds::bodies(m.arrays_mut()),
    },
    Part {
        reads: RowSet::of(&[Row::body_mass]),
        options: false,
        writes: &[Row::body_subtreemass],
        derive: |m, _| setconst::subtree_masses(m.arrays_mut()),
    },
    Part {
        reads: RowSet::of(&[Row::body_gravcomp]),
        options: false,
        writes: &[],
        derive: |m, _| setconst::count_gravcomp(m.arrays_mut()),
    },
    Part {
        reads: RowSet::of(&[Row::geom_surfacevel]),
        options: false,
        writes: &[],
        derive: |m, _| layout::count_surfacevel(m.arrays_mut()),
    },
    Part {
        reads: RowSet::of(&[
            Row::actuator_damping,
            Row::actuator_dampingpoly,
            Row::actuator_armature,
        ]),
        options: false,
        writes: &[Row::jnt_actuatorid, Row::tendon_actuatorid],
        derive: |m, _| setconst::contributions(m.arrays_mut()),
    },
    Part {
        reads: RowSet::of(&[
            Row::tendon_stiffness,
            Row::tendon_stiffnesspoly,
            Row::tendon_damping,
            Row::tendon_dampingpoly,
            Row::tendon_actuatorid,
            Row::flex_stiffness,
        ]),
        options: false,
        writes: &[Row::tree_sleep_policy],
        derive: |m, _| setconst::sleep(m.arrays_mut()),
    },
    Part {
        reads: RowSet::of(&[
            Row::dof_armature,
            Row::dof_damping,
            Row::dof_dampingpoly,
            Row::tendon_armature,
            Row::tendon_damping,
            Row::tendon_dampingpoly,
            Row::actuator_armature,
            Row::actuator_damping,
            Row::actuator_dampingpoly,
            Row::actuator_gear,
            Row::jnt_actuatorid,
            Row::tendon_actuatorid,
        ]),
        options: false,
        writes: &[
            Row::dof_armature_all,
            Row::dof_damping_all,
            Row::dof_dampingpoly_all,
            Row::tendon_armature_all,
            Row::tendon_damping_all,
            Row::tendon_dampingpoly_all,
        ],
        derive: |m, _| layout::of_actuators(m.arrays_mut()),
    },
    Part {
        reads: RowSet::of(&[
            Row::geom_solmix,
            Row::geom_margin,
            Row::geom_gap,
            Row::geom_friction,
            Row::geom_solref,
            Row::geom_solimp,
            Row::geom_adhesion,
            Row::pair_margin,
            Row::pair_gap,
            Row::pair_friction,
            Row::pair_solref,
            Row::pair_solreffriction,
            Row::pair_solimp,
            Row::pair_adhesion,
            Row::flex_solmix,
            Row::flex_margin,
            Row::flex_gap,
            Row::flex_friction,
            Row::flex_solref,
            Row::flex_solimp,
        ]),
        options: true,
        writes: &[
            Row::collision_detect,
            Row::collision_margin,
            Row::collision_friction,
            Row::collision_solref,
            Row::collision_solreffriction,
            Row::collision_solimp,
            Row::collision_adhesion,
        ],
        derive: |m, _| pair::parameters(m.arrays_mut()),
    },
    Part {
        reads: RowSet::of(&[Row::qpos_spring, Row::tendon_lengthspring]),
        options: true,
        writes: &[Row::plastic0, Row::history0],
        derive: |m, _| {
            let m = m.arrays_mut();
            plastic::begin(m);
            layout::option_sizes(m);
        },
    },
    Part {
        reads: RowSet::of(&[
            Row::qpos0,
            Row::body_pos,
            Row::body_quat,
            Row::body_ipos,
            Row::body_iquat,
            Row::body_mass,
            Row::body_inertia,
            Row::jnt_pos,
            Row::jnt_axis,
            Row::geom_size,
            Row::geom_pos,
            Row::geom_quat,
            Row::site_pos,
            Row::site_quat,
            Row::cam_pos,
            Row::cam_quat,
            Row::light_pos,
            Row::light_dir,
            Row::eq_data,
            Row::wrap_prm,
            Row::actuator_cranklength,
            Row::actuator_gear,
            Row::dof_armature_all,
            Row::tendon_armature_all,
            Row::geom_rbound,
        ]),
        options: false,
        writes: &[
            Row::dof_M0,
            Row::tendon_length0,
            Row::flexedge_length0,
            Row::actuator_length0,
            Row::body_invweight0,
            Row::dof_invweight0,
            Row::tendon_invweight0,
            Row::actuator_acc0,
            Row::flexedge_invweight0,
            Row::eq_data,
            Row::cam_pos0,
            Row::cam_poscom0,
            Row::cam_mat0,
            Row::light_pos0,
            Row::light_poscom0,
            Row::light_dir0,
            Row::dof_length,
        ],
        derive: |m, work| setconst::set_const_in(work, m),
    },
];

impl Part {
    fn follows(&self, changed: &Changed) -> bool {
        self.options && changed.options || changed.rows.meets(&self.reads)
    }
}

impl Model {
    /// Other numbers that decide nothing but how much: `write` writes arrays and options that may be edited, [`super::STRUCTURAL`] aside,
    /// and `asked` names them. What follows is derived again. The tree, pairs, patterns and room stay as they are: those of `shared`.
    ///
    /// `work` is a world to compute in, kept from model to model of the same sizes.
    ///
    /// Returns which arrays are others than they were, those that follow included, and what was there before. Fails like [`Model::edit`]
    /// on a number that is out of its range, with [`Error::Missing`] where a number asks for what no stage computes; then nothing is
    /// changed.
    pub(crate) fn renumber(
        &mut self,
        shared: &Arrays,
        asked: &Changed,
        write: impl FnOnce(&mut Arrays),
        work: &mut Option<Data>,
    ) -> Result<(Changed, Kept)> {
        let mut kept = Kept::of(self, asked);
        write(self.arrays_mut());
        let mut changed = Changed {
            rows: kept.others(self, asked.rows),
            ..*asked
        };
        match follow(self, shared, &mut changed, &mut kept, work) {
            Ok(()) => Ok((changed, kept)),
            Err(e) => {
                kept.put_back(self);
                Err(e)
            }
        }
    }
}

// derives what follows from what changed, and adds it to that
fn follow(
    model: &mut Model,
    shared: &Arrays,
    changed: &mut Changed,
    kept: &mut Kept,
    work: &mut Option<Data>,
) -> Result<()> {
    if changed.rows.has(Row::geom_size) {
        sizes_of_data(shared, model)?;
    }
    check::changed(model, changed)?;
    for part in &PARTS {
        if !part.follows(changed) {
            continue;
        }
        part.writes.iter().for_each(|row| kept.keep(model, *row));
        (part.derive)(model, work);
        let others = kept.others(model, RowSet::of(part.writes));
        changed.rows = changed.rows.with(&others);
    }
    check::reals(model, changed.rows)?;
    // of numbers it depends on options, and on forces where their slopes are part of the metric
    let lacks = match changed.options || model.opt.is_discrete() {
        true => needs::missing(model),
        false => Vec::new(),
    };
    match lacks.is_empty() {
        true if changed.options => same_sizes(model, shared),
        true => Ok(()),
        false => Err(Error::Missing(lacks)),
    }
}

/// Fails where arrays of a world would have another size than with the model that worlds share.
pub(crate) fn same_sizes(m: &Arrays, shared: &Arrays) -> Result<()> {
    let mut arrays = FIELDS.iter().filter(|field| field.room != Room::Model);
    let other = |field: &&Field| field.words(m) != field.words(shared);
    arrays.find(other).map_or(Ok(()), |field| {
        Err(Error::Input(format!(
            "{} would have another size than in the model that the worlds share",
            field.name
        )))
    })
}

/// Numbers of a model as they were, to be put back.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    rows: RowSet,
    // arrays, and where each begins in its list
    starts: Vec<(Row, usize)>,
    reals: Vec<f64>,
    ints: Vec<i32>,
    counts: Vec<usize>,
    opt: Option<Opt>,
}

impl Kept {
    // what is to be written
    fn of(m: &Arrays, asked: &Changed) -> Self {
        let mut kept = Self {
            counts: COUNTS.iter().filter_map(|(size, _)| m.size(size)).collect(),
            opt: asked.options.then(|| m.opt.clone()),
            ..Self::default()
        };
        let fields = asked.rows.fields();
        fields.for_each(|field| kept.keep(m, field.row));
        kept
    }

    fn keep(&mut self, m: &Arrays, row: Row) {
        if self.rows.has(row) {
            return;
        }
        let start = match m.view(row) {
            Some(View::Real(x)) => {
                self.reals.extend_from_slice(x);
                self.reals.len() - x.len()
            }
            Some(View::Int(x)) => {
                self.ints.extend_from_slice(x);
                self.ints.len() - x.len()
            }
            None => return,
        };
        self.rows.insert(row);
        self.starts.push((row, start));
    }

    // of some arrays that are kept, those that are others now
    fn others(&self, m: &Arrays, of: RowSet) -> RowSet {
        let starts = self.starts.iter().filter(|(row, _)| of.has(*row));
        let other = |(row, start): &(Row, usize)| match m.view(*row) {
            Some(View::Real(x)) => bits(x) != bits(&self.reals[*start..][..x.len()]),
            Some(View::Int(x)) => *x != self.ints[*start..][..x.len()],
            None => false,
        };
        let others = starts.copied().filter(other);
        others.map(|(row, _)| row).collect()
    }

    /// The model is as it was.
    pub fn put_back(self, model: &mut Model) {
        let m = model.arrays_mut();
        if let Some(opt) = self.opt {
            m.opt = opt;
            layout::option_sizes(m);
        }
        for ((size, _), count) in COUNTS.iter().zip(self.counts) {
            m.set_size(size, count);
        }
        for (row, start) in self.starts {
            match m.view_mut(row) {
                Some(ViewMut::Real(to)) => to.copy_from_slice(&self.reals[start..][..to.len()]),
                Some(ViewMut::Int(to)) => to.copy_from_slice(&self.ints[start..][..to.len()]),
                None => {}
            }
        }
    }
}

// zeros of either sign, and what is no number, are told apart
fn bits(x: &[f64]) -> &[u64] {
    bytemuck::cast_slice(x)
}
