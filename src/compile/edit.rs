//! Edits of a model: the changed arrays are checked, the arrays that depend on them are derived again, and only then they become
//! the model.

use super::{bounds, capacity, check, layout, qpos0, setconst};
use crate::error::{Error, Result};
use crate::fields::{Arrays, FIELDS, Model, Role, Row, SIZES};

/// Arrays of reals that decide which rows exist, or which edges of flexes are used.
pub(crate) const STRUCTURAL: &[Row] = &[
    Row::flex_damping,
    Row::flex_edgedamping,
    Row::flex_edgestiffness,
    Row::tendon_frictionloss,
];

impl Model {
    /// Changes a model: `change` writes into its arrays and options, then all derived arrays are derived again, as by MuJoCo's
    /// `mj_setConst` and beyond: contact parameters and pairs, patterns of rows, damping that actuators add, masses of subtrees,
    /// inverse weights, bounds, sizes that options ask for. Capacities for contacts and rows that were estimated are estimated
    /// again.
    ///
    /// Returns the result of `change`. On failure the model is unchanged. Worlds that were made of the model before keep its old numbers.
    ///
    /// ```
    /// use manyworlds::{Model, types::Integrator};
    ///
    /// let mut model = Model::from_xml_path("models/humanoid.xml")?;
    /// model.edit(|m| {
    ///     m.body_mass[1] *= 2.0;
    ///     m.body_inertia[1] = m.body_inertia[1].map(|x| 2.0 * x);
    ///     m.geom_friction[0][0] = 0.5;
    ///     m.opt.integrator = Integrator::ImplicitFast as i32;
    /// })?;
    /// assert!(model.edit(|m| m.nv += 1).is_err()); // needs another text
    /// # Ok::<(), manyworlds::Error>(())
    /// ```
    ///
    /// As with `mj_setConst`, results of the compiler alone stay: damping from a `dampratio`, springs from a `springdamper`,
    /// lengths of tendons at rest, statistics, masses inferred from geoms.
    ///
    /// # Errors
    /// [`Error::Input`] with the name of the field and the reason: a size or a field that only the text of the model can change,
    /// a derived field, a number out of its range. [`Error::Size`] where contacts and rows do not fit, or too many pairs may
    /// collide.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut Arrays) -> T) -> Result<T> {
        let mut arrays = (**self).clone();
        let out = change(&mut arrays);
        let changed = refuse(self, &arrays)?;
        check::given(&arrays)?;
        reopen(self, &mut arrays);
        if changed {
            bounds::derive(&mut arrays);
            setconst::set_fixed(&mut arrays);
        }
        layout::layout(&mut arrays, &self.users().pairs())?;
        let mut model = self.with_arrays(arrays);
        // deriving makes worlds, so their size is checked before
        check::room(&model)?;
        if changed {
            qpos0::of_one(&mut model);
        }
        check::check(&model)?;
        *self = model;
        Ok(out)
    }

    /// A model of complete arrays, derived ones included (`layout::layout` derives the arrays of ours).
    ///
    /// Lists of pairs and of patterns (`collision_*`, `Jpat_*`) may differ from the compiler's as long as they lie within their bounds.
    ///
    /// # Errors
    /// [`Error::Input`] with the name of a field whose length does not fit the sizes, whose ids are out of range, or that does
    /// not fit other fields; [`Error::Size`] where contacts and rows do not fit.
    pub fn from_arrays(arrays: Arrays) -> Result<Model> {
        check::check(&arrays)?;
        Ok(Model::unchecked(arrays))
    }
}

impl Model {
    /// Sets the capacities of a world for contacts and rows, exactly.
    ///
    /// # Errors
    /// [`Error::Size`] where they do not fit.
    pub(crate) fn set_room(&mut self, nconmax: usize, njmax: usize) -> Result<()> {
        let before = (self.nconmax, self.njmax);
        let m = self.arrays_mut();
        (m.nconmax, m.njmax) = (nconmax, njmax);
        let fits = check::room(m);
        if fits.is_err() {
            (m.nconmax, m.njmax) = before;
        }
        layout::option_sizes(m);
        fits
    }
}

/// Refuses changes that only the compiler may make; true if an array changed.
fn refuse(before: &Arrays, m: &Arrays) -> Result<bool> {
    for (size, what) in SIZES {
        if before.size(size) != m.size(size) && !["nconmax", "njmax"].contains(size) {
            return Err(Error::Input(format!(
                "{size} ({what}) cannot be edited: change the text of the model and compile it again"
            )));
        }
    }
    let mut changed = false;
    for field in FIELDS {
        if before.view(field.row) == m.view(field.row) {
            continue;
        }
        changed = true;
        let why = match field.role {
            Role::Free | Role::Input | Role::Flag | Role::Kept => continue,
            Role::Fixed => {
                "compiled fields depend on it: change the text of the model and compile it again"
            }
            Role::Derived => "it is derived from other fields, and again when those are edited",
        };
        let (name, doc) = (field.name, field.doc.trim());
        return Err(Error::Input(format!(
            "{name} ({doc}) cannot be edited: {why}"
        )));
    }
    sizes_of_data(before, m)?;
    Ok(changed)
}

/// Checks that geoms keep the size of their mesh or height field.
pub(super) fn sizes_of_data(before: &Arrays, m: &Arrays) -> Result<()> {
    use crate::types::GeomType::{Hfield, Mesh, Sdf};
    let of_data = |g: usize| [Hfield, Mesh, Sdf].iter().any(|t| m.geom_type[g] == *t);
    let num = m.geom_size.len().min(before.geom_size.len());
    let edited = (0..num).find(|&g| of_data(g) && m.geom_size[g] != before.geom_size[g]);
    edited.map_or(Ok(()), |g| {
        Err(Error::Input(format!(
            "geom_size[{g}] cannot be edited: it is the size of a mesh or height field (hfield_size can be edited)"
        )))
    })
}

/// Opens capacities again that were estimated, not given.
fn reopen(before: &Arrays, m: &mut Arrays) {
    let mut estimate = before.clone();
    (estimate.nconmax, estimate.njmax) = (0, before.njmax);
    capacity::capacities(&mut estimate);
    if m.nconmax == before.nconmax && estimate.nconmax == before.nconmax {
        m.nconmax = 0;
    }
    (estimate.nconmax, estimate.njmax) = (before.nconmax, 0);
    capacity::capacities(&mut estimate);
    if m.njmax == before.njmax && estimate.njmax == before.njmax {
        m.njmax = 0;
    }
}
