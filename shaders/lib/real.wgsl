// functions of the trait `Real` of the twins: elementary functions accurate to the last bits of f32 on every device, where WGSL
// guarantees little (sin: an absolute error of 2⁻¹¹)

// sine and cosine (rad), by reduction to an eighth of the circle
fn sin_cos(x: f32) -> vec2f {
    // number of quarter turns, and the remainder of x: π/2 is subtracted in three parts
    let turns = round(x * 0.636619772);
    var r = x - turns * 1.5703125;
    r -= turns * 4.83751296997e-4;
    r -= turns * 7.54978995489e-8;

    // Cephes' polynomials for |r| ≤ π/4
    let z = r * r;
    let s = r + r * z * (-1.6666654611e-1 + z * (8.3321608736e-3 - z * 1.9515295891e-4));
    let c = 1.0 - 0.5 * z + z * z * (4.166664568298827e-2 + z * (-1.388731625493765e-3 + z * 2.443315711809948e-5));

    // back to the quadrant of x
    let quarter = i32(turns) & 3;
    let swapped = select(vec2f(s, c), vec2f(c, s), (quarter & 1) == 1);
    return vec2f(
        select(swapped.x, -swapped.x, quarter >= 2),
        select(swapped.y, -swapped.y, quarter == 1 || quarter == 2));
}

// true if a number is NaN; `x != x` and comparisons in a shader may be optimized away
fn is_nan(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

// angle (rad) of the direction (x, y)
fn arc_tangent(y: f32, x: f32) -> f32 {
    let a = abs(x);
    let b = abs(y);
    let most = max(a, b);
    if (most == 0.0) {
        return 0.0;
    }

    // Cephes' polynomial for a slope up to tan(π/8)
    var t = min(a, b) / most;
    var angle = 0.0;
    if (t > 0.41421356) {
        t = (t - 1.0) / (t + 1.0);
        angle = 0.78539816;
    }
    let z = t * t;
    angle += t + t * z * (-3.33329491539e-1 + z * (1.99777106478e-1 + z * (-1.38776856032e-1 + z * 8.05374449538e-2)));

    // back to the octant
    angle = select(angle, 1.5707963 - angle, b > a);
    angle = select(angle, 3.1415927 - angle, x < 0.0);
    return select(angle, -angle, y < 0.0);
}

// angle (rad) of a sine
fn arc_sine(x: f32) -> f32 {
    return arc_tangent(x, sqrt(max((1.0 - x) * (1.0 + x), 0.0)));
}
