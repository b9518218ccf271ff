//! Sites, cameras and lights: elements of a body that have no mass.

use super::body;
use super::geom::{check_sizes, placed};
use super::pose::{Pose, V3, unit};
use super::tree::{Part, Tree};
use crate::asset::vec3::{EPS, normalize, rotvecquat};
use crate::error::Result;
use crate::mjcf::schema::{Camera, Light, Site};
use crate::types::GeomType;

/// A site in the frame of its body.
pub(super) struct CompiledSite {
    pub kind: GeomType,
    pub pose: Pose,
    pub size: V3,
}

/// Compiles a site (`mjCSite::Compile`).
pub(super) fn site(tree: &Tree, part: &Part<Site>) -> Result<CompiledSite> {
    let said = part.said;
    let kind = said.type_();
    let shape = !matches!(
        kind,
        GeomType::Plane | GeomType::Hfield | GeomType::Sdf | GeomType::None
    );
    let msg = "type of a site is sphere, capsule, ellipsoid, cylinder, box or mesh";
    tree.ensure(shape, said.origin, Some("type"), msg)?;
    let known = kind != GeomType::Mesh || said.mesh.is_some();
    let msg = "a site of type mesh needs the attribute mesh, the name of an asset";
    tree.ensure(known, said.origin, None, msg)?;
    let size = match &said.size {
        Some(size) => crate::mjcf::table::fill(Some(size), [0.005; 3]),
        None => said.size(),
    };
    let (mut pose, size) = placed(
        tree,
        kind,
        said.pos(),
        &said.orientation,
        said.fromto,
        size,
        said.origin,
    )?;
    if let Some(frame) = part.frame {
        pose = frame.then(pose);
    }
    pose.quat = unit(pose.quat);
    check_sizes(tree, kind, size, said.origin)?;
    Ok(CompiledSite { kind, pose, size })
}

/// A camera in the frame of its body.
pub(super) struct CompiledCamera {
    pub pose: Pose,
    pub fovy: f64,
    /// Width and height (m); 0 without a physical sensor.
    pub sensorsize: [f64; 2],
    /// Focal lengths and principal point (m).
    pub intrinsic: [f64; 4],
}

/// Compiles a camera (`mjCCamera::Compile`).
pub(super) fn camera(tree: &Tree, part: &Part<Camera>) -> Result<CompiledCamera> {
    let said = part.said;
    let origin = said.origin;
    let mut pose = tree.pose(said.pos(), &said.orientation, origin)?;
    if let Some(frame) = part.frame {
        pose = frame.then(pose);
    }
    pose.quat = unit(pose.quat);
    let msg = "fovy must be below 180 degrees";
    tree.ensure(said.fovy() < 180.0, origin, Some("fovy"), msg)?;

    let sensorsize = said.sensorsize.unwrap_or([0.0; 2]).map(single);
    let [width, height] = sensorsize;
    let physical = width > 0.0 && height > 0.0;
    for (attr, set) in [
        ("focal", set(said.focal)),
        ("focalpixel", set(said.focalpixel)),
        ("principal", set(said.principal)),
        ("principalpixel", set(said.principalpixel)),
    ] {
        let msg = format!("{attr} needs sensorsize: the width and height of the sensor");
        tree.ensure(physical || !set, origin, Some(attr), &msg)?;
    }
    if !physical {
        let znear = tree.spec.visual.map.znear();
        return Ok(CompiledCamera {
            pose,
            fovy: said.fovy(),
            sensorsize,
            intrinsic: [znear, znear, 0.0, 0.0].map(single),
        });
    }

    // values in pixels take precedence over values in lengths
    let pixel: [f64; 2] =
        std::array::from_fn(|k| single(f64::from(said.resolution()[k]) / sensorsize[k]));
    let length = |pixels: Option<[f64; 2]>, length: Option<[f64; 2]>, k: usize| match pixels
        .unwrap_or([0.0; 2])
        .map(single)[k]
    {
        0.0 => length.unwrap_or([0.0; 2]).map(single)[k],
        pixels => single(pixels / pixel[k]),
    };
    let focal = |k| length(said.focalpixel, said.focal, k);
    let principal = |k| length(said.principalpixel, said.principal, k);
    let intrinsic = [focal(0), focal(1), principal(0), principal(1)];

    // the field of view follows from the height and the focal length
    let half = ((height / 2.0) as f32).atan2(intrinsic[1] as f32);
    Ok(CompiledCamera {
        pose,
        fovy: f64::from(half) * 360.0 / std::f64::consts::PI,
        sensorsize,
        intrinsic,
    })
}

// whether a pair is given and not zero
fn set(said: Option<[f64; 2]>) -> bool {
    said.is_some_and(|x| x != [0.0; 2])
}

/// A light in the frame of its body.
pub(super) struct CompiledLight {
    pub pos: V3,
    pub dir: V3,
}

/// Compiles a light (`mjCLight::Compile`).
pub(super) fn light(
    tree: &Tree,
    part: &Part<Light>,
    aligned: Option<Pose>,
) -> Result<CompiledLight> {
    let said = part.said;
    let (mut pos, mut dir) = (said.pos(), said.dir());
    if let Some(frame) = part.frame {
        pos = frame.then(Pose::at(pos)).pos;
        dir = rotvecquat(dir, frame.quat);
    }
    let soft = (0.0..=1.0).contains(&said.softness());
    let msg = "softness must be 0 to 1";
    tree.ensure(soft, said.origin, Some("softness"), msg)?;
    let long = normalize(&mut dir) >= EPS;
    let msg = "dir is too short to have a direction";
    tree.ensure(long, said.origin, Some("dir"), msg)?;
    if let Some(back) = aligned {
        body::move_light(back, &mut pos, &mut dir);
    }
    Ok(CompiledLight { pos, dir })
}

/// A number as MuJoCo keeps it in single precision.
pub(super) fn single(x: f64) -> f64 {
    f64::from(x as f32)
}
