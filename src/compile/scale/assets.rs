//! Meshes and height fields that are used at several scales: an instance for each.

use std::collections::HashMap;

use super::stretch::Stretch;
use crate::error::Result;
use crate::mjcf::schema::{Hfield, Mesh};
use crate::mjcf::spec::Spec;
use crate::types::GeomType;

/// Instances of the assets of one kind.
#[derive(Default)]
struct Kind {
    /// By name of an asset: the scales it is used at. The asset itself gets the first of them.
    scales: HashMap<String, Vec<Stretch>>,
    /// Further instances in order of use: the asset, and the index of its scale.
    further: Vec<(String, usize)>,
}

impl Kind {
    /// The name of an asset at a scale.
    fn at(&mut self, name: &str, scale: Stretch) -> String {
        let scales = self.scales.entry(name.to_owned()).or_default();
        let k = scales.iter().position(|s| *s == scale).unwrap_or_else(|| {
            scales.push(scale);
            if scales.len() > 1 {
                self.further.push((name.to_owned(), scales.len() - 1));
            }
            scales.len() - 1
        });
        match k {
            0 => name.to_owned(),
            k => format!("{name}@{k}"),
        }
    }

    /// Scales the existing assets and adds the further instances.
    fn fill<T: Clone>(
        &self,
        list: &mut Vec<T>,
        name: impl Fn(&mut T) -> &mut Option<String>,
        scale: impl Fn(&mut T, Stretch),
    ) -> std::result::Result<(), (T, String)> {
        let original = list.clone();
        for asset in list.iter_mut() {
            let own = name(asset).clone().unwrap_or_default();
            if let Some(first) = self.scales.get(&own).and_then(|s| s.first()) {
                scale(asset, *first);
            }
        }
        for (of, k) in &self.further {
            let same = |a: &&T| name(&mut (*a).clone()).as_deref() == Some(of);
            let (Some(asset), Some(factor)) = (
                original.iter().find(same),
                self.scales.get(of).and_then(|s| s.get(*k)),
            ) else {
                continue;
            };
            let mut asset = asset.clone();
            scale(&mut asset, *factor);
            let new = format!("{of}@{k}");
            if original
                .iter()
                .any(|a| name(&mut a.clone()).as_deref() == Some(&new))
            {
                return Err((asset, new));
            }
            *name(&mut asset) = Some(new);
            list.push(asset);
        }
        Ok(())
    }
}

/// The instances of meshes and height fields.
#[derive(Default)]
pub(super) struct Instances {
    meshes: Kind,
    hfields: Kind,
    /// Meshes of sites with their scales, which come after those of all geoms.
    sites: Vec<(Stretch, String)>,
}

impl Instances {
    /// Lets geoms use the instances of their scales.
    pub fn use_geoms<'a>(
        &mut self,
        meshes: &[Mesh],
        hfields: &[Hfield],
        geoms: impl Iterator<Item = (Stretch, &'a mut Option<String>, &'a mut Option<String>)>,
    ) {
        // the compiler reports an asset that does not exist
        for (scale, mesh, hfield) in geoms {
            if let Some(name) = mesh
                && meshes.iter().any(|m| m.name.as_ref() == Some(name))
            {
                *name = self.meshes.at(name, scale);
            }
            if let Some(name) = hfield
                && hfields.iter().any(|h| h.name.as_ref() == Some(name))
            {
                *name = self.hfields.at(name, scale);
            }
        }
    }

    /// Remembers the meshes of sites.
    pub fn later(&mut self, sites: impl Iterator<Item = (Stretch, String)>) {
        self.sites.extend(sites);
    }

    /// Lets sites use the instances of their scales, when those of all geoms are known.
    pub fn rename_sites(&mut self, spec: &mut Spec) -> Result<()> {
        let mut scales = std::mem::take(&mut self.sites).into_iter();
        let mut stack = vec![&mut spec.world];
        while let Some(body) = stack.pop() {
            for site in &mut body.sites {
                let mesh = site.type_() == GeomType::Mesh;
                if let Some(name) = &mut site.mesh
                    && let Some((scale, _)) = scales.next()
                    && mesh
                    && spec.meshes.iter().any(|m| m.name.as_ref() == Some(name))
                {
                    *name = self.meshes.at(name, scale);
                }
            }
            stack.extend(body.bodies.iter_mut().rev());
        }
        Ok(())
    }

    /// Scales the assets, and adds their instances behind them.
    pub fn fill(&self, spec: &mut Spec) -> Result<()> {
        let taken = |name: &str| {
            format!(
                "the name {name:?} is needed for an instance of this asset at another scale; rename the other"
            )
        };
        let mesh = |m: &mut Mesh, stretch: Stretch| {
            let s = stretch.factors();
            if !stretch.is_straight() {
                m.stretch = Some(stretch.rows());
            } else if s != [1.0; 3] {
                let own = m.scale();
                m.scale = Some(std::array::from_fn(|k| own[k] * s[k]));
            }
        };
        let done = self.meshes.fill(&mut spec.meshes, |m| &mut m.name, mesh);
        done.map_err(|(m, name)| spec.sources.error(m.origin, None, taken(&name)))?;
        let hfield = |h: &mut Hfield, stretch: Stretch| {
            let [x, y, z] = stretch.factors();
            let size = h.size.iter_mut().flatten();
            size.zip([x, y, z, z]).for_each(|(l, s)| *l *= s);
        };
        let done = self
            .hfields
            .fill(&mut spec.hfields, |h| &mut h.name, hfield);
        done.map_err(|(h, name)| spec.sources.error(h.origin, None, taken(&name)))
    }
}
