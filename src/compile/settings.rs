//! Options and sizes of buffers.

use super::tree::Tree;
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::{Able, Flag};
use crate::model::Opt;
use crate::types::*;

/// The options of a spec. Fails on an actuator group that has no bit.
pub(super) fn options(tree: &Tree) -> Result<Opt> {
    let said = &tree.spec.option;
    let msg = "timestep must be a positive number of seconds";
    let ok = said.timestep() > 0.0 && said.timestep().is_finite();
    tree.ensure(ok, said.origin, Some("timestep"), msg)?;
    let (disableflags, enableflags) = flags(&said.flag);
    let mut disableactuator = 0;
    for &group in said.actuatorgroupdisable.iter().flatten() {
        let ok = (0..=30).contains(&group);
        let msg = "actuatorgroupdisable needs groups from 0 to 30";
        tree.ensure(ok, said.origin, Some("actuatorgroupdisable"), msg)?;
        disableactuator |= 1 << group;
    }
    Ok(Opt {
        timestep: said.timestep(),
        impratio: said.impratio(),
        tolerance: said.tolerance(),
        ls_tolerance: said.ls_tolerance(),
        noslip_tolerance: said.noslip_tolerance(),
        ccd_tolerance: said.ccd_tolerance(),
        sleep_tolerance: said.sleep_tolerance(),
        gravity: said.gravity(),
        wind: said.wind(),
        magnetic: said.magnetic(),
        density: said.density(),
        viscosity: said.viscosity(),
        o_margin: said.o_margin(),
        o_solref: said.o_solref(),
        o_solimp: said.o_solimp(),
        o_friction: said.o_friction(),
        integrator: said.integrator() as i32,
        cone: said.cone() as i32,
        jacobian: said.jacobian() as i32,
        solver: said.solver() as i32,
        iterations: said.iterations(),
        ls_iterations: said.ls_iterations(),
        noslip_iterations: said.noslip_iterations(),
        ccd_iterations: said.ccd_iterations(),
        disableflags,
        enableflags,
        disableactuator,
        sdf_initpoints: said.sdf_initpoints(),
        sdf_iterations: said.sdf_iterations(),
    })
}

fn flags(flag: &Flag) -> (i32, i32) {
    let disable = [
        (flag.constraint(), DSBL_CONSTRAINT),
        (flag.equality(), DSBL_EQUALITY),
        (flag.frictionloss(), DSBL_FRICTIONLOSS),
        (flag.limit(), DSBL_LIMIT),
        (flag.contact(), DSBL_CONTACT),
        (flag.spring(), DSBL_SPRING),
        (flag.damper(), DSBL_DAMPER),
        (flag.gravity(), DSBL_GRAVITY),
        (flag.clampctrl(), DSBL_CLAMPCTRL),
        (flag.warmstart(), DSBL_WARMSTART),
        (flag.filterparent(), DSBL_FILTERPARENT),
        (flag.actuation(), DSBL_ACTUATION),
        (flag.refsafe(), DSBL_REFSAFE),
        (flag.sensor(), DSBL_SENSOR),
        (flag.midphase(), DSBL_MIDPHASE),
        (flag.eulerdamp(), DSBL_EULERDAMP),
        (flag.autoreset(), DSBL_AUTORESET),
        (flag.nativeccd(), DSBL_NATIVECCD),
        (flag.island(), DSBL_ISLAND),
        (flag.multiccd(), DSBL_MULTICCD),
    ];
    let enable = [
        (flag.override_(), ENBL_OVERRIDE),
        (flag.energy(), ENBL_ENERGY),
        (flag.fwdinv(), ENBL_FWDINV),
        (flag.invdiscrete(), ENBL_INVDISCRETE),
        (flag.sleep(), ENBL_SLEEP),
        (flag.diagexact(), ENBL_DIAGEXACT),
        (flag.ipc(), ENBL_IPC),
        (flag.speculative(), ENBL_SPECULATIVE),
    ];
    let bits = |list: &[(Able, i32)], on: Able| {
        list.iter()
            .filter(|(said, _)| *said == on)
            .fold(0, |bits, (_, bit)| bits | bit)
    };
    (bits(&disable, Able::Disable), bits(&enable, Able::Enable))
}

/// Sizes of user data, and capacities for contacts and rows where the model sets them; 0 leaves those open.
pub(super) fn capacities(m: &mut Arrays, tree: &Tree) {
    let room = |said: i32| usize::try_from(said).unwrap_or(0);
    m.nuserdata = room(tree.spec.size.nuserdata());
    m.njmax = room(tree.spec.size.njmax());
    m.nconmax = room(tree.spec.size.nconmax());
}
