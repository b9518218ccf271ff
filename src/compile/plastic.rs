//! Springs that yield: where they rest when a world begins.

use crate::fields::Arrays;

/// Where plastic springs rest when a world begins (`mj_resetData`): where they would if they did not yield.
pub(super) fn begin(m: &mut Arrays) {
    m.plastic0 = vec![0.0; m.nplastic];
    let mut put = |adr: i32, rest: &[f64]| {
        let Ok(adr) = usize::try_from(adr) else {
            return;
        };
        if let Some(to) = m.plastic0.get_mut(adr..adr + rest.len()) {
            to.copy_from_slice(rest);
        }
    };
    for j in 0..m.njnt {
        let (q, num) = (m.jnt_qposadr[j] as usize, words(m.jnt_type[j]));
        put(m.jnt_plasticadr[j], &m.qpos_spring[q..q + num]);
    }
    for t in 0..m.ntendon {
        put(
            m.tendon_plasticadr[t],
            &m.tendon_lengthspring[2 * t..2 * t + 2],
        );
    }
}

/// Numbers that say where a joint's spring rests.
pub(super) fn words(jnt_type: i32) -> usize {
    if jnt_type == crate::types::JointType::Ball {
        4
    } else {
        1
    }
}
