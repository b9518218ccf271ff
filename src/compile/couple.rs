//! Couplings in the metric of a discrete step for which M's sparsity has no room: of tendons and actuators along several dofs, and of
//! soft bodies.
//!
//! ```text
//! lines of tendons and actuators ─┐
//!                                 ├─▶ efm_K_* : rows of pairs, lower triangle ─▶ efm_L_* : rows of the factor, upper triangle
//! corners of elements of flexes ──┘                       └─▶ efm_tree : trees that are coupled
//! ```

use super::layout::{addresses, body_chain};
use crate::cpu::collision::block::Block;
use crate::cpu::lib::cage::{STRAIN, patch_nodes, patch_num};
use crate::cpu::lib::elastic::{BENDING, hinge};
use crate::cpu::lib::penalty::{gives_way, has_penalties, is_passive};
use crate::cpu::lib::rod::{hinges, is_rod, record, rod_corner, twist_joint, twists};
use crate::cpu::lib::rows::listed_dofs;
use crate::fields::Arrays;
use crate::types::*;

/// Fills the sparsity of the couplings and of the factor; both are empty where M's sparsity holds the whole metric.
pub(super) fn couplings(m: &mut Arrays) {
    let mut rows = pairs_of_forces(m);
    let tied = trees(m, &rows);
    join_contacts(m, &mut rows);
    m.nefmK = rows.iter().map(Vec::len).sum();
    let some = m.nefmK > 0;
    (m.nvefmK, m.ntreeefm) = if some { (m.nv, m.ntree) } else { (0, 0) };
    m.efm_K_rownnz = rows.iter().map(|row| row.len() as i32).collect();
    m.efm_K_rowadr = addresses(&m.efm_K_rownnz);
    m.efm_K_colind = rows.concat();
    both_ways(m, &rows);
    m.npenalty = if has_penalties(m) { m.nJrow } else { 0 };
    m.efm_L_end = vec![0; m.nvefmK];
    m.efm_L_adr = vec![0; m.nvefmK];
    m.nefmL = 0;
    if some {
        factor(m);
    }
    [m.efm_tree, m.tree_tied] = match some {
        true => [trees(m, &rows), tied],
        false => [Vec::new(), Vec::new()],
    };
}

// lists for each dof the couplings with earlier and with later dofs
fn both_ways(m: &mut Arrays, rows: &[Vec<i32>]) {
    let mut all = vec![Vec::new(); m.nvefmK];
    for (i, row) in rows.iter().enumerate() {
        for (k, &j) in (m.efm_K_rowadr[i]..).zip(row) {
            all[i].push((j, k));
            if j as usize != i {
                all[j as usize].push((i as i32, k));
            }
        }
    }
    m.efm_S_rownnz = all.iter().map(|row| row.len() as i32).collect();
    m.efm_S_rowadr = addresses(&m.efm_S_rownnz);
    [m.efm_S_colind, m.efm_S_adr] = [
        all.iter().flatten().map(|(j, _)| *j).collect(),
        all.iter().flatten().map(|(_, k)| *k).collect(),
    ];
    m.nefmS = m.efm_S_adr.len();
}

/// True if a model with other numbers needs couplings that its sparsity lacks.
pub(super) fn lacks(m: &Arrays) -> bool {
    let lacks = |i: usize, row: &Vec<i32>| match m.nefmK {
        0 => !row.is_empty(),
        _ => row.iter().any(|j| !row_of(m, i).contains(j)),
    };
    pairs(m).iter().enumerate().any(|(i, row)| lacks(i, row))
}

fn row_of(m: &Arrays, i: usize) -> &[i32] {
    let adr = m.efm_K_rowadr[i] as usize;
    &m.efm_K_colind[adr..adr + m.efm_K_rownnz[i] as usize]
}

/// True if a soft body resists deformation by its material, or others by passive contacts (`mj_effFlexStiffPossible`).
pub(super) fn is_elastic(m: &Arrays, f: usize) -> bool {
    match m.flex_dim[f] {
        _ if m.flex_rigid[f] != 0 => false,
        1 => is_rod(m, f),
        _ => stretches(m, f) || bends(m, f) || gives_way(m, f),
    }
}

