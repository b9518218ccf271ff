//! `flex` and `flexcomp`: soft bodies, given in full or generated.

use super::attrs::{self, Plain, check_orientation};
use super::defaults::{no_children, unknown_element};
use super::flexcage::Cage;
use super::flexpin::{BadPin, pins};
use super::flexrod;
use super::flexshape;
use super::log::Log;
use super::read::Reader;
use super::schema::{
    Angle, Body, EdgeEquality, Elastic2d, Equality, EqualityTag, Flex, FlexDof, FlexEdge, Flexcomp,
    FlexcompType, Inertial, Joint,
};
use super::settings::block;
use super::table::Attrs;
use super::tree::Place;
use super::xml::Node;
use crate::asset::grid::Shape;
use crate::asset::vec3::normalize;
use crate::asset::{AssetError, MeshData, read_gmsh, read_obj_lines, read_stl};
use crate::compile::mesh::{plain, solid};
use crate::compile::pose::{Pose, UNIT, Units, unit};
use crate::cpu::lib::math::rot_vec_quat;
use crate::cpu::lib::shell::face_num;
use crate::types::{JointType, MINVAL};

const CHILDREN: [&str; 3] = ["edge", "elasticity", "contact"];

impl Reader<'_> {
    /// A `<flex>` of the section `<deformable>`.
    pub fn flex(&mut self, node: &Node) {
        let mut flex: Flex = attrs::read(&mut self.log, node, &Plain);
        let log = &mut self.log;
        block(log, node, "edge", &mut flex.edge);
        block(log, node, "elasticity", &mut flex.elasticity);
        block(log, node, "contact", &mut flex.contact);
        super::settings::children(log, node, &CHILDREN);
        self.spec.flexes.push(flex);
    }

    /// A `<flexcomp>` in a body: makes its flex, its bodies, and the constraint of its edges.
    pub fn flexcomp(&mut self, node: &Node, body: &mut Body, place: Place) {
        let mistakes = self.log.errors.len();
        let said = self.said_flexcomp(node);
        if self.log.errors.len() > mistakes {
            return;
        }
        let parent = body.name.clone().filter(|name| !name.is_empty());
        let Some(parent) = parent else {
            let msg = "the body around a flexcomp needs a name";
            return self.log.mistake(node.origin, None, msg);
        };
        match self.flex_shape(node, &said) {
            Ok(mut shape) => {
                self.flex_place(node, &said, body, place, &mut shape);
                self.flex_make(node, &said, body, place, &parent, shape);
            }
            Err((attr, msg)) => self.log.mistake(node.origin, attr, msg),
        }
    }

    fn said_flexcomp(&mut self, node: &Node) -> Flexcomp {
        let log = &mut self.log;
        let mut said: Flexcomp = attrs::read(log, node, &Plain);
        check_orientation(log, node, &said.orientation);
        block(log, node, "edge", &mut said.edge);
        block(log, node, "elasticity", &mut said.elasticity);
        block(log, node, "contact", &mut said.contact);
        for child in &node.children {
            match child.tag.as_str() {
                tag if CHILDREN.contains(&tag) => {}
                "pin" => {
                    no_children(log, child);
                    said.pins.push(attrs::read(log, child, &Plain));
                }
                "plugin" => log.mistake(
                    child.origin,
                    None,
                    "no plugin that MuJoCo ships makes passive forces; remove this one",
                ),
                tag => unknown_element(log, child, tag, CHILDREN.into_iter().chain(["pin"])),
            }
        }
        check_flexcomp(log, node, &said);
        said
    }

    // points and elements by type, before they are placed
    fn flex_shape(
        &mut self,
        node: &Node,
        said: &Flexcomp,
    ) -> Result<Shape, (Option<&'static str>, String)> {
        let points = said
            .count()
            .iter()
            .fold(1_u64, |n, &c| n.saturating_mul(c.max(0) as u64));
        let given = said.is_given();
        if !given && points.saturating_add(self.elements) > self.limits.elements {
            let most = self.limits.elements;
            let msg = format!("makes more than {most} points; raise `Limits::elements`");
            return Err((Some("count"), msg));
        }
        let mut shape = match said.kind() {
            FlexcompType::Direct => Shape {
                dim: said.dim() as usize,
                point: said
                    .point
                    .iter()
                    .flat_map(|p| p.chunks_exact(3))
                    .map(|p| [p[0], p[1], p[2]])
                    .collect(),
                element: said.element.clone().unwrap_or_default(),
                ..Shape::default()
            },
            FlexcompType::Mesh | FlexcompType::Gmsh => self.flex_of_file(node, said)?,
            kind => flexshape::make(kind, said).map_err(|msg| (Some("count"), msg))?,
        };
        if let Some(texcoord) = &said.texcoord {
            shape.texcoord.clone_from(texcoord);
        }
        if shape.point.is_empty() || shape.element.is_empty() {
            return Err((None, "has no points or no elements".into()));
        }
        if shape.element.len() % (shape.dim + 1) != 0 {
            let msg = format!("element needs {} numbers for each element", shape.dim + 1);
            return Err((Some("element"), msg));
        }
        let n = shape.point.len();
        if said.texcoord.is_some() && shape.elemtexcoord.is_empty() && shape.texcoord.len() != 2 * n
        {
            let have = shape.texcoord.len();
            let msg = format!("texcoord needs two numbers for each of {n} points, found {have}");
            return Err((Some("texcoord"), msg));
        }
        let outside = |i: &&i32| **i < 0 || **i as usize >= n;
        if let Some(i) = shape.element.iter().find(outside) {
            let msg = format!(
                "element has the point {i}, and there are {n} points, numbered from 0; count and dim set their number"
            );
            return Err((Some("element"), msg));
        }
        if given {
            let scale = said.scale();
            for p in &mut shape.point {
                *p = [p[0] * scale[0], p[1] * scale[1], p[2] * scale[2]];
            }
        }
        Ok(shape)
    }

    fn flex_of_file(
        &mut self,
        node: &Node,
        said: &Flexcomp,
    ) -> Result<Shape, (Option<&'static str>, String)> {
        if let Some(name) = &said.mesh {
            return self.flex_of_asset(said, name);
        }
        let Some(file) = &said.file else {
            return Err((None, "needs the attribute file: file of a mesh".into()));
        };
        let dir = self.compiler().meshdir.clone();
        let path = self.asset_path(node, "file", file, dir.as_ref());
        let bad = |msg: String| (Some("file"), msg);
        let bytes = self.files.read(&path, self.limits.file).map_err(bad)?;
        if said.kind() == FlexcompType::Gmsh {
            let found = read_gmsh(&bytes).map_err(|e| bad(e.to_string()))?;
            let other = said.dim.filter(|dim| *dim != found.dim as i32);
            let msg = format!(
                "the GMSH file has elements of dim {}; set dim to that, or leave it out",
                found.dim
            );
            return match other {
                Some(_) => Err((Some("dim"), msg)),
                None => Ok(Shape {
                    dim: found.dim,
                    point: found.point,
                    element: found.element,
                    ..Shape::default()
                }),
            };
        }
        let lower = path.to_ascii_lowercase();
        let data = match lower.rsplit('.').next() {
            Some("obj") => read_obj_lines(&bytes),
            Some("stl") => read_stl(&bytes),
            _ => {
                return Err(bad(format!(
                    "{file:?} is not a mesh file that a flexcomp reads; convert it to OBJ or STL, or set type=\"gmsh\" for \
                     a GMSH file"
                )));
            }
        };
        let data = data.map_err(|e| bad(e.to_string()))?;
        flexshape::of_mesh(&data, said).map_err(bad)
    }

    // the vertices of a mesh asset in the frame of its file, its refpos, refquat and scale applied
    fn flex_of_asset(
        &mut self,
        said: &Flexcomp,
        name: &str,
    ) -> Result<Shape, (Option<&'static str>, String)> {
        let bad = |msg: String| (Some("mesh"), msg);
        if said.file.is_some() {
            return Err(bad("file and mesh exclude each other".into()));
        }
        let mut meshes = self.spec.meshes.iter();
        let Some(asset) = meshes.find(|mesh| mesh.name.as_deref() == Some(name)) else {
            return Err(bad(format!("there is no mesh {name:?}")));
        };
        if asset.plugin.is_some() {
            return Err(bad(format!("the mesh {name:?} is the shape of a plugin")));
        }
        let read = |file: &str| {
            let bytes = self.files.read(file, self.limits.file);
            bytes.map_err(|e| AssetError::new(format!("file {file:?}: {e}")))
        };
        let shape = solid(&read, asset).map_err(|e| bad(e.to_string()))?;
        let dim = if shape.is_some() { 3 } else { 2 };
        let fixed = shape.is_some() || said.kind() == FlexcompType::Gmsh;
        if fixed && said.dim.is_some_and(|said| said != dim) {
            let msg = format!(
                "the mesh {name:?} has elements of dim {dim}; set dim to that, or leave it out"
            );
            return Err((Some("dim"), msg));
        }
        let mesh = plain(&read, asset).map_err(|e| bad(e.to_string()))?;
        if let Some(shape) = shape {
            return Ok(shape);
        }
        let pose = Pose {
            pos: mesh.pos,
            quat: mesh.quat,
        };
        let place = |v: &[f32; 3]| pose.then(Pose::at(v.map(f64::from))).pos;
        let point = mesh.vert.iter().map(place).collect();
        let data = MeshData {
            vert: mesh.vert,
            face: mesh.face,
            texcoord: mesh.texcoord,
            facetexcoord: mesh.facetexcoord,
            ..MeshData::default()
        };
        flexshape::of_faces(point, &data, said).map_err(bad)
    }

    // the pose in the body, frames folded
    fn flex_place(
        &mut self,
        node: &Node,
        said: &Flexcomp,
        body: &Body,
        place: Place,
        shape: &mut Shape,
    ) {
        let units = Units {
            degree: self.compiler().angle() == Angle::Degree,
            eulerseq: self
                .compiler()
                .eulerseq()
                .as_bytes()
                .try_into()
                .unwrap_or(*b"xyz"),
        };
        // only in a frame a quaternion is normalized, as in MuJoCo: elsewhere its length counts
        let raw = said.orientation.quat.filter(|_| place.frame.is_none());
        let quat = match units.orientation(&said.orientation) {
            Ok(quat) => raw.or(quat).unwrap_or(UNIT),
            Err(msg) => return self.log.mistake(node.origin, None, msg),
        };
        let mut pose = Pose::at(said.pos());
        let mut frame = place.frame;
        while let Some(around) = frame.and_then(|f| body.frames.get(f)) {
            match units.orientation(&around.orientation) {
                Ok(quat) => {
                    let here = Pose {
                        pos: around.pos(),
                        quat: unit(quat.unwrap_or(UNIT)),
                    };
                    pose = here.then(pose);
                }
                // the compiler reports the mistake
                Err(_) => return,
            }
            frame = around.parent;
        }
        for p in &mut shape.point {
            *p = pose.then(Pose::at(rot_vec_quat(*p, quat))).pos;
        }
    }

    fn flex_make(
        &mut self,
        node: &Node,
        said: &Flexcomp,
        body: &mut Body,
        place: Place,
        parent: &str,
        mut shape: Shape,
    ) {
        if said.dof().order() > 0 && !said.rigid() {
            return self.flex_in_cage(node, said, body, place, parent, shape);
        }
        let of_grid = said.kind() == FlexcompType::Grid && shape.dim > 1;
        let count = of_grid.then(|| said.count().map(|n| n as usize));
        let mut pinned = match pins(said, shape.point.len(), shape.dim, count) {
            Ok(pinned) => pinned,
            Err(bad) => return self.bad_pin(node, said, bad),
        };
        let given = said.is_given();
        if given {
            shape.drop_unused(&mut pinned);
        }
        let n = shape.point.len();
        self.elements = self.elements.saturating_add(n as u64);
        let rigid = said.rigid() || pinned.iter().all(|p| *p);
        let centered = !rigid && !pinned.iter().any(|p| *p);
        let name = said.name.clone().unwrap_or_default();
        let mut flex = flex_of(node, said, &shape);
        if rigid {
            flex.body = Some(parent.to_owned());
            flex.vertex = Some(shape.point.as_flattened().to_vec());
            return self.spec.flexes.push(flex);
        }

        if shape.dim == 1 && said.elasticity.young() > 0.0 && said.dof() == FlexDof::Full {
            self.twists
                .extend(flexrod::twists(node, said, &shape, &pinned));
        }

        // a body at each point that is not pinned
        let joint = &self.classes.get(place.class).joint;
        let mass = said.mass() / n as f64;
        let mut owners = Vec::with_capacity(n);
        for (i, (point, pinned)) in shape.point.iter_mut().zip(&pinned).enumerate() {
            if *pinned {
                owners.push(parent.to_owned());
                continue;
            }
            let owner = format!("{name}_{i}");
            let mut made = point_body(node, said, joint, *point, mass);
            made.name = Some(owner.clone());
            body.bodies.push(made);
            owners.push(owner);
            *point = [0.0; 3];
        }
        flex.body = Some(owners.join(" "));
        if !centered {
            flex.vertex = Some(shape.point.as_flattened().to_vec());
        }
        self.spec.flexes.push(flex);
        self.hold_edges(node, said);
    }
}

