//! Soft bodies: their edges as rods, their vertices where they are.

use super::Options;
use super::marks::{Marks, point};
use crate::batch::Batch;
use crate::error::Result;
use crate::model::Model;
use glam::Vec3;
use manyworlds_view::World;

/// Radius of an edge, in extents, where the flex is thinner.
const THIN: f64 = 0.002;

/// The edges of all flexes of the groups that are shown.
pub(super) fn edges(
    m: &Model,
    batch: &mut Batch,
    worlds: &[World],
    options: &Options,
    marks: &mut Marks,
) -> Result<()> {
    let shown = |f: &usize| options.groups.contains(&m.flex_group[*f]);
    let shown: Vec<usize> = (0..m.nflex).filter(shown).collect();
    if shown.is_empty() {
        return Ok(());
    }
    let vertices = batch.reals("flexvert_xpos")?;
    for (w, world) in worlds.iter().enumerate() {
        let offset = Vec3::from(world.offset);
        for &f in &shown {
            let radius = m.flex_radius[f].max(THIN * m.stat.extent) as f32;
            let color: [f32; 4] = std::array::from_fn(|i| m.flex_rgba[4 * f + i] as f32);
            let first = w * m.nflexvert + m.flex_vertadr[f] as usize;
            let (adr, num) = (m.flex_edgeadr[f] as usize, m.flex_edgenum[f] as usize);
            for ends in m.flex_edge[2 * adr..2 * (adr + num)].chunks_exact(2) {
                let [from, to] =
                    [ends[0], ends[1]].map(|v| point(vertices, first + v as usize, offset));
                marks.rod(from, to, radius, color);
            }
        }
    }
    Ok(())
}
