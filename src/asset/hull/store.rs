//! Facets, vertices and ridges of a hull under construction, and the lists that hold them.
//!
//! All references are by number. The facets are in one list: finished ones first, then those that the newest point sees
//! (`visible`), then those it added (`new`). The last member of the list marks its end.

use super::super::vec3::V3;

/// No facet, vertex, ridge.
pub(super) const NONE: u32 = u32::MAX;
/// The end of the list of facets, and that of the vertices.
pub(super) const TAIL: u32 = 0;

/// Reason why a hull cannot be made as by qhull.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The points lie in a plane, or nearly so.
    Flat,
    /// Rounding tangled the surface in a way that is not handled here.
    Tangled,
}

/// A flat piece of the surface with three corners, or with more once neighbours in one plane are merged.
#[derive(Debug, Default)]
pub(super) struct Facet {
    /// Running number, never used again.
    pub id: u32,
    pub normal: V3,
    pub offset: f64,
    /// Whether the plane is known.
    pub flat: bool,
    /// Mean of the vertices, projected onto the plane; computed when needed.
    pub center: Option<V3>,
    /// Largest height of a vertex above the plane that a merge added.
    pub maxoutside: f64,
    /// Corners, newest first.
    pub vertices: Vec<u32>,
    /// Facets around. In a facet with three corners, each is across from the corner with the same index.
    pub neighbors: Vec<u32>,
    /// Edges towards facets that have more than three corners, and all edges of such a facet.
    pub ridges: Vec<u32>,
    /// Whether the facet ever had ridges.
    pub ridged: bool,
    /// Points above, the highest last.
    pub outside: Vec<u32>,
    /// Points in the plane or just below, the highest last.
    pub coplanar: Vec<u32>,
    pub furthest: f64,
    /// Replacement of a visible facet.
    pub replace: u32,
    pub prev: u32,
    pub next: u32,
    pub visit: u32,
    /// Whether the normal is that of the corners from last to first.
    pub toporient: bool,
    pub simplicial: bool,
    pub visible: bool,
    pub newfacet: bool,
    pub coplanarhorizon: bool,
    pub mergehorizon: bool,
    pub flipped: bool,
    pub tested: bool,
    pub newmerge: bool,
    pub keepcentrum: bool,
    pub degenerate: bool,
    pub redundant: bool,
    pub seen: bool,
}

/// A corner.
#[derive(Debug)]
pub(super) struct Vertex {
    pub point: u32,
    /// Facets around.
    pub neighbors: Vec<u32>,
    pub prev: u32,
    pub next: u32,
    pub visit: u32,
    pub newfacet: bool,
    pub deleted: bool,
    pub delridge: bool,
    pub partitioned: bool,
    pub seen: bool,
    /// While new facets are matched: the facet and the index in it that wait for another facet at this vertex.
    pub waits: (u32, u32),
}

/// An edge between two facets, at least one of which has more than three corners.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Ridge {
    /// The ends, newest first.
    pub vertices: [u32; 2],
    pub top: u32,
    pub bottom: u32,
    pub tested: bool,
    pub nonconvex: bool,
}

impl Ridge {
    /// The facet on the other side.
    pub fn other(&self, facet: u32) -> u32 {
        if self.top == facet {
            self.bottom
        } else {
            self.top
        }
    }

    /// The end that is not `vertex`.
    pub fn far(&self, vertex: u32) -> u32 {
        if self.vertices[0] == vertex {
            self.vertices[1]
        } else {
            self.vertices[0]
        }
    }
}

/// Removes an element; the last one takes its place.
pub(super) fn take(set: &mut Vec<u32>, x: u32) {
    if let Some(i) = set.iter().position(|&y| y == x) {
        set.swap_remove(i);
    }
}

/// Removes an element; the others keep their order.
pub(super) fn take_in_order(set: &mut Vec<u32>, x: u32) {
    if let Some(i) = set.iter().position(|&y| y == x) {
        set.remove(i);
    }
}

/// Replaces one element by another.
pub(super) fn put(set: &mut [u32], old: u32, new: u32) -> Result<(), Stop> {
    let slot = set.iter_mut().find(|y| **y == old).ok_or(Stop::Tangled)?;
    *slot = new;
    Ok(())
}

/// Appends an element, which goes before the last one if that is to stay last.
pub(super) fn append(set: &mut Vec<u32>, x: u32, last: bool) {
    set.push(x);
    let n = set.len();
    if !last && n > 1 {
        set.swap(n - 1, n - 2);
    }
}

/// All facets, vertices and ridges.
#[derive(Debug)]
pub(super) struct Store {
    pub facets: Vec<Facet>,
    pub vertices: Vec<Vertex>,
    pub ridges: Vec<Ridge>,
    spare_facets: Vec<u32>,
    spare_ridges: Vec<u32>,
    pub next_id: u32,
    pub facet_list: u32,
    pub vertex_list: u32,
    /// The first facet that may have points above it.
    pub facet_next: u32,
    /// The first new facet, the first visible facet, the first new vertex; `NONE` when no point is being added.
    pub newfacet_list: u32,
    pub visible_list: u32,
    pub newvertex_list: u32,
    pub num_facets: usize,
    pub num_visible: usize,
    pub num_vertices: usize,
    /// Whether vertices know the facets around them: from the first merge on.
    pub vertexneighbors: bool,
    pub visit: u32,
    pub vertex_visit: u32,
}