impl Reader<'_> {
    fn bad_pin(&mut self, node: &Node, said: &Flexcomp, (pin, attr, msg): BadPin) {
        let at = said.pins.get(pin).map_or(node.origin, |pin| pin.origin);
        self.log.mistake(at, Some(attr), msg);
    }

    // an equality of all edges
    fn hold_edges(&mut self, node: &Node, said: &Flexcomp) {
        if said.edge.equality() == EdgeEquality::True {
            self.spec.equalities.push(Equality {
                tag: EqualityTag::Flex,
                flex: Some(said.name.clone().unwrap_or_default()),
                solref: said.edge.solref.clone(),
                solimp: said.edge.solimp.clone(),
                origin: node.origin,
                ..Equality::default()
            });
        }
    }

    // an equality for each cell that is not empty, or for each face of a shell
    fn hold_strains(&mut self, node: &Node, said: &Flexcomp, cage: &Cage, shell: bool) {
        let cells = said.cellcount().map(|n| n.max(0) as usize);
        let [_, y, z] = cells;
        let num = if shell {
            face_num(cells)
        } else {
            cage.empty.len()
        };
        for c in (0..num).filter(|&c| shell || !cage.empty[c]) {
            let cell = match shell {
                true => [c as i32, -1, -1],
                false => [c / (y * z), c / z % y, c % z].map(|n| n as i32),
            };
            self.spec.equalities.push(Equality {
                tag: EqualityTag::Flexstrain,
                flex: said.name.clone(),
                cell: Some(cell),
                solref: said.edge.solref.clone(),
                solimp: said.edge.solimp.clone(),
                origin: node.origin,
                ..Equality::default()
            });
        }
    }

    // a body at each node of a grid that is not pinned and carries mass; vertices are between the nodes
    fn flex_in_cage(
        &mut self,
        node: &Node,
        said: &Flexcomp,
        body: &mut Body,
        place: Place,
        parent: &str,
        mut shape: Shape,
    ) {
        let shell = said.elasticity.elastic2d() != Elastic2d::None;
        let most = self.limits.elements.saturating_sub(self.elements);
        let (cells, order) = (said.cellcount(), said.dof().order());
        // around all points, whether an element has them or not
        let cage = match Cage::around(&shape, cells, order, most, shell) {
            Ok(cage) => cage,
            Err(all) => {
                let msg = format!("makes {all} nodes; raise `Limits::elements`");
                return self.log.mistake(node.origin, Some("cellcount"), msg);
            }
        };
        if said.is_given() {
            let mut used = vec![false; shape.point.len()];
            shape.drop_unused(&mut used);
        }
        let count = (shape.dim > 1).then_some(cage.count);
        let mut pinned = match pins(said, cage.node.len(), shape.dim, count) {
            Ok(pinned) => pinned,
            Err(bad) => return self.bad_pin(node, said, bad),
        };
        // a node without mass does not move
        for (pinned, share) in pinned.iter_mut().zip(&cage.share) {
            *pinned |= *share == 0.0;
        }
        self.elements = self.elements.saturating_add(cage.node.len() as u64);
        let mut flex = flex_of(node, said, &shape);
        flex.vertex = Some(shape.point.as_flattened().to_vec());
        if pinned.iter().all(|pinned| *pinned) {
            flex.body = Some(parent.to_owned());
            return self.spec.flexes.push(flex);
        }

        // the moving nodes share the mass
        let moving = cage
            .share
            .iter()
            .zip(&pinned)
            .filter(|(_, pinned)| !**pinned);
        let whole: f64 = moving.map(|(share, _)| share).sum();
        let joint = &self.classes.get(place.class).joint;
        let name = said.name.clone().unwrap_or_default();
        let (mut owners, mut coord) = (Vec::new(), Vec::new());
        for (n, (&at, pinned)) in cage.node.iter().zip(&pinned).enumerate() {
            coord.push(if *pinned { at } else { [0.0; 3] });
            if *pinned {
                owners.push(parent.to_owned());
                continue;
            }
            let mass = said.mass() * cage.share[n] / whole;
            let mut made = point_body(node, said, joint, at, mass);
            let [_, ny, nz] = cage.count;
            let owner = format!("{name}_{}_{}_{}", n / (ny * nz), n / nz % ny, n % nz);
            made.name = Some(owner.clone());
            body.bodies.push(made);
            owners.push(owner);
        }
        flex.body = Some(vec![parent; shape.point.len()].join(" "));
        flex.node = Some(owners.join(" "));
        flex.nodecoord = Some(coord.as_flattened().to_vec());
        flex.dof = Some(said.dof());
        flex.cellcount = Some(said.cellcount());
        self.spec.flexes.push(flex);
        match said.edge.equality() {
            EdgeEquality::Strain => self.hold_strains(node, said, &cage, shell),
            _ => self.hold_edges(node, said),
        }
    }
}

