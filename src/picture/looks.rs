//! Appearance of a model: the parts that every world of it has.

use super::{Options, lights, texture};
use crate::compile::appearance::Appearance;
use crate::error::Result;
use crate::mjcf::schema::TextureType;
use crate::model::Model;
use crate::types::GeomType;
use manyworlds_view::{Assets, Cover, Form, Map, Mesh, Part};

/// Geoms or sites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Geom,
    Site,
}

impl Kind {
    /// Names of the position and orientation arrays.
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
    /// Its index among geoms and sites: sites come after the geoms.
    pub fn number(self, m: &Model) -> usize {
        match self.kind {
            Kind::Geom => self.id,
            Kind::Site => m.ngeom + self.id,
        }
    }
}

/// Parts of a world, and their geoms and sites.
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

/// Appearance of a model, the same in every world.
pub struct Looks {
    /// Meshes of the model, then its height fields; textures in order of their ids.
    pub assets: Assets,
    /// Static planes, shared by all worlds.
    pub floor: Shown,
    /// All other parts.
    pub solids: Shown,
}

/// Half the side of a plane without a size, in extents of the model.
const INFINITE: f64 = 400.0;

impl Looks {
    /// The parts of the groups in `options`. Fails where a texture cannot be read.
    pub fn of(m: &Model, options: &Options) -> Result<Self> {
        let appearance = m.appearance();
        let mut looks = Self {
            assets: Assets {
                meshes: meshes(m),
                textures: appearance.map_or(Ok(Vec::new()), texture::textures)?,
                sky: appearance.and_then(texture::sky),
                lit: appearance.is_some_and(lights::are_said),
            },
            floor: Shown::default(),
            solids: Shown::default(),
        };
        for id in (0..m.ngeom).filter(|&id| options.groups.contains(&m.geom_group[id])) {
            looks.add_geom(m, id);
        }
        let shown = |id: &usize| options.sites && options.groups.contains(&m.site_group[*id]);
        for id in (0..m.nsite).filter(shown) {
            let said = Said {
                shape: m.site_type[id],
                data: m.site_dataid[id],
                size: m.site_size[id],
                material: m.site_matid[id],
                color: color(m, &m.site_rgba, m.site_matid[id], id),
            };
            looks.add(m, Kind::Site, id, &said);
        }
        // a sky whose file cannot be drawn counts as none
        let assets = &mut looks.assets;
        let drawn = |k: &usize| assets.textures[*k].sides() > 0;
        assets.sky = assets.sky.filter(drawn);
        Ok(looks)
    }

    /// The floor, and everything else.
    pub fn shown(&self) -> [&Shown; 2] {
        [&self.floor, &self.solids]
    }

    fn add_geom(&mut self, m: &Model, id: usize) {
        let said = Said {
            shape: m.geom_type[id],
            data: m.geom_dataid[id],
            size: m.geom_size[id],
            material: m.geom_matid[id],
            color: color(m, &m.geom_rgba, m.geom_matid[id], id),
        };
        let still = m.body_weldid[m.geom_bodyid[id] as usize] == 0;
        if said.shape == GeomType::Plane && still {
            let side = |x: f64| if x > 0.0 { x } else { INFINITE * m.stat.extent };
            let part = Part {
                scale: [side(said.size[0]) as f32, side(said.size[1]) as f32, 1.0],
                floor: true,
                cover: cover(m, &said),
                ..Part::new(Form::Plane, said.color)
            };
            self.floor.add(part, Kind::Geom, id);
            return;
        }
        self.add(m, Kind::Geom, id, &said);
    }

    fn add(&mut self, m: &Model, kind: Kind, id: usize, said: &Said) {
        let form = form(said.shape, said.data, m);
        let Some(form) = form.filter(|_| said.color[3] > 0.0) else {
            return;
        };
        let [x, y, z] = said.size.map(|x| x as f32);
        let (scale, half_length) = match form {
            Form::Ball if y == 0.0 => ([x; 3], 0.0),
            Form::Ball | Form::Box => ([x, y, z], 0.0),
            Form::Capsule => ([x; 3], y),
            Form::Cylinder | Form::Cone => ([x, x, y], 0.0),
            Form::Plane => ([x, y, 1.0], 0.0),
            Form::Mesh(_) | Form::Surface(_) => ([1.0; 3], 0.0),
        };
        let part = Part {
            scale,
            half_length,
            shininess: 0.25,
            cover: cover(m, said),
            ..Part::new(form, said.color)
        };
        self.solids.add(part, kind, id);
    }
}

