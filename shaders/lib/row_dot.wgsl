// products with the constraint Jacobian

// one row of J times a vector
fn row_dot<v>(r: i32) -> f32 {
    let pattern = efc_Jpat(r);
    let adr = Jpat_adr(pattern);
    var sum = 0.0;
    for (var k = 0; k < Jpat_num(pattern); k++) {
        sum += efc_J(r, k) * v(Jpat_dof(adr + k));
    }
    return sum;
}

// index of a dof among those of a row; -1: not one of them
fn place_in(pattern: i32, i: i32) -> i32 {
    if (nJpatword == 0) {
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
    let adr = Jpat_adr(pattern);
    let num = Jpat_num(pattern);
    var low = 0;
    var high = num;
    while (low < high) {
        let middle = (low + high) / 2;
        if (Jpat_dof(adr + middle) < i) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let there = low < num && Jpat_dof(adr + min(low, num - 1)) == i;
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
