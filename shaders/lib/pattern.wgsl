// sparsity patterns of rows: those of the model, then those of the contacts of blocks, by their slots

// address of the dofs of a pattern, for pattern_dof
fn pattern_adr(pattern: i32) -> i32 {
    if (model_blocks && pattern >= nJpat) {
        return nJpatdof + (pattern - nJpat) * nJelem;
    }
    return Jpat_adr(pattern);
}

// number of dofs of a pattern
fn pattern_num(pattern: i32) -> i32 {
    if (model_blocks && pattern >= nJpat) {
        return contact_dofnum(pattern - nJpat);
    }
    return Jpat_num(pattern);
}

// dof at an address; in each pattern they ascend
fn pattern_dof(adr: i32) -> i32 {
    if (model_blocks && adr >= nJpatdof) {
        let at = adr - nJpatdof;
        return contact_dof(at / max(nJelem, 1), at % max(nJelem, 1));
    }
    return Jpat_dof(adr);
}

// pattern of the rows of a contact, of the pair k
fn pattern_of(c: i32, k: i32) -> i32 {
    let pattern = collision_Jpat(k);
    return select(pattern, nJpat + c, model_blocks && pattern < 0);
}
