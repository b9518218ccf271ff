//! The hull in MuJoCo's `mesh_graph` format, and the corners to start a search for support points at.

use super::hull::Hull;

/// A hull as a graph: corners, neighbours of each, faces, in the hull's order.
///
/// `numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert], edge_localid[numvert + 3 numface],
/// face_globalid[3 numface]`; each list of neighbours ends with −1. Empty for no faces.
pub(crate) fn make(hull: &Hull) -> Vec<i32> {
    if hull.face.is_empty() {
        return Vec::new();
    }
    let numvert = hull.corner.len();
    let largest = hull.corner.iter().max().map_or(0, |&v| v as usize);
    let mut local = vec![-1; largest + 1];
    for (i, &v) in hull.corner.iter().enumerate() {
        local[v as usize] = i as i32;
    }
    let lists = hull.around.split_inclusive(|&v| v == -1);
    let starts = lists.scan(0, |end, list| {
        let start = *end;
        *end += list.len() as i32;
        Some(start)
    });

    let size = 2 + 2 * numvert + hull.around.len() + 3 * hull.face.len();
    let mut graph = Vec::with_capacity(size);
    graph.extend([numvert as i32, hull.face.len() as i32]);
    graph.extend(starts);
    graph.extend(&hull.corner);
    let number = |&v: &i32| usize::try_from(v).map_or(-1, |v| local[v]);
    graph.extend(hull.around.iter().map(number));
    graph.extend(hull.face.iter().flatten());
    graph
}

/// Corners (as numbers within the graph) farthest along the 27 directions of {−1, 0, 1}³, x slowest; the first of equals.
///
/// In single precision, as the vertices are kept.
pub(crate) fn extrema(graph: &[i32], vert: &[[f32; 3]]) -> [i32; 27] {
    let mut found = [0; 27];
    if graph.is_empty() {
        return found;
    }
    let numvert = graph[0] as usize;
    let corners = &graph[2 + numvert..2 + 2 * numvert];
    for (k, found) in found.iter_mut().enumerate() {
        let dir = [k / 9, k / 3 % 3, k % 3].map(|i| i as f32 - 1.0);
        let mut best = f32::NEG_INFINITY;
        for (i, &v) in corners.iter().enumerate() {
            let [x, y, z] = vert[v as usize];
            let along = x * dir[0] + y * dir[1] + z * dir[2];
            if along > best {
                (best, *found) = (along, i as i32);
            }
        }
    }
    found
}