impl Flexcomp {
    /// The type, which a file does not say, and a mesh of the model does.
    pub(crate) fn kind(&self) -> FlexcompType {
        self.type_.unwrap_or(match self.mesh {
            Some(_) => FlexcompType::Mesh,
            None => FlexcompType::Grid,
        })
    }

    /// Whether its points are given, not generated.
    fn is_given(&self) -> bool {
        use FlexcompType::{Direct, Gmsh, Mesh};
        matches!(self.kind(), Mesh | Direct | Gmsh)
    }

    /// 1: lines, 2: triangles, 3: tetrahedra.
    pub(crate) fn dim(&self) -> i32 {
        self.dim.unwrap_or(2)
    }
}

fn check_flexcomp(log: &mut Log, node: &Node, said: &Flexcomp) {
    let mut check = |ok: bool, attr: &str, msg: &str| {
        if !ok {
            log.mistake(node.origin, Some(attr), msg);
        }
    };
    check(
        (1..=3).contains(&said.dim()),
        "dim",
        "dim must be 1, 2 or 3",
    );
    let count = said.count();
    let radial = said.dof() == FlexDof::Radial && said.dim() == 3;
    let least = if radial { 2 } else { 1 };
    check(
        count.iter().all(|c| *c >= least),
        "count",
        "count is too small",
    );
    let given = said.is_given();
    let least = 2.0 * said.radius.unwrap_or(0.005) + said.contact.margin();
    check(
        given || said.spacing().iter().all(|s| *s >= least),
        "spacing",
        &format!("spacing must be at least twice the radius and the margin, {least}"),
    );
    let positive = |x: &f64| *x >= MINVAL;
    check(
        said.scale().iter().all(positive),
        "scale",
        "scale must be positive",
    );
    check(positive(&said.mass()), "mass", "mass must be positive");
    check(
        positive(&said.inertiabox()),
        "inertiabox",
        "inertiabox must be positive",
    );
    check(
        said.point.as_ref().is_none_or(|p| p.len() % 3 == 0),
        "point",
        "point needs three numbers for each point",
    );
    check(
        said.mesh.is_none() || matches!(said.kind(), FlexcompType::Mesh | FlexcompType::Gmsh),
        "mesh",
        "mesh is for type=\"mesh\"",
    );
    check(
        said.cellcount().iter().all(|n| *n > 0) || said.dof().order() == 0,
        "cellcount",
        "cellcount must be positive",
    );
    check(
        said.edge.equality() != EdgeEquality::Strain || said.dof().order() > 0,
        "type",
        "equality=\"strain\" is for interpolated vertices: dof trilinear or quadratic",
    );
}

