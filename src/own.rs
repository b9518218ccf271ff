//! Arrays and options of the model of which worlds have their own copies.
//!
//! ```text
//! d.own.body_mass(m, i)      one world's or a tile's:  its own number, where it has one  ─┐
//! m.body_mass[i]             the model's, else        ────────────────────────────────────┴─▶ R
//! ```
//!
//! A twin reads every real number of the model through [`Own`]. For worlds that share one model the number type says so
//! ([`Real::OWN`]), and the test whether they have their own is not compiled.

use crate::cpu::lib::math::nonzero;
use crate::fields::{Arrays, FIELDS, OwnArrays, Room, Row, View, ViewMut};
use crate::real::{Mask, Real};
use crate::rowset::RowSet;

/// Values of the model that the worlds of a tile have for themselves: arrays of reals and options. Each is read by a method of
/// its name, which returns the model's value where the worlds have none.
#[derive(Clone, Debug, PartialEq)]
pub struct Own<R: Real = f64>(Option<Box<OwnArrays<R>>>);

impl<R: Real> Default for Own<R> {
    fn default() -> Self {
        Own(None)
    }
}

impl<R: Real> Own<R> {
    /// True if the worlds have no values of their own.
    #[inline(always)]
    pub fn is_shared(&self) -> bool {
        self.arrays().is_none()
    }

    // whether the worlds have their own copy of an array
    fn has(&self, row: Row) -> bool {
        let view = self.arrays().and_then(|own| own.view(row));
        view.is_some_and(|view| !matches!(view, View::Real([]) | View::Int([])))
    }

    /// True if joint damping may differ between worlds, that of their actuators included.
    pub fn has_damping(&self) -> bool {
        let rows = [
            Row::dof_damping,
            Row::dof_dampingpoly,
            Row::actuator_damping,
            Row::actuator_dampingpoly,
        ];
        rows.iter().any(|row| self.has(*row))
    }

    #[inline(always)]
    pub(crate) fn arrays(&self) -> Option<&OwnArrays<R>> {
        match R::OWN {
            true => self.0.as_deref(),
            false => None,
        }
    }

    pub(crate) fn arrays_mut(&mut self) -> &mut OwnArrays<R> {
        self.0.get_or_insert_default()
    }

    /// Sets some arrays and options of one lane to the values of its own model.
    pub(crate) fn set_lane(
        &mut self,
        shared: &Arrays,
        lane: usize,
        model: &Arrays,
        rows: RowSet,
        options: &[&str],
    ) {
        let own = self.arrays_mut();
        for name in options {
            if let Some(values) = model.opt.get(name) {
                own.opt.set_lane(&shared.opt, name, lane, &values);
            }
        }
        for field in rows.fields() {
            if let (Some(ViewMut::Real(to)), Some(View::Real(from))) =
                (own.view_mut(shared, field.row), model.view(field.row))
            {
                let words = to.iter_mut().zip(from);
                words.for_each(|(to, x)| to.set_lane(lane, *x));
            }
        }
    }

    /// True if gravity is not zero in some lane.
    #[inline(always)]
    pub fn has_gravity(&self, m: &Arrays) -> bool {
        self.gravity(m).iter().any(|g| nonzero(*g).any())
    }

    /// The values of one lane, for the twin of one world.
    pub(crate) fn lane(&self, m: &Arrays, lane: usize) -> Own {
        let Some(own) = self.arrays() else {
            return Own::default();
        };
        let mut one = OwnArrays::<f64> {
            opt: own.opt.lane(lane),
            ..OwnArrays::default()
        };
        for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
            let Some(View::Real(from)) = own.view(field.row) else {
                continue;
            };
            if from.is_empty() {
                continue;
            }
            if let Some(ViewMut::Real(to)) = one.view_mut(m, field.row) {
                let words = to.iter_mut().zip(from);
                words.for_each(|(to, x)| *to = x.lane(lane));
            }
        }
        Own(Some(Box::new(one)))
    }
}

/// The model's values in one lane, for functions of one world; values shared by all worlds keep full precision.
#[derive(Clone, Copy, Debug)]
pub struct OwnLane<'a, R: Real> {
    own: &'a Own<R>,
    lane: usize,
}

impl<'a, R: Real> OwnLane<'a, R> {
    /// The values of one lane.
    pub fn new(own: &'a Own<R>, lane: usize) -> Self {
        Self { own, lane }
    }

    // an element of an array of reals
    #[inline(always)]
    fn real(&self, list: impl Fn(&OwnArrays<R>) -> &[R], shared: &[f64], i: usize) -> f64 {
        match self.own.arrays().and_then(|own| list(own).get(i)) {
            Some(x) => x.lane(self.lane),
            None => shared[i],
        }
    }

    /// geom-specific size parameters
    #[inline(always)]
    pub fn geom_size(&self, m: &Arrays, geom: usize) -> [f64; 3] {
        match self.own.arrays().and_then(|own| own.geom_size.get(geom)) {
            Some(size) => size.map(|x| x.lane(self.lane)),
            None => m.geom_size[geom],
        }
    }

    /// bounding box: center, size
    #[inline(always)]
    pub fn geom_aabb(&self, m: &Arrays, geom: usize) -> [f64; 6] {
        std::array::from_fn(|k| self.real(|own| &own.geom_aabb, &m.geom_aabb, 6 * geom + k))
    }

    /// radius of bounding sphere
    #[inline(always)]
    pub fn geom_rbound(&self, m: &Arrays, geom: usize) -> f64 {
        self.real(|own| &own.geom_rbound, &m.geom_rbound, geom)
    }

    /// (x, y, z_top, z_bottom)
    #[inline(always)]
    pub fn hfield_size(&self, m: &Arrays, i: usize) -> f64 {
        self.real(|own| &own.hfield_size, &m.hfield_size, i)
    }

    /// elevation data
    #[inline(always)]
    pub fn hfield_data(&self, m: &Arrays, i: usize) -> f64 {
        self.real(|own| &own.hfield_data, &m.hfield_data, i)
    }

    /// radius around primitive element
    #[inline(always)]
    pub fn flex_radius(&self, m: &Arrays, f: usize) -> f64 {
        self.real(|own| &own.flex_radius, &m.flex_radius, f)
    }

    /// rgba when material is omitted
    pub fn geom_rgba(&self, m: &Arrays, i: usize) -> f64 {
        self.real(|own| &own.geom_rgba, &m.geom_rgba, i)
    }

    /// rgba of a material
    pub fn mat_rgba(&self, m: &Arrays, i: usize) -> f64 {
        self.real(|own| &own.mat_rgba, &m.mat_rgba, i)
    }
}
