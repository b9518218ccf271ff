//! The Hessian that follows its rows is the one that is made of them.

use super::super::{Lanes, Staged};
use super::*;
use crate::stages::{self, Part};

// a stiff capsule that rests on the floor
const CAPSULE: &str = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <body pos="0 0 0.099"><joint type="slide" axis="0 0 1"/><joint type="slide" axis="1 0 0"/><joint axis="0 1 0"/>
    <geom type="capsule" size="0.1 0.3" euler="0 90 0" solimp="0.9999 0.9999 0.001"/></body>
</worldbody></mujoco>"#;

type State = <Lanes as Real>::Int;

#[test]
fn it_follows_rows_that_leave_and_return() {
    let m = Model::from_xml_str(CAPSULE).unwrap();
    let (mut d, mut rows) = (Data::<Lanes>::new(&m), Rows::<Lanes>::new(&m));
    stages::forward_part(&m, Part::ALL, &mut |stage| {
        Lanes::of(stage)(&m, &mut d, &mut rows)
    });
    let all: Vec<i32> = (0..rows.num as i32).collect();
    assert_eq!(all.len(), 8, "two contacts of four edges");
    let always = Lanes::zero().le(Lanes::zero());
    let island = Island {
        dofs: &[0, 1, 2],
        rows: &all,
        ne: 0,
        nf: 0,
        scale: Lanes::one(),
        lanes: always,
        number: Lanes::int(0),
    };
    let put = |d: &mut Data<Lanes>, r: usize, lane: usize, state: ConstraintState| {
        let states: &mut State = &mut d.efc_state[r];
        Lanes::set_int_lane(states, lane, state as i32);
    };
    d.efc_state
        .fill(Lanes::int(ConstraintState::Quadratic as i32));
    rows.find_shape(&m, &island);
    rows.make_kept(&m, &d, &island);
    let touching = rows.kept.h.clone();

    // in lane 1 all rows leave, in lane 2 the first one; in lane 3 all leave and return
    for r in 0..8 {
        put(&mut d, r, 1, ConstraintState::Satisfied);
        put(&mut d, r, 3, ConstraintState::Satisfied);
    }
    put(&mut d, 0, 2, ConstraintState::Satisfied);
    rows.update_kept(&m, &d, &island);
    for r in 0..8 {
        put(&mut d, r, 3, ConstraintState::Quadratic);
    }
    rows.update_kept(&m, &d, &island);
    let followed = rows.kept.h.clone();
    rows.make_kept(&m, &d, &island);
    let nh = rows.shape.nh;
    let most = touching.iter().fold(0.0, |most, h| h.lane(2).max(most));
    // roundings of the largest entry
    let bound = 4.0 * f64::from(f32::EPSILON) * most;
    for (k, (have, want)) in followed.iter().zip(&rows.kept.h).take(nh).enumerate() {
        for lane in [0, 1, 3] {
            assert_eq!(have.lane(lane), want.lane(lane), "entry {k}, lane {lane}");
        }
        let error = (have.lane(2) - want.lane(2)).abs();
        assert!(
            error <= bound,
            "entry {k}: {error:.1e}, at most {bound:.1e}"
        );
    }
    let shrunk = touching[0].lane(1) / followed[0].lane(1);
    assert!(shrunk > SHRUNK, "only by {shrunk}");
}