impl Store {
    /// A store with nothing but the ends of the lists.
    pub fn new() -> Self {
        let mut s = Store {
            facets: Vec::new(),
            vertices: Vec::new(),
            ridges: Vec::new(),
            spare_facets: Vec::new(),
            spare_ridges: Vec::new(),
            next_id: 0,
            facet_list: TAIL,
            vertex_list: TAIL,
            facet_next: NONE,
            newfacet_list: TAIL,
            visible_list: NONE,
            newvertex_list: TAIL,
            num_facets: 0,
            num_visible: 0,
            num_vertices: 0,
            vertexneighbors: false,
            visit: 0,
            vertex_visit: 0,
        };
        let f = s.new_facet();
        s.facet_mut(f).prev = NONE;
        s.facet_mut(f).next = NONE;
        s.new_vertex(NONE);
        s
    }

    pub fn facet(&self, f: u32) -> &Facet {
        &self.facets[f as usize]
    }

    pub fn facet_mut(&mut self, f: u32) -> &mut Facet {
        &mut self.facets[f as usize]
    }

    pub fn vertex(&self, v: u32) -> &Vertex {
        &self.vertices[v as usize]
    }

    pub fn vertex_mut(&mut self, v: u32) -> &mut Vertex {
        &mut self.vertices[v as usize]
    }

    pub fn ridge(&self, r: u32) -> &Ridge {
        &self.ridges[r as usize]
    }

    pub fn ridge_mut(&mut self, r: u32) -> &mut Ridge {
        &mut self.ridges[r as usize]
    }

    /// The facet after this one, unless the list ends.
    pub fn after(&self, f: u32) -> Option<u32> {
        Some(self.facet(f).next).filter(|&f| f != TAIL)
    }

