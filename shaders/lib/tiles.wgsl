// a triangle of tiles, four rows and columns each, whose entries lanes read and write four at a time: Newton's Hessian and its factor
//
//        q 0  q 1  q 2      dofs of an island are grouped in quads; dofs missing in the last quad have a 1 on the
//   q 0 [  0    1    2 ]    diagonal. The numbers count tiles in the order of memory; a tile is four rows of four entries. Of
//   q 1 [       3    4 ]    a tile of the diagonal only entries on and above the diagonal are used
//   q 2 [            5 ]
//
// Since a lane that writes one of four entries may write all four, no two lanes write entries of the same four in one phase

// number of quads of an island: four consecutive dofs each, fewer in the last one
fn quads_of(g: Island) -> i32 {
    return (g.nv + 3) / 4;
}

// address of the tile of two quads of dofs, i <= j, in a triangle of this many quads
fn tile_at(quads: i32, i: i32, j: i32) -> i32 {
    return 2 * i * (2 * quads - 1 - i) + 4 * j;
}

// address of a row of H, as if it had all columns; the tile of quad j is 4 j further
fn row_of(quads: i32, k: i32) -> i32 {
    return tile_at(quads, k >> 2u, 0) + (k & 3);
}

// x + a b, the products added one by one
fn plus_dot(x: f32, a: vec4f, b: vec4f) -> f32 {
    return x + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// numbers of a quad of dofs; missing dofs repeat the last
fn four_dofs<x>(g: Island, q: i32) -> vec4f {
    let last = g.nv - 1;
    return vec4f(
        x(dof_at(g, 4 * q)),
        x(dof_at(g, min(4 * q + 1, last))),
        x(dof_at(g, min(4 * q + 2, last))),
        x(dof_at(g, min(4 * q + 3, last))));
}

// component k of a vector, without a dynamic index, which would need memory
fn part_of(x: vec4f, k: i32) -> f32 {
    return select(select(x.x, x.y, k == 1), select(x.z, x.w, k == 3), k >= 2);
}

// the factor of a tile of the diagonal: entries above the diagonal by rows, and the inverse divisors of the columns
struct TileFactor {
    u01: f32,
    u02: f32,
    u03: f32,
    u12: f32,
    u13: f32,
    u23: f32,
    inv: vec4f,
}

// U U' = H in place, four columns at a time from the last; the diagonal holds 1 / U[k][k]
fn factor(g: Island) {
    let quads = quads_of(g);
    for (var q = group_max(quads) - 1; q >= 0; q--) {
        if (q + 1 < quads) {
            take_columns(quads, q);
        }
        team_sync();
        var c = TileFactor();
        if (q < quads) {
            c = corner(g, quads, q);
            divide_columns(quads, q, c);
        }
        team_sync();
        // no lane reads the corner before the factor is complete
        if (q < quads && lane == 0) {
            let at = tile_at(quads, q, q);
            set_solver_tile(at, vec4f(c.inv.x, c.u01, c.u02, c.u03));
            set_solver_tile(at + 1, vec4f(0.0, c.inv.y, c.u12, c.u13));
            set_solver_tile(at + 2, vec4f(0.0, 0.0, c.inv.z, c.u23));
            set_solver_tile(at + 3, vec4f(0.0, 0.0, 0.0, c.inv.w));
        }
    }
    team_sync();
}

// columns of a quad of H, minus the contributions of the later columns of U
fn take_columns(quads: i32, q: i32) {
    let own = tile_at(quads, q, 0);
    for (var i = lane; i < 4 * q + 4; i += LANES) {
        let row = row_of(quads, i);
        var held = vec4f(0.0);
        for (var j = 4 * q + 4; j < 4 * quads; j += 4) {
            let u = solver_tile(row + j);
            held = vec4f(
                plus_dot(held.x, u, solver_tile(own + j)),
                plus_dot(held.y, u, solver_tile(own + j + 1)),
                plus_dot(held.z, u, solver_tile(own + j + 2)),
                plus_dot(held.w, u, solver_tile(own + j + 3)));
        }
        set_solver_tile(row + 4 * q, solver_tile(row + 4 * q) - held);
    }
}

// factor of a tile of the diagonal, computed by every lane; solver_search holds the inverse diagonal of the factored inertia
fn corner(g: Island, quads: i32, q: i32) -> TileFactor {
    let at = tile_at(quads, q, q);
    let a = solver_tile(at);
    let b = solver_tile(at + 1);
    let c = solver_tile(at + 2);
    // rows only add to the diagonal of the inertia matrix, also where rounding errors would reduce it
    let most = select(vec4f(1.0), four_dofs<solver_search>(g, q), vec4i(0, 1, 2, 3) < vec4i(g.nv - 4 * q));
    let w = pivot(solver_tile_at(at + 3, 3), most.w);
    let u03 = a.w * w;
    let u13 = b.w * w;
    let u23 = c.w * w;
    let z = pivot(c.z - u23 * u23, most.z);
    let u02 = (a.z - u03 * u23) * z;
    let u12 = (b.z - u13 * u23) * z;
    let y = pivot(b.y - u13 * u13 - u12 * u12, most.y);
    let u01 = (a.y - u03 * u13 - u02 * u12) * y;
    let x = pivot(a.x - u03 * u03 - u02 * u02 - u01 * u01, most.x);
    return TileFactor(u01, u02, u03, u12, u13, u23, vec4f(x, y, z, w));
}

// 1 / U[k][k], from its square; `most` is the largest square of it
fn pivot(square: f32, most: f32) -> f32 {
    return sqrt(min(1.0 / max(square, MINVAL), most));
}

// columns of U above a tile of the diagonal
fn divide_columns(quads: i32, q: i32, c: TileFactor) {
    for (var i = lane; i < 4 * q; i += LANES) {
        let at = row_of(quads, i) + 4 * q;
        set_solver_tile(at, solved(c, solver_tile(at)));
    }
}

// inv(U) x of a tile of the diagonal
fn solved(c: TileFactor, x: vec4f) -> vec4f {
    let w = x.w * c.inv.w;
    let z = (x.z - w * c.u23) * c.inv.z;
    let y = (x.y - w * c.u13 - z * c.u12) * c.inv.y;
    return vec4f((x.x - w * c.u03 - z * c.u02 - y * c.u01) * c.inv.x, y, z, w);
}

// inv(U') x of a tile of the diagonal
fn solved_across(c: TileFactor, x: vec4f) -> vec4f {
    let a = x.x * c.inv.x;
    let b = (x.y - a * c.u01) * c.inv.y;
    let d = (x.z - a * c.u02 - b * c.u12) * c.inv.z;
    return vec4f(a, b, d, (x.w - a * c.u03 - b * c.u13 - d * c.u23) * c.inv.w);
}

// reads the factor of a tile of the diagonal as factor() stored it
fn corner_of(quads: i32, q: i32) -> TileFactor {
    let at = tile_at(quads, q, q);
    let a = solver_tile(at);
    let b = solver_tile(at + 1);
    let c = solver_tile(at + 2);
    return TileFactor(a.y, a.z, a.w, b.z, b.w, c.w, vec4f(a.x, b.y, c.z, solver_tile_at(at + 3, 3)));
}
