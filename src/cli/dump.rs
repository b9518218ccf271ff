//! The arrays of a dump: the model, results of one forward pass on a state, contacts and constraint rows.

use super::array::Array;
use manyworlds::cpu::collision::soft::{Pair, is_block};
use manyworlds::cpu::lib::math::{cross, dot3};
use manyworlds::cpu::lib::penalty::is_passive;
use manyworlds::cpu::lib::rows::{dofs_of, pattern_of};
use manyworlds::cpu::lib::sparse::{mul_m, solve_ld};
use manyworlds::fields::{FIELDS, Room, SIZES, View};
use manyworlds::model::{Names, Opt};
use manyworlds::{Data, Model};

/// Arrays and their names.
pub type Arrays = Vec<(String, Array)>;

/// Derived arrays of a world that are dumped unchanged. Arrays that no stage computes yet are left out.
const FORWARD: &str = "xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat subtree_com cinert cdof \
    crb ten_length actuator_length cvel cdof_dot ten_velocity actuator_velocity qfrc_bias qfrc_spring qfrc_damper \
    qfrc_gravcomp qfrc_fluid qfrc_adhesion qfrc_passive act_dot actuator_force qfrc_actuator qfrc_smooth qacc_smooth qacc qfrc_constraint cacc \
    cfrc_int cfrc_ext sensordata energy";

/// The compiled model; `opt` holds the options as authored.
pub fn model(m: &Model, opt: &Opt) -> Arrays {
    let mut out = Arrays::new();
    for (size, doc) in SIZES.iter().filter(|(_, doc)| !doc.contains("(ours)")) {
        debug_assert!(!doc.is_empty());
        let n = m.size(size).unwrap_or(0) as i32;
        out.push((format!("model/{size}"), Array::int(&[], vec![n])));
    }
    for (name, _) in Opt::NAMES {
        let x = opt.get(name).unwrap_or_default();
        let shape = if x.len() == 1 { vec![] } else { vec![x.len()] };
        out.push((format!("model/opt_{name}"), Array::real(&shape, x)));
    }
    let stat = &m.stat;
    for (name, x) in [
        ("meaninertia", vec![stat.meaninertia]),
        ("meanmass", vec![stat.meanmass]),
        ("meansize", vec![stat.meansize]),
        ("extent", vec![stat.extent]),
        ("center", stat.center.to_vec()),
    ] {
        let shape = if x.len() == 1 { vec![] } else { vec![x.len()] };
        out.push((format!("model/stat_{name}"), Array::real(&shape, x)));
    }
    let ours = |doc: &str| doc.contains("(ours");
    for field in FIELDS
        .iter()
        .filter(|f| f.room == Room::Model && !ours(f.doc))
    {
        if let Some(view) = m.view(field.row) {
            out.push((format!("model/{}", field.name), Array::of(m, field, view)));
        }
    }
    out
}

/// Names of the objects, in order of their ids.
pub fn names(names: &Names) -> serde_json::Value {
    serde_json::json!({
        "body": names.body, "joint": names.joint, "geom": names.geom, "site": names.site, "tendon": names.tendon,
        "actuator": names.actuator, "sensor": names.sensor, "equality": names.equality,
    })
}

/// The results of one forward pass on a world.
pub fn forward(m: &Model, d: &Data) -> Arrays {
    let mut out = Arrays::new();
    for name in FORWARD.split_whitespace() {
        if let (Some(field), Some(view)) = (manyworlds::fields::field(name), d.field(name)) {
            out.push((format!("fwd/{name}"), Array::of(m, field, view)));
        }
    }
    let niter = Array::int(&[1], d.solver_niter.clone());
    out.push(("fwd/niter".to_owned(), niter));
    inertia(m, d, &mut out);
    let ten = dense(m.nv, (0..m.ntendon).map(|i| tendon_row(m, d, i)));
    out.push(("fwd/ten_J".to_owned(), Array::real(&[m.ntendon, m.nv], ten)));
    let moment = dense(
        m.nv,
        (0..m.nout).map(|r| {
            let (adr, num) = (m.moment_rowadr[r] as usize, m.moment_rownnz[r] as usize);
            let at = adr..adr + num;
            (&m.moment_colind[at.clone()], &d.actuator_moment[at])
        }),
    );
    out.push((
        "fwd/actuator_moment".to_owned(),
        Array::real(&[m.nout, m.nv], moment),
    ));
    contacts(m, d, &mut out);
    rows(m, d, &mut out);
    out
}

