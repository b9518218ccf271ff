//! The lights of a model, at their positions in a batch.

use super::Scene;
use crate::batch::Batch;
use crate::compile::appearance::Appearance;
use crate::error::Result;
use crate::mjcf::schema::{Headlight, Tri};
use crate::model::Model;
use crate::types::LightType;
use glam::Vec3;
use manyworlds_view::{Camera, Light};

impl Scene {
    /// The lights of the first world and the headlight, and the direction to the light that casts shadows. None where the model
    /// defines no lights.
    pub(super) fn lights(
        &self,
        batch: &mut Batch,
        camera: &Camera,
        center: Vec3,
    ) -> Result<(Vec<Light>, Option<Vec3>)> {
        let m = &self.model;
        let Some(appearance) = m.appearance() else {
            return Ok((Vec::new(), None));
        };
        if !are_said(appearance) {
            return Ok((Vec::new(), None));
        }
        let head = &appearance.headlight;
        let mut lights = Vec::new();
        // as in MuJoCo's renderer, the headlight is on unless the model turns it off
        if head.active() != Tri::False {
            lights.push(at_camera(head, camera));
        }
        let offset = self
            .worlds
            .first()
            .map_or(Vec3::ZERO, |world| Vec3::from(world.offset));
        let alone = self.worlds.len() == 1;
        let own = (0..m.nlight).filter(|&k| m.light_active[k] != 0);
        let middle = match alone {
            true => center,
            // with many worlds a light is made directional: it shines into all of them from the same direction as in one
            false => Vec3::from(m.stat.center.map(|x| x as f32)) + offset,
        };
        let places = places(m, batch)?;
        let mut sun = None;
        for k in own.filter(|&k| m.light_type[k] != LightType::Image as i32) {
            let (pos, dir) = places[k];
            let pos = pos + offset;
            let directional = m.light_type[k] == LightType::Directional as i32;
            let from_afar = match directional {
                true => -dir,
                false => (pos - middle).normalize_or(Vec3::Z),
            };
            let mut light = said(m, appearance, k, dir);
            light.shadow = sun.is_none() && appearance.lights[k].castshadow();
            if light.shadow {
                sun = Some(from_afar);
            }
            match directional {
                false if alone => light.pos = Some(pos),
                _ => light.dir = -from_afar,
            }
            lights.push(light);
        }
        Ok((lights, sun))
    }
}

/// Whether a model defines lights or changes the headlight.
pub fn are_said(appearance: &Appearance) -> bool {
    !appearance.lights.is_empty() || appearance.headlight != Headlight::default()
}

fn at_camera(head: &Headlight, camera: &Camera) -> Light {
    Light {
        pos: None,
        dir: camera.forward,
        cutoff: -1.0,
        exponent: 0.0,
        attenuation: [1.0, 0.0, 0.0],
        ambient: single(head.ambient()),
        diffuse: single(head.diffuse()),
        specular: single(head.specular()),
        shadow: false,
    }
}

fn said(m: &Model, appearance: &Appearance, k: usize, dir: Vec3) -> Light {
    let said = &appearance.lights[k];
    let spot = m.light_type[k] == LightType::Spot as i32;
    Light {
        pos: None,
        dir,
        cutoff: if spot {
            (said.cutoff() as f32).to_radians().cos()
        } else {
            -1.0
        },
        exponent: if spot { said.exponent() as f32 } else { 0.0 },
        attenuation: single(said.attenuation()),
        ambient: single(said.ambient()),
        diffuse: single(said.diffuse()),
        specular: single(said.specular()),
        shadow: false,
    }
}

fn single(x: [f64; 3]) -> [f32; 3] {
    x.map(|x| x as f32)
}

// position and unit direction of each light in the first world
fn places(m: &Model, batch: &mut Batch) -> Result<Vec<(Vec3, Vec3)>> {
    if m.nlight == 0 {
        return Ok(Vec::new());
    }
    let mut vectors = |name| -> Result<Vec<Vec3>> {
        let (all, _) = batch.reals(name)?.as_chunks::<3>();
        let own = all[..m.nlight].iter();
        Ok(own.map(|x| Vec3::from(x.map(|x| x as f32))).collect())
    };
    let (pos, dir) = (vectors("light_xpos")?, vectors("light_xdir")?);
    let dir = dir.into_iter().map(|dir| dir.normalize_or(-Vec3::Z));
    Ok(pos.into_iter().zip(dir).collect())
}