// whether it couples dofs: the bending of shells between nodes does not, since it acts as it is at the beginning of a step
fn couples(m: &Arrays, f: usize) -> bool {
    let held = m.flex_edgeequality[f] == STRAIN;
    is_elastic(m, f) && (m.flex_interp[f] == 0 || stretches(m, f) && !held)
}

fn stretches(m: &Arrays, f: usize) -> bool {
    let Ok(adr) = usize::try_from(m.flex_stiffnessadr[f]) else {
        return false;
    };
    // the first cell may be empty, and a face has no stiffness across it
    let words = match m.flex_interp[f] {
        0 => 1,
        _ => (0..patch_num(m, f))
            .map(|c| 9 * patch_nodes(m, f, c).len().pow(2))
            .sum(),
    };
    m.flex_stiffness[adr..adr + words].iter().any(|x| *x != 0.0)
}

fn bends(m: &Arrays, f: usize) -> bool {
    let Ok(adr) = usize::try_from(m.flex_bendingadr[f]) else {
        return false;
    };
    // of a shell between nodes it is kept for the nodes of cells
    if m.flex_interp[f] != 0 {
        return true;
    }
    let num = BENDING * m.flex_edgenum[f] as usize;
    m.flex_bending[adr..adr + num].iter().any(|x| *x != 0.0)
}

// for each dof the dofs up to it that it is coupled with; no rows where M's sparsity holds the whole metric
fn pairs(m: &Arrays) -> Vec<Vec<i32>> {
    let mut rows = pairs_of_forces(m);
    join_contacts(m, &mut rows);
    rows
}

// the same without passive contacts
fn pairs_of_forces(m: &Arrays) -> Vec<Vec<i32>> {
    if !m.opt.is_discrete() || m.opt.solver == Solver::Pgs {
        return Vec::new();
    }
    let lines: Vec<&[i32]> = lines(m).collect();
    let soft = has_penalties(m) || (0..m.nflex).any(|f| couples(m, f));
    if !soft && lines.iter().all(|line| fits(m, line)) {
        return Vec::new();
    }
    let mut rows = vec![Vec::new(); m.nv];
    for line in lines {
        for (&i, &j) in line.iter().flat_map(|i| line.iter().map(move |j| (i, j))) {
            if j < i {
                rows[i as usize].push(j);
            }
        }
    }
    for f in (0..m.nflex).filter(|&f| couples(m, f)) {
        for_elements(m, f, |bodies| join(m, bodies, &mut rows));
    }
    for f in (0..m.nflex).filter(|&f| couples(m, f) && twists(m, f)) {
        for k in 0..hinges(m, f) {
            join_hinges(m, [k, k + 1].map(|e| twist_joint(m, f, e)), &mut rows);
        }
    }
    for row in &mut rows {
        row.sort_unstable();
        row.dedup();
    }
    rows
}

// couples the dofs of every passive contact that there may be
fn join_contacts(m: &Arrays, rows: &mut [Vec<i32>]) {
    if rows.is_empty() || !has_penalties(m) {
        return;
    }
    let mut met: Vec<_> = (1..=rows.len()).map(|n| vec![false; n]).collect();
    for (met, row) in met.iter_mut().zip(rows.iter()) {
        row.iter().for_each(|j| met[*j as usize] = true);
    }
    for k in (0..m.ncollision).filter(|&k| is_passive(m, k)) {
        let dofs = dofs_that_meet(m, k);
        for &i in &dofs {
            for &j in dofs.iter().filter(|j| **j <= i) {
                met[i as usize][j as usize] = true;
            }
        }
    }
    for (row, met) in rows.iter_mut().zip(met) {
        *row = (0..)
            .zip(met)
            .filter_map(|(j, met)| met.then_some(j))
            .collect();
    }
}

