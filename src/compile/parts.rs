//! A model that was compiled elsewhere: its sizes, arrays and options as MuJoCo has them (`mjModel`).

use std::collections::BTreeMap;

use super::asset;
use super::layout::layout;
use super::pair::Pairs;
use crate::error::{Error, Result};
use crate::fields::{Arrays, FIELDS, Model, Room, SIZES, ViewMut};
use crate::model::{Names, Opt, Statistic};

/// Data of a model as MuJoCo has them, by its names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// Sizes; a size that is not given is 0.
    pub sizes: BTreeMap<String, usize>,
    /// Arrays, row by row; an array that is not given is 0 throughout, or -1 where that means no id. Arrays of ours alone are
    /// derived, and trees of the boxes around the triangles of meshes where there are none.
    pub fields: BTreeMap<String, Vec<f64>>,
    /// Options; an option that is not given has its default.
    pub options: BTreeMap<String, Vec<f64>>,
    /// Statistics.
    pub stat: Statistic,
    /// Names of the elements.
    pub names: Names,
}

impl Parts {
    /// The model of these parts.
    ///
    /// Fails with [`Error::Input`] on an array or option of another length than its sizes say, and on numbers that lead out of an
    /// array; with [`Error::Size`] where contacts and rows do not fit.
    pub fn model(self) -> Result<Model> {
        let mut m = Arrays {
            stat: self.stat,
            names: self.names,
            ..Arrays::default()
        };
        for (size, _) in SIZES {
            if let Some(n) = self.sizes.get(*size) {
                m.set_size(size, *n);
            }
        }
        m.allocate();
        for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
            let Some(from) = self.fields.get(field.name) else {
                // ids that were not given are -1: none
                if let (Some(ViewMut::Int(to)), Some((-1, _))) =
                    (m.view_mut(field.row), field.within)
                {
                    to.fill(-1);
                }
                continue;
            };
            let to = m.view_mut(field.row);
            let have = match &to {
                Some(ViewMut::Int(to)) => to.len(),
                Some(ViewMut::Real(to)) => to.len(),
                None => continue,
            };
            if have != from.len() {
                let (name, given) = (field.name, from.len());
                let msg =
                    format!("{name} holds {given} numbers, and the sizes of the model need {have}");
                return Err(Error::Input(msg));
            }
            match to {
                Some(ViewMut::Int(to)) => {
                    let from = from.iter().map(|x| *x as i32);
                    to.iter_mut().zip(from).for_each(|(to, from)| *to = from);
                }
                Some(ViewMut::Real(to)) => to.copy_from_slice(from),
                None => {}
            }
        }
        for (name, values) in &self.options {
            let known = Opt::NAMES.iter().any(|(known, _)| known == name);
            if known && !m.opt.set(name, values) {
                let given = values.len();
                return Err(Error::Input(format!(
                    "option {name} has not {given} numbers"
                )));
            }
        }
        if m.nbvh == 0 {
            asset::add_trees(&mut m);
        }
        layout(&mut m, &Pairs::default())?;
        Model::from_arrays(m)
    }
}
