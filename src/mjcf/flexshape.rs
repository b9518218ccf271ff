//! Points and elements of the shapes that a flexcomp generates.

use super::schema::{Flexcomp, FlexcompType};
use crate::asset::MeshData;
use crate::asset::grid::{Form, Grid, Shape};
use crate::asset::vec3::MINVAL;
use glam::DVec3;

impl Shape {
    /// Removes points that no element uses.
    pub fn drop_unused(&mut self, pinned: &mut Vec<bool>) {
        let mut used = vec![false; self.point.len()];
        for &i in &self.element {
            used[i as usize] = true;
        }
        if used.iter().all(|u| *u) {
            return;
        }
        let mut place = vec![0; used.len()];
        let mut n = 0;
        for (i, used) in used.iter().enumerate() {
            place[i] = n as i32;
            if !used {
                continue;
            }
            self.point[n] = self.point[i];
            pinned[n] = pinned[i];
            if let Some(two) = self.texcoord.get(2 * i..2 * i + 2) {
                let two = [two[0], two[1]];
                self.texcoord[2 * n..2 * n + 2].copy_from_slice(&two);
            }
            n += 1;
        }
        self.point.truncate(n);
        pinned.truncate(n);
        self.texcoord.truncate(2 * n);
        for i in &mut self.element {
            *i = place[*i as usize];
        }
    }
}

/// Makes a shape of a type that needs no file.
pub(crate) fn make(kind: FlexcompType, said: &Flexcomp) -> Result<Shape, String> {
    let count = said.count().map(|c| c.max(0) as usize);
    let dim = said.dim();
    let form = match (kind, dim) {
        (FlexcompType::Box, _) => Form::Box,
        (FlexcompType::Cylinder, _) => Form::Cylinder,
        (FlexcompType::Ellipsoid, _) => Form::Ellipsoid,
        (FlexcompType::Circle, 1) => Form::Circle,
        (FlexcompType::Disc, _) => Form::Disc,
        (FlexcompType::Square, _) | (_, 2) => Form::Sheet,
        (_, 1) => Form::Line,
        _ => Form::Block,
    };
    if matches!(form, Form::Box | Form::Cylinder | Form::Ellipsoid) {
        if count.iter().any(|c| *c < 2) {
            return Err("count must be at least 2 along each axis of a box".into());
        }
        if !matches!(dim, 2 | 3) {
            return Err("dim must be 2 or 3 for this type".into());
        }
    }
    let grid = Grid {
        form,
        count,
        spacing: said.spacing(),
        textured: said.texcoord.is_none() && said.material.as_ref().is_some_and(|m| !m.is_empty()),
    };
    let shape = grid.make(dim == 2);
    match shape.element.is_empty() {
        true => Err("count makes no elements".into()),
        false => Ok(shape),
    }
}

/// The triangles of a mesh, tetrahedra from them to one point, or lines from degenerate triangles.
pub(crate) fn of_mesh(data: &MeshData, said: &Flexcomp) -> Result<Shape, String> {
    let point = data.vert.iter().map(|p| p.map(f64::from)).collect();
    of_faces(point, data, said)
}

/// The same with the vertices elsewhere.
pub(crate) fn of_faces(
    point: Vec<[f64; 3]>,
    data: &MeshData,
    said: &Flexcomp,
) -> Result<Shape, String> {
    if data.vert.is_empty() || data.face.is_empty() {
        return Err("the mesh needs vertices and faces".into());
    }
    let mut shape = Shape {
        dim: said.dim() as usize,
        point,
        texcoord: data
            .texcoord
            .iter()
            .flatten()
            .map(|x| f64::from(*x))
            .collect(),
        ..Shape::default()
    };
    if !shape.texcoord.is_empty() {
        let corners = match data.facetexcoord.is_empty() {
            true => &data.face,
            false => &data.facetexcoord,
        };
        shape.elemtexcoord = corners.as_flattened().to_vec();
    }
    match shape.dim {
        1 => shape.element = data.face.iter().flat_map(|f| [f[0], f[1]]).collect(),
        2 => shape.element = data.face.as_flattened().to_vec(),
        _ => {
            let origin = said.origin_();
            let edge = |i: i32| DVec3::from(shape.point[i as usize]) - DVec3::from(origin);
            // only tetrahedra of positive volume
            let solid = |f: &&[i32; 3]| edge(f[0]).cross(edge(f[1])).dot(edge(f[2])) >= MINVAL;
            let solids = data.face.iter().filter(solid);
            shape.element = solids
                .flat_map(|f| [0, f[0] + 1, f[1] + 1, f[2] + 1])
                .collect();
            shape.point.insert(0, origin);
        }
    }
    Ok(shape)
}
