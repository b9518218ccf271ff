//! Overlays of the worlds: contacts and their forces, axes of joints, centres of mass, frames of bodies.

use super::marks::{Marks, point};
use crate::batch::Batch;
use crate::error::Result;
use crate::model::Model;
use crate::types::JointType;
use glam::Vec3;
use manyworlds_view::{Form, World};

/// An overlay of the worlds, as in MuJoCo's viewer (`mjVIS_CONTACTFORCE`, `mjVIS_JOINT`, `mjVIS_COM`, `mjFRAME_BODY`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Overlay {
    /// Contacts, and their normal forces as arrows.
    Contacts,
    /// Axes of hinges and slides, anchors of ball joints.
    Joints,
    /// The centre of mass of each tree.
    Com,
    /// Axes of the frames of bodies: x red, y green, z blue.
    Frames,
}

const CONTACT: [f32; 4] = [0.95, 0.65, 0.15, 1.0];
const FORCE: [f32; 4] = [0.75, 0.85, 0.95, 1.0];
const JOINT: [f32; 4] = [0.2, 0.6, 0.8, 1.0];
const COM: [f32; 4] = [0.9, 0.9, 0.9, 1.0];
const AXES: [[f32; 4]; 3] = [
    [0.9, 0.2, 0.15, 1.0],
    [0.2, 0.75, 0.25, 1.0],
    [0.2, 0.4, 0.95, 1.0],
];
/// Radii of contacts and centres of mass, length and radius of axes, in mean body sizes.
const CONTACT_RADIUS: f32 = 0.15;
const COM_RADIUS: f32 = 0.4;
const AXIS: f32 = 1.0;
const AXIS_RADIUS: f32 = 0.06;
/// Length of the force arrow for the weight of a mean body, in extents.
const WEIGHT: f64 = 0.06;

impl Overlay {
    /// All overlays.
    pub const ALL: [Self; 4] = [Self::Contacts, Self::Joints, Self::Com, Self::Frames];

    /// Its name for programs: `contacts`, `joints`, `com`, `frames`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Contacts => "contacts",
            Self::Joints => "joints",
            Self::Com => "com",
            Self::Frames => "frames",
        }
    }

    pub(super) fn draw(
        self,
        m: &Model,
        batch: &mut Batch,
        worlds: &[World],
        marks: &mut Marks,
    ) -> Result<()> {
        match self {
            Self::Contacts => contacts(m, batch, worlds, marks),
            Self::Joints => joints(m, batch, worlds, marks),
            Self::Com => com(m, batch, worlds, marks),
            Self::Frames => frames(m, batch, worlds, marks),
        }
    }
}

impl std::str::FromStr for Overlay {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        let mut all = Self::ALL.into_iter();
        let words = Self::ALL.map(Self::word).join(", ");
        let found = all.find(|overlay| overlay.word() == word);
        found.ok_or_else(|| format!("{word:?} is no overlay; there are {words}"))
    }
}

// a disc at each contact, and an arrow along its normal force
fn contacts(m: &Model, batch: &mut Batch, worlds: &[World], marks: &mut Marks) -> Result<()> {
    let forces = batch.contact_force()?;
    let pos = batch.reals("contact_pos")?.to_vec();
    let frame = batch.reals("contact_frame")?;
    let room = pos.len() / 3 / forces.ncon.len();
    let radius = CONTACT_RADIUS * m.stat.meansize as f32;
    let gravity = m.opt.gravity.iter().map(|x| x * x).sum::<f64>().sqrt();
    let weight = m.stat.meanmass * gravity.max(1.0);
    let scale = WEIGHT * m.stat.extent / weight.max(1e-9);
    for (w, world) in worlds.iter().enumerate() {
        for c in 0..forces.ncon[w] {
            let at = point(&pos, w * room + c, Vec3::from(world.offset));
            let normal = point(frame, 3 * (w * room + c), Vec3::ZERO);
            let disc = Vec3::new(radius, radius, 0.2 * radius);
            marks.add(Form::Cylinder, disc, 0.0, CONTACT, at, normal);
            let long = (scale * forces.force[6 * (w * forces.nconmax + c)]) as f32;
            if long > radius {
                marks.arrow(at, normal, long, 0.35 * radius, FORCE);
            }
        }
    }
    Ok(())
}

// an arrow along the axis of a hinge or slide, a ball at the anchor of a ball joint, nothing for a free joint
fn joints(m: &Model, batch: &mut Batch, worlds: &[World], marks: &mut Marks) -> Result<()> {
    let anchor = batch.reals("xanchor")?.to_vec();
    let axis = batch.reals("xaxis")?;
    let size = m.stat.meansize as f32;
    for (w, world) in worlds.iter().enumerate() {
        for j in 0..m.njnt {
            let k = w * m.njnt + j;
            let at = point(&anchor, k, Vec3::from(world.offset));
            match JointType::from_i32(m.jnt_type[j]) {
                Some(JointType::Hinge | JointType::Slide) => {
                    let axis = point(axis, k, Vec3::ZERO);
                    marks.arrow(at, axis, AXIS * size, AXIS_RADIUS * size, JOINT);
                }
                Some(JointType::Ball) => marks.ball(at, 2.0 * AXIS_RADIUS * size, JOINT),
                _ => {}
            }
        }
    }
    Ok(())
}

// a ball at the centre of mass of each tree
fn com(m: &Model, batch: &mut Batch, worlds: &[World], marks: &mut Marks) -> Result<()> {
    let roots: Vec<usize> = (1..m.nbody)
        .filter(|&b| m.body_rootid[b] as usize == b && m.body_subtreemass[b] > 0.0)
        .collect();
    let center = batch.reals("subtree_com")?;
    let radius = COM_RADIUS * m.stat.meansize as f32;
    for (w, world) in worlds.iter().enumerate() {
        for &b in &roots {
            let at = point(center, w * m.nbody + b, Vec3::from(world.offset));
            marks.ball(at, radius, COM);
        }
    }
    Ok(())
}

// three rods from the origin of each body except the world body
fn frames(m: &Model, batch: &mut Batch, worlds: &[World], marks: &mut Marks) -> Result<()> {
    let pos = batch.reals("xpos")?.to_vec();
    let mat = batch.reals("xmat")?;
    let size = m.stat.meansize as f32;
    for (w, world) in worlds.iter().enumerate() {
        for b in 1..m.nbody {
            let k = w * m.nbody + b;
            let at = point(&pos, k, Vec3::from(world.offset));
            for (column, color) in AXES.into_iter().enumerate() {
                let axis = [0, 1, 2].map(|row| mat[9 * k + 3 * row + column] as f32);
                let to = at + AXIS * size * Vec3::from(axis);
                marks.rod(at, to, AXIS_RADIUS * size, color);
            }
        }
    }
    Ok(())
}
