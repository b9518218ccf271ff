//! Meshes, height fields, and the shapes of geoms and sites that need them.

use super::{ensure, id, span, spans};
use crate::compile::geom::size_count;
use crate::cpu::lib::ray::MESH_BOXES;
use crate::error::Result;
use crate::fields::{Arrays, Row};
use crate::rowset::RowSet;
use crate::types::*;

pub(super) fn check(m: &Arrays) -> Result<()> {
    meshes(m)?;
    for i in 0..m.nmesh {
        mesh(m, i)?;
    }
    sizes(m)?;
    for s in 0..m.nsite {
        let shape =
            m.site_type[s] == GeomType::None || (0..GeomType::Sdf as i32).contains(&m.site_type[s]);
        ensure(shape, "site_type", s, "is no shape of a site")?;
        let mesh = m.site_type[s] != GeomType::Mesh || m.site_dataid[s] >= 0;
        ensure(mesh, "site_dataid", s, "is -1, and the site is a mesh")?;
    }
    Ok(())
}

/// Arrays that [`sizes`] reads.
pub(super) const OF_SIZES: RowSet =
    RowSet::of(&[Row::hfield_size, Row::hfield_data, Row::geom_size]);

/// Checks that shapes have a size.
pub(super) fn sizes(m: &Arrays) -> Result<()> {
    (0..m.nhfield).try_for_each(|k| hfield(m, k))?;
    (0..m.ngeom).try_for_each(|g| geom(m, g))
}

fn geom(m: &Arrays, g: usize) -> Result<()> {
    let kind = GeomType::from_i32(m.geom_type[g]);
    match kind {
        Some(GeomType::Mesh | GeomType::Sdf) => id("geom_dataid", g, m.geom_dataid[g], 0, m.nmesh)?,
        Some(GeomType::Hfield) => id("geom_dataid", g, m.geom_dataid[g], 0, m.nhfield)?,
        _ => 0,
    };
    let need = match kind {
        Some(GeomType::Plane) | None => 0,
        Some(kind) => size_count(kind),
    };
    for k in 0..need {
        let x = m.geom_size[g][k];
        let why = format_args!("has {x} as number {}, and must be positive", k + 1);
        ensure(x > 0.0 && x.is_finite(), "geom_size", g, why)?;
    }
    let condim = m.geom_condim[g];
    ensure(
        matches!(condim, 1 | 3 | 4 | 6),
        "geom_condim",
        g,
        format_args!("is {condim}, and must be 1, 3, 4 or 6"),
    )
}

fn hfield(m: &Arrays, k: usize) -> Result<()> {
    let (nrow, ncol, adr) = (m.hfield_nrow[k], m.hfield_ncol[k], m.hfield_adr[k]);
    ensure(
        nrow > 1,
        "hfield_nrow",
        k,
        format_args!("is {nrow}, and must be at least 2"),
    )?;
    ensure(
        ncol > 1,
        "hfield_ncol",
        k,
        format_args!("is {ncol}, and must be at least 2"),
    )?;
    let num = i64::from(nrow) * i64::from(ncol);
    let inside = adr >= 0 && i64::from(adr) + num <= m.nhfielddata as i64;
    ensure(
        inside,
        "hfield_adr",
        k,
        format_args!("is {adr}: the grid does not lie within hfield_data"),
    )?;
    let [x, y, top, bottom] = [0, 1, 2, 3].map(|c| m.hfield_size[4 * k + c]);
    let ok = [x, y].iter().all(|x| *x > 0.0 && x.is_finite()) && top >= 0.0 && bottom >= 0.0;
    ensure(
        ok,
        "hfield_size",
        4 * k,
        "and those after it must be two positive half sizes and two heights that are not negative",
    )?;
    let adr = adr as usize;
    let data = &m.hfield_data[adr..adr + num as usize];
    let out = data.iter().position(|x| !(0.0..=1.0).contains(x));
    let why = "must lie between 0 and 1: it is a share of the height that hfield_size says";
    ensure(out.is_none(), "hfield_data", adr + out.unwrap_or(0), why)
}