fn tendon_row<'a>(m: &'a Model, d: &'a Data, i: usize) -> (&'a [i32], &'a [f64]) {
    let (adr, num) = (m.ten_J_rowadr[i] as usize, m.ten_J_rownnz[i] as usize);
    (&m.ten_J_colind[adr..adr + num], &d.ten_J[adr..adr + num])
}

// a dense matrix from sparse rows
fn dense<'a>(ncol: usize, rows: impl Iterator<Item = (&'a [i32], &'a [f64])>) -> Vec<f64> {
    let mut out = Vec::new();
    for (columns, values) in rows {
        let start = out.len();
        out.resize(start + ncol, 0.0);
        for (column, value) in columns.iter().zip(values) {
            out[start + *column as usize] += value;
        }
    }
    out
}

// a vector without any symmetry
fn probe(nv: usize) -> Vec<f64> {
    (1..=nv).map(|i| (i as f64).sin()).collect()
}

fn inertia(m: &Model, d: &Data, out: &mut Arrays) {
    let nv = m.nv;
    let mut full = vec![0.0; nv * nv];
    for i in 0..nv {
        let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize);
        for e in adr..adr + num {
            let j = m.M_colind[e] as usize;
            full[i * nv + j] = d.M[e];
            full[j * nv + i] = d.M[e];
        }
    }
    let b = probe(nv);
    let mut product = vec![0.0; nv];
    mul_m(m, &d.M, &mut product, &b);
    let mut solution = b;
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut solution);
    out.push(("fwd/M".to_owned(), Array::real(&[nv, nv], full)));
    out.push(("fwd/Mx".to_owned(), Array::real(&[nv], product)));
    out.push(("fwd/Minvx".to_owned(), Array::real(&[nv], solution)));
}

// whether MuJoCo has the two elements of a contact in the other order: its frame is left-handed
fn is_reversed(d: &Data, c: usize) -> bool {
    let [x, y, z, a, b, e, p, q, r] = d.contact_frame[c];
    dot3(cross([x, y, z], [a, b, e]), [p, q, r]) < 0.0
}

fn contacts(m: &Model, d: &Data, out: &mut Arrays) {
    let n = d.ncon[0] as usize;
    let pair: Vec<usize> = d.contact_collision[..n]
        .iter()
        .map(|&k| k as usize)
        .collect();
    let ints = |of: &dyn Fn(usize) -> i32| pair.iter().map(|&k| of(k)).collect::<Vec<_>>();
    // values of each contact's pair from an array of the model with `w` numbers per pair
    let reals = |of: &[f64], w: usize| -> Vec<f64> {
        pair.iter()
            .flat_map(|&k| of[k * w..][..w].iter().copied())
            .collect()
    };
    let mut put = |name: &str, array: Array| out.push((format!("con/{name}"), array));
    put("geom1", Array::int(&[n], ints(&|k| m.collision_geom1[k])));
    put("geom2", Array::int(&[n], ints(&|k| m.collision_geom2[k])));
    for (name, of) in [
        ("flex", &m.collision_flex),
        ("elem", &m.collision_elem),
        ("vert", &m.collision_vert),
    ] {
        let ids = |c: usize, k: usize| match name == "elem" && is_block(m, k) {
            true => Pair::of_contact(m, d, c, k).elem,
            false => [0, 1].map(|side| of.get(2 * k + side).copied().unwrap_or(-1)),
        };
        let sides = pair.iter().enumerate();
        let sides = sides.flat_map(|(c, &k)| match (is_reversed(d, c), ids(c, k)) {
            (true, [first, second]) => [second, first],
            (false, ids) => ids,
        });
        put(name, Array::int(&[n, 2], sides.collect()));
    }
    let sticks = |k: usize| m.collision_adhesion[k] != 0.0;
    // in the gap: listed, but without friction if the pair has adhesion, and without force if not; a contact that will touch within the
    // timestep has rows
    let in_gap = |of: &dyn Fn(usize, usize, bool) -> i32| {
        let contacts = pair.iter().enumerate();
        let gap = |c: usize, k: usize| {
            d.contact_dist[c] >= m.collision_margin[k]
                && (sticks(k) || d.contact_efc_address[c] < 0)
        };
        contacts
            .map(|(c, &k)| of(c, k, gap(c, k)))
            .collect::<Vec<_>>()
    };
    let dim = |_: usize, k: usize, gap| match gap && sticks(k) {
        true => 1,
        false => m.collision_condim[k],
    };
    put("dim", Array::int(&[n], in_gap(&dim)));
    // 3: no dof can move the contact; 4: a spring is in the place of its rows
    let exclude = |c: usize, k: usize, gap: bool| match dofs_of(m, d, pattern_of(m, c, k)).len() {
        0 if !gap => 3,
        _ if !gap && is_passive(m, k) => 4,
        _ => i32::from(gap && !sticks(k)),
    };
    put("exclude", Array::int(&[n], in_gap(&exclude)));
    put("dist", Array::real(&[n], d.contact_dist[..n].to_vec()));
    put(
        "pos",
        Array::real(&[n, 3], d.contact_pos[..n].as_flattened().to_vec()),
    );
    let frame = (0..n).flat_map(|c| match is_reversed(d, c) {
        true => d.contact_frame[c].map(|x| -x),
        false => d.contact_frame[c],
    });
    put("frame", Array::real(&[n, 9], frame.collect()));
    put(
        "includemargin",
        Array::real(&[n], reals(&m.collision_margin, 1)),
    );
    put(
        "friction",
        Array::real(&[n, 5], reals(&m.collision_friction, 5)),
    );
    put(
        "solref",
        Array::real(&[n, 2], reals(&m.collision_solref, 2)),
    );
    put(
        "solreffriction",
        Array::real(&[n, 2], reals(&m.collision_solreffriction, 2)),
    );
    put(
        "solimp",
        Array::real(&[n, 5], reals(&m.collision_solimp, 5)),
    );
}

