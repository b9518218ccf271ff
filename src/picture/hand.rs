//! Picking in the picture: the body under a pixel, and a force that pulls it.

use super::{Region, Scene};
use crate::batch::{Among, Batch, Look};
use crate::error::Result;
use crate::types::MINVAL;
use glam::{Mat3, Vec3};
use manyworlds_view::Camera;

/// A picked point of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Grip {
    /// Index of the world.
    pub world: usize,
    /// Id of the body.
    pub body: usize,
    /// Id of the geom.
    pub geom: usize,
    /// The point in the frame of the body (m).
    pub local: [f32; 3],
}

/// Force at a distance of one extent of the model, in weights of the body's tree.
const STRENGTH: f32 = 6.0;

impl Scene {
    /// The body under a point of a picture, in the nearest world. x is from -1 at the left edge to 1, y from -1 at the lower edge to 1;
    /// `aspect` is the picture's width over its height. None where the sky or a static geom is seen.
    ///
    /// Fails like [`Scene::shoot`].
    pub fn grip(&self, batch: &mut Batch, [x, y]: [f32; 2], aspect: f32) -> Result<Option<Grip>> {
        let camera = self.camera(batch)?;
        let along = camera.toward(x, y, aspect);
        // a world that is not shown gets the first world's ray, and its hit is ignored
        let offset = |w: usize| self.worlds.get(w).or(self.worlds.first());
        let starts = (0..batch.nworld()).flat_map(|w| {
            let offset = offset(w).map_or(Vec3::ZERO, |world| Vec3::from(world.offset));
            (camera.eye - offset).to_array().map(f64::from)
        });
        let starts: Vec<f64> = starts.collect();
        let among = Among {
            geomgroup: Some(std::array::from_fn(|k| {
                self.options.groups.contains(&(k as i32))
            })),
            flg_static: false,
            ..Among::default()
        };
        batch.look(Look::LastCall);
        let hits = batch.ray(1, &starts, &along.to_array().map(f64::from), &among)?;
        let shown = 0..self.worlds.len().min(hits.dist.len());
        let met = shown.filter(|&w| hits.geomid[w] >= 0);
        let Some(world) = met.min_by(|&a, &b| hits.dist[a].total_cmp(&hits.dist[b])) else {
            return Ok(None);
        };
        let geom = hits.geomid[world] as usize;
        let body = self.model.geom_bodyid[geom] as usize;
        let start = Vec3::from([0, 1, 2].map(|i| starts[3 * world + i] as f32));
        let point = start + hits.dist[world] as f32 * along;
        let (pos, mat) = self.pose(batch, world, body)?;
        Ok(Some(Grip {
            world,
            body,
            geom,
            local: (mat.transpose() * (point - pos)).to_array(),
        }))
    }

    /// Pulls a picked point towards a point of the picture with a force proportional to their distance: sets
    /// `xfrc_applied` of its world. The target has the same depth in the picture as the picked point.
    ///
    /// Fails like [`Scene::shoot`].
    pub fn pull(
        &mut self,
        batch: &mut Batch,
        grip: &Grip,
        [x, y]: [f32; 2],
        aspect: f32,
    ) -> Result<()> {
        let m = &self.model;
        let camera = self.camera(batch)?;
        let (pos, mat) = self.pose(batch, grip.world, grip.body)?;
        let at = pos + mat * Vec3::from(grip.local);
        let offset = Vec3::from(self.worlds[grip.world].offset);
        let along = camera.toward(x, y, aspect);
        let depth = (at + offset - camera.eye).dot(camera.forward);
        let to = camera.eye + depth / along.dot(camera.forward) * along - offset;

        let whole = m.body_rootid[grip.body] as usize;
        let gravity = Vec3::from(m.opt.gravity.map(|x| x as f32))
            .length()
            .max(1.0);
        let weight = m.body_subtreemass[whole] as f32 * gravity;
        let force = STRENGTH * weight / (m.stat.extent as f32).max(MINVAL as f32) * (to - at);
        let arm = at - self.center(batch, grip.world, grip.body)?;
        let torque = arm.cross(force);
        let mut row = vec![0.0; 6 * m.nbody];
        let wrench = [force, torque].map(|v| v.to_array().map(f64::from));
        row[6 * grip.body..6 * grip.body + 6].copy_from_slice(wrench.as_flattened());
        batch.set_where("xfrc_applied", &only(grip.world, batch.nworld()), &row)?;
        self.pull = Some([at + offset, to + offset]);
        Ok(())
    }

    /// Ends the pull: sets `xfrc_applied` of all bodies of that world to zero.
    ///
    /// Fails like [`Scene::shoot`].
    pub fn release(&mut self, batch: &mut Batch, grip: &Grip) -> Result<()> {
        self.pull = None;
        let none = vec![0.0; 6 * self.model.nbody];
        batch.set_where("xfrc_applied", &only(grip.world, batch.nworld()), &none)
    }

    fn camera(&self, batch: &mut Batch) -> Result<Camera> {
        let [_, solids] = self.layers(batch)?;
        let Region { center, radius } = self.region(&solids);
        let sight = &self.options.sight;
        sight.camera(&self.model, batch, center, radius)
    }

    // position and orientation of a body
    fn pose(&self, batch: &mut Batch, world: usize, body: usize) -> Result<(Vec3, Mat3)> {
        let at = world * self.model.nbody + body;
        let pos = vec3(batch.reals("xpos")?, at);
        let mat = &batch.reals("xmat")?[9 * at..9 * at + 9];
        let mat: [f32; 9] = std::array::from_fn(|i| mat[i] as f32);
        Ok((pos, Mat3::from_cols_array(&mat).transpose()))
    }

    // centre of mass of a body, where `xfrc_applied` acts
    fn center(&self, batch: &mut Batch, world: usize, body: usize) -> Result<Vec3> {
        Ok(vec3(batch.reals("xipos")?, world * self.model.nbody + body))
    }
}

fn vec3(x: &[f64], k: usize) -> Vec3 {
    Vec3::from([0, 1, 2].map(|i| x[3 * k + i] as f32))
}

fn only(world: usize, nworld: usize) -> Vec<bool> {
    (0..nworld).map(|w| w == world).collect()
}
