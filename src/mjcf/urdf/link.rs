//! Links: mass, inertia, and geoms.

use super::{Known, Said};
use crate::mjcf::attrs::{self, Lenient};
use crate::mjcf::read::Reader;
use crate::mjcf::schema::urdf::{
    Color, Cuboid, Inertia, Mass, Material, MeshFile, Round, Shape, Sphere,
};
use crate::mjcf::schema::{Body, Geom, Inertial};
use crate::mjcf::xml::Node;
use crate::types::GeomType;

impl Reader<'_> {
    /// Reads a link into its body.
    pub(super) fn link(&mut self, link: &mut Said, known: &mut Known) {
        let node = link.node;
        // the world has no inertia
        if let Some(inertial) = self.only(node, "inertial")
            && !link.is_world()
        {
            self.link_inertial(inertial, &mut link.body);
        }
        // a collision has the colour of the visual before it
        let mut rgba = None;
        for child in &node.children {
            let seen = child.tag == "visual";
            if seen {
                rgba = self.colour(child, known).or(rgba);
            }
            let kept = seen && !self.compiler().discardvisual();
            if kept || child.tag == "collision" {
                let geom = self.shape(child, seen, known);
                link.body.geoms.extend(geom.map(|geom| Geom {
                    rgba: rgba.filter(|[red, ..]| *red >= 0.0),
                    ..geom
                }));
            }
        }
    }

    /// Mass and inertia. The axes of the inertia matrix are those of the origin; MJCF gives it in those of the body.
    fn link_inertial(&mut self, node: &Node, body: &mut Body) {
        let (pos, orientation) = self.place(node);
        let mass: Option<Mass> = self.needed_part(node, "mass");
        let inertia: Option<Inertia> = self.needed_part(node, "inertia");
        let (Some(mass), Some(i)) = (mass, inertia) else {
            return;
        };
        let full = [i.ixx, i.iyy, i.izz, i.ixy, i.ixz, i.iyz].map(Option::unwrap_or_default);
        let mut inertial = Inertial {
            pos: Some(pos.unwrap_or_default()),
            mass: mass.value,
            origin: node.origin,
            ..Inertial::default()
        };
        if full == [0.0; 6] {
            inertial.diaginertia = Some([0.0; 3]);
            inertial.orientation = orientation;
        } else {
            inertial.fullinertia = Some(match orientation.quat {
                Some(quat) => turned(full, quat),
                None => full,
            });
        }
        body.inertial = Some(inertial);
    }

    /// The colour of a visual: its own, or that of the material it names.
    fn colour(&mut self, visual: &Node, known: &Known) -> Option<[f64; 4]> {
        let node = self.only(visual, "material")?;
        if let Some(color) = self.part::<Color>(node, "color") {
            return color.rgba;
        }
        let said: Material = attrs::read(&mut self.log, node, &Lenient);
        if said.name.is_none() {
            let msg = "needs the attribute name, or the element <color>";
            self.log.mistake(node.origin, None, msg);
        }
        said.name.and_then(|n| known.colours.get(&n).copied())
    }

    /// The geom of a `<visual>` or `<collision>`.
    fn shape(&mut self, node: &Node, seen: bool, known: &mut Known) -> Option<Geom> {
        let said: Shape = attrs::read(&mut self.log, node, &Lenient);
        let geometry = self.needed(node, "geometry")?;
        let mut geom = self.geometry(geometry, known)?;
        (geom.pos, geom.orientation) = self.place(node);
        geom.origin = node.origin;
        let free = |n: &String| !n.is_empty() && known.geoms.insert(n.clone());
        geom.name = said.name.filter(free);
        if seen {
            (geom.contype, geom.conaffinity) = (Some(0), Some(0));
            (geom.group, geom.density) = (Some(1), Some(0.0));
        }
        Some(geom)
    }

    /// Type and size of a geom.
    fn geometry(&mut self, node: &Node, known: &mut Known) -> Option<Geom> {
        let sized = |type_, size: &[f64]| Geom {
            type_: Some(type_),
            size: Some(size.to_vec()),
            ..Geom::default()
        };
        if let Some(said) = self.part::<Cuboid>(node, "box") {
            return Some(sized(GeomType::Box, &said.size?.map(|s| s / 2.0)));
        }
        if let Some(said) = self.part::<Round>(node, "cylinder") {
            return Some(sized(
                GeomType::Cylinder,
                &[said.radius?, said.length? / 2.0],
            ));
        }
        if let Some(said) = self.part::<Sphere>(node, "sphere") {
            return Some(sized(GeomType::Sphere, &[said.radius?]));
        }
        if let Some(said) = self.part::<Round>(node, "capsule") {
            return Some(sized(
                GeomType::Capsule,
                &[said.radius?, said.length? / 2.0],
            ));
        }
        if let Some(mesh) = self.only(node, "mesh") {
            let said: MeshFile = attrs::read(&mut self.log, mesh, &Lenient);
            let name = self.robot_mesh(mesh, &said, &mut known.meshes)?;
            return Some(Geom::mesh(name));
        }
        let msg = "needs a shape: <box>, <cylinder>, <sphere>, <capsule> or <mesh>";
        self.log.mistake(node.origin, None, msg);
        None
    }
}

/// A symmetric matrix R A R': xx yy zz xy xz yz of A, and R as a quaternion.
fn turned([xx, yy, zz, xy, xz, yz]: [f64; 6], [w, x, y, z]: [f64; 4]) -> [f64; 6] {
    let a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let r = [
        [
            w * w + x * x - y * y - z * z,
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ],
        [
            2.0 * (x * y + w * z),
            w * w - x * x + y * y - z * z,
            2.0 * (y * z - w * x),
        ],
        [
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            w * w - x * x - y * y + z * z,
        ],
    ];
    let element = |i: usize, j: usize| {
        let term = |k: usize, l: usize| r[i][k] * a[k][l] * r[j][l];
        (0..9).fold(0.0, |sum, n| sum + term(n / 3, n % 3))
    };
    [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].map(|(i, j)| element(i, j))
}