// dofs that contacts of a pair couple; of a block those of all its elements
fn dofs_that_meet(m: &Arrays, k: usize) -> Vec<i32> {
    let Some(block) = Block::of_pair(m, k) else {
        return listed_dofs(m, m.collision_Jpat[k]).to_vec();
    };
    let flexes = &m.collision_flex[2 * k..2 * k + 2];
    let sides = block.elem.into_iter().zip(flexes);
    let elements = sides.flat_map(|(list, f)| {
        let first = m.flex_elemadr[*f as usize];
        list.iter().map(move |e| (first + e) as usize)
    });
    let dofs = elements.flat_map(|e| listed_dofs(m, m.flexelem_Jpat[e]));
    let mut dofs: Vec<i32> = dofs.copied().collect();
    dofs.sort_unstable();
    dofs.dedup();
    dofs
}

// dofs of each tendon and each output of an actuator whose force depends on its length or velocity.
fn lines(m: &Arrays) -> impl Iterator<Item = &[i32]> {
    let tendons = (0..m.ntendon).filter(|&t| pulls_back(m, t)).map(|t| {
        let adr = m.ten_J_rowadr[t] as usize;
        &m.ten_J_colind[adr..adr + m.ten_J_rownnz[t] as usize]
    });
    let outputs = (0..m.nactuator).filter(|&i| depends(m, i)).flat_map(|i| {
        let first = m.actuator_outadr[i] as usize;
        first..first + m.actuator_outnum[i] as usize
    });
    let outputs = outputs.map(|r| {
        let adr = m.moment_rowadr[r] as usize;
        &m.moment_colind[adr..adr + m.moment_rownnz[r] as usize]
    });
    tendons.chain(outputs)
}

// whether a tendon has a spring or a damper, its actuators' included
fn pulls_back(m: &Arrays, t: usize) -> bool {
    let two = 2 * t..2 * t + 2;
    let spring = m.tendon_stiffness[t] != 0.0 || m.tendon_stiffnesspoly[two.clone()] != [0.0; 2];
    let damper = m.tendon_damping_all[t] != 0.0 || m.tendon_dampingpoly_all[two] != [0.0; 2];
    spring && !m.opt.disabled(DSBL_SPRING) || damper && !m.opt.disabled(DSBL_DAMPER)
}

// whether the force of an actuator may depend on its length or velocity (`mj_effActuatorPossible`)
fn depends(m: &Arrays, i: usize) -> bool {
    use {BiasType as B, GainType as G};
    let gains = [G::Affine, G::So3, G::Muscle, G::DcMotor];
    let biases = [B::Affine, B::So3, B::Muscle, B::DcMotor];
    !m.opt.disabled(DSBL_ACTUATION)
        && (gains.iter().any(|gain| m.actuator_gaintype[i] == *gain)
            || biases.iter().any(|bias| m.actuator_biastype[i] == *bias))
}

// whether M's sparsity holds all couplings of a line. A free body's gyroscopic force and the solvers that take the part of the metric
// without the couplings of lines need these apart.
fn fits(m: &Arrays, line: &[i32]) -> bool {
    let apart = m.opt.enabled(ENBL_DIAGEXACT) || m.opt.noslip_iterations > 0;
    let free = |i: &i32| {
        let (joint, tree) = (m.dof_jntid[*i as usize], m.dof_treeid[*i as usize]);
        m.jnt_type[joint as usize] == JointType::Free && m.tree_dofnum[tree as usize] == 6
    };
    if line.len() > 1 && (apart || line.iter().any(free)) {
        return false;
    }
    let within = |i: i32, j: i32| {
        let adr = m.M_rowadr[i as usize] as usize;
        m.M_colind[adr..adr + m.M_rownnz[i as usize] as usize].contains(&j)
    };
    let earlier = |i: i32| line.iter().filter(move |j| **j < i);
    line.iter().all(|&i| earlier(i).all(|&j| within(i, j)))
}

