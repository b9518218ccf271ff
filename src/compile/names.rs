//! Ids by name of everything that can be named.

use super::tree::{Ids, Tree};
use crate::error::Result;
use crate::mjcf::source::Origin;
use crate::mjcf::spec::Spec;
use crate::types::ObjType;

/// Ids by name of everything that other elements refer to.
pub(super) struct Names<'a> {
    pub body: Ids<'a>,
    pub joint: Ids<'a>,
    pub geom: Ids<'a>,
    pub site: Ids<'a>,
    pub camera: Ids<'a>,
    pub light: Ids<'a>,
    pub flex: Ids<'a>,
    pub mesh: Ids<'a>,
    pub hfield: Ids<'a>,
    pub texture: Ids<'a>,
    pub material: Ids<'a>,
    pub equality: Ids<'a>,
    pub tendon: Ids<'a>,
    pub actuator: Ids<'a>,
    pub sensor: Ids<'a>,
    pub numeric: Ids<'a>,
    pub plugin: Ids<'a>,
    pub text: Ids<'a>,
    pub key: Ids<'a>,
}

macro_rules! ids {
    ($spec:expr, $kind:literal, $list:expr) => {
        Ids::new(
            $spec,
            $kind,
            $list.map(|x| (x.name.as_deref().unwrap_or_default(), x.origin)),
        )?
    };
}

impl<'a> Names<'a> {
    /// The names of a model. Fails where a name is used twice.
    pub fn new(tree: &Tree<'a>) -> Result<Names<'a>> {
        let spec = tree.spec;
        let named = |i: usize| -> (&'a str, Origin) {
            let said = tree.bodies[i].said;
            match i {
                0 => ("world", said.origin),
                _ => (said.name.as_deref().unwrap_or_default(), said.origin),
            }
        };
        // repeated names of further elements have checks of their own
        repeated(spec)?;
        Ok(Names {
            body: Ids::new(spec, "body", (0..tree.bodies.len()).map(named))?,
            joint: ids!(spec, "joint", tree.joints.iter().map(|p| p.said)),
            geom: ids!(spec, "geom", tree.geoms.iter().map(|p| p.said)),
            site: ids!(spec, "site", tree.sites.iter().map(|p| p.said)),
            camera: ids!(spec, "camera", tree.cameras.iter().map(|p| p.said)),
            light: ids!(spec, "light", tree.lights.iter().map(|p| p.said)),
            flex: ids!(spec, "flex", spec.flexes.iter()),
            mesh: ids!(spec, "mesh", spec.meshes.iter()),
            hfield: ids!(spec, "height field", spec.hfields.iter()),
            texture: ids!(spec, "texture", spec.textures.iter()),
            material: ids!(spec, "material", spec.materials.iter()),
            equality: ids!(spec, "equality", spec.equalities.iter()),
            tendon: ids!(spec, "tendon", spec.tendons.iter()),
            actuator: ids!(spec, "actuator", spec.actuators.iter()),
            sensor: ids!(spec, "sensor", spec.sensors.iter()),
            numeric: ids!(spec, "numeric", spec.numerics.iter()),
            plugin: ids!(spec, "plugin instance", spec.plugins.iter()),
            text: ids!(spec, "text", spec.texts.iter()),
            key: ids!(spec, "keyframe", spec.keys.iter()),
        })
    }

    /// Names by the type of object, if it has names.
    pub fn of(&self, kind: ObjType) -> Option<&Ids<'a>> {
        Some(match kind {
            ObjType::Body | ObjType::XBody => &self.body,
            ObjType::Joint => &self.joint,
            ObjType::Geom => &self.geom,
            ObjType::Site => &self.site,
            ObjType::Camera => &self.camera,
            ObjType::Light => &self.light,
            ObjType::Flex => &self.flex,
            ObjType::Mesh => &self.mesh,
            ObjType::Hfield => &self.hfield,
            ObjType::Texture => &self.texture,
            ObjType::Material => &self.material,
            ObjType::Equality => &self.equality,
            ObjType::Tendon => &self.tendon,
            ObjType::Actuator => &self.actuator,
            ObjType::Sensor => &self.sensor,
            ObjType::Numeric => &self.numeric,
            ObjType::Text => &self.text,
            ObjType::Plugin => &self.plugin,
            ObjType::Key => &self.key,
            _ => return None,
        })
    }
}

fn repeated(spec: &Spec) -> Result<()> {
    ids!(spec, "pair", spec.pairs.iter());
    ids!(spec, "exclude", spec.excludes.iter());
    ids!(spec, "tuple", spec.tuples.iter());
    Ok(())
}
