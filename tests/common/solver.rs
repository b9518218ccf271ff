//! Worlds at the input of the constraint solver, from goldens of `tests/golden/make_solver.py`.

use manyworlds::fields::{Arrays, ViewMut};
use manyworlds::types::ConstraintType;
use manyworlds::{Data, Model};

use super::Golden;

/// State `k` with all inputs of the solver. The patterns of the rows are the non-zeros of this state.
pub fn world(golden: &Golden, m: &Model, k: usize) -> (Model, Data) {
    let mut m = m.clone().into_arrays();
    let nefc = golden.state("in/nefc", k)[0] as usize;
    m.njmax = golden.state("in/efc_D", k).len();
    m.njdual = m.njdual.min(1) * m.njmax;
    let jacobian = golden.state("in/efc_J_dense", k);
    let of_row = |name: &str, r: usize| golden.state(name, k)[r] as i32;

    // the rows of a contact are consecutive and share a pattern
    let same_contact = |r: usize, first: usize| {
        let contact = |r| of_row("in/efc_type", r) >= ConstraintType::ContactFrictionless as i32;
        contact(r) && contact(first) && of_row("in/efc_id", r) == of_row("in/efc_id", first)
    };
    let mut rows: Vec<Vec<i32>> = vec![];
    while rows.len() < nefc {
        let first = rows.len();
        let num = (first..nefc).take_while(|&r| r == first || same_contact(r, first));
        let num = num.count();
        let touches =
            |dof: &i32| (first..first + num).any(|r| jacobian[r * m.nv + *dof as usize] != 0.0);
        let pattern: Vec<i32> = (0..m.nv as i32).filter(touches).collect();
        rows.extend(vec![pattern; num]);
    }
    let mut patterns: Vec<Vec<i32>> = vec![vec![]];
    let mut pattern_of = vec![];
    for row in &rows {
        let found = patterns.iter().position(|pattern| pattern == row);
        pattern_of.push(found.unwrap_or(patterns.len()));
        if found.is_none() {
            patterns.push(row.clone());
        }
    }
    m.nJpat = patterns.len();
    m.Jpat_num = patterns.iter().map(|p| p.len() as i32).collect();
    m.Jpat_adr = vec![];
    m.Jpat_dof = vec![];
    for pattern in &patterns {
        m.Jpat_adr.push(m.Jpat_dof.len() as i32);
        m.Jpat_dof.extend(pattern);
    }
    m.nJpatdof = m.Jpat_dof.len();
    m.Jpat_side = vec![1; m.nJpatdof];
    let width = m.nv.div_ceil(32);
    m.nJpatword = m.nJpat * width;
    m.Jpat_mask = vec![0; m.nJpatword];
    m.Jpat_rank = vec![0; m.nJpatword];
    for (pattern, dofs) in patterns.iter().enumerate() {
        for (place, &dof) in dofs.iter().enumerate() {
            m.Jpat_mask[pattern * width + dof as usize / 32] |= 1 << (dof % 32);
            let later = dof as usize / 32 + 1..width;
            later.for_each(|word| m.Jpat_rank[pattern * width + word] = place as i32 + 1);
        }
    }
    m.nJrow = patterns.iter().map(Vec::len).max().unwrap_or(0);

    // every contact has a pair of its own, whose geoms no solver reads; unused slots have one row
    m.nconmax = golden.state("in/contact_dim", k).len();
    m.ncollision = m.nconmax;
    let condim = golden.state("in/contact_dim", k).iter();
    m.collision_condim = condim.map(|&x| (x as i32).max(1)).collect();
    m.collision_friction = golden.state("in/contact_friction", k).to_vec();
    nothing_else(&mut m);

    let m = Model::from_arrays(m).unwrap_or_else(|e| panic!("{e}"));
    let mut d = Data::new(&m);
    d.contact_collision = (0..m.nconmax as i32).collect();
    for name in golden
        .arrays
        .keys()
        .filter_map(|name| name.strip_prefix("in/"))
    {
        let from = golden.state(&format!("in/{name}"), k);
        match d.field_mut(name) {
            None => continue,
            Some(ViewMut::Int(to)) => to
                .iter_mut()
                .zip(from)
                .for_each(|(to, from)| *to = *from as i32),
            Some(ViewMut::Real(to)) => to.copy_from_slice(from),
        }
    }
    for r in 0..nefc {
        d.efc_Jpat[r] = pattern_of[r] as i32;
        for (slot, &dof) in rows[r].iter().enumerate() {
            d.efc_J[r * m.nJrow + slot] = jacobian[r * m.nv + dof as usize];
        }
    }
    (m, d)
}

// fills arrays of pairs and patterns that no solver reads, with the sizes of this model
fn nothing_else(m: &mut Arrays) {
    let n = m.ncollision;
    for geom in [&mut m.collision_geom1, &mut m.collision_geom2] {
        *geom = geom.first().map_or(vec![], |&first| vec![first; n]);
    }
    (m.collision_pairid, m.collision_Jpat) = (vec![-1; n], vec![0; n]);
    (m.collision_detect, m.collision_margin) = (vec![0.0; n], vec![0.0; n]);
    (m.collision_solref, m.collision_solreffriction) = (vec![0.0; 2 * n], vec![0.0; 2 * n]);
    m.collision_solimp = vec![0.0; 5 * n];
    m.collision_adhesion = vec![0.0; n];
    for pattern in [
        &mut m.dof_Jpat,
        &mut m.jnt_Jpat,
        &mut m.tendon_Jpat,
        &mut m.eq_Jpat,
    ] {
        pattern.fill(0);
    }
}