// attributes that a flexcomp passes on unchanged
fn flex_of(node: &Node, said: &Flexcomp, shape: &Shape) -> Flex {
    let flat = matches!(said.kind(), FlexcompType::Box | FlexcompType::Cylinder)
        || (said.kind() == FlexcompType::Grid && shape.dim == 3);
    let some = |list: &[f64]| (!list.is_empty()).then(|| list.to_vec());
    Flex {
        name: said.name.clone(),
        dim: Some(shape.dim as i32),
        radius: said.radius,
        element: Some(shape.element.clone()),
        texcoord: some(&shape.texcoord),
        elemtexcoord: (!shape.elemtexcoord.is_empty()).then(|| shape.elemtexcoord.clone()),
        flatskin: if flat { Some(true) } else { said.flatskin },
        material: said.material.clone(),
        rgba: said.rgba,
        group: said.group,
        edge: FlexEdge {
            stiffness: said.edge.stiffness,
            damping: said.edge.damping,
            origin: said.edge.origin,
        },
        elasticity: said.elasticity.clone(),
        contact: said.contact.clone(),
        origin: node.origin,
        ..Flex::default()
    }
}

// the body of a point mass that slides
fn point_body(node: &Node, said: &Flexcomp, class: &Joint, point: [f64; 3], mass: f64) -> Body {
    let side = said.inertiabox();
    let slide = |axis: [f64; 3]| {
        let mut joint = Joint {
            type_: Some(JointType::Slide),
            pos: Some([0.0; 3]),
            axis: Some(axis),
            origin: node.origin,
            ..Joint::default()
        };
        joint.inherit(class);
        joint.class = None;
        joint
    };
    const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let joints = match said.dof() {
        FlexDof::Radial => {
            let mut axis = point;
            normalize(&mut axis);
            vec![slide(axis)]
        }
        FlexDof::TwoD => AXES[..2].iter().map(|axis| slide(*axis)).collect(),
        _ => AXES.iter().map(|axis| slide(*axis)).collect(),
    };
    Body {
        pos: Some(point),
        inertial: Some(Inertial {
            pos: Some([0.0; 3]),
            mass: Some(mass),
            diaginertia: Some([mass * (2.0 * side * side) / 3.0; 3]),
            origin: node.origin,
            ..Inertial::default()
        }),
        joints,
        origin: node.origin,
        ..Body::default()
    }
}
