//! Soft bodies: vertices, edges, elements and coefficients of each lie within the lists of all, and its ids refer to its own vertices and edges.

use super::{ensure, runs, span};
use crate::compile::flex::{edges_of, plastic, stiffness_num};
use crate::cpu::lib::elastic::BENDING;
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
            edges * BENDING as i64,
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
    let some = (mode & plastic::STRETCH == 0 || stretch) && (mode & plastic::BEND == 0 || stretch && bend);
    let why = "says that something yields that the flex does not have";
    ensure(some, "flex_plasticmode", f, why)?;
    let stretches = stretch;
    let why = "leads to coefficients of stretch, and a flex of lines has none";
    ensure(dim > 1 || !stretches, "flex_stiffnessadr", f, why)?;
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
    let order = i64::from(m.flex_interp[f]);
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
    let solid = order == 0 || m.flex_dim[f] == 3;
    ensure(
        solid,
        "flex_interp",
        f,
        "is not 0, and the flex is no solid",
    )?;
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
