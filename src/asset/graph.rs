//! The hull in MuJoCo's `mesh_graph` format, and where to start climbing it.

use super::vec3::V3;
use glam::DVec3;

/// Hull triangles as a graph: corners by ascending vertex number, neighbours of each, faces.
///
/// `numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert], edge_localid[numvert + 3 numface],
/// face_globalid[3 numface]`; each list of neighbours ends with −1. Empty for no faces.
pub(crate) fn make(face: &[[i32; 3]]) -> Vec<i32> {
    if face.is_empty() {
        return Vec::new();
    }
    let mut globalid: Vec<i32> = face.iter().flatten().copied().collect();
    globalid.sort_unstable();
    globalid.dedup();
    let numvert = globalid.len();
    let largest = globalid.last().map_or(0, |&v| v as usize);
    let mut local = vec![0; largest + 1];
    for (i, &v) in globalid.iter().enumerate() {
        local[v as usize] = i;
    }

    // the surface is closed: every neighbour is met once, as the next corner of a face
    let mut degree = vec![0; numvert];
    face.iter()
        .flatten()
        .for_each(|&v| degree[local[v as usize]] += 1);
    let mut adr = Vec::with_capacity(numvert);
    let mut end = 0;
    for d in &degree {
        adr.push(end);
        end += d + 1;
    }
    let mut edge = vec![-1; end];
    let mut at = adr.clone();
    for f in face {
        for i in 0..3 {
            let (u, v) = (local[f[i] as usize], local[f[(i + 1) % 3] as usize]);
            edge[at[u]] = v as i32;
            at[u] += 1;
        }
    }
    let mut graph = Vec::with_capacity(2 + 2 * numvert + end + 3 * face.len());
    graph.extend([numvert as i32, face.len() as i32]);
    graph.extend(adr.iter().map(|&a| a as i32));
    graph.extend(globalid);
    graph.extend(edge);
    graph.extend(face.iter().flatten());
    graph
}

/// Corners (as numbers within the graph) farthest along the 27 directions of {−1, 0, 1}³, x slowest; the first of equals.
pub(crate) fn extrema(graph: &[i32], vert: &[V3]) -> [i32; 27] {
    let mut found = [0; 27];
    if graph.is_empty() {
        return found;
    }
    let numvert = graph[0] as usize;
    let corners = &graph[2 + numvert..2 + 2 * numvert];
    for (k, found) in found.iter_mut().enumerate() {
        let dir = DVec3::from_array([k / 9, k / 3 % 3, k % 3].map(|i| i as f64 - 1.0));
        let mut best = f64::NEG_INFINITY;
        for (i, &v) in corners.iter().enumerate() {
            let along = dir.dot(vert[v as usize].into());
            if along > best {
                (best, *found) = (along, i as i32);
            }
        }
    }
    found
}
