//! Worlds that differ, on the cores. A world by itself is run with its own model. Worlds side by side are run with one model, whose numbers
//! are read through [`crate::fields::Own`]: each lane has its own there.

use std::sync::Arc;

use super::super::own::COUNTS;
use super::{Cpu, worlds_of};
use crate::error::{Error, Result};
use crate::fields::{Elem, FIELDS, Field, Model, Role, Room, SIZES, ViewMut};
use crate::model::Opt;
use crate::real::Real;

/// Which frames coincide: a shortcut that holds for one world and not for another.
const SHORTCUTS: &[&str] = &["body_sameframe", "geom_sameframe", "site_sameframe"];

/// Which actuators lend damping and armature: no stage asks for their ids where worlds differ.
const LENDERS: &[&str] = &["jnt_actuatorid", "tendon_actuatorid"];

/// Fields that decide which frames coincide.
const FRAMES: &[&str] = &[
    "body_ipos",
    "body_iquat",
    "geom_pos",
    "geom_quat",
    "site_pos",
    "site_quat",
];

/// Fields that may be written, and that follow from others all the same: anchors of equalities from poses, sizes of geoms from height
/// fields, what a medium does to a geom from its size.
const FOLLOWING: &[&str] = &["eq_data", "geom_size", "geom_fluid"];

/// The models of the worlds, where they differ.
#[derive(Debug, Default)]
pub(super) struct Differ {
    // of each world
    models: Vec<Arc<Model>>,
    // of worlds side by side: what all of them are run with
    common: Option<Box<Model>>,
    // the fields that each lane has for itself
    fields: Vec<&'static str>,
}

impl Differ {
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    /// The model that a tile of worlds is run with.
    pub fn model_of<'a>(&'a self, shared: &'a Model, tile: usize) -> &'a Model {
        match &self.common {
            Some(common) => common,
            None => self.models.get(tile).map_or(shared, |own| own),
        }
    }
}

impl<R: Real> Cpu<R> {
    /// Gives every world a model of its own, which differs from the shared one in some fields and in what follows from them.
    pub(super) fn give(
        &mut self,
        shared: &Model,
        models: &[Arc<Model>],
        names: &[&'static str],
    ) -> Result<()> {
        if R::WIDTH == 1 {
            self.own.models = models.to_vec();
            return Ok(());
        }
        let fields = side_by_side(names)?;
        let is_new = self.own.fields != fields;
        let known = |w: usize| self.own.models.get(w);
        let changed = |w: usize| is_new || !known(w).is_some_and(|m| Arc::ptr_eq(m, &models[w]));
        let changed: Vec<bool> = (0..models.len()).map(changed).collect();
        let other = |w: &usize| changed[*w] && !Arc::ptr_eq(&models[*w], &models[0]);
        for w in (0..models.len()).filter(|w| *w == 0 || other(w)) {
            alike(shared, &models[w], w)?;
        }
        self.for_each(shared, |_, t, tile, _| {
            for (w, lane) in worlds_of::<R>(t, models.len()).filter(|(w, _)| changed[*w]) {
                tile.d.own.set_lane(shared, lane, &models[w], &fields);
            }
        });
        if is_new {
            self.own.common = Some(Box::new(common_of(shared, names)));
        }
        self.own.models = models.to_vec();
        self.own.fields = fields;
        Ok(())
    }
}

// the fields that each lane has for itself: those that are named, and all that follow from others
fn side_by_side(names: &[&'static str]) -> Result<Vec<&'static str>> {
    // a setting of the convex collider, which looks at one pair of one world
    let name = "ccd_tolerance";
    if names.contains(&name) {
        return Err(Error::Input(format!(
            "{name} is the same for all worlds side by side; Backend::Cpu lets it differ"
        )));
    }
    let reals = derived().filter(|field| field.elem != Elem::Int);
    let following = reals
        .map(|field| field.name)
        .chain(FOLLOWING.iter().copied());
    let new = following.filter(|name| !names.contains(name));
    Ok(names.iter().copied().chain(new).collect())
}

// arrays of the model that follow from others
fn derived() -> impl Iterator<Item = &'static Field> {
    let of_model = FIELDS.iter().filter(|field| field.room == Room::Model);
    of_model.filter(|field| field.role == Role::Derived)
}

// lanes go one way: what a world's numbers say of it must be what they say of all
fn alike(shared: &Model, own: &Model, w: usize) -> Result<()> {
    // whether a geom is an ellipsoid to the medium
    let ellipsoid = |m: &Model, g: usize| m.geom_fluid[12 * g] > 0.0;
    if let Some(g) = (0..shared.ngeom).find(|&g| ellipsoid(shared, g) != ellipsoid(own, g)) {
        return Err(Error::Input(format!(
            "world {w}: geom_fluid[{g}] makes an ellipsoid of the geom in some worlds only, and they are computed side by side; \
             Backend::Cpu lets it differ"
        )));
    }
    let counts = |name: &str| COUNTS.iter().any(|(size, _)| *size == name);
    let mut sizes = SIZES.iter().filter(|(size, _)| !counts(size));
    if let Some((size, what)) = sizes.find(|(size, _)| shared.size(size) != own.size(size)) {
        return Err(Error::Input(format!(
            "world {w}: {size} ({what}) would not be that of the other worlds"
        )));
    }
    let mut fields = derived().filter(|field| field.elem == Elem::Int);
    let other = |field: &&Field| {
        let free = SHORTCUTS.contains(&field.name) || LENDERS.contains(&field.name);
        !free && shared.view(field.row) != own.view(field.row)
    };
    match fields.find(other) {
        None => Ok(()),
        Some(field) => Err(Error::Input(format!(
            "world {w}: {} ({}) would not be that of the other worlds, and they are computed side by side; Backend::Cpu lets it differ",
            field.name,
            field.doc.trim()
        ))),
    }
}

// a model that leaves nothing out that any world may have
fn common_of(shared: &Model, names: &[&str]) -> Model {
    let mut common = shared.clone();
    let m = common.arrays_mut();
    if names.iter().any(|name| FRAMES.contains(name)) {
        for name in SHORTCUTS {
            if let Some(ViewMut::Int(same)) = m.field_mut(name) {
                same.fill(0);
            }
        }
    }
    let differs = |fields: &[&str]| fields.iter().any(|field| names.contains(field));
    for (size, _) in COUNTS.iter().filter(|(_, fields)| differs(fields)) {
        let some = m.size(size).unwrap_or(0).max(1);
        m.set_size(size, some);
    }
    if names
        .iter()
        .any(|name| ["density", "viscosity"].contains(name))
        && !m.opt.has_medium()
    {
        // thinner than any, so that its stage is run
        m.opt = Opt {
            density: f64::MIN_POSITIVE,
            ..m.opt.clone()
        };
    }
    common
}
