//! Soft bodies: their vertices, edges and elements, and the coefficients of their material (`mjCFlex::Compile`).

mod cage;
mod check;
mod hooke;
pub(super) mod material;
pub(super) mod plastic;
pub(crate) mod rest;
pub(crate) mod rod;
mod shell;
mod strain;
mod topology;
pub(super) mod tree;

use super::layout::merged_chain;
use super::names::Names;
use super::pose::{Pose, V3};
use super::tree::{Ids, Tree};
use crate::asset::fill::Fill;
use crate::cpu::lib::cage::STRAIN;
use crate::cpu::lib::elastic::{TETRAHEDRON, THICKNESS, TRIANGLE};
use crate::error::{Error, Result};
use crate::fields::Arrays;
use crate::mjcf::schema::{Elastic2d, EqualityTag, Flex};
use cage::Cage;
use check::{check_bodies, check_cage, check_elements, check_material};
use topology::Topology;

/// Most stiffness coefficients of all flexes together: a gibibyte.
const MAXSTIFFNESS: usize = 1 << 27;

/// Fills `flex_*` and `flexedge_*`, except the arrays that are derived from `qpos0` later. Needs the bodies.
pub(super) fn fill(m: &mut Arrays, tree: &Tree, names: &Names) -> Result<()> {
    if tree.spec.flexes.is_empty() {
        return Ok(());
    }
    let poses = poses(m);
    for said in &tree.spec.flexes {
        one(m, tree, names, &poses, said)?;
    }
    m.nflex = tree.spec.flexes.len();
    m.nflexnode = m.flex_node.len();
    m.nflexvert = m.flex_vert.len();
    m.nflexedge = m.flexedge_rigid.len();
    m.nflexelem = m.flex_elemlayer.len();
    m.nflexelemdata = m.flex_elem.len();
    m.nflexelemedge = m.flex_elemedge.len();
    m.nflexshelldata = m.flex_shell.len();
    m.nflexstiffness = m.flex_stiffness.len();
    m.nflexbending = m.flex_bending.len();
    m.flexedge_length0 = vec![0.0; m.nflexedge];
    m.flexedge_invweight0 = vec![0.0; m.nflexedge];
    Ok(())
}

/// A soft body as given: its bodies and elements, and the positions of its vertices at `qpos0`.
struct Part {
    dim: usize,
    bodies: Vec<usize>,
    // in the frames of the bodies
    vertex: Vec<V3>,
    xpos: Vec<V3>,
    element: Vec<i32>,
    centered: bool,
    rigid: bool,
    // the grid of nodes that the vertices are between, if there is one
    cage: Option<Cage>,
}

// poses of the bodies at qpos0
fn poses(m: &Arrays) -> Vec<Pose> {
    let mut poses = Vec::with_capacity(m.nbody);
    for i in 0..m.nbody {
        let own = Pose {
            pos: m.body_pos[i],
            quat: m.body_quat[i],
        };
        poses.push(match i {
            0 => own,
            _ => Pose::then(poses[m.body_parentid[i] as usize], own),
        });
    }
    poses
}

