//! Soft bodies: vertices, edges, elements and coefficients of each lie within the lists of all, and its ids refer to its own vertices and edges.

use super::{ensure, rods, runs, span};
use crate::compile::flex::{edges_of, plastic, stiffness_num};
use crate::cpu::lib::cage::{STRAIN, patch_num};
use crate::cpu::lib::elastic::BENDING;
use crate::cpu::lib::shell::{BEND, face_num};
use crate::error::Result;
use crate::fields::Arrays;

pub(super) fn check(m: &Arrays) -> Result<()> {
    for (names, adr, num, len) in [
        (
            ["flex_vertadr", "flex_vertnum"],
            &m.flex_vertadr,
            &m.flex_vertnum,
            m.nflexvert,
        ),
        (
            ["flex_edgeadr", "flex_edgenum"],
            &m.flex_edgeadr,
            &m.flex_edgenum,
            m.nflexedge,
        ),
        (
            ["flex_elemadr", "flex_elemnum"],
            &m.flex_elemadr,
            &m.flex_elemnum,
            m.nflexelem,
        ),
        (
            ["flex_nodeadr", "flex_nodenum"],
            &m.flex_nodeadr,
            &m.flex_nodenum,
            m.nflexnode,
        ),
    ] {
        runs(names, adr, num, len)?;
    }
    (0..m.nflex).try_for_each(|f| flex(m, f))
}

fn flex(m: &Arrays, f: usize) -> Result<()> {
    let dim = m.flex_dim[f];
    let elems = i64::from(m.flex_elemnum[f]);
    let edges = i64::from(m.flex_edgenum[f]);
    let per_elem = [1, 3, 6][dim as usize - 1];
    between(m, f)?;

    let lists = [
        (
            ["flex_elemdataadr", "flex_elemnum"],
            m.flex_elemdataadr[f],
            elems * i64::from(dim + 1),
            m.nflexelemdata,
        ),
        (
            ["flex_elemedgeadr", "flex_elemnum"],
            m.flex_elemedgeadr[f],
            elems * per_elem,
            m.nflexelemedge,
        ),
        (
            ["flex_shelldataadr", "flex_shellnum"],
            m.flex_shelldataadr[f],
            i64::from(m.flex_shellnum[f]) * i64::from(dim),
            m.nflexshelldata,
        ),
    ];
    for (names, adr, num, len) in lists {
        // more than 2^31 entries lie within no list
        let num = i32::try_from(num).unwrap_or(i32::MAX);
        span(names, f, adr, num, len)?;
    }

    // coefficients exist, or their address is negative
    for (names, adr, num, len) in [
        (
            ["flex_stiffnessadr", "flex_elemnum"],
            m.flex_stiffnessadr[f],
            stiffness_num(m, f),
            m.nflexstiffness,
        ),
        (
            ["flex_bendingadr", "flex_edgenum"],
            m.flex_bendingadr[f],
            bending_num(m, f, edges),
            m.nflexbending,
        ),
    ] {
        let num = i32::try_from(num).unwrap_or(i32::MAX);
        if adr >= 0 {
            span(names, f, adr, num, len)?;
        }
    }
    let words = plastic::words(m, f);
    let adr = i64::from(m.flex_plasticadr[f]);
    let fits = words == 0 || (adr >= 0 && adr.saturating_add(words) <= m.nplastic as i64);
    let why = "does not fit into a world's plastic";
    ensure(fits, "flex_plasticadr", f, why)?;
    let (stretch, bend) = (m.flex_stiffnessadr[f] >= 0, m.flex_bendingadr[f] >= 0);
    let mode = m.flex_plasticmode[f];
    let some =
        (mode & plastic::STRETCH == 0 || stretch) && (mode & plastic::BEND == 0 || stretch && bend);
    let why = "says that something yields that the flex does not have";
    ensure(some, "flex_plasticmode", f, why)?;
    let stretches = stretch;
    modes(m, f)?;
    rods::check(m, f)?;
    let why = "leads to coefficients of stretch, and lines have some between nodes only";
    let some = dim > 1 || m.flex_interp[f] != 0;
    ensure(some || !stretches, "flex_stiffnessadr", f, why)?;
    inner(m, f)
}

// ids of vertices and edges count within the flex
fn inner(m: &Arrays, f: usize) -> Result<()> {
    let within = |name: &str, list: &[i32], from: usize, num: usize, most: i32| {
        let out = list[from..from + num].iter().position(|id| *id >= most);
        let at = from + out.unwrap_or(0);
        let why = format_args!("does not lead to one of {most} of flex {f}");
        ensure(out.is_none(), name, at, why)
    };
    let (verts, edges) = (m.flex_vertnum[f], m.flex_edgenum[f]);
    let dim = m.flex_dim[f] as usize;
    let elems = m.flex_elemnum[f] as usize;
    let at = |adr: i32| adr.max(0) as usize;
    let own = edges_of(m, f);
    let [first, ends] = [2 * own.start, 2 * own.len()];
    within("flex_edge", &m.flex_edge, first, ends, verts)?;
    within("flex_edgeflap", &m.flex_edgeflap, first, ends, verts)?;
    for e in own {
        let ok = m.flex_edgeflap[2 * e] >= 0 || m.flex_edgeflap[2 * e + 1] < 0;
        let why = "is -1, and the second flap of the edge is there";
        ensure(ok, "flex_edgeflap", 2 * e, why)?;
    }
    let corners = (dim + 1) * elems;
    let from = at(m.flex_elemdataadr[f]);
    within("flex_elem", &m.flex_elem, from, corners, verts)?;
    let sides = [1, 3, 6][dim - 1] * elems;
    let from = at(m.flex_elemedgeadr[f]);
    within("flex_elemedge", &m.flex_elemedge, from, sides, edges)?;
    let shell = dim * m.flex_shellnum[f] as usize;
    let from = at(m.flex_shelldataadr[f]);
    within("flex_shell", &m.flex_shell, from, shell, verts)
}

