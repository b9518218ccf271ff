//! Parts drawn for each world separately: tendons, soft bodies, and overlays.

use super::{Options, soft};
use crate::batch::Batch;
use crate::error::Result;
use crate::model::Model;
use crate::types::WrapType;
use glam::{Mat3, Vec3};
use manyworlds_view::{Cover, Form, Layer, Mesh, POSE, Part, World};

const PULL: [f32; 4] = [0.9, 0.25, 0.2, 1.0];
/// Radius of the line of a pull, in extents.
const THREAD: f32 = 0.006;

// parts of one world that are not instanced
#[derive(Default)]
pub(super) struct Marks {
    parts: Vec<Part>,
    poses: Vec<f32>,
    surfaces: Vec<Mesh>,
}

/// The marks of the shown worlds; none if there are no marks.
pub fn layer(
    m: &Model,
    batch: &mut Batch,
    worlds: &[World],
    options: &Options,
    pull: Option<[Vec3; 2]>,
) -> Result<Option<Layer>> {
    let mut marks = Marks::default();
    if let Some([from, to]) = pull {
        let radius = THREAD * m.stat.extent as f32;
        marks.rod(from, to, radius, PULL);
    }
    tendons(m, batch, worlds, options, &mut marks)?;
    soft::draw(m, batch, worlds, options, &mut marks)?;
    for overlay in &options.overlays {
        overlay.draw(m, batch, worlds, &mut marks)?;
    }
    if marks.parts.is_empty() {
        return Ok(None);
    }
    Ok(Some(Layer {
        parts: marks.parts,
        poses: marks.poses,
        surfaces: marks.surfaces,
        worlds: vec![World::default()],
        shadow: true,
        live: None,
    }))
}

impl Marks {
    pub(super) fn add(
        &mut self,
        form: Form,
        scale: Vec3,
        half_length: f32,
        color: [f32; 4],
        at: Vec3,
        z: Vec3,
    ) {
        let part = Part {
            scale: scale.to_array(),
            half_length,
            shininess: 0.1,
            ..Part::new(form, color)
        };
        self.push(part, at, turned(z));
    }

    fn push(&mut self, part: Part, at: Vec3, turn: Mat3) {
        self.parts.push(part);
        self.poses.extend(at.to_array());
        self.poses.extend(turn.transpose().to_cols_array());
        debug_assert_eq!(self.poses.len(), POSE * self.parts.len());
    }

    // triangles whose vertices are in world coordinates
    pub(super) fn surface(&mut self, mesh: Mesh, color: [f32; 4], cover: Option<Cover>) {
        let part = Part {
            shininess: 0.1,
            cover,
            ..Part::new(Form::Surface(self.surfaces.len()), color)
        };
        self.surfaces.push(mesh);
        self.push(part, Vec3::ZERO, Mat3::IDENTITY);
    }

    // a ball at a point
    pub(super) fn ball(&mut self, at: Vec3, radius: f32, color: [f32; 4]) {
        self.add(Form::Ball, Vec3::splat(radius), 0.0, color, at, Vec3::Z);
    }

    // an arrow from a point
    pub(super) fn arrow(&mut self, at: Vec3, dir: Vec3, long: f32, radius: f32, color: [f32; 4]) {
        let head = (4.0 * radius).min(0.5 * long);
        let neck = at + (long - head) * dir;
        self.rod(at, neck, radius, color);
        let size = Vec3::new(2.2 * radius, 2.2 * radius, 0.5 * head);
        let middle = neck + 0.5 * head * dir;
        self.add(Form::Cone, size, 0.0, color, middle, dir);
    }

    // a rod from one point to another
    pub(super) fn rod(&mut self, from: Vec3, to: Vec3, radius: f32, color: [f32; 4]) {
        let half = 0.5 * from.distance(to);
        let axis = (to - from).normalize_or(Vec3::Z);
        let middle = 0.5 * (from + to);
        self.add(
            Form::Capsule,
            Vec3::splat(radius),
            half,
            color,
            middle,
            axis,
        );
    }
}

// any orientation whose z axis is this unit vector
fn turned(z: Vec3) -> Mat3 {
    let x = z.any_orthonormal_vector();
    Mat3::from_cols(x, z.cross(x), z)
}

/// Point `k` of an array of vectors (m), plus an offset.
pub(super) fn point(x: &[f64], k: usize, offset: Vec3) -> Vec3 {
    Vec3::from([0, 1, 2].map(|i| x[3 * k + i] as f32)) + offset
}

// the paths of spatial tendons
fn tendons(
    m: &Model,
    batch: &mut Batch,
    worlds: &[World],
    options: &Options,
    marks: &mut Marks,
) -> Result<()> {
    let shown = |t: &usize| {
        let first = m.wrap_type[m.tendon_adr[*t] as usize];
        first != WrapType::Joint as i32 && options.groups.contains(&m.tendon_group[*t])
    };
    let shown: Vec<usize> = (0..m.ntendon).filter(shown).collect();
    if shown.is_empty() {
        return Ok(());
    }
    let adr = batch.ints("ten_wrapadr")?.to_vec();
    let num = batch.ints("ten_wrapnum")?.to_vec();
    let path = batch.reals("wrap_xpos")?;
    // two points for each element of a path, at most
    let each = 2 * m.nwrap;
    for (w, world) in worlds.iter().enumerate() {
        let offset = Vec3::from(world.offset);
        let own = &path[3 * w * each..3 * (w + 1) * each];
        for &t in &shown {
            let color: [f32; 4] = std::array::from_fn(|i| m.tendon_rgba[4 * t + i] as f32);
            let radius = m.tendon_width[t] as f32;
            let first = adr[w * m.ntendon + t] as usize;
            let count = num[w * m.ntendon + t] as usize;
            let (start, num) = (m.tendon_adr[t] as usize, m.tendon_num[t] as usize);
            let parted = m.wrap_type[start..start + num].contains(&(WrapType::Pulley as i32));
            // a pulley, which divides the path, is marked by zeros
            let pulley = |k: usize| parted && own[3 * k..3 * k + 3] == [0.0; 3];
            for k in first..(first + count).saturating_sub(1) {
                if pulley(k) || pulley(k + 1) {
                    continue;
                }
                marks.rod(
                    point(own, k, offset),
                    point(own, k + 1, offset),
                    radius,
                    color,
                );
            }
        }
    }
    Ok(())
}