fn one(m: &mut Arrays, tree: &Tree, names: &Names, poses: &[Pose], said: &Flex) -> Result<()> {
    let part = part(tree, names, poses, said)?;
    let held = held(tree, said, EqualityTag::Flex);
    let strain = held_strain(tree, said, &part)?;
    check_material(tree, said, &part, held || strain)?;
    check_bodies(m, tree, names, said, &part)?;
    check_cage(tree, said, &part)?;
    let shape = topology::of(&part);
    let elastic = said.elasticity.young() > 0.0;
    let shell = part.cage.as_ref().filter(|cage| cage.shell);
    let bends = elastic && bends(said) && (shell.is_some() || part.dim == 2 && part.cage.is_none());
    let between = part.cage.is_some();
    let stretches =
        strain || elastic && (part.dim > 1 || between) && (shell.is_none() || stretches(said));
    let rod = match elastic && part.dim == 1 && !part.rigid && part.cage.is_none() {
        true => rod::records(m, tree, names, said, &part)?,
        false => Vec::new(),
    };
    let radius = rod::radius(tree, said, &part)?;
    if stretches {
        check_room(m, &part)?;
    }
    let fill = fill_of(&part, stretches);
    vertices(m, &part);
    edges(m, &part, &shape, bends);
    elements(m, tree, names, said, &shape)?;

    // the material
    m.flex_stiffnessadr.push(-1);
    m.flex_bendingadr.push(-1);
    let last = m.flex_stiffnessadr.len() - 1;
    if stretches {
        m.flex_stiffnessadr[last] = m.flex_stiffness.len() as i32;
        m.flex_stiffness.extend(match &part.cage {
            Some(cage) => shell::coefficients(cage, said, fill.as_ref(), strain),
            None => material::stretching(said, &part),
        });
        // hinges that yield find the thickness among the padding of the first triangle
        if part.cage.is_none() && self::bends(said) && plastic::yields(said, &part)[1] > 0.0 {
            let adr = m.flex_stiffnessadr[last] as usize + THICKNESS;
            m.flex_stiffness[adr] = said.elasticity.thickness();
        }
    }
    if bends {
        m.flex_bendingadr[last] = m.flex_bending.len() as i32;
        m.flex_bending.extend(match shell {
            Some(cage) => cage.bends(said),
            None => material::bending(said, &part, &shape),
        });
    }
    if !rod.is_empty() {
        m.flex_bendingadr[last] = m.flex_bending.len() as i32;
        m.flex_bending.extend(rod);
    }
    m.flex_radius.push(radius);
    m.flex_edgeequality
        .push(if strain { STRAIN } else { i32::from(held) });
    m.flex_yield.extend(plastic::yields(said, &part));
    m.flex_plasticadr.push(-1);
    m.flex_plasticmode.push(plastic::mode(said, &part));
    properties(m, said, &part);
    boxed(m, said, &part, fill.as_ref());
    Ok(())
}

// whether there is room for the stiffness of the cells between nodes
fn check_room(m: &Arrays, part: &Part) -> Result<()> {
    let more = part.cage.as_ref().map_or(0, |cage| {
        let order = if cage.shell { -1 } else { 1 } * cage.order as i64;
        cage::stiffness_num(order, cage.cells.map(|n| n as i64)) as usize
    });
    let need = m.flex_stiffness.len().saturating_add(more);
    if need > MAXSTIFFNESS {
        return Err(Error::Size {
            what: "numbers of stiffness of cells between nodes (set a smaller cellcount)".into(),
            need: need as u64,
            have: MAXSTIFFNESS as u64,
        });
    }
    Ok(())
}

// the part of the cells between nodes that a flex fills, integrated if `stretches`; none of a shell
fn fill_of(part: &Part, stretches: bool) -> Option<Fill> {
    let solid = part.cage.as_ref().filter(|cage| !cage.shell);
    solid.map(|cage| cage.fill(part, stretches))
}

fn bends(said: &Flex) -> bool {
    matches!(
        said.elasticity.elastic2d(),
        Elastic2d::Bend | Elastic2d::Both
    )
}

fn stretches(said: &Flex) -> bool {
    matches!(
        said.elasticity.elastic2d(),
        Elastic2d::Stretch | Elastic2d::Both
    )
}

// whether an equality of a kind constrains a flex
fn held(tree: &Tree, said: &Flex, tag: EqualityTag) -> bool {
    let mut equalities = tree.spec.equalities.iter();
    equalities.any(|e| e.tag == tag && e.flex.is_some() && e.flex == said.name)
}

// whether equalities constrain strains of a flex
fn held_strain(tree: &Tree, said: &Flex, part: &Part) -> Result<bool> {
    let strain = held(tree, said, EqualityTag::Flexstrain);
    let msg = "flexstrain is for flexes between nodes: dof trilinear or quadratic";
    let ok = !strain || part.cage.is_some();
    tree.ensure(ok, said.origin, Some("dof"), msg)?;
    Ok(strain)
}

