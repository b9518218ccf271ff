//! Plastic springs: their rest positions after a reset.

use crate::fields::Arrays;

/// Rest positions of plastic springs after a reset (`mj_resetData`): those of springs that have not yielded.
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

/// Number of coordinates of a joint's rest position.
pub(super) fn words(jnt_type: i32) -> usize {
    if jnt_type == crate::types::JointType::Ball {
        4
    } else {
        1
    }
}
