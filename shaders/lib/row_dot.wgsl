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
