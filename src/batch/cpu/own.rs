//! Worlds with different models, on the CPU. Without SIMD each world is run with its own model. With SIMD all worlds are run with one model, whose
//! numbers are read through [`crate::fields::Own`], where each lane has its own values.

use std::sync::Arc;

use super::super::own::{Models, News};
use super::{Cpu, worlds_of};
use crate::compile::COUNTS;
use crate::error::{Error, Result};
use crate::fields::{Elem, FIELDS, Field, Model, Role, Room, Row, SIZES, ViewMut, field};
use crate::model::Opt;
use crate::real::Real;
use crate::rowset::RowSet;

/// Flags of coinciding frames: a shortcut that holds for one world and not for another.
const SHORTCUTS: &[&str] = &["body_sameframe", "geom_sameframe", "site_sameframe"];

/// Ids of actuators that lend damping and armature: no stage reads these ids where worlds differ.
const LENDERS: &[&str] = &["jnt_actuatorid", "tendon_actuatorid"];

/// Fields on which the flags of coinciding frames depend.
const FRAMES: &[&str] = &[
    "body_ipos",
    "body_iquat",
    "geom_pos",
    "geom_quat",
    "site_pos",
    "site_quat",
];

/// Fields that may be written and are also derived from others: anchors of equalities from poses, sizes of geoms from height
/// fields, fluid coefficients of a geom from its size.
static FOLLOWING: RowSet = RowSet::of(&[Row::eq_data, Row::geom_size, Row::geom_fluid]);

/// The models of the worlds, where they differ.
#[derive(Debug, Default)]
pub(super) struct Differ {
    // one model for each world
    models: Models,
    // the one model that all worlds are run with, with SIMD
    common: Option<Box<Model>>,
    // values that each lane has for itself: arrays, and options by name
    rows: RowSet,
    options: Vec<&'static str>,
}

impl Differ {
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    pub fn let_go(&mut self) {
        self.models = Models::default();
    }

    /// The model with which a tile of worlds is run.
    pub fn model_of<'a>(&'a self, shared: &'a Model, tile: usize) -> &'a Model {
        match &self.common {
            Some(common) => common,
            None => self.models.get(tile).map_or(shared, |own| own),
        }
    }
}

impl<R: Real> Cpu<R> {
    /// Gives every world a model of its own, which differs from the shared one in the named fields and in the fields derived from them.
    pub(super) fn give(
        &mut self,
        shared: &Model,
        models: &Models,
        names: &[&'static str],
        news: &[News],
    ) -> Result<()> {
        if R::WIDTH == 1 {
            self.own.models = Arc::clone(models);
            return Ok(());
        }
        let (rows, options) = side_by_side(names)?;
        for new in news {
            alike(shared, &models[new.world], new)?;
        }
        let is_new = self.own.rows != rows || self.own.options != options;
        // the rows to set in a world's lane, if any
        let given = |w: usize| {
            let all = is_new.then_some(rows);
            let new = news.binary_search_by_key(&w, |new| new.world).ok();
            all.or(new.map(|k| news[k].changed.rows.and(&rows)))
        };
        self.for_each(shared, &|_, t, tile, _| {
            for (w, lane) in worlds_of::<R>(t, models.len()) {
                if let Some(rows) = given(w) {
                    let own = &mut tile.d.own;
                    own.set_lane(shared, lane, &models[w], rows, &options);
                }
            }
        });
        if is_new {
            self.own.common = Some(Box::new(common_of(shared, names)));
        }
        self.own.models = Arc::clone(models);
        (self.own.rows, self.own.options) = (rows, options);
        Ok(())
    }
}

// values that each lane has for itself: named arrays, all derived real arrays, and named options
fn side_by_side(names: &[&'static str]) -> Result<(RowSet, Vec<&'static str>)> {
    // a setting of the convex collider, which works on one pair of one world
    let name = "ccd_tolerance";
    if names.contains(&name) {
        return Err(Error::Input(format!(
            "{name} is the same for all worlds on the backend simd; Backend::Cpu lets it differ"
        )));
    }
    let reals = derived().filter(|field| field.elem != Elem::Int);
    let named = names.iter().filter_map(|name| field(name));
    let rows = reals.chain(named).map(|field| field.row);
    let options = names.iter().copied().filter(|name| field(name).is_none());
    Ok((rows.collect::<RowSet>().with(&FOLLOWING), options.collect()))
}

// derived arrays of the model
fn derived() -> impl Iterator<Item = &'static Field> {
    let of_model = FIELDS.iter().filter(|field| field.room == Room::Model);
    of_model.filter(|field| field.role == Role::Derived)
}

// all lanes take the same branches: integers that are derived from the model must be equal in all worlds
fn alike(shared: &Model, own: &Model, new: &News) -> Result<()> {
    let (w, changed) = (new.world, &new.changed);
    // whether a geom has the ellipsoid fluid model
    let ellipsoid = |m: &Model, g: usize| m.geom_fluid[12 * g] > 0.0;
    let geoms = match changed.rows.has(Row::geom_fluid) {
        true => shared.ngeom,
        false => 0,
    };
    if let Some(g) = (0..geoms).find(|&g| ellipsoid(shared, g) != ellipsoid(own, g)) {
        return Err(Error::Input(format!(
            "world {w}: geom_fluid[{g}] gives the geom the ellipsoid fluid model in some worlds only, which the backend \
             simd cannot compute; Backend::Cpu lets it differ"
        )));
    }
    // sizes depend on options, and on the fields that decide which constraint rows exist
    let counts = |name: &str| COUNTS.iter().any(|(size, _)| *size == name);
    let mut sizes = SIZES
        .iter()
        .filter(|(size, _)| changed.options && !counts(size));
    if let Some((size, what)) = sizes.find(|(size, _)| shared.size(size) != own.size(size)) {
        return Err(Error::Input(format!(
            "world {w}: {size} ({what}) would differ from the other worlds, and it is the same for all"
        )));
    }
    let derived = |field: &&Field| field.role == Role::Derived && field.elem == Elem::Int;
    let mut fields = changed.rows.fields().filter(derived);
    let other = |field: &&Field| {
        let free = SHORTCUTS.contains(&field.name) || LENDERS.contains(&field.name);
        !free && shared.view(field.row) != own.view(field.row)
    };
    match fields.find(other) {
        None => Ok(()),
        Some(field) => Err(Error::Input(format!(
            "world {w}: {} ({}) would differ from the other worlds, which the backend simd cannot compute; Backend::Cpu \
             lets it differ",
            field.name,
            field.doc.trim()
        ))),
    }
}

// a model that runs every stage that any world needs
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
        // a positive density below any real one, so that the stage of the medium is run
        m.opt = Opt {
            density: f64::MIN_POSITIVE,
            ..m.opt.clone()
        };
    }
    common
}
