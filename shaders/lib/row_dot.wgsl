// products with the constraint Jacobian

// one row of J times a vector
fn row_dot<v>(r: i32) -> f32 {
    let pattern = efc_Jpat(r);
    let adr = pattern_adr(pattern);
    let num = pattern_num(pattern);
    var sum = 0.0;
    for (var k = 0; k < num; k += 4) {
        let at = four_from(k, num);
        let j = vec4f(efc_J(r, at.x), efc_J(r, at.y), efc_J(r, at.z), efc_J(r, at.w));
        let dof = vec4i(pattern_dof(adr + at.x), pattern_dof(adr + at.y), pattern_dof(adr + at.z), pattern_dof(adr + at.w));
        sum = plus_dot(sum, first_few(j, num - k), vec4f(v(dof.x), v(dof.y), v(dof.z), v(dof.w)));
    }
    return sum;
}

// one row of J times two vectors
fn row_dots<v, w>(r: i32) -> vec2f {
    let pattern = efc_Jpat(r);
    let adr = pattern_adr(pattern);
    let num = pattern_num(pattern);
    var sum = vec2f(0.0);
    for (var k = 0; k < num; k += 4) {
        let at = four_from(k, num);
        let j = first_few(vec4f(efc_J(r, at.x), efc_J(r, at.y), efc_J(r, at.z), efc_J(r, at.w)), num - k);
        let dof = vec4i(pattern_dof(adr + at.x), pattern_dof(adr + at.y), pattern_dof(adr + at.z), pattern_dof(adr + at.w));
        sum.x = plus_dot(sum.x, j, vec4f(v(dof.x), v(dof.y), v(dof.z), v(dof.w)));
        sum.y = plus_dot(sum.y, j, vec4f(w(dof.x), w(dof.y), w(dof.z), w(dof.w)));
    }
    return sum;
}

// index of a dof among those of a row; -1: not one of them
fn place_in(pattern: i32, i: i32) -> i32 {
    if (nJpatword == 0 || (model_blocks && pattern >= nJpat)) {
        return place_found(pattern, i);
    }
    let word = pattern * ((nv + 31) / 32) + i / 32;
    let mask = bitcast<u32>(Jpat_mask(word));
    let bit = 1u << (u32(i) % 32u);
    if ((mask & bit) == 0u) {
        return -1;
    }
    return Jpat_rank(word) + i32(countOneBits(mask & (bit - 1u)));
}

// index of a dof for patterns without masks: binary search, as the dofs ascend
fn place_found(pattern: i32, i: i32) -> i32 {
    let adr = pattern_adr(pattern);
    let num = pattern_num(pattern);
    var low = 0;
    var high = num;
    while (low < high) {
        let middle = (low + high) / 2;
        if (pattern_dof(adr + middle) < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let there = low < num && pattern_dof(adr + min(low, num - 1)) == i;
    return select(-1, low, there);
}

// force of all rows on a dof, J' force
fn force_on(i: i32) -> f32 {
    var force = 0.0;
    var pattern = -1;
    var place = -1;
    for (var r = 0; r < nefc(); r++) {
        if (efc_Jpat(r) != pattern) {
            pattern = efc_Jpat(r);
            place = place_in(pattern, i);
        }
        if (place >= 0) {
            force += efc_J(r, place) * efc_force(r);
        }
    }
    return force;
}