// calls `visit` with the bodies of the corners of each element, of each hinge between elements, or of each cell or face between nodes
fn for_elements(m: &Arrays, f: usize, mut visit: impl FnMut(&[usize])) {
    if m.flex_interp[f] != 0 {
        for c in 0..patch_num(m, f) {
            let nodes = patch_nodes(m, f, c).into_iter();
            let bodies = nodes.map(|n| m.flex_nodebodyid[n] as usize);
            visit(&bodies.collect::<Vec<_>>());
        }
        return;
    }
    let body = |v: usize| usize::try_from(m.flex_vertbodyid[v]).ok();
    if is_rod(m, f) {
        for k in 0..hinges(m, f) {
            // the fourth vertex of a pair
            let last = m.flex_bending[record(m, f, k) + 3];
            let corners = if twists(m, f) || last < 0.0 { 3 } else { 4 };
            let bodies = (0..corners).filter_map(|c| body(rod_corner(m, f, k, c)));
            visit(&bodies.collect::<Vec<_>>());
        }
        return;
    }
    if stretches(m, f) {
        let corners = m.flex_dim[f] as usize + 1;
        let adr = m.flex_elemdataadr[f] as usize;
        let elements = &m.flex_elem[adr..adr + corners * m.flex_elemnum[f] as usize];
        for element in elements.chunks_exact(corners) {
            let vertices = element.iter().map(|v| (m.flex_vertadr[f] + v) as usize);
            visit(&vertices.filter_map(body).collect::<Vec<_>>());
        }
    }
    if bends(m, f) {
        let edges = 0..m.flex_edgenum[f] as usize;
        for vertices in edges.filter_map(|e| hinge(m, f, e)) {
            let bodies = vertices.into_iter().filter_map(body);
            visit(&bodies.collect::<Vec<_>>());
        }
    }
}

// couples two hinges of joints, each with itself too; one may be missing
fn join_hinges(m: &Arrays, joints: [Option<usize>; 2], rows: &mut [Vec<i32>]) {
    let dofs = joints.into_iter().flatten().map(|j| m.jnt_dofadr[j]);
    let dofs: Vec<i32> = dofs.collect();
    for &i in &dofs {
        rows[i as usize].extend(dofs.iter().filter(|j| **j <= i));
    }
}

// couples all dofs that move any of these bodies, each with itself too
fn join(m: &Arrays, bodies: &[usize], rows: &mut [Vec<i32>]) {
    let mut dofs: Vec<i32> = bodies.iter().flat_map(|&b| body_chain(m, b)).collect();
    dofs.sort_unstable();
    dofs.dedup();
    for (k, &i) in dofs.iter().enumerate() {
        rows[i as usize].extend(&dofs[..=k]);
    }
}

// the rows of the factor: elimination from the last dof to the first keeps the ends of rows
fn factor(m: &mut Arrays) {
    let mut end: Vec<i32> = (0..m.nv as i32).collect();
    for i in 0..m.nv {
        let adr = m.M_rowadr[i] as usize;
        let inertia = &m.M_colind[adr..adr + m.M_rownnz[i] as usize];
        for &j in inertia.iter().chain(row_of(m, i)) {
            end[j as usize] = i as i32;
        }
    }
    for (i, end) in end.iter().enumerate() {
        m.efm_L_adr[i] = (m.nefmL - i) as i32;
        m.nefmL += *end as usize + 1 - i;
    }
    m.efm_L_end = end;
}

// for each tree the first of the trees that rows of pairs couple
fn trees(m: &Arrays, rows: &[Vec<i32>]) -> Vec<i32> {
    let mut tree: Vec<i32> = (0..m.ntree as i32).collect();
    let root = |tree: &[i32], mut t: i32| {
        while tree[t as usize] != t {
            t = tree[t as usize];
        }
        t
    };
    for (i, row) in rows.iter().enumerate() {
        for &j in row {
            let [a, b] = [i as i32, j].map(|i| root(&tree, m.dof_treeid[i as usize]));
            tree[a.max(b) as usize] = a.min(b);
        }
    }
    for t in 0..tree.len() {
        tree[t] = root(&tree, t as i32);
    }
    tree
}