// vertices are between the nodes of a grid, or have bodies
fn between(m: &Arrays, f: usize) -> Result<()> {
    let order = i64::from(m.flex_interp[f]).abs();
    let cellnum = &m.flex_cellnum[3 * f..3 * f + 3];
    let positive = cellnum.iter().all(|n| *n > 0);
    ensure(
        order == 0 || positive,
        "flex_cellnum",
        3 * f,
        "and the next two must be positive",
    )?;
    let product = |of: &dyn Fn(i64) -> i64| {
        let along = cellnum.iter().map(|n| of(i64::from(*n)));
        along.fold(1_i64, |n, k| n.saturating_mul(k))
    };
    let (nodes, cells) = match order {
        0 => (0, 0),
        _ => (product(&|n| n * order + 1), product(&|n| n)),
    };
    let have = m.flex_nodenum[f];
    let why = format_args!("is {have}, and the cells of the flex have {nodes} nodes");
    ensure(i64::from(have) == nodes, "flex_nodenum", f, why)?;
    bent_faces(m, f)?;
    let adr = m.flex_vertadr[f] as usize;
    for v in adr..adr + m.flex_vertnum[f] as usize {
        let (body, cell) = (m.flex_vertbodyid[v], i64::from(m.flex_vertcell[v]));
        let why = "is of a vertex between nodes, or should be";
        ensure((body < 0) == (order > 0), "flex_vertbodyid", v, why)?;
        let why = format_args!("does not lead to one of {cells} cells");
        let inside = order == 0 || (0..cells).contains(&cell);
        ensure(inside, "flex_vertcell", v, why)?;
    }
    Ok(())
}

// number of bending coefficients of a flex; of a rod and of a shell between nodes the first of them tells
fn bending_num(m: &Arrays, f: usize, edges: i64) -> i64 {
    if m.flex_interp[f] >= 0 && m.flex_dim[f] != 1 {
        return edges * BENDING as i64;
    }
    let adr = usize::try_from(m.flex_bendingadr[f]).unwrap_or_default();
    let num = m.flex_bending.get(adr).copied().unwrap_or(0.0);
    (num.max(0.0) as i64)
        .saturating_mul(BEND as i64)
        .saturating_add(1)
}

// edges of a shell lie between two of its faces
fn bent_faces(m: &Arrays, f: usize) -> Result<()> {
    let Ok(adr) = usize::try_from(m.flex_bendingadr[f]) else {
        return Ok(());
    };
    if m.flex_interp[f] >= 0 {
        return Ok(());
    }
    let cells = [0, 1, 2].map(|k| m.flex_cellnum[3 * f + k] as usize);
    let num = m.flex_bending.get(adr).copied().unwrap_or(0.0);
    let whole = num >= 0.0 && num.fract() == 0.0;
    ensure(whole, "flex_bending", adr, "is not the number of edges")?;
    let list = m.flex_bending.get(adr + 1..).unwrap_or_default();
    for (e, edge) in list.chunks_exact(BEND).take(num as usize).enumerate() {
        let face = |x: f64| x.fract() == 0.0 && (0.0..face_num(cells) as f64).contains(&x);
        let ok = edge[..2].iter().all(|x| face(*x));
        let why = "and the next do not lead to faces of the flex";
        ensure(ok, "flex_bending", adr + 1 + BEND * e, why)?;
    }
    Ok(())
}

// modes of strain lie in the room of the stiffness of their cell or face
fn modes(m: &Arrays, f: usize) -> Result<()> {
    if m.flex_edgeequality[f] != STRAIN {
        return Ok(());
    }
    let there = m.flex_interp[f] != 0 && m.flex_stiffnessadr[f] >= 0;
    let why = "says that strains are held, and the flex has no modes";
    ensure(there, "flex_edgeequality", f, why)?;
    let adr = m.flex_stiffnessadr[f] as usize;
    let all = &m.flex_stiffness[adr..adr + stiffness_num(m, f) as usize];
    let size = all.len() / patch_num(m, f);
    for (c, of) in all.chunks_exact(size).enumerate() {
        let most = (size - 1) / size.isqrt();
        let ok = of[0].fract() == 0.0 && (0.0..=most as f64).contains(&of[0]);
        let why = "is not the number of modes of a cell";
        ensure(ok, "flex_stiffness", adr + c * size, why)?;
    }
    Ok(())
}
