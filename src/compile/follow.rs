//! Changes of numbers in a model: only arrays that depend on changed numbers are derived again, in place.
//!
//! ```text
//! rows that changed ─written─▶ checked ─▶ each part of PARTS that reads one of them ─▶ rows that came out otherwise, for the parts behind
//!        │                                       and qpos0, of several models side by side
//!        └── Kept: the former values, put back if a change is refused
//! ```

use super::changed::{Changed, Kept};
use super::edit::sizes_of_data;
use super::flex::rest;
use super::pair::parameters;
use super::qpos0::{self, Work};
use super::{bounds, check, layout, needs, plastic, setconst, sleep};
use crate::error::{Error, Result};
use crate::fields::{Arrays, FIELDS, Field, Model, Room, Row};
use crate::rowset::RowSet;

/// One derivation from numbers.
struct Part {
    // the arrays that it reads, if they may change
    reads: RowSet,
    // whether it reads options
    options: bool,
    // the arrays that it may change
    writes: &'static [Row],
    derive: fn(&mut Arrays),
}

/// All derivations, each after those that it depends on, except those from poses at `qpos0` ([`qpos0`]).
static PARTS: [Part; 15] = [
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
        derive: bounds::frames,
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
        derive: bounds::shapes,
    },
    Part {
        reads: RowSet::of(&[Row::geom_margin, Row::geom_gap]),
        options: false,
        writes: &[Row::body_margin],
        derive: bounds::bodies,
    },
    Part {
        reads: RowSet::of(&[Row::body_mass]),
        options: false,
        writes: &[Row::body_subtreemass],
        derive: setconst::subtree_masses,
    },
    Part {
        reads: RowSet::of(&[Row::body_gravcomp]),
        options: false,
        writes: &[],
        derive: setconst::count_gravcomp,
    },
    Part {
        reads: RowSet::of(&[Row::geom_surfacevel]),
        options: false,
        writes: &[],
        derive: layout::count_surfacevel,
    },
    Part {
        reads: RowSet::of(&[
            Row::actuator_damping,
            Row::actuator_dampingpoly,
            Row::actuator_armature,
        ]),
        options: false,
        writes: &[Row::jnt_actuatorid, Row::tendon_actuatorid],
        derive: setconst::contributions,
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
        derive: sleep::policies,
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
        derive: layout::of_actuators,
    },
    Part {
        reads: RowSet::of(&[
            Row::geom_margin,
            Row::geom_gap,
            Row::pair_margin,
            Row::pair_gap,
            Row::flex_margin,
            Row::flex_gap,
        ]),
        options: true,
        writes: &[Row::collision_detect, Row::collision_margin],
        derive: parameters::margins,
    },
    Part {
        reads: RowSet::of(&[Row::geom_friction, Row::pair_friction, Row::flex_friction]),
        options: true,
        writes: &[Row::collision_friction],
        derive: parameters::frictions,
    },
    Part {
        reads: RowSet::of(&[
            Row::geom_solmix,
            Row::geom_solref,
            Row::geom_solimp,
            Row::pair_solref,
            Row::pair_solreffriction,
            Row::pair_solimp,
            Row::flex_solmix,
            Row::flex_solref,
            Row::flex_solimp,
        ]),
        options: true,
        writes: &[
            Row::collision_solref,
            Row::collision_solreffriction,
            Row::collision_solimp,
        ],
        derive: parameters::impedances,
    },
    Part {
        reads: RowSet::of(&[Row::geom_adhesion, Row::pair_adhesion]),
        options: false,
        writes: &[Row::collision_adhesion],
        derive: parameters::adhesions,
    },
    Part {
        reads: RowSet::of(&[Row::body_pos, Row::body_quat, Row::flex_bending]),
        options: false,
        writes: &[Row::flex_rod],
        derive: rest::rods,
    },
    Part {
        reads: RowSet::of(&[Row::qpos_spring, Row::tendon_lengthspring]),
        options: true,
        writes: &[Row::plastic0, Row::history0],
        derive: |m| {
            plastic::begin(m);
            layout::option_sizes(m);
        },
    },
];

