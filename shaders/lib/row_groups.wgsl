// an island's rows a few at a time, so that all lanes of a team have work: four rows with the same dofs, these dofs shared by the
// lanes; or rows with one dof each, one row per lane

// the way to process an island's rows from row k on: no rows left, several rows with the same dofs, or singles()
const NO_ROWS: i32 = 0;
const ROWS: i32 = 1;
const SINGLES: i32 = 2;

// at most four consecutive rows of an island with the same dofs; missing ones repeat the first. `way` is the way
// to process them, `adr` and `dofs` are the address and number of their dofs, for pattern_dof
struct Rows {
    ids: array<i32, 4>,
    num: i32,
    way: i32,
    adr: i32,
    dofs: i32,
}

// at most four rows from row k on with the sparsity pattern of row k, all of them sliding or none
fn rows_from(g: Island, k: i32) -> Rows {
    if (k >= g.nefc) {
        return Rows();
    }
    let at = four_from(k, g.nefc);
    let ids = vec4i(row_at(g, at.x), row_at(g, at.y), row_at(g, at.z), row_at(g, at.w));
    let pattern = vec4i(efc_Jpat(ids.x), efc_Jpat(ids.y), efc_Jpat(ids.z), efc_Jpat(ids.w));
    var alike = (at == vec4i(k, k + 1, k + 2, k + 3)) & (pattern == vec4i(pattern.x));
    let slide = vec4<bool>(slides(ids.x), slides(ids.y), slides(ids.z), slides(ids.w));
    alike &= slide == vec4<bool>(slide.x);
    let two = alike.y;
    let three = two && alike.z;
    let four = three && alike.w;
    return Rows(
        array<i32, 4>(ids.x, select(ids.x, ids.y, two), select(ids.x, ids.z, three), select(ids.x, ids.w, four)),
        1 + select(0, 1, two) + select(0, 1, three) + select(0, 1, four),
        select(ROWS, SINGLES, only_dof(pattern.x) >= 0 && !slide.x),
        pattern_adr(pattern.x),
        pattern_num(pattern.x));
}

// true if a row belongs to an elliptic contact whose force lies on its cone
fn slides(r: i32) -> bool {
    if (opt_cone == CONE_ELLIPTIC) {
        return efc_state(r) == CNSTRSTATE_CONE;
    }
    return false;
}

// one entry of each row
fn entries(rows: Rows, k: i32) -> vec4f {
    return vec4f(efc_J(rows.ids[0], k), efc_J(rows.ids[1], k), efc_J(rows.ids[2], k), efc_J(rows.ids[3], k));
}

// the dof of a pattern with one dof; else -1
fn only_dof(pattern: i32) -> i32 {
    // the first patterns are those of the dofs
    if (patterns_begin_with_dofs) {
        return select(-1, pattern, pattern < nv);
    }
    if (pattern_num(pattern) != 1) {
        return -1;
    }
    return pattern_dof(pattern_adr(pattern));
}

// the dof of a row with one dof whose cost is independent of other rows; else -1
fn single_of(r: i32) -> i32 {
    return select(only_dof(efc_Jpat(r)), -1, slides(r));
}

// number of rows from row k on with one dof each, all different: friction losses and limits of dofs. Each lane checks one row
fn singles(g: Island, k: i32) -> i32 {
    var yes = false;
    if (k + lane < g.nefc) {
        let dof = single_of(row_at(g, k + lane));
        yes = dof >= 0 && (lane == 0 || dof > single_of(row_at(g, max(k + lane - 1, 0))));
    }
    return LANES - team_max(select(LANES - lane, 0, yes));
}

// force of an island's rows on its dofs, J' force, in solver_Mv; sum of the absolute values of its terms in solver_grad
fn apply_rows(g: Island) {
    for (var k = lane; k < g.nv; k += LANES) {
        let i = dof_at(g, k);
        set_solver_Mv(i, 0.0);
        set_solver_grad(i, 0.0);
    }
    team_sync();
    for (var k = 0;;) {
        let rows = rows_from(g, k);
        let most = group_max(rows.way);
        if (most == NO_ROWS) {
            break;
        }
        var num = 0;
        if (most == SINGLES) {
            num = singles(g, k);
        }
        if (rows.way == SINGLES) {
            if (lane < num) {
                let r = row_at(g, k + lane);
                let term = efc_J(r, 0) * efc_force(r);
                add_force(single_of(r), term, abs(term));
            }
            k += num;
        } else if (rows.way == ROWS) {
            apply(rows);
            k += rows.num;
        }
        team_sync();
    }
}

fn apply(rows: Rows) {
    let force = vec4f(
        efc_force(rows.ids[0]),
        select(0.0, efc_force(rows.ids[1]), rows.num > 1),
        select(0.0, efc_force(rows.ids[2]), rows.num > 2),
        select(0.0, efc_force(rows.ids[3]), rows.num > 3));
    for (var a = lane; a < rows.dofs; a += LANES) {
        let terms = entries(rows, a) * force;
        let size = abs(terms.x) + abs(terms.y) + abs(terms.z) + abs(terms.w);
        add_force(pattern_dof(rows.adr + a), terms.x + terms.y + terms.z + terms.w, size);
    }
}

fn add_force(i: i32, force: f32, size: f32) {
    set_solver_Mv(i, solver_Mv(i) + force);
    set_solver_grad(i, solver_grad(i) + size);
}
