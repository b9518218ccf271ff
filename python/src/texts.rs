//! WGSL texts for Python's models, which a device runs where the CPU backends call functions.

use pyo3::prelude::*;
use std::collections::BTreeMap;

#[cfg(feature = "gpu")]
use crate::{
    error::raised,
    functions::{geom_type, part},
};

/// The texts of a model, by the function that each replaces.
#[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "refused"))]
#[derive(Debug)]
pub struct Texts {
    pub control: Option<String>,
    pub passive: Option<String>,
    pub contact_filter: Option<String>,
    pub collisions: BTreeMap<(String, String), String>,
    pub distances: BTreeMap<String, String>,
    pub sensors: BTreeMap<String, String>,
    pub actuators: BTreeMap<String, BTreeMap<String, String>>,
}

impl Texts {
    /// Binds the texts to a model; they replace earlier ones.
    #[cfg(feature = "gpu")]
    pub fn bind(&self, model: &mut manyworlds::Model) -> PyResult<()> {
        if let Some(text) = &self.control {
            model.bind_control_wgsl(text).map_err(raised)?;
        }
        if let Some(text) = &self.passive {
            model.bind_passive_wgsl(text).map_err(raised)?;
        }
        if let Some(text) = &self.contact_filter {
            model.bind_contact_filter_wgsl(text).map_err(raised)?;
        }
        for ((type1, type2), text) in &self.collisions {
            let types = [geom_type(type1)?, geom_type(type2)?];
            let bound = model.bind_collision_wgsl(types[0], types[1], text);
            bound.map_err(raised)?;
        }
        for (name, text) in &self.distances {
            model.bind_sdf_wgsl(name, text).map_err(raised)?;
        }
        for (name, text) in &self.sensors {
            model.bind_sensor_wgsl(name, text).map_err(raised)?;
        }
        for (name, parts) in &self.actuators {
            for (word, text) in parts {
                let part = part(name, word)?;
                model.bind_user_wgsl(name, part, text).map_err(raised)?;
            }
        }
        Ok(())
    }

    /// Refuses the texts: without the feature `gpu` no device runs them.
    #[cfg(not(feature = "gpu"))]
    pub fn bind(&self, _: &mut manyworlds::Model) -> PyResult<()> {
        let msg = "texts in WGSL: this is built without the feature `gpu`";
        Err(crate::error::DeviceError::new_err(msg))
    }
}