fn rows(m: &Model, d: &Data, out: &mut Arrays) {
    let n = d.nefc[0] as usize;
    let jacobian = dense(
        m.nv,
        (0..n).map(|r| {
            let dofs = dofs_of(m, d, d.efc_Jpat[r]);
            (dofs, &d.efc_J[r * m.nJrow..][..dofs.len()])
        }),
    );
    let b = probe(m.nv);
    let product = jacobian
        .chunks_exact(m.nv.max(1))
        .map(|row| row.iter().zip(&b).map(|(j, b)| j * b).sum());
    let product: Vec<f64> = product.collect();
    let mut put = |name: &str, array: Array| out.push((format!("efc/{name}"), array));
    put("Jx", Array::real(&[n], product));
    put("J", Array::real(&[n, m.nv], jacobian));
    for name in ["type", "id", "state"] {
        if let Some(View::Int(x)) = d.field(&format!("efc_{name}")) {
            put(name, Array::int(&[n], x[..n].to_vec()));
        }
    }
    for name in [
        "pos",
        "margin",
        "frictionloss",
        "R",
        "D",
        "vel",
        "aref",
        "force",
    ] {
        if let Some(View::Real(x)) = d.field(&format!("efc_{name}")) {
            put(name, Array::real(&[n], x[..n].to_vec()));
        }
    }
    put("diagApprox", Array::real(&[n], d.efc_diagA[..n].to_vec()));
    put("KBIP", Array::real(&[n, 4], d.efc_KBIP[..4 * n].to_vec()));
}

/// The result of inverse dynamics for a world's acceleration; none if it was not computed.
pub fn inverse(m: &Model, qfrc: &[f64], k: usize) -> Option<(String, Array)> {
    let mine = qfrc.get(k * m.nv..(k + 1) * m.nv)?;
    let array = Array::real(&[m.nv], mine.to_vec());
    Some(("fwd/qfrc_inverse".to_owned(), array))
}

/// The state after some steps.
pub fn step(m: &Model, d: &Data, n: usize) -> Arrays {
    let state = [
        ("qpos", m.nq, &d.qpos),
        ("qvel", m.nv, &d.qvel),
        ("act", m.na, &d.act),
    ];
    let mut out: Arrays = state
        .iter()
        .map(|(name, len, x)| {
            (
                format!("step{n}/{name}"),
                Array::real(&[*len], (*x).clone()),
            )
        })
        .collect();
    out.push((format!("step{n}/time"), Array::real(&[], d.time.clone())));
    out
}

/// The inputs that were set.
pub fn inputs(m: &Model, d: &Data, names: &[&str]) -> Arrays {
    let mut out = Arrays::new();
    // few models have these
    let lacks = |name: &str| match name {
        "history" => m.nhistory == 0,
        "plastic" => m.nplastic == 0,
        _ => false,
    };
    for name in names.iter().filter(|name| !lacks(name)) {
        if let (Some(field), Some(view)) = (manyworlds::fields::field(name), d.field(name)) {
            let mut array = Array::of(m, field, view);
            if *name == "time" {
                array.shape = Vec::new();
            }
            out.push((format!("in/{name}"), array));
        }
    }
    out
}