fn meshes(m: &Arrays) -> Result<()> {
    let names = ["mesh_vertadr", "mesh_vertnum"];
    spans(names, &m.mesh_vertadr, &m.mesh_vertnum, m.nmeshvert)?;
    let names = ["mesh_polyvertadr", "mesh_polyvertnum"];
    spans(
        names,
        &m.mesh_polyvertadr,
        &m.mesh_polyvertnum,
        m.nmeshpolyvert,
    )?;
    let names = ["mesh_polymapadr", "mesh_polymapnum"];
    spans(
        names,
        &m.mesh_polymapadr,
        &m.mesh_polymapnum,
        m.nmeshpolymap,
    )?;
    let most = |num: &[i32]| num.iter().max().map_or(0, |n| *n as usize);
    let polygon = most(&m.mesh_polyvertnum);
    ensure(
        m.npolygonmax == polygon,
        "npolygonmax",
        0,
        format_args!("is {}, and the polygons need {polygon}", m.npolygonmax),
    )?;
    let degree = most(&m.mesh_polymapnum);
    ensure(
        m.nmeshdegmax == degree,
        "nmeshdegmax",
        0,
        format_args!("is {}, and the vertices need {degree}", m.nmeshdegmax),
    )
}

fn mesh(m: &Arrays, i: usize) -> Result<()> {
    for (names, adr, num, len) in [
        (
            ["mesh_vertadr", "mesh_vertnum"],
            &m.mesh_vertadr,
            &m.mesh_vertnum,
            m.nmeshvert,
        ),
        (
            ["mesh_faceadr", "mesh_facenum"],
            &m.mesh_faceadr,
            &m.mesh_facenum,
            m.nmeshface,
        ),
        (
            ["mesh_polyadr", "mesh_polynum"],
            &m.mesh_polyadr,
            &m.mesh_polynum,
            m.nmeshpoly,
        ),
    ] {
        span(names, i, adr[i], num[i], len)?;
    }
    let run = |adr: &[i32], num: &[i32], k: usize| {
        let adr = adr[k].max(0) as usize;
        adr..adr + num[k] as usize
    };
    let verts = m.mesh_vertnum[i] as usize;
    ensure(verts > 0, "mesh_vertnum", i, "is 0")?;
    let faces = run(&m.mesh_faceadr, &m.mesh_facenum, i);
    ids(
        "mesh_face",
        &m.mesh_face,
        3 * faces.start..3 * faces.end,
        verts,
    )?;
    let polygons = run(&m.mesh_polyadr, &m.mesh_polynum, i);
    for k in polygons.clone() {
        ensure(
            m.mesh_polyvertnum[k] > 2,
            "mesh_polyvertnum",
            k,
            "is below 3",
        )?;
        ids(
            "mesh_polyvert",
            &m.mesh_polyvert,
            run(&m.mesh_polyvertadr, &m.mesh_polyvertnum, k),
            verts,
        )?;
    }
    for k in run(&m.mesh_vertadr, &m.mesh_vertnum, i) {
        ids(
            "mesh_polymap",
            &m.mesh_polymap,
            run(&m.mesh_polymapadr, &m.mesh_polymapnum, k),
            polygons.len(),
        )?;
    }
    octree(m, i)?;
    boxes(m, i)?;
    graph(m, i, verts)
}

// the octree: children come after their parents, so that every descent ends
fn octree(m: &Arrays, i: usize) -> Result<()> {
    let (adr, num) = (m.mesh_octadr[i], m.mesh_octnum[i]);
    span(["mesh_octadr", "mesh_octnum"], i, adr, num, m.noct)?;
    let first = adr.max(0) as usize;
    for cell in 0..num {
        let k = first + cell as usize;
        let parts = &m.oct_child[8 * k..8 * k + 8];
        let whole = parts.iter().all(|part| *part == -1);
        let halved = parts.iter().all(|part| (cell + 1..num).contains(part));
        let why = "and those after it must be -1, or parts that come after the cell";
        ensure(whole || halved, "oct_child", 8 * k, why)?;
        let has_size = m.oct_aabb[6 * k + 3..6 * k + 6].iter().all(|x| *x >= 0.0);
        let why = "and those after it must not be negative: they are half sizes";
        ensure(has_size, "oct_aabb", 6 * k + 3, why)?;
    }
    Ok(())
}

