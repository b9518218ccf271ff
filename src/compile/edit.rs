//! The door through which a model is written: what was changed is looked at, what follows from it is derived again, and only then it is
//! a model.

use super::pair::Masks;
use super::{bounds, capacity, check, layout, qpos0, setconst};
use crate::error::{Error, Result};
use crate::fields::{Arrays, FIELDS, Model, Role, Row, SIZES};

/// Arrays of reals that decide which rows there are, or which edges of soft bodies something depends on.
pub(crate) const STRUCTURAL: &[Row] = &[
    Row::flex_damping,
    Row::flex_edgedamping,
    Row::flex_edgestiffness,
    Row::tendon_frictionloss,
];

impl Model {
    /// Changes a model: `change` writes into its arrays and options, then everything that follows from them is derived again, as MuJoCo's
    /// `mj_setConst` does and beyond: contact parameters and pairs, patterns of rows, damping that actuators lend, masses of subtrees,
    /// inverse weights, bounds, sizes that options ask for. Room for contacts and rows that was estimated is estimated again.
    ///
    /// Returns what `change` returns. Where it fails, the model is as it was. Worlds that were made of the model before keep what it was.
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
    /// As with `mj_setConst`, what the compiler alone decides stays: damping from a `dampratio`, springs from a `springdamper`, lengths of
    /// tendons at rest, statistics, masses inferred from geoms.
    ///
    /// # Errors
    /// [`Error::Input`] with the name of the field and the reason: of a size or a field that only the text of the model can change, of one
    /// that follows from others, of a number that is out of its range. [`Error::Size`] where contacts and rows do not fit, or too many
    /// pairs may collide.
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
        layout::layout(&mut arrays, self.masks())?;
        let mut model = self.with_arrays(arrays);
        // worlds are made in there, so their size is looked at before
        check::room(&model)?;
        if changed {
            qpos0::of_one(&mut model);
        }
        check::check(&model)?;
        *self = model;
        Ok(out)
    }

    /// A model of arrays that hold everything, what follows from the rest too (`layout::layout` derives what is ours of it).
    ///
    /// Lists of pairs and of patterns (`collision_*`, `Jpat_*`) may be others than the compiler's as long as they lie within their bounds.
    ///
    /// # Errors
    /// [`Error::Input`] with the name of a field that has not the length that the sizes say, or leads nowhere, or does not fit the others;
    /// [`Error::Size`] where contacts and rows do not fit.
    pub fn from_arrays(arrays: Arrays) -> Result<Model> {
        check::check(&arrays)?;
        Ok(Model::unchecked(arrays))
    }
}

impl Model {
    // which pairs of geoms it lists: with a function that filters contacts, more than masks allow
    fn masks(&self) -> Masks {
        match self.users().filters() {
            true => Masks::OfBodies,
            false => Masks::OfGeoms,
        }
    }

    /// Gives a world room for so many contacts and rows, no more and no less.
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

/// Refuses what only the compiler may change; true if an array changed.
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
            Role::Free | Role::Input | Role::Flag | Role::Asleep => continue,
            Role::Fixed => {
                "what is compiled hangs on it: change the text of the model and compile it again"
            }
            Role::Derived => {
                "it follows from other fields, and is derived again when those are edited"
            }
        };
        let (name, doc) = (field.name, field.doc.trim());
        return Err(Error::Input(format!(
            "{name} ({doc}) cannot be edited: {why}"
        )));
    }
    sizes_of_data(before, m)?;
    Ok(changed)
}

/// The size of a mesh or height field is that of its data.
pub(super) fn sizes_of_data(before: &Arrays, m: &Arrays) -> Result<()> {
    use crate::types::GeomType::{Hfield, Mesh, Sdf};
    let of_data = |g: usize| [Hfield, Mesh, Sdf].iter().any(|t| m.geom_type[g] == *t);
    let num = m.geom_size.len().min(before.geom_size.len());
    let edited = (0..num).find(|&g| of_data(g) && m.geom_size[g] != before.geom_size[g]);
    edited.map_or(Ok(()), |g| {
        Err(Error::Input(format!(
            "geom_size[{g}] cannot be edited: it is that of a mesh or height field (hfield_size can be edited)"
        )))
    })
}

/// Room that was estimated, not said, is open again.
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
