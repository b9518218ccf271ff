// islands: sets of trees coupled by constraint rows, each solved by itself (`mj_island`). Islands are numbered in order of their
// first tree, dofs and rows keep their order inside an island

// ranges of an island's dofs and rows in map_idof2dof and map_iefc2efc; an empty island does nothing
struct Island {
    idof: i32,
    nv: i32,
    iefc: i32,
    nefc: i32,
}

// a world with one tree, or with islands disabled, is one island, and needs no lookup
const ISLANDS: bool = ntree > 1 && (opt_disableflags & DSBL_ISLAND) == 0;
const MAX_ISLANDS: i32 = select(1, ntree, ISLANDS);

// the island, or an empty one
fn only(g: Island, yes: bool) -> Island {
    if (yes) {
        return g;
    }
    return Island();
}

// the k-th dof of an island
fn dof_at(g: Island, k: i32) -> i32 {
    if (ISLANDS) {
        return map_idof2dof(g.idof + k);
    }
    return k;
}

// the k-th row of an island
fn row_at(g: Island, k: i32) -> i32 {
    if (ISLANDS) {
        return map_iefc2efc(g.iefc + k);
    }
    return k;
}

// index of a dof in its island
fn place_of(i: i32) -> i32 {
    if (ISLANDS) {
        return map_dof2idof(i);
    }
    return i;
}

// finds the islands of a world
fn find_islands() {
    if (lane == 0) {
        if (ISLANDS) {
            join_trees();
            number_islands();
            if ((opt_enableflags & ENBL_IPC) != 0) {
                join_islands();
            }
        } else {
            set_nisland(select(0, 1, nefc() > 0));
        }
    }
    team_sync();
    if (ISLANDS) {
        // dofs without rows come last
        for (var k = lane; k <= nisland(); k += LANES) {
            count_island(k);
        }
        team_sync();
        for (var k = lane; k <= nisland(); k += LANES) {
            fill_island(k);
        }
        team_sync();
    }
}

// union-find: every tree points to an earlier tree of its island or to itself; -1: tree without rows
fn join_trees() {
    for (var tree = 0; tree < ntree; tree++) {
        set_tree_island(tree, -1);
    }
    var last = -1;
    for (var r = 0; r < nefc(); r++) {
        // rows of a contact are consecutive and have the same dofs
        let pattern = efc_Jpat(r);
        if (pattern == last) {
            continue;
        }
        last = pattern;
        let adr = pattern_adr(pattern);
        var first = -1;
        var before = -1;
        for (var k = 0; k < pattern_num(pattern); k++) {
            let tree = dof_treeid(pattern_dof(adr + k));
            if (tree == before) {
                continue;
            }
            before = tree;
            if (tree_island(tree) < 0) {
                set_tree_island(tree, tree);
            }
            let root = root_of(tree);
            if (first < 0) {
                first = root;
            }
            set_tree_island(max(first, root), min(first, root));
            first = min(first, root);
        }
    }
    if (COUPLED) {
        join_coupled();
    }
}

// trees that the metric couples belong together if any of them has rows
fn join_coupled() {
    for (var tree = 0; tree < ntree; tree++) {
        let first = efm_tree(tree);
        if (tree_island(tree) >= 0 && tree_island(first) < 0) {
            set_tree_island(first, first);
        }
    }
    for (var tree = 0; tree < ntree; tree++) {
        if (tree_island(efm_tree(tree)) >= 0) {
            if (tree_island(tree) < 0) {
                set_tree_island(tree, tree);
            }
            let a = root_of(tree);
            let b = root_of(efm_tree(tree));
            set_tree_island(max(a, b), min(a, b));
        }
    }
}

fn root_of(tree: i32) -> i32 {
    var root = tree;
    while (tree_island(root) != root) {
        root = tree_island(root);
    }
    return root;
}

// roots come before the trees that point to them, so one pass replaces pointers by island numbers
fn number_islands() {
    var n = 0;
    for (var tree = 0; tree < ntree; tree++) {
        let parent = tree_island(tree);
        if (parent == tree) {
            set_tree_island(tree, n);
            n++;
        } else if (parent >= 0) {
            set_tree_island(tree, tree_island(parent));
        }
    }
    set_nisland(n);
}

// with the flag `ipc` the trees that have rows are solved together, as in MuJoCo
fn join_islands() {
    for (var tree = 0; tree < ntree; tree++) {
        set_tree_island(tree, min(tree_island(tree), 0));
    }
    set_nisland(min(nisland(), 1));
}

fn in_island(tree: i32, k: i32) -> bool {
    return tree_island(tree) == select(k, -1, k == nisland());
}

// the island of a row; a row without dofs is in the first
fn island_of_row(r: i32) -> i32 {
    let pattern = efc_Jpat(r);
    if (pattern_num(pattern) == 0) {
        return 0;
    }
    return tree_island(dof_treeid(pattern_dof(pattern_adr(pattern))));
}

// counts the dofs and rows of an island
fn count_island(k: i32) {
    var dofs = 0;
    for (var tree = 0; tree < ntree; tree++) {
        dofs += select(0, tree_dofnum(tree), in_island(tree, k));
    }
    var rows = 0;
    for (var r = 0; r < nefc(); r++) {
        rows += select(0, 1, island_of_row(r) == k);
    }
    if (k < nisland()) {
        set_island_nv(k, dofs);
        set_island_nefc(k, rows);
    }
}

// lists the dofs and rows of an island
fn fill_island(k: i32) {
    var idof = 0;
    var iefc = 0;
    for (var before = 0; before < k; before++) {
        idof += island_nv(before);
        iefc += island_nefc(before);
    }
    if (k < nisland()) {
        set_island_idofadr(k, idof);
        set_island_iefcadr(k, iefc);
    }
    var place = 0;
    for (var tree = 0; tree < ntree; tree++) {
        if (!in_island(tree, k)) {
            continue;
        }
        for (var n = 0; n < tree_dofnum(tree); n++) {
            let i = tree_dofadr(tree) + n;
            set_map_idof2dof(idof + place, i);
            set_map_dof2idof(i, select(place, -1, k == nisland()));
            place++;
        }
    }
    for (var r = 0; r < nefc(); r++) {
        if (island_of_row(r) == k) {
            set_map_iefc2efc(iefc, r);
            iefc++;
        }
    }
}
