// what the trait `Real` gives the twins: elementary functions to the last bits of an f32 on every device, where WGSL
// promises little (sin: an absolute error of 2⁻¹¹)

// sine and cosine (rad), by reduction to an eighth of the circle
fn sin_cos(x: f32) -> vec2f {
    // quarter turns, and what is left of x: π/2 is taken off in three parts
    let turns = round(x * 0.636619772);
    var r = x - turns * 1.5703125;
    r -= turns * 4.83751296997e-4;
    r -= turns * 7.54978995489e-8;

    // Cephes' polynomials for |r| ≤ π/4
    let z = r * r;
    let s = r + r * z * (-1.6666654611e-1 + z * (8.3321608736e-3 - z * 1.9515295891e-4));
    let c = 1.0 - 0.5 * z + z * z * (4.166664568298827e-2 + z * (-1.388731625493765e-3 + z * 2.443315711809948e-5));

    // back to the quarter that x is in
    let quarter = i32(turns) & 3;
    let swapped = select(vec2f(s, c), vec2f(c, s), (quarter & 1) == 1);
    return vec2f(
        select(swapped.x, -swapped.x, quarter >= 2),
        select(swapped.y, -swapped.y, quarter == 1 || quarter == 2));
}

// true if a number is none; `x != x` and the comparisons of a shader may say otherwise
fn is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}