    /// The facets from `first` to the end of the list.
    pub fn facets_from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let first = Some(first).filter(|&f| f != NONE && f != TAIL);
        std::iter::successors(first, |&f| self.after(f))
    }

    /// The vertices from `first` to the end of the list.
    pub fn vertices_from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let real = |&v: &u32| v != NONE && v != TAIL;
        std::iter::successors(Some(first).filter(real), move |&v| {
            Some(self.vertex(v).next).filter(real)
        })
    }

    /// A facet in no list; reuses the memory of a deleted one if there is any.
    pub fn new_facet(&mut self) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        let Some(f) = self.spare_facets.pop() else {
            self.facets.push(Facet {
                id,
                vertices: Vec::with_capacity(4),
                neighbors: Vec::with_capacity(4),
                replace: NONE,
                simplicial: true,
                newfacet: true,
                ..Facet::default()
            });
            return self.facets.len() as u32 - 1;
        };
        let facet = self.facet_mut(f);
        let emptied = |set: &mut Vec<u32>| {
            set.clear();
            std::mem::take(set)
        };
        *facet = Facet {
            id,
            vertices: emptied(&mut facet.vertices),
            neighbors: emptied(&mut facet.neighbors),
            ridges: emptied(&mut facet.ridges),
            outside: emptied(&mut facet.outside),
            coplanar: emptied(&mut facet.coplanar),
            replace: NONE,
            simplicial: true,
            newfacet: true,
            ..Facet::default()
        };
        f
    }

    pub fn new_vertex(&mut self, point: u32) -> u32 {
        self.vertices.push(Vertex {
            point,
            neighbors: Vec::new(),
            prev: NONE,
            next: NONE,
            visit: 0,
            newfacet: false,
            deleted: false,
            delridge: false,
            partitioned: false,
            seen: false,
            waits: (NONE, 0),
        });
        self.vertices.len() as u32 - 1
    }

    pub fn new_ridge(&mut self, ridge: Ridge) -> u32 {
        if let Some(r) = self.spare_ridges.pop() {
            *self.ridge_mut(r) = ridge;
            return r;
        }
        self.ridges.push(ridge);
        self.ridges.len() as u32 - 1
    }

    pub fn drop_ridge(&mut self, r: u32) {
        self.spare_ridges.push(r);
    }

    pub fn add_ridge(&mut self, f: u32, r: u32) {
        let facet = self.facet_mut(f);
        facet.ridges.push(r);
        facet.ridged = true;
    }

    /// Puts a facet at the end of the list.
    pub fn append_facet(&mut self, f: u32) {
        if self.newfacet_list == TAIL {
            self.newfacet_list = f;
            if self.visible_list == TAIL {
                self.visible_list = f;
            }
        }
        if self.facet_next == TAIL {
            self.facet_next = f;
        }
        self.link(f, TAIL);
    }

    /// Puts a facet before `*list(self)`, which it becomes.
    pub fn prepend_visible(&mut self, f: u32) {
        if self.visible_list == NONE {
            self.visible_list = TAIL;
        }
        let at = self.visible_list;
        if self.facet_next == at {
            self.facet_next = f;
        }
        self.link(f, at);
        self.visible_list = f;
    }

    /// Puts a facet before the one that is processed next.
    pub fn prepend_next(&mut self, f: u32) {
        let at = self.facet_next;
        self.link(f, at);
        self.facet_next = f;
    }

    fn link(&mut self, f: u32, at: u32) {
        let before = self.facet(at).prev;
        let facet = self.facet_mut(f);
        (facet.prev, facet.next) = (before, at);
        if before == NONE {
            self.facet_list = f;
        } else {
            self.facet_mut(before).next = f;
        }
        self.facet_mut(at).prev = f;
        self.num_facets += 1;
    }

    pub fn remove_facet(&mut self, f: u32) {
        let (prev, next) = (self.facet(f).prev, self.facet(f).next);
        for list in [
            &mut self.newfacet_list,
            &mut self.facet_next,
            &mut self.visible_list,
        ] {
            if *list == f {
                *list = next;
            }
        }
        if prev == NONE {
            self.facet_list = next;
        } else {
            self.facet_mut(prev).next = next;
        }
        self.facet_mut(next).prev = prev;
        self.num_facets -= 1;
    }

    /// Moves a facet to the end of the list.
    pub fn move_to_end(&mut self, f: u32) {
        self.remove_facet(f);
        self.append_facet(f);
    }

    pub fn delete_facet(&mut self, f: u32) {
        self.remove_facet(f);
        self.spare_facets.push(f);
    }

    pub fn append_vertex(&mut self, v: u32) {
        if self.newvertex_list == TAIL {
            self.newvertex_list = v;
        }
        let before = self.vertex(TAIL).prev;
        let vertex = self.vertex_mut(v);
        vertex.newfacet = true;
        (vertex.prev, vertex.next) = (before, TAIL);
        if before == NONE {
            self.vertex_list = v;
        } else {
            self.vertex_mut(before).next = v;
        }
        self.vertex_mut(TAIL).prev = v;
        self.num_vertices += 1;
    }

    pub fn remove_vertex(&mut self, v: u32) {
        let (prev, next) = (self.vertex(v).prev, self.vertex(v).next);
        if self.newvertex_list == v {
            self.newvertex_list = next;
        }
        if prev == NONE {
            self.vertex_list = next;
        } else {
            self.vertex_mut(prev).next = next;
        }
        self.vertex_mut(next).prev = prev;
        self.num_vertices -= 1;
    }

    /// Moves vertices that are not new to the end of their list.
    pub fn renew_vertices(&mut self, vertices: &[u32]) {
        for &v in vertices {
            if !self.vertex(v).newfacet {
                self.remove_vertex(v);
                self.append_vertex(v);
            }
        }
    }

    /// Ends the addition of a point: no facet or vertex is new or visible any more.
    pub fn reset_lists(&mut self, reset_visible: bool) {
        let mut v = self.newvertex_list;
        while v != NONE && v != TAIL {
            self.vertex_mut(v).newfacet = false;
            v = self.vertex(v).next;
        }
        self.newvertex_list = NONE;
        let mut f = self.newfacet_list;
        while f != NONE && f != TAIL {
            self.facet_mut(f).newfacet = false;
            f = self.facet(f).next;
        }
        self.newfacet_list = NONE;
        if reset_visible {
            let mut f = self.visible_list;
            while f != NONE && f != TAIL && self.facet(f).visible {
                let facet = self.facet_mut(f);
                (facet.replace, facet.visible) = (NONE, false);
                f = facet.next;
            }
            self.num_visible = 0;
        }
        self.visible_list = NONE;
    }

    /// Removes a facet from the surface; it is deleted with the visible ones.
    pub fn will_delete(&mut self, f: u32, replace: u32) {
        self.remove_facet(f);
        self.prepend_visible(f);
        self.num_visible += 1;
        let facet = self.facet_mut(f);
        facet.visible = true;
        facet.replace = replace;
        facet.ridges.clear();
        facet.neighbors.clear();
    }

    /// The replacement of a visible facet, if there is one.
    pub fn replacement(&self, mut f: u32) -> Option<u32> {
        while f != NONE && self.facet(f).visible {
            f = self.facet(f).replace;
        }
        (f != NONE).then_some(f)
    }

    /// Fills the lists of facets around the vertices.
    pub fn know_vertex_neighbors(&mut self) {
        if self.vertexneighbors {
            return;
        }
        self.vertex_visit += 1;
        let visit = self.vertex_visit;
        let mut f = self.facet_list;
        while f != TAIL {
            if !self.facet(f).visible {
                for i in 0..self.facet(f).vertices.len() {
                    let v = self.facet(f).vertices[i];
                    let vertex = self.vertex_mut(v);
                    if vertex.visit != visit {
                        vertex.visit = visit;
                        vertex.neighbors.clear();
                    }
                    vertex.neighbors.push(f);
                }
            }
            f = self.facet(f).next;
        }
        self.vertexneighbors = true;
    }
}