/// Appearance attributes of a geom or site.
struct Said {
    shape: i32,
    data: i32,
    size: [f64; 3],
    material: i32,
    color: [f32; 4],
}

// mapping of the material's texture onto a geom or site, as in MuJoCo's renderer
fn cover(m: &Model, said: &Said) -> Option<Cover> {
    let (texture, repeat, uniform) = of_material(m, said.material)?;
    let appearance = m.appearance()?;
    let shape = GeomType::from_i32(said.shape)?;
    let [x, y, z] = said.size.map(|x| x as f32);
    let size = match shape {
        GeomType::Sphere => [x; 3],
        GeomType::Capsule | GeomType::Cylinder => [x, x, y],
        _ => [x, y, z],
    };
    let is_mesh = matches!(shape, GeomType::Mesh | GeomType::Sdf);
    let corners = appearance.corners.get(said.data.max(0) as usize);
    let has_corners = is_mesh && corners.is_some_and(|corners| !corners.is_empty());
    let over = |x: f32| if x > 0.0 { 1.0 / x } else { 1.0 };
    // meshes have their true size, other shapes unit size in MuJoCo's renderer
    let wide = is_mesh || shape == GeomType::Hfield;
    let map = if appearance.textures[texture].type_() != TextureType::TwoD {
        Map::Around(match (wide, uniform) {
            (true, true) => size,
            (true, false) | (false, true) => [1.0; 3],
            (false, false) => size.map(over),
        })
    } else if has_corners || !(wide || size[0] == 0.0 || size[1] == 0.0) {
        let times = |i: usize| if uniform { size[i] } else { 1.0 };
        Map::Corners([repeat[0] * times(0), repeat[1] * times(1)])
    } else {
        let times = |i: usize| if uniform { 1.0 } else { over(size[i]) };
        Map::Along([repeat[0] * times(0), repeat[1] * times(1)])
    };
    Some(Cover { texture, map })
}

// a material's texture, if it can be drawn, its `texrepeat`, and its `texuniform`
fn of_material(m: &Model, material: i32) -> Option<(usize, [f32; 2], bool)> {
    let appearance = m.appearance()?;
    let material = usize::try_from(material).ok()?;
    let said = appearance.materials.get(material)?;
    let texture = texture::of_material(appearance, said)?;
    let repeat = said.texrepeat().map(|x| x as f32);
    Some((texture, repeat, said.texuniform()))
}

/// The texture of a material on a flex, if the flex has texture coordinates.
pub fn cover_of_flex(m: &Model, material: i32, flex: usize) -> Option<Cover> {
    let (texture, repeat, _) = of_material(m, material)?;
    let flat = m.appearance()?.textures[texture].type_() == TextureType::TwoD;
    let lies = flat && !sheet(m.appearance(), flex).is_empty();
    let map = Map::Corners(repeat);
    lies.then_some(Cover { texture, map })
}

/// Texture coordinates of each vertex of a flex; empty where it has none.
pub fn sheet(appearance: Option<&Appearance>, flex: usize) -> &[[f32; 2]] {
    let sheets = appearance.map_or(&[][..], |it| &it.sheets);
    sheets.get(flex).map_or(&[], Vec::as_slice)
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

/// The element's own colour if it is not the default, else that of its material.
pub fn color(m: &Model, own: &[f64], material: i32, id: usize) -> [f32; 4] {
    const UNSAID: [f64; 4] = [0.5, 0.5, 0.5, 1.0];
    let (rgba, k) = match usize::try_from(material) {
        Ok(material) if own[4 * id..4 * id + 4] == UNSAID => (&m.mat_rgba[..], material),
        _ => (own, id),
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
        let corners = m.appearance().and_then(|it| it.corners.get(k));
        Mesh::new(&places, &faces, corners.map_or(&[], Vec::as_slice))
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
    Mesh::new(&places, &faces, &[])
}