fn part(tree: &Tree, names: &Names, poses: &[Pose], said: &Flex) -> Result<Part> {
    let origin = said.origin;
    let dim = said.dim();
    tree.ensure(
        (1..=3).contains(&dim),
        origin,
        Some("dim"),
        "dim must be 1, 2 or 3",
    )?;
    let dim = dim as usize;
    let element = said.element.clone().unwrap_or_default();
    let msg = format!("element needs {} numbers for each element", dim + 1);
    let ok = !element.is_empty() && element.len().is_multiple_of(dim + 1);
    tree.ensure(ok, origin, Some("element"), &msg)?;
    let words = said.body.as_deref().unwrap_or_default();
    let mut bodies = words
        .split_ascii_whitespace()
        .map(|name| names.body.find(tree, origin, "body", name))
        .collect::<Result<Vec<_>>>()?;
    tree.ensure(!bodies.is_empty(), origin, Some("body"), "body is needed")?;
    let numbers = said.vertex.as_deref().unwrap_or_default();
    let msg = "vertex needs three numbers for each vertex";
    tree.ensure(numbers.len().is_multiple_of(3), origin, Some("vertex"), msg)?;
    let mut vertex: Vec<V3> = numbers
        .chunks_exact(3)
        .map(|v| [v[0], v[1], v[2]])
        .collect();
    if vertex.is_empty() {
        vertex = vec![[0.0; 3]; bodies.len()];
    } else if bodies.len() == 1 {
        bodies = vec![bodies[0]; vertex.len()];
    }
    let msg = format!(
        "body must name one body, or one for each of the {} vertices",
        vertex.len()
    );
    tree.ensure(bodies.len() == vertex.len(), origin, Some("body"), &msg)?;
    tree.ensure(
        vertex.len() > dim,
        origin,
        Some("body"),
        "there are not enough vertices for one element",
    )?;
    check_elements(tree, said, dim, &element, vertex.len())?;
    let place = |(body, v): (&usize, &V3)| poses[*body].then(Pose::at(*v)).pos;
    let cage = cage::of(tree, names, poses, said)?;
    let (points, holders) = match &cage {
        Some(cage) => (&cage.node, &cage.bodies),
        None => (&vertex, &bodies),
    };
    Ok(Part {
        dim,
        xpos: bodies.iter().zip(&vertex).map(place).collect(),
        centered: points.iter().all(|v| *v == [0.0; 3]),
        rigid: cage.is_none() && holders.iter().all(|b| *b == holders[0]),
        cage,
        bodies,
        vertex,
        element,
    }
    .outward())
}

impl Part {
    // the faces 012, 023, 031, 132 of a tetrahedron turn right when seen from outside
    fn outward(mut self) -> Part {
        if self.dim == 3 {
            for element in self.element.chunks_exact_mut(4) {
                if material::volume(&self.xpos, element) > 0.0 {
                    element.swap(1, 2);
                }
            }
        }
        self
    }
}

fn vertices(m: &mut Arrays, part: &Part) {
    m.flex_vertadr.push(m.flex_vert.len() as i32);
    m.flex_vertnum.push(part.vertex.len() as i32);
    m.flex_vert.extend_from_slice(&part.vertex);
    match &part.cage {
        Some(_) => m.flex_vertbodyid.extend(part.bodies.iter().map(|_| -1)),
        None => m
            .flex_vertbodyid
            .extend(part.bodies.iter().map(|&b| b as i32)),
    }
    Cage::write(part.cage.as_ref(), m);
}

fn edges(m: &mut Arrays, part: &Part, shape: &Topology, bends: bool) {
    m.flex_edgeadr.push(m.flexedge_rigid.len() as i32);
    m.flex_edgenum.push(shape.edges.len() as i32);
    for (edge, flap) in shape.edges.iter().zip(&shape.flaps) {
        let [b0, b1] = edge.map(|v| part.bodies[v as usize]);
        m.flexedge_rigid
            .push(i32::from(b0 == b1 && part.cage.is_none()));
        m.flex_edge.extend(edge);
        m.flex_edgeflap.extend(if bends { *flap } else { [-1; 2] });
    }
}

