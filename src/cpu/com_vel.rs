//! Cvel, cdof_dot (`mj_comVel`).

use crate::cpu::lib::spatial::{add_scl6, cross_motion};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::JointType;

/// Cvel, cdof_dot (`mj_comVel`).
pub fn com_vel<R: Real>(m: &Model, d: &mut Data<R>) {
    // the world does not move
    d.cvel[0] = [R::zero(); 6];

    // bodies, parents first
    for i in 1..m.nbody {
        if d.still.body(i) {
            continue;
        }
        let mut cvel = d.cvel[m.body_parentid[i] as usize];
        let num = m.body_dofnum[i] as usize;
        let mut adr = m.body_dofadr[i] as usize;
        let end = adr + num;
        while num > 0 && adr < end {
            let jnt_type = m.jnt_type[m.dof_jntid[adr] as usize];

            // translations of a free joint are along axes that do not turn
            if jnt_type == JointType::Free {
                for k in 0..3 {
                    d.cdof_dot[adr + k] = [R::zero(); 6];
                    cvel = add_scl6(cvel, d.cdof[adr + k], d.qvel[adr + k]);
                }
                adr += 3;
            }

            // axes rotate with the motion of the dofs before them: three at once in a ball, else one
            let ndof = if jnt_type == JointType::Free || jnt_type == JointType::Ball {
                3
            } else {
                1
            };
            for k in 0..ndof {
                d.cdof_dot[adr + k] = cross_motion(cvel, d.cdof[adr + k]);
            }
            for k in 0..ndof {
                cvel = add_scl6(cvel, d.cdof[adr + k], d.qvel[adr + k]);
            }
            adr += ndof;
        }
        d.cvel[i] = cvel;
    }
}
