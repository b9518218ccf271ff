// adhesion of contacts

// share of a row in the adhesion force of its contact: the normal row has all of it, edges of a pyramid have equal shares, other
// rows zero
fn adhesion_share(r: i32) -> f32 {
    let kind = efc_type(r);
    if (kind < CNSTR_CONTACTFRICTIONLESS) {
        return 0.0;
    }
    let c = efc_id(r);
    let k = contact_collision(c);
    let whole = collision_adhesion(k);
    if (kind == CNSTR_CONTACTPYRAMIDAL) {
        return whole / f32(2 * (collision_condim(k) - 1));
    }
    return select(0.0, whole, contact_efc_address(c) == r);
}