impl Part {
    fn follows(&self, changed: &Changed) -> bool {
        self.options && changed.options || changed.rows.meets(&self.reads)
    }
}

/// A model whose numbers are being changed, but not its structure: tree, pairs, patterns and capacities stay as they are.
#[derive(Debug)]
pub(crate) struct Renumbered<'a> {
    model: &'a mut Model,
    changed: Changed,
    kept: Kept,
}

impl<'a> Renumbered<'a> {
    /// Changes numbers: `write` writes arrays and options that may be edited, [`super::STRUCTURAL`] aside, and `asked` names
    /// them. Arrays that depend on them are derived again, except those of [`Renumbered::at_qpos0`]. `shared` is the model that
    /// it came from.
    ///
    /// Fails like [`Model::edit`] on a number that is out of its range; then nothing is changed.
    pub fn new(
        model: &'a mut Model,
        shared: &Arrays,
        asked: &Changed,
        write: impl FnOnce(&mut Arrays),
    ) -> Result<Self> {
        let kept = Kept::of(model, asked);
        write(model.arrays_mut());
        let changed = Changed {
            rows: kept.others(model, asked.rows),
            ..*asked
        };
        let mut it = Self {
            model,
            changed,
            kept,
        };
        match it.follow(shared) {
            Ok(()) => Ok(it),
            Err(e) => {
                it.kept.put_back(it.model);
                Err(e)
            }
        }
    }

    // derives the arrays that depend on changed ones, and adds them to the changes
    fn follow(&mut self, shared: &Arrays) -> Result<()> {
        if self.changed.rows.has(Row::geom_size) {
            sizes_of_data(shared, self.model)?;
        }
        check::changed(self.model, &self.changed)?;
        for part in &PARTS {
            if part.follows(&self.changed) {
                self.keep(part.writes);
                (part.derive)(self.model.arrays_mut());
                self.see(part.writes);
            }
        }
        Ok(())
    }

    fn keep(&mut self, rows: &[Row]) {
        let kept = &mut self.kept;
        rows.iter().for_each(|row| kept.keep(self.model, *row));
    }

    // notes which of some kept arrays have changed
    fn see(&mut self, rows: &[Row]) {
        let others = self.kept.others(self.model, RowSet::of(rows));
        self.changed.rows = self.changed.rows.with(&others);
    }

    /// Derives arrays that depend on poses at `qpos0`, of [`qpos0::WIDTH`] models at most.
    pub fn at_qpos0<'b>(them: impl Iterator<Item = &'b mut Self>, shared: &Model, work: &mut Work)
    where
        'a: 'b,
    {
        let hang = |it: &&mut Self| it.changed.rows.meets(&qpos0::READS);
        let mut them: Vec<_> = them.filter(hang).collect();
        them.iter_mut().for_each(|it| it.keep(qpos0::WRITES));
        let mut models: Vec<_> = them.iter_mut().map(|it| &mut *it.model).collect();
        qpos0::of_several(work, shared, &mut models);
        them.iter_mut().for_each(|it| it.see(qpos0::WRITES));
    }

    /// The changed arrays, derived ones included, and their old values. Fails where a derived number is NaN, with
    /// [`Error::Missing`] where a number asks for a feature that no stage computes; then nothing is changed.
    pub fn done(self, shared: &Arrays) -> Result<(Changed, Kept)> {
        match self.sound(shared) {
            Ok(()) => Ok((self.changed, self.kept)),
            Err(e) => {
                self.kept.put_back(self.model);
                Err(e)
            }
        }
    }

    fn sound(&self, shared: &Arrays) -> Result<()> {
        let (model, changed) = (&*self.model, &self.changed);
        check::reals(model, changed.rows)?;
        // missing features depend on options, and in a discrete step on numbers of forces too, whose slopes are part of the metric
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
