//! What a model looks like: the parts that every world of it has.

use super::Options;
use crate::model::Model;
use crate::types::GeomType;
use manyworlds_view::{Form, Mesh, Part};

/// Geoms or sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Geom,
    Site,
}

impl Kind {
    /// The arrays of their poses.
    pub fn fields(self) -> [&'static str; 2] {
        match self {
            Self::Geom => ["geom_xpos", "geom_xmat"],
            Self::Site => ["site_xpos", "site_xmat"],
        }
    }
}

/// A geom or site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    pub kind: Kind,
    pub id: usize,
}

#[cfg(feature = "view")]
impl Element {
    /// Its number: sites come behind the geoms.
    pub fn number(self, m: &Model) -> usize {
        match self.kind {
            Kind::Geom => self.id,
            Kind::Site => m.ngeom + self.id,
        }
    }
}

/// Parts of a world, and the geoms and sites that they are.
#[derive(Default)]
pub struct Shown {
    pub parts: Vec<Part>,
    pub elements: Vec<Element>,
}

impl Shown {
    fn add(&mut self, part: Part, kind: Kind, id: usize) {
        self.parts.push(part);
        self.elements.push(Element { kind, id });
    }
}

/// What every world of a model looks like.
pub struct Looks {
    /// Meshes of the model, then its height fields.
    pub meshes: Vec<Mesh>,
    /// Planes that stand still, which all worlds share.
    pub floor: Shown,
    /// Everything else.
    pub solids: Shown,
}

/// Half the side of a plane without a size, in extents of the model.
const INFINITE: f64 = 400.0;

impl Looks {
    /// What the model shows of the groups that are asked for.
    pub fn of(m: &Model, options: &Options) -> Self {
        let mut looks = Self {
            meshes: meshes(m),
            floor: Shown::default(),
            solids: Shown::default(),
        };
        for id in (0..m.ngeom).filter(|&id| options.groups.contains(&m.geom_group[id])) {
            looks.add_geom(m, id);
        }
        let shown = |id: &usize| options.sites && options.groups.contains(&m.site_group[*id]);
        for id in (0..m.nsite).filter(shown) {
            let color = color(m, &m.site_rgba, m.site_matid[id], id);
            let kind = Kind::Site;
            looks.add(
                kind,
                id,
                form(m.site_type[id], m.site_dataid[id], m),
                m.site_size[id],
                color,
            );
        }
        looks
    }

    fn add_geom(&mut self, m: &Model, id: usize) {
        let color = color(m, &m.geom_rgba, m.geom_matid[id], id);
        let still = m.body_weldid[m.geom_bodyid[id] as usize] == 0;
        if m.geom_type[id] == GeomType::Plane && still {
            let size = m.geom_size[id];
            let side = |x: f64| if x > 0.0 { x } else { INFINITE * m.stat.extent };
            let part = Part {
                form: Form::Plane,
                scale: [side(size[0]) as f32, side(size[1]) as f32, 1.0],
                half_length: 0.0,
                color,
                floor: true,
                shininess: 0.0,
            };
            self.floor.add(part, Kind::Geom, id);
            return;
        }
        let form = form(m.geom_type[id], m.geom_dataid[id], m);
        self.add(Kind::Geom, id, form, m.geom_size[id], color);
    }

    fn add(&mut self, kind: Kind, id: usize, form: Option<Form>, size: [f64; 3], color: [f32; 4]) {
        let Some(form) = form.filter(|_| color[3] > 0.0) else {
            return;
        };
        let [x, y, z] = size.map(|x| x as f32);
        let (scale, half_length) = match form {
            Form::Ball if y == 0.0 => ([x; 3], 0.0),
            Form::Ball | Form::Box => ([x, y, z], 0.0),
            Form::Capsule => ([x; 3], y),
            Form::Cylinder | Form::Cone => ([x, x, y], 0.0),
            Form::Plane => ([x, y, 1.0], 0.0),
            Form::Mesh(_) => ([1.0; 3], 0.0),
        };
        let part = Part {
            form,
            scale,
            half_length,
            color,
            floor: false,
            shininess: 0.25,
        };
        self.solids.add(part, kind, id);
    }
}

fn form(kind: i32, data: i32, m: &Model) -> Option<Form> {
    let data = data.max(0) as usize;
    Some(match GeomType::from_i32(kind)? {
        GeomType::Plane => Form::Plane,
        GeomType::Sphere | GeomType::Ellipsoid => Form::Ball,
        GeomType::Capsule => Form::Capsule,
        GeomType::Cylinder => Form::Cylinder,
        GeomType::Box => Form::Box,
        GeomType::Mesh | GeomType::Sdf => Form::Mesh(data),
        GeomType::Hfield => Form::Mesh(m.nmesh + data),
        _ => return None,
    })
}

// that of the material, or the element's own
fn color(m: &Model, own: &[f64], material: i32, id: usize) -> [f32; 4] {
    let (rgba, k) = match usize::try_from(material) {
        Ok(material) => (&m.mat_rgba[..], material),
        Err(_) => (own, id),
    };
    std::array::from_fn(|i| rgba[4 * k + i] as f32)
}

fn meshes(m: &Model) -> Vec<Mesh> {
    let meshes = (0..m.nmesh).map(|k| {
        let (first, num) = (m.mesh_vertadr[k] as usize, m.mesh_vertnum[k] as usize);
        let places: Vec<_> = m.mesh_vert[first..first + num]
            .iter()
            .map(|place| place.map(|x| x as f32))
            .collect();
        let (first, num) = (m.mesh_faceadr[k] as usize, m.mesh_facenum[k] as usize);
        let faces: Vec<[u32; 3]> = (first..first + num)
            .map(|f| [0, 1, 2].map(|i| m.mesh_face[3 * f + i] as u32))
            .collect();
        Mesh::new(&places, &faces)
    });
    meshes.chain((0..m.nhfield).map(|k| hfield(m, k))).collect()
}

// the surface of a height field: columns along x, rows along y
fn hfield(m: &Model, k: usize) -> Mesh {
    let (nrow, ncol) = (m.hfield_nrow[k] as usize, m.hfield_ncol[k] as usize);
    let size: [f64; 4] = std::array::from_fn(|i| m.hfield_size[4 * k + i]);
    let data = &m.hfield_data[m.hfield_adr[k] as usize..][..nrow * ncol];
    let along = |i: usize, n: usize, half: f64| (2.0 * i as f64 / (n as f64 - 1.0) - 1.0) * half;
    let mut places = Vec::new();
    for row in 0..nrow {
        for col in 0..ncol {
            let (x, y) = (along(col, ncol, size[0]), along(row, nrow, size[1]));
            let z = size[2] * data[row * ncol + col];
            places.push([x as f32, y as f32, z as f32]);
        }
    }
    let mut faces = Vec::new();
    for row in 0..nrow - 1 {
        for col in 0..ncol - 1 {
            let a = (row * ncol + col) as u32;
            let (b, c, d) = (a + 1, a + ncol as u32, a + ncol as u32 + 1);
            faces.extend([[a, b, d], [a, d, c]]);
        }
    }
    Mesh::new(&places, &faces)
}