fn elements(
    m: &mut Arrays,
    tree: &Tree,
    names: &Names,
    said: &Flex,
    shape: &Topology,
) -> Result<()> {
    let nelem = shape.layers.len();
    m.flex_elemadr.push(m.flex_elemlayer.len() as i32);
    m.flex_elemnum.push(nelem as i32);
    m.flex_elemdataadr.push(m.flex_elem.len() as i32);
    m.flex_elemedgeadr.push(m.flex_elemedge.len() as i32);
    m.flex_shelldataadr.push(match shape.shell.is_empty() {
        true => -1,
        false => m.flex_shell.len() as i32,
    });
    m.flex_shellnum
        .push((shape.shell.len() / said.dim() as usize) as i32);
    m.flex_elem.extend(&shape.element);
    m.flex_elemedge.extend(&shape.elemedge);
    m.flex_elemlayer.extend(&shape.layers);
    m.flex_shell.extend(&shape.shell);
    m.flex_matid
        .extend(materials(tree, &names.material, said, nelem)?);
    Ok(())
}

// one material for all elements, or one for each
fn materials(tree: &Tree, ids: &Ids, said: &Flex, nelem: usize) -> Result<Vec<i32>> {
    let words = said.material.as_deref().unwrap_or_default();
    let find = |name: &str| ids.find(tree, said.origin, "material", name);
    let found = words
        .split_ascii_whitespace()
        .map(|name| find(name).map(|id| id as i32))
        .collect::<Result<Vec<_>>>()?;
    match found.as_slice() {
        [] => Ok(vec![-1; nelem]),
        [one] => Ok(vec![*one; nelem]),
        _ => {
            let msg =
                format!("material must name one material, or one for each of the {nelem} elements");
            tree.ensure(found.len() == nelem, said.origin, Some("material"), &msg)?;
            Ok(found)
        }
    }
}

fn properties(m: &mut Arrays, said: &Flex, part: &Part) {
    let contact = &said.contact;
    m.flex_dim.push(part.dim as i32);
    m.flex_rigid.push(i32::from(part.rigid));
    m.flex_centered.push(i32::from(part.centered));
    m.flex_contype.push(contact.contype());
    m.flex_conaffinity.push(contact.conaffinity());
    m.flex_condim.push(contact.condim());
    m.flex_priority.push(contact.priority());
    m.flex_solmix.push(contact.solmix());
    m.flex_solref.extend(contact.solref());
    m.flex_solimp.extend(contact.solimp());
    m.flex_friction.extend(contact.friction());
    m.flex_margin.push(contact.margin());
    m.flex_gap.push(contact.gap());
    m.flex_selfcollide.push(contact.selfcollide() as i32);
    m.flex_activelayers.push(contact.activelayers());
    m.flex_passive.push(i32::from(contact.passive()));
    m.flex_group.push(said.group());
    m.flex_damping.push(said.elasticity.damping());
    m.flex_edgestiffness.push(said.edge.stiffness());
    m.flex_edgedamping.push(said.edge.damping());
    m.flex_flatskin.push(i32::from(said.flatskin()));
    m.flex_rgba.extend(said.rgba().map(|x| f64::from(x as f32)));
}

// bounding box of the elements that may collide, or of the nodes, and the place of each vertex in it
fn boxed(m: &mut Arrays, said: &Flex, part: &Part, fill: Option<&Fill>) {
    if let Some(cage) = &part.cage {
        m.flex_size.push(cage.size().map(|x| 0.5 * x));
        for x in &part.xpos {
            let place = cage.place(cage.local(*x));
            m.flex_vert0.push(place);
            m.flex_vertcell.push(cage.cell(place, fill));
        }
        return;
    }
    let first = m.flex_elemlayer.len() - part.element.len() / (part.dim + 1);
    let layers = &m.flex_elemlayer[first..];
    let xpos = &part.xpos;
    let (mut lo, mut hi) = ([f64::MAX; 3], [f64::MIN; 3]);
    for (of, layer) in part.element.chunks_exact(part.dim + 1).zip(layers) {
        if part.dim == 3 && *layer >= said.contact.activelayers() {
            continue;
        }
        for &v in of {
            for k in 0..3 {
                lo[k] = lo[k].min(xpos[v as usize][k]);
                hi[k] = hi[k].max(xpos[v as usize][k]);
            }
        }
    }
    let size = [0, 1, 2].map(|k| 0.5 * (hi[k] - lo[k]));
    m.flex_size.push(size);
    for x in xpos {
        let along = |k: usize| match size[k] > crate::types::MINVAL {
            true => (x[k] - 0.5 * (hi[k] + lo[k])) / (2.0 * size[k]) + 0.5,
            false => 0.5,
        };
        m.flex_vert0.push([0, 1, 2].map(along));
        m.flex_vertcell.push(-1);
    }
}