// the tree of boxes: a box comes before its parts, and boxes without parts hold a triangle of the mesh. A search has room for as many
// boxes as the tree has levels
fn boxes(m: &Arrays, i: usize) -> Result<()> {
    let (adr, num) = (m.mesh_bvhadr[i], m.mesh_bvhnum[i]);
    span(["mesh_bvhadr", "mesh_bvhnum"], i, adr, num, m.nbvh)?;
    let faces = m.mesh_facenum[i];
    let why = format_args!(
        "is {num}, and {faces} triangles that are halved have {} boxes",
        2 * faces - 1
    );
    ensure(num == (2 * faces - 1).max(0), "mesh_bvhnum", i, why)?;
    let first = adr.max(0) as usize;
    let mut level = vec![0; num as usize];
    for own in 0..num {
        let k = first + own as usize;
        let parts = &m.bvh_child[2 * k..2 * k + 2];
        let leaf = (0..m.mesh_facenum[i]).contains(&m.bvh_nodeid[k]) && parts == [-1; 2];
        let halved =
            m.bvh_nodeid[k] == -1 && parts.iter().all(|part| (own + 1..num).contains(part));
        let why = "and the next must be -1 beside a triangle of the mesh, or parts that come after the box";
        ensure(leaf || halved, "bvh_child", 2 * k, why)?;
        let below = level[own as usize] + 1;
        for &part in parts.iter().filter(|part| **part >= 0) {
            level[part as usize] = below;
        }
        let why = "is in a tree of too many levels: halve the triangles of each box";
        ensure(below + 2 < MESH_BOXES, "bvh_child", 2 * k, why)?;
    }
    Ok(())
}

// the hull: number of vertices and faces, where each vertex's neighbours begin, ids, neighbours that end with -1, faces
fn graph(m: &Arrays, i: usize, verts: usize) -> Result<()> {
    let Ok(adr) = usize::try_from(m.mesh_graphadr[i]) else {
        return Ok(());
    };
    let whole = "is cut short: it does not lie within mesh_graph";
    let graph = &m.mesh_graph[adr..];
    ensure(graph.len() >= 2, "mesh_graphadr", i, whole)?;
    let most = m.nmeshgraph as i32;
    let counts = (1..=most).contains(&graph[0]) && (0..=most).contains(&graph[1]);
    ensure(
        counts,
        "mesh_graph",
        adr,
        "must be the number of the hull's vertices, and the next that of its faces",
    )?;
    let (hull, faces) = (graph[0] as usize, graph[1] as usize);
    let edges = hull + 3 * faces;
    ensure(
        graph.len() >= 2 + 2 * hull + edges + 3 * faces,
        "mesh_graphadr",
        i,
        whole,
    )?;
    let (starts, vertex) = (&graph[2..2 + hull], &graph[2 + hull..2 + 2 * hull]);
    let edge = &graph[2 + 2 * hull..2 + 2 * hull + edges];
    let inside = |x: &i32, len: usize| *x >= 0 && (*x as usize) < len;
    let ok = starts.iter().all(|x| inside(x, edges))
        && vertex.iter().all(|x| inside(x, verts))
        && edge.iter().all(|x| *x == -1 || inside(x, hull))
        && edge.last() == Some(&-1);
    ensure(
        ok,
        "mesh_graphadr",
        i,
        "leads to a hull with indices out of range",
    )?;
    ids("mesh_extrema", &m.mesh_extrema, 27 * i..27 * (i + 1), hull)
}

fn ids(name: &str, list: &[i32], range: std::ops::Range<usize>, len: usize) -> Result<()> {
    for k in range {
        id(name, k, list[k], 0, len)?;
    }
    Ok(())
}
