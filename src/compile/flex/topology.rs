//! Edges, borders and layers of the elements of a flex.

use std::collections::HashMap;

use super::Part;

/// Lists derived from the elements alone. Vertices are counted from the first of the flex.
pub(super) struct Topology {
    /// Ends of the edges, in the order in which elements have them.
    pub edges: Vec<[i32; 2]>,
    /// The vertex across an edge in the first and in the last triangle that has it; -1: none.
    pub flaps: Vec<[i32; 2]>,
    pub element: Vec<i32>,
    pub elemedge: Vec<i32>,
    /// How far an element is from the border, in elements; 0 unless it is a tetrahedron.
    pub layers: Vec<i32>,
    /// Sides of elements that no other element has.
    pub shell: Vec<i32>,
}

/// Ends of the edges of an element, by dim.
pub(super) const EDGES: [&[[usize; 2]]; 3] = [
    &[[0, 1]],
    &[[1, 2], [2, 0], [0, 1]],
    &[[0, 1], [1, 2], [2, 0], [2, 3], [0, 3], [1, 3]],
];

/// Vertices of the sides of an element, by dim.
const SIDES: [&[&[usize]]; 3] = [
    &[&[0], &[1]],
    &[&[0, 1], &[2, 0], &[1, 2]],
    &[&[0, 1, 2], &[0, 3, 1], &[0, 2, 3], &[1, 3, 2]],
];

pub(super) fn of(part: &Part) -> Topology {
    let (edges, flaps, elemedge) = edges(part);
    let (layers, shell) = borders(part);
    Topology {
        edges,
        flaps,
        element: part.element.clone(),
        elemedge,
        layers,
        shell,
    }
}

type Pairs = Vec<[i32; 2]>;

fn edges(part: &Part) -> (Pairs, Pairs, Vec<i32>) {
    let mut known = HashMap::new();
    let (mut edges, mut flaps, mut elemedge) = (Pairs::new(), Pairs::new(), Vec::new());
    for of in part.element.chunks_exact(part.dim + 1) {
        for (k, ends) in EDGES[part.dim - 1].iter().enumerate() {
            let [a, b] = ends.map(|i| of[i]);
            let edge = [a.min(b), a.max(b)];
            let id = *known.entry(edge).or_insert(edges.len());
            let across = if part.dim == 2 { of[k] } else { -1 };
            if id == edges.len() {
                edges.push(edge);
                flaps.push([across, -1]);
            } else {
                flaps[id][1] = across;
            }
            elemedge.push(id as i32);
        }
    }
    (edges, flaps, elemedge)
}

/// A side of an element: its vertices in order, the element, and the vertices as the element has them.
type Side = (Vec<i32>, usize, Vec<i32>);

fn borders(part: &Part) -> (Vec<i32>, Vec<i32>) {
    let nelem = part.element.len() / (part.dim + 1);
    let mut sides: Vec<Side> = Vec::with_capacity(part.element.len());
    for (e, of) in part.element.chunks_exact(part.dim + 1).enumerate() {
        for side in SIDES[part.dim - 1] {
            let own: Vec<i32> = side.iter().map(|&i| of[i]).collect();
            let mut sorted = own.clone();
            sorted.sort_unstable();
            sides.push((sorted, e, own));
        }
    }
    sides.sort();
    let mut shell = Vec::new();
    let mut layers = vec![if part.dim < 3 { 0 } else { nelem as i32 + 1 }; nelem];
    let mut neighbours = Vec::new();
    for same in sides.chunk_by(|a, b| a.0 == b.0) {
        match same {
            [(_, e, own)] => {
                shell.extend(own);
                layers[*e] = 0;
            }
            _ => neighbours.extend(same.windows(2).map(|two| [two[0].1, two[1].1])),
        }
    }

    // a neighbour is one layer deeper at most
    let mut change = part.dim == 3;
    while std::mem::take(&mut change) {
        for &[a, b] in &neighbours {
            for [near, far] in [[a, b], [b, a]] {
                if layers[far] > layers[near] + 1 {
                    layers[far] = layers[near] + 1;
                    change = true;
                }
            }
        }
    }
    (layers, shell)
}
