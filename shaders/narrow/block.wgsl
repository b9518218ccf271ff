// pairs of elements of two flexes, or of one that touches itself: found among the boxes of the elements, as in src/cpu/collision/block.rs

// beyond the end of every box (m)
const BLOCK_FAR: f32 = 3e38;
// a bound on rounding in the ends of the box of a run, relative to its place
const BLOCK_ROUNDING: f32 = 1e-6;

// fills flexelem_aabb for the elements of all flexes
fn bound_elements() {
    for (var f = 0; f < nflex; f++) {
        for (var e = lane; e < flex_elemnum(f); e += LANES) {
            let corner = corners_of(f, e);
            let at = flex_elemadr(f) + e;
            set_flexelem_aabb(at, 0, element_center(corner));
            set_flexelem_aabb(at, 1, element_half(corner, reach(f)));
        }
    }
    team_sync();
}

// fills block_aabb: a look at one box spares a look at those of a run of elements
fn bound_runs() {
    for (var block = 0; block < nblock; block++) {
        let f = collision_flex(block_collision(block), 1);
        let end = block_num(block, 1);
        for (var run = lane; run * BLOCK_RUN < end; run += LANES) {
            var low = vec3f(BLOCK_FAR);
            var high = vec3f(-BLOCK_FAR);
            for (var j = run * BLOCK_RUN; j < min(end, (run + 1) * BLOCK_RUN); j++) {
                let e = flex_elemadr(f) + block_elem(block_adr(block, 1) + j);
                low = min(low, flexelem_aabb(e, 0) - flexelem_aabb(e, 1));
                high = max(high, flexelem_aabb(e, 0) + flexelem_aabb(e, 1));
            }
            let at = block_runadr(block) + run;
            set_block_aabb(at, 0, 0.5 * (low + high));
            set_block_aabb(at, 1, 0.5 * (high - low) + BLOCK_ROUNDING * max(abs(low), abs(high)));
        }
    }
    team_sync();
}

// fills block_near for the elements of the first side; each lane has some of them
fn find_near(block: i32) {
    let k = block_collision(block);
    let f = vec2i(collision_flex(k, 0), collision_flex(k, 1));
    let end = block_num(block, 1);
    for (var i = lane; i < block_num(block, 0); i += LANES) {
        let first = block_elem(block_adr(block, 0) + i);
        let start = select(0, i + 1, f.x == f.y);
        var near = vec2i(0, -1);
        for (var run = start / BLOCK_RUN; run * BLOCK_RUN < end; run++) {
            if (!run_near(k, flex_elemadr(f.x) + first, block_runadr(block) + run)) {
                continue;
            }
            for (var j = max(start, run * BLOCK_RUN); j < min(end, (run + 1) * BLOCK_RUN); j++) {
                if (elements_near(k, f, vec2i(first, block_elem(block_adr(block, 1) + j)))) {
                    near = vec2i(select(near.x, j, near.y < 0), j);
                }
            }
        }
        set_block_near(block_adr(block, 0) + i, 0, near.x);
        set_block_near(block_adr(block, 0) + i, 1, near.y);
    }
    team_sync();
}

// whether the box of an element is near that of a run
fn run_near(k: i32, a: i32, run: i32) -> bool {
    let most = block_aabb(run, 1) + collision_detect(k) + flexelem_aabb(a, 1);
    return !any(abs(block_aabb(run, 0) - flexelem_aabb(a, 0)) > most);
}

// adds the contacts of a block to the `before` contacts of pairs before it; returns the number of all. Each lane tries an element of the
// second side with the same one of the first
fn try_block(block: i32, before: i32) -> i32 {
    let k = block_collision(block);
    let f = vec2i(collision_flex(k, 0), collision_flex(k, 1));
    let awake = !SLEEPS || pair_awake(k);
    var all = before;
    find_near(block);
    for (var i = 0; i < block_num(block, 0); i++) {
        let at = block_adr(block, 0) + i;
        var next = block_near(at, 0);
        let end = select(0, block_near(at, 1) + 1, awake);
        while (group_any(next < end)) {
            forget_found();
            let j = next + lane;
            if (j < end) {
                let elem = vec2i(block_elem(at), block_elem(block_adr(block, 1) + j));
                if (elements_near(k, f, elem)) {
                    pair_elem = elem;
                    try_elements(k);
                }
            }
            all = put_found(k, all);
            next += LANES;
        }
    }
    return all;
}

