//! Contacts of two types of geoms, found by a function of the user's own (`mjCOLLISIONFUNC`).

use super::Users;
use super::text::Hook;
use super::world::World;
use crate::cpu::lib::contact::Contacts;
use crate::error::{Error, Result};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::GeomType;
use std::sync::Arc;

/// A callback that finds the contacts of two geoms.
pub(super) type Collision = dyn Fn(&World<'_>, [usize; 2], f64) -> Vec<Touch> + Send + Sync;

/// A contact that a function of your own found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Distance of the surfaces, negative in penetration (m).
    pub dist: f64,
    /// Midway between the surfaces, in the world (m).
    pub pos: [f64; 3],
    /// Direction from the first geom to the second, in the world, of any length but zero.
    pub normal: [f64; 3],
}

impl Model {
    /// Binds a function that finds the contacts of geoms of two types, in place of MuJoCo's (`mjCOLLISIONFUNC`) or of an earlier
    /// one; the types may be given in any order. It gets one world, the ids of the two geoms, that of the lower type first, and a
    /// distance (m), and returns the contacts nearer than that distance: at most 50, others are left out.
    ///
    /// It is asked about the pairs that masks, filters and exclusions allow, if their bounding spheres are near, also of types
    /// that otherwise never touch (a height field and a signed distance field). Poses are those of this step (`geom_xpos`,
    /// `geom_xmat`), velocities those of the previous step. Such pairs have no speculative contacts; distance sensors, rays and
    /// flexes do not call it. For threads and panics see [`crate::user`].
    ///
    /// ```
    /// use manyworlds::types::GeomType;
    /// use manyworlds::user::Touch;
    /// use manyworlds::{Batch, Model};
    ///
    /// let mut model = Model::from_xml_str(
    ///     r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
    ///     <body pos="0 0 0.1"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#,
    /// )?;
    /// // a floor that swells by a centimetre
    /// model.bind_collision(GeomType::Plane, GeomType::Sphere, |world, [_, ball], _| {
    ///     let [x, y, z] = [0, 1, 2].map(|k| world.reals("geom_xpos").unwrap()[3 * ball + k]);
    ///     let dist = z - 0.1 - 0.01;
    ///     let pos = [x, y, 0.01 + 0.5 * dist];
    ///     vec![Touch { dist, pos, normal: [0.0, 0.0, 1.0] }]
    /// })?;
    /// let mut batch = Batch::new(&model, 4)?;
    /// batch.forward()?;
    /// assert!((batch.reals("contact_dist")?[0] + 0.01).abs() < 1e-6);
    /// # Ok::<(), manyworlds::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Input`] for `GeomType::None`; [`Error::Size`] if there are too many pairs, or no room for their contacts; then the model
    /// is unchanged.
    pub fn bind_collision(
        &mut self,
        type1: GeomType,
        type2: GeomType,
        function: impl Fn(&World<'_>, [usize; 2], f64) -> Vec<Touch> + Send + Sync + 'static,
    ) -> Result<()> {
        let types = ordered(type1, type2)?;
        let mut model = self.clone();
        let collisions = &mut model.users_mut().collisions;
        collisions.retain(|(of, _)| *of != types);
        collisions.push((types, Arc::new(function)));
        // the list of pairs may become longer
        model.edit(|_| ())?;
        *self = model;
        Ok(())
    }
}

/// The numbers of two types of geoms, the lower first.
pub(super) fn ordered(type1: GeomType, type2: GeomType) -> Result<[i32; 2]> {
    let mut types = [type1 as i32, type2 as i32];
    types.sort_unstable();
    match types[1] == GeomType::None as i32 {
        true => Err(Error::Input(
            "geoms of type None do not touch: give types that geoms have".to_owned(),
        )),
        false => Ok(types),
    }
}

impl Users {
    /// Types of geoms, the lower first, whose contacts a function or a text finds.
    pub(crate) fn meetings(&self) -> impl Iterator<Item = [i32; 2]> {
        let texts = self.texts().filter_map(|(hook, _)| match hook {
            Hook::Collision(types) => Some(types),
            _ => None,
        });
        self.collisions.iter().map(|(types, _)| *types).chain(texts)
    }

    /// True if a function finds the contacts of two types of geoms, the lower first.
    #[inline(always)]
    pub(crate) fn collides(&self, types: [i32; 2]) -> bool {
        self.collisions.iter().any(|(of, _)| *of == types)
    }
}

/// The contacts of two geoms in one lane, by the function of their types.
pub(crate) fn meet<R: Real>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    geoms: [usize; 2],
    detect: f64,
    out: &mut Contacts,
) {
    let types = geoms.map(|geom| m.geom_type[geom]);
    let mut all = m.users().collisions.iter();
    if let Some((_, function)) = all.find(|(of, _)| *of == types) {
        for touch in function(&World::new(m, d, lane), geoms, detect) {
            out.add(touch.dist, touch.pos, touch.normal);
        }
    }
}
