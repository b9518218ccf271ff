//! Soft bodies: lines as rods, sheets and the surfaces of solids as triangles, at the positions of their vertices.

use super::Options;
use super::looks::{color, cover_of_flex, sheet};
use super::marks::{Marks, point};
use crate::batch::Batch;
use crate::error::Result;
use crate::model::Model;
use glam::Vec3;
use manyworlds_view::{Mesh, World};
use std::collections::BTreeMap;

/// Smallest radius of a line, in extents.
const THIN: f64 = 0.002;

/// Draws all flexes of the shown groups.
pub(super) fn draw(
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
    for f in shown {
        let num = m.flex_vertnum[f] as usize;
        // vertices of the flex in a world
        let places = |(w, world): (usize, &World)| {
            let first = w * m.nflexvert + m.flex_vertadr[f] as usize;
            let offset = Vec3::from(world.offset);
            (first..first + num).map(move |v| point(vertices, v, offset))
        };
        let places: Vec<Vec3> = worlds.iter().enumerate().flat_map(places).collect();
        match m.flex_dim[f] {
            1 => lines(m, f, &places, marks),
            _ => faces(m, f, &places, marks),
        }
    }
    Ok(())
}

// rods of a one-dimensional flex in all shown worlds, whose vertices follow each other world by world
fn lines(m: &Model, f: usize, places: &[Vec3], marks: &mut Marks) {
    let radius = m.flex_radius[f].max(THIN * m.stat.extent) as f32;
    let (adr, num) = (m.flex_edgeadr[f] as usize, m.flex_edgenum[f] as usize);
    let color = color(m, &m.flex_rgba, material(m, f, 0), f);
    for own in places.chunks_exact(m.flex_vertnum[f] as usize) {
        for ends in m.flex_edge[2 * adr..2 * (adr + num)].chunks_exact(2) {
            let [from, to] = [ends[0], ends[1]].map(|v| own[v as usize]);
            marks.rod(from, to, radius, color);
        }
    }
}

fn faces(m: &Model, f: usize, places: &[Vec3], marks: &mut Marks) {
    let num = m.flex_vertnum[f] as usize;
    let nworld = places.len() / num;
    let places: Vec<[f32; 3]> = places.iter().map(Vec3::to_array).collect();
    let uv = sheet(m.appearance(), f).repeat(nworld);
    for (material, faces) in by_material(m, f) {
        let moved = |w: usize| faces.iter().map(move |v| v.map(|v| v + (w * num) as u32));
        let faces: Vec<[u32; 3]> = (0..nworld).flat_map(moved).collect();
        let color = color(m, &m.flex_rgba, material, f);
        let mesh = Mesh::sheet(&places, &faces, &uv);
        marks.surface(mesh, color, cover_of_flex(m, material, f));
    }
}

// the triangles of a sheet, or of the surface of a solid, by their material
fn by_material(m: &Model, f: usize) -> BTreeMap<i32, Vec<[u32; 3]>> {
    let mut faces = BTreeMap::<i32, Vec<[u32; 3]>>::new();
    let sheet = m.flex_dim[f] == 2;
    let (all, adr, num) = match sheet {
        true => (&m.flex_elem, m.flex_elemdataadr[f], m.flex_elemnum[f]),
        false => (&m.flex_shell, m.flex_shelldataadr[f], m.flex_shellnum[f]),
    };
    let first = adr.max(0) as usize;
    let (corners, _) = all[first..first + 3 * num as usize].as_chunks::<3>();
    for (k, face) in corners.iter().enumerate() {
        let material = material(m, f, if sheet { k } else { 0 });
        let own = faces.entry(material).or_default();
        own.push(face.map(|v| v as u32));
    }
    faces
}

// material of an element
fn material(m: &Model, f: usize, element: usize) -> i32 {
    m.flex_matid[m.flex_elemadr[f] as usize + element]
}