// whether the boxes of two elements are near, and the elements may touch: they have no vertex on the same body, and no node in common
fn elements_near(k: i32, f: vec2i, elem: vec2i) -> bool {
    let a = flex_elemadr(f.x) + elem.x;
    let b = flex_elemadr(f.y) + elem.y;
    let most = flexelem_aabb(b, 1) + collision_detect(k) + flexelem_aabb(a, 1);
    if (any(abs(flexelem_aabb(b, 0) - flexelem_aabb(a, 0)) > most)) {
        return false;
    }
    if (model_cages && f.x == f.y && flex_interp(f.x) != 0) {
        return cells_apart(a, b);
    }
    let first = element_bodies(f.x, elem.x);
    let second = element_bodies(f.y, elem.y);
    let same = (first == second) | (first == second.yzwx) | (first == second.zwxy) | (first == second.wxyz);
    return !any(same & (first >= vec4i(0)));
}

// bodies of the corners of an element; -1: between nodes
fn element_bodies(f: i32, e: i32) -> vec4i {
    return vec4i(
        flex_vertbodyid(element_vertex(f, e, 0)), flex_vertbodyid(element_vertex(f, e, 1)),
        flex_vertbodyid(element_vertex(f, e, 2)), flex_vertbodyid(element_vertex(f, e, 3)));
}

// whether the cells of two elements are apart by a whole cell along some axis
fn cells_apart(a: i32, b: i32) -> bool {
    let low = vec3i(flexelem_cell(a, 0), flexelem_cell(a, 1), flexelem_cell(a, 2));
    let high = vec3i(flexelem_cell(a, 3), flexelem_cell(a, 4), flexelem_cell(a, 5));
    let low2 = vec3i(flexelem_cell(b, 0), flexelem_cell(b, 1), flexelem_cell(b, 2));
    let high2 = vec3i(flexelem_cell(b, 3), flexelem_cell(b, 4), flexelem_cell(b, 5));
    return any((high + 1 < low2) | (high2 + 1 < low));
}

// contacts of two elements whose boxes are near
fn try_elements(k: i32) {
    let f = collision_flex(k, 1);
    let radius = flex_radius(f);
    let detect = collision_detect(k);
    element1 = element_at(k, 0);
    element2 = element_at(k, 1);
    if (flexes_swept && collision_flex(k, 0) == f && is_swept(f)) {
        sweep_order(f);
    }
    if (rods_boxed && touch_boxed(k, radius, detect)) {
        return;
    }
    touch_element(k, radius, detect);
}

// writes the elements of a pair to the slot of its contact, and those of a block's dofs that move some of the bodies that carry
// them: a dof that moves all of them moves them alike and is left out
fn write_pair(slot: i32, k: i32) {
    set_contact_elem(slot, 0, pair_elem.x);
    set_contact_elem(slot, 1, pair_elem.y);
    var num = 0;
    if (is_block(k)) {
        num = write_dofs(slot, k);
    }
    set_contact_dofnum(slot, num);
    for (; num < nJelem; num++) {
        set_contact_dof(slot, num, 0);
    }
}

// merges the dofs of two elements; returns their number
fn write_dofs(slot: i32, k: i32) -> i32 {
    let first = flexelem_Jpat(flex_elemadr(collision_flex(k, 0)) + pair_elem.x);
    let second = flexelem_Jpat(flex_elemadr(collision_flex(k, 1)) + pair_elem.y);
    var i = Jpat_adr(first);
    var j = Jpat_adr(second);
    let end = vec2i(i + Jpat_num(first), j + Jpat_num(second));
    var num = 0;
    while (i < end.x || j < end.y) {
        let x = select(nv, Jpat_dof(min(i, end.x - 1)), i < end.x);
        let y = select(nv, Jpat_dof(min(j, end.y - 1)), j < end.y);
        let all = x == y && Jpat_side(min(i, end.x - 1)) == 0 && Jpat_side(min(j, end.y - 1)) == 0;
        if (!all) {
            set_contact_dof(slot, num, min(x, y));
            num++;
        }
        i += select(0, 1, x <= y);
        j += select(0, 1, y <= x);
    }
    return num;
}

// copies the pair of a contact to another slot
fn move_pair(slot: i32, c: i32) {
    set_contact_elem(slot, 0, contact_elem(c, 0));
    set_contact_elem(slot, 1, contact_elem(c, 1));
    set_contact_dofnum(slot, contact_dofnum(c));
    for (var n = 0; n < nJelem; n++) {
        set_contact_dof(slot, n, contact_dof(c, n));
    }
}
