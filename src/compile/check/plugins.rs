//! Instances of plugins: their attributes, and the elements that use them.

use super::{bad, ensure};
use crate::compile::plugin::{By, users};
use crate::error::Result;
use crate::fields::Arrays;
use crate::types::{GeomType, SensorType};

pub(super) fn check(m: &Arrays) -> Result<()> {
    for id in 0..m.nplugin {
        users(m, id).map_err(|unfit| match unfit.by {
            By::Instance => bad("plugin", id, unfit.why),
            By::Actuator(i) => bad("actuator_plugin", i, unfit.why),
            By::Sensor(i) => bad("sensor_plugin", i, unfit.why),
            By::Geom(i) => bad("geom_plugin", i, unfit.why),
        })?;
        let state = m.plugin_statenum[id];
        ensure(
            state == 0,
            "plugin_statenum",
            id,
            "is not 0: no supported plugin has a state",
        )?;
    }
    for i in 0..m.nsensor {
        let has = m.sensor_plugin[i] >= 0;
        let is = m.sensor_type[i] == SensorType::Plugin;
        let why = "and sensor_type do not agree whether a plugin computes the sensor";
        ensure(has == is, "sensor_plugin", i, why)?;
    }
    if let Some(i) = m.body_plugin.iter().position(|id| *id >= 0) {
        return Err(bad(
            "body_plugin",
            i,
            "is a plugin of a body, and no plugin is for bodies",
        ));
    }
    for g in 0..m.ngeom {
        let bare = m.geom_type[g] == GeomType::Sdf && m.geom_plugin[g] < 0;
        let known = !bare || m.mesh_octnum[m.geom_dataid[g] as usize] > 0;
        let why = "is -1, and the geom is a signed distance field whose mesh has no octree";
        ensure(known, "geom_plugin", g, why)?;
    }
    Ok(())
}