/// Dofs that the length of each edge depends on, if the edge is used; `nJfe` counts them for all edges.
pub(super) fn edge_pattern(m: &mut Arrays) {
    m.flexedge_J_rownnz = vec![0; m.nflexedge];
    m.flexedge_J_rowadr = vec![0; m.nflexedge];
    m.flex_rownum = vec![0; m.nflex];
    let (mut colind, mut all) = (Vec::new(), 0);
    for f in 0..m.nflex {
        let used = m.flex_edgeequality[f] == 1
            || m.flex_damping[f] != 0.0
            || m.flex_edgestiffness[f] != 0.0
            || m.flex_edgedamping[f] != 0.0;
        for e in edges_of(m, f) {
            m.flexedge_J_rowadr[e] = colind.len() as i32;
            if m.flex_rigid[f] != 0 || m.flex_interp[f] != 0 {
                continue;
            }
            let [b0, b1] = edge_bodies(m, f, e);
            let chain = merged_chain(m, b0, b1);
            all += chain.len();
            if used {
                m.flexedge_J_rownnz[e] = chain.len() as i32;
                m.flex_rownum[f] += i32::from(!chain.is_empty() && m.flexedge_rigid[e] == 0);
                colind.extend(chain);
            }
        }
    }
    colind.resize(all, 0);
    m.flexedge_J_colind = colind;
    m.nJfe = all;
}

/// The edges of a flex.
pub(super) fn edges_of(m: &Arrays, f: usize) -> std::ops::Range<usize> {
    let adr = m.flex_edgeadr[f] as usize;
    adr..adr + m.flex_edgenum[f] as usize
}

/// The bodies of the ends of an edge.
pub(super) fn edge_bodies(m: &Arrays, f: usize, e: usize) -> [usize; 2] {
    [0, 1].map(|k| {
        let v = m.flex_vertadr[f] + m.flex_edge[2 * e + k];
        m.flex_vertbodyid[v as usize] as usize
    })
}

/// Number of stretch coefficients of all elements, or of all cells between nodes.
pub(super) fn stiffness_num(m: &Arrays, f: usize) -> i64 {
    let of_element = match m.flex_dim[f] {
        3 => TETRAHEDRON,
        _ => TRIANGLE,
    };
    match i64::from(m.flex_interp[f]) {
        0 => i64::from(m.flex_elemnum[f]).saturating_mul(of_element as i64),
        order => {
            let cells = [0, 1, 2].map(|k| m.flex_cellnum[3 * f + k].into());
            cage::stiffness_num(order, cells)
        }
    }
}

/// Whether internal forces or constraints of a flex keep its shape.
pub(super) fn keeps_shape(m: &Arrays, f: usize) -> bool {
    let (stretch, bend) = (m.flex_stiffnessadr[f], m.flex_bendingadr[f]);
    let of = |adr: i32| {
        let adr = adr as usize;
        &m.flex_stiffness[adr..adr + stiffness_num(m, f) as usize]
    };
    let lines = m.flex_dim[f] == 1;
    let stretches = !lines && stretch >= 0 && of(stretch).iter().any(|k| *k != 0.0);
    m.flex_edgeequality[f] != 0 || bend >= 0 || stretches
}

/// The bodies that a flex is made of: those of its nodes, or else of its vertices.
pub(super) fn bodies_of(m: &Arrays, f: usize) -> &[i32] {
    let (list, adr, num) = match m.flex_interp[f] {
        0 => (&m.flex_vertbodyid, m.flex_vertadr[f], m.flex_vertnum[f]),
        _ => (&m.flex_nodebodyid, m.flex_nodeadr[f], m.flex_nodenum[f]),
    };
    &list[adr as usize..(adr + num) as usize]
}
