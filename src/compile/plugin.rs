//! Plugins that MuJoCo ships: their instances, the attributes of these, and the numbers that the attributes mean.

use super::names::Names;
use super::tree::Tree;
use crate::asset::sdf::{self, Prm};
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::nearest::nearest;
use crate::mjcf::schema::{Config, PluginUse, SensorTag};
use crate::mjcf::source::Origin;
use crate::mjcf::table::Keyword;
use crate::types::*;

/// Numbers that are kept for an instance (`plugin_prm`).
pub(super) const NPRM: usize = 6;

/// Most outputs of a grid: 128 MiB.
const MOST_CELLS: f64 = (1 << 24) as f64;

impl PluginKind {
    /// The keys that its instances may be given, in its order.
    pub fn attributes(self) -> &'static [&'static str] {
        match self {
            PluginKind::Pid => &["kp", "ki", "kd", "imax", "slewmax"],
            PluginKind::TouchGrid => &["nchannel", "size", "fov", "gamma"],
            PluginKind::Bolt | PluginKind::Nut => &["radius"],
            PluginKind::Bowl => &["height", "radius", "thickness"],
            PluginKind::Gear => &["alpha", "diameter", "teeth", "thickness", "innerdiameter"],
            PluginKind::Torus => &["radius1", "radius2"],
        }
    }

    /// Whether it is a shape by its signed distance.
    pub fn is_sdf(self) -> bool {
        (PluginKind::Bolt..=PluginKind::Torus).contains(&self)
    }
}

/// An instance with its given attributes.
struct One<'a> {
    name: &'a str,
    kind: PluginKind,
    config: &'a [Config],
    prm: Prm,
    origin: Origin,
}

/// The plugin that an element asks for.
struct Said<'a> {
    plugin: Option<PluginKind>,
    instance: Option<&'a str>,
    config: &'a [Config],
    origin: Origin,
}

impl<'a> Said<'a> {
    fn of(plugin: Option<&'a PluginUse>, origin: Origin) -> Option<Self> {
        plugin.map(|of| Self {
            plugin: of.plugin,
            instance: of.instance.as_deref(),
            config: &of.config,
            origin,
        })
    }
}

/// The instances of a model, and the instance of each element; -1: none.
pub(super) struct Plugins<'a> {
    list: Vec<One<'a>>,
    meshes: Vec<i32>,
    actuators: Vec<i32>,
    sensors: Vec<i32>,
    geoms: Vec<i32>,
}

impl<'a> Plugins<'a> {
    /// The instances that are declared, then those of elements, in MuJoCo's order of reading.
    pub fn new(tree: &Tree<'a>, names: &Names) -> Result<Plugins<'a>> {
        let spec = tree.spec;
        let mut all = Plugins {
            list: Vec::new(),
            meshes: Vec::new(),
            actuators: Vec::new(),
            sensors: Vec::new(),
            geoms: Vec::new(),
        };
        for said in &spec.plugins {
            let Some(kind) = said.plugin else {
                return Err(tree.error(said.origin, None, "is an instance of no plugin"));
            };
            let name = said.name.as_deref().unwrap_or_default();
            all.list
                .push(One::new(tree, name, kind, &said.config, said.origin)?);
        }
        let shapes = |kind: PluginKind| kind.is_sdf();
        for mesh in &spec.meshes {
            let said = Said::of(mesh.plugin.as_deref(), mesh.origin);
            let id = all.resolve(tree, names, said, shapes, "has a shape")?;
            all.meshes.push(id);
        }
        for actuator in &spec.actuators {
            let said = Said::of(actuator.plugin.as_ref(), actuator.origin);
            let drives = |kind| kind == PluginKind::Pid;
            let id = all.resolve(tree, names, said, drives, "drives actuators")?;
            all.actuators.push(id);
        }
        for sensor in &spec.sensors {
            let said = (sensor.tag == SensorTag::Plugin).then(|| Said {
                plugin: sensor.plugin,
                instance: sensor.instance.as_deref(),
                config: &sensor.config,
                origin: sensor.origin,
            });
            let senses = |kind| kind == PluginKind::TouchGrid;
            let id = all.resolve(tree, names, said, senses, "is a sensor")?;
            all.sensors.push(id);
        }
        for geom in &tree.geoms {
            let plugin = geom.said.plugin.as_deref();
            let said = Said::of(plugin, plugin.map_or(geom.said.origin, |p| p.origin));
            let id = all.resolve(tree, names, said, shapes, "has a shape")?;
            all.geoms.push(id);
        }
        Ok(all)
    }

    // the id of an element's instance; -1 if it asks for none (`mjCModel::ResolvePlugin`)
    fn resolve(
        &mut self,
        tree: &Tree,
        names: &Names,
        said: Option<Said<'a>>,
        may: impl Fn(PluginKind) -> bool,
        does: &str,
    ) -> Result<i32> {
        let Some(said) = said else { return Ok(-1) };
        let origin = said.origin;
        if let Some(kind) = said.plugin {
            let word = kind.word();
            let declared = tree.spec.extensions.iter().any(|e| e.plugin == Some(kind));
            let msg = format!(
                "the model does not declare the plugin {word}: add <extension><plugin plugin=\"{word}\"/></extension>"
            );
            tree.ensure(declared, origin, Some("plugin"), &msg)?;
        }
        let id = match (said.instance, said.plugin) {
            (Some(name), _) => names.plugin.find(tree, origin, "instance", name)?,
            (None, Some(kind)) => {
                let one = One::new(tree, "", kind, said.config, origin)?;
                self.list.push(one);
                self.list.len() - 1
            }
            (None, None) => {
                let msg =
                    "needs the attribute plugin (for a new instance) or the attribute instance";
                return Err(tree.error(origin, None, msg));
            }
        };
        let kind = self.list[id].kind;
        let msg = format!(
            "the instance belongs to the plugin {}; drop plugin, or set it to that",
            kind.word()
        );
        let same = said.plugin.is_none_or(|of| of == kind);
        tree.ensure(same, origin, Some("plugin"), &msg)?;
        let able = PluginKind::ALL.iter().filter(|kind| may(**kind));
        let able: Vec<_> = able.map(|kind| kind.word()).collect();
        let msg = format!(
            "{} is not a plugin that {does}; such plugins: {}",
            kind.word(),
            able.join(", ")
        );
        tree.ensure(may(kind), origin, None, &msg)?;
        Ok(id as i32)
    }

    /// Names of the instances, empty where there is none.
    pub fn names(&self) -> Vec<String> {
        self.list.iter().map(|one| one.name.to_owned()).collect()
    }

    /// The shape of a mesh that a plugin gives.
    pub fn shape(&self, mesh: usize) -> Option<(PluginKind, Prm)> {
        let id = usize::try_from(*self.meshes.get(mesh)?).ok()?;
        let one = &self.list[id];
        Some((one.kind, one.prm))
    }

    /// Number of outputs of a sensor.
    pub fn width(&self, sensor: usize) -> usize {
        let id = self.sensors.get(sensor).map(|id| usize::try_from(*id));
        let Some(Ok(id)) = id else { return 0 };
        cells(&self.list[id].prm)
    }

    /// Fills `plugin*` and `*_plugin`, once actuators and sensors are there.
    pub fn fill(&self, m: &mut Arrays, tree: &Tree) -> Result<()> {
        m.nplugin = self.list.len();
        m.body_plugin = vec![-1; m.nbody];
        m.geom_plugin.clone_from(&self.geoms);
        m.actuator_plugin.clone_from(&self.actuators);
        m.sensor_plugin.clone_from(&self.sensors);
        m.plugin_stateadr = vec![0; m.nplugin];
        m.plugin_statenum = vec![0; m.nplugin];
        for one in &self.list {
            m.plugin.push(one.kind as i32);
            m.plugin_attradr.push(m.plugin_attr.len() as i32);
            for key in one.kind.attributes() {
                let said = one.said(key).unwrap_or_default();
                let ended = said.bytes().chain([0]);
                m.plugin_attr.extend(ended.map(i32::from));
            }
        }
        m.npluginattr = m.plugin_attr.len();
        for (id, one) in self.list.iter().enumerate() {
            users(m, id).map_err(|wrong| {
                let origin = match wrong.by {
                    By::Instance => one.origin,
                    By::Actuator(i) => tree.spec.actuators[i].origin,
                    By::Sensor(i) => tree.spec.sensors[i].origin,
                    By::Geom(i) => tree.geoms[i].said.origin,
                };
                tree.error(origin, wrong.attr, wrong.why)
            })?;
        }
        Ok(())
    }
}

impl<'a> One<'a> {
    fn new(
        tree: &Tree,
        name: &'a str,
        kind: PluginKind,
        config: &'a [Config],
        origin: Origin,
    ) -> Result<One<'a>> {
        let keys = kind.attributes();
        for said in config {
            let key = said.key.as_deref().unwrap_or_default();
            let near = nearest(key, keys.iter().copied());
            let near = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
            let msg = format!(
                "{} has no key {key:?}; its keys are {}{near}",
                kind.word(),
                keys.join(", ")
            );
            tree.ensure(keys.contains(&key), said.origin, Some("key"), &msg)?;
            let msg = "the value may not have the character of number 0";
            let whole = !said.value.as_deref().unwrap_or_default().contains('\0');
            tree.ensure(whole, said.origin, Some("value"), msg)?;
        }
        let mut one = One {
            name,
            kind,
            config,
            prm: [0.0; NPRM],
            origin,
        };
        let values: Vec<&str> = keys
            .iter()
            .map(|key| one.said(key).unwrap_or_default())
            .collect();
        one.prm = numbers(kind, &values).map_err(|(key, why)| {
            let of = config.iter().find(|c| c.key.as_deref() == Some(key));
            match of {
                Some(config) => tree.error(config.origin, Some("value"), why),
                None => tree.error(
                    origin,
                    None,
                    format!("{why}: add <config key=\"{key}\" …/>"),
                ),
            }
        })?;
        Ok(one)
    }

    fn said(&self, key: &str) -> Option<&'a str> {
        let said = self.config.iter().find(|c| c.key.as_deref() == Some(key));
        said?.value.as_deref()
    }
}

/// A mistake in the attributes of an instance: the key, and the reason.
type Wrong = (&'static str, String);

/// The numbers that the values of the attributes mean, in the order of the attributes: `plugin_prm`.
pub(super) fn numbers(kind: PluginKind, values: &[&str]) -> std::result::Result<Prm, Wrong> {
    match kind {
        PluginKind::Pid => controller(values),
        PluginKind::TouchGrid => grid(values),
        _ => sizes(kind, values),
    }
}

// sizes of a shape
fn sizes(kind: PluginKind, values: &[&str]) -> std::result::Result<Prm, Wrong> {
    let mut prm = [0.0; NPRM];
    let keys = kind.attributes().iter().zip(sdf::defaults(kind));
    for ((to, (key, unsaid)), text) in prm.iter_mut().zip(keys).zip(values) {
        *to = number(key, text)?.unwrap_or(*unsaid);
    }
    if sdf::half_sizes(kind, &prm)
        .iter()
        .any(|x| !(*x > 0.0 && x.is_finite()))
    {
        let key = kind.attributes().last().copied().unwrap_or_default();
        return wrong(key, "the sizes of the shape must be positive");
    }
    Ok(prm)
}

// a number, if there is any
fn number(key: &'static str, text: &str) -> std::result::Result<Option<f64>, Wrong> {
    let word = text.trim_ascii();
    if word.is_empty() {
        return Ok(None);
    }
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(Some(x)),
        _ => Err((key, format!("{key} needs a number, found {text:?}"))),
    }
}

fn wrong<T>(key: &'static str, why: &str) -> std::result::Result<T, Wrong> {
    Err((key, why.to_owned()))
}

// kp, ki, kd, limit of the integral or -1, limit of the setpoint's rate or -1
fn controller(values: &[&str]) -> std::result::Result<Prm, Wrong> {
    let keys = PluginKind::Pid.attributes();
    let read = |k: usize| number(keys[k], values[k]);
    let [kp, ki, kd] = [read(0)?, read(1)?, read(2)?].map(|x| x.unwrap_or(0.0));
    let mut most = -1.0;
    if let (Some(imax), true) = (read(3)?, ki != 0.0) {
        // imax limits the force, not the integral
        most = imax / ki;
        if most < 0.0 {
            return wrong("imax", "imax, a force, must have the sign of ki");
        }
    }
    let slew = read(4)?;
    if slew.is_some_and(|slew| slew < 0.0) {
        return wrong("slewmax", "slewmax must not be negative");
    }
    Ok([kp, ki, kd, most, slew.unwrap_or(-1.0), 0.0])
}

// channels, columns, rows, half the angle of view in both (degrees), gamma
fn grid(values: &[&str]) -> std::result::Result<Prm, Wrong> {
    let channels = number("nchannel", values[0])?.unwrap_or(0.0).trunc();
    let channels = if channels == 0.0 { 1.0 } else { channels };
    if !(1.0..=6.0).contains(&channels) {
        return wrong("nchannel", "nchannel must be 1 to 6");
    }
    let [columns, rows] = pair("size", values[1])?.map(f64::trunc);
    if columns <= 0.0 || rows <= 0.0 {
        return wrong("size", "size must be two positive numbers of cells");
    }
    if channels * columns * rows > MOST_CELLS {
        return wrong("size", "size makes too many cells");
    }
    let [across, along] = pair("fov", values[2])?;
    if !(across > 0.0 && across <= 180.0) {
        return wrong(
            "fov",
            "the first number of fov must be above 0 and at most 180 (degrees)",
        );
    }
    if !(along > 0.0 && along <= 90.0) {
        return wrong(
            "fov",
            "the second number of fov must be above 0 and at most 90 (degrees)",
        );
    }
    let gamma = number("gamma", values[3])?.unwrap_or(0.0);
    if !(0.0..=1.0).contains(&gamma) {
        return wrong("gamma", "gamma must be 0 to 1");
    }
    Ok([channels, columns, rows, across, along, gamma])
}

// two numbers, with one space between them
fn pair(key: &'static str, text: &str) -> std::result::Result<[f64; 2], Wrong> {
    let words = text.strip_suffix(' ').unwrap_or(text).split(' ');
    let numbers: Vec<Option<f64>> = words
        .map(|word| number(key, word))
        .collect::<std::result::Result<_, _>>()?;
    match numbers[..] {
        [Some(a), Some(b)] => Ok([a, b]),
        _ => Err((
            key,
            format!("{key} needs two numbers with one space between them, found {text:?}"),
        )),
    }
}

/// Number of outputs of a grid with these parameters.
pub(super) fn cells(prm: &[f64]) -> usize {
    (prm[0] * prm[1] * prm[2]) as usize
}

/// The parameters of an instance of any model, or why it has none.
pub(super) fn of_instance(m: &Arrays, id: usize) -> std::result::Result<Prm, String> {
    let kind = PluginKind::from_i32(m.plugin[id]).ok_or("is no plugin")?;
    let begin = usize::try_from(m.plugin_attradr[id]).unwrap_or(usize::MAX);
    let bytes = m.plugin_attr.get(begin..).unwrap_or_default();
    let bytes: Vec<u8> = bytes.iter().map(|b| *b as u8).collect();
    let mut values = Vec::new();
    let mut rest = bytes.as_slice();
    for key in kind.attributes() {
        let end = rest.iter().position(|b| *b == 0);
        let end = end.ok_or_else(|| format!("has no {key} in plugin_attr"))?;
        let text = std::str::from_utf8(&rest[..end]);
        values.push(text.map_err(|_| format!("has a {key} that is no text"))?);
        rest = &rest[end + 1..];
    }
    numbers(kind, &values).map_err(|(_, why)| format!("has a wrong attribute: {why}"))
}

/// Derives `plugin_prm` from the attributes.
pub(super) fn parameters(m: &mut Arrays) {
    let all = (0..m.nplugin).flat_map(|id| of_instance(m, id).unwrap_or_default());
    m.plugin_prm = all.collect();
}

/// The element that an error about an instance names.
pub(super) enum By {
    Instance,
    Actuator(usize),
    Sensor(usize),
    Geom(usize),
}

/// An instance that does not work: the element and the attribute to blame, and why.
pub(super) struct Unfit {
    pub by: By,
    pub attr: Option<&'static str>,
    pub why: String,
}

/// Checks that the elements that use an instance fit it.
pub(super) fn users(m: &Arrays, id: usize) -> std::result::Result<(), Unfit> {
    let unfit = |by, attr, why: String| Err(Unfit { by, attr, why });
    let prm = match of_instance(m, id) {
        Ok(prm) => prm,
        Err(why) => return unfit(By::Instance, None, why),
    };
    let mut used = false;
    for i in (0..m.nactuator).filter(|&i| m.actuator_plugin[i] == id as i32) {
        used = true;
        if m.plugin[id] != PluginKind::Pid {
            return unfit(
                By::Actuator(i),
                None,
                "has a plugin that is not for actuators".into(),
            );
        }
        let filters = [DynType::Integrator, DynType::Filter, DynType::FilterExact];
        let filtered = filters.iter().any(|t| m.actuator_dyntype[i] == *t);
        let need = [prm[1] != 0.0, prm[4] >= 0.0, filtered];
        let need = need.iter().filter(|on| **on).count();
        let have = m.actuator_actnum[i];
        if have as usize != need {
            let why = format!("actdim must be {need} with these parameters: it is {have}");
            return unfit(By::Actuator(i), Some("actdim"), why);
        }
    }
    if m.plugin[id] == PluginKind::Pid && !used {
        let why = "no actuator uses this instance".to_owned();
        return unfit(By::Instance, None, why);
    }
    for i in (0..m.nsensor).filter(|&i| m.sensor_plugin[i] == id as i32) {
        if m.plugin[id] != PluginKind::TouchGrid {
            return unfit(
                By::Sensor(i),
                None,
                "has a plugin that is not for sensors".into(),
            );
        }
        if m.sensor_objtype[i] != ObjType::Site {
            let why =
                "a touch grid is attached to a site: set objtype=\"site\" objname=\"…\"".to_owned();
            return unfit(By::Sensor(i), Some("objtype"), why);
        }
        let (need, have) = (cells(&prm), m.sensor_dim[i]);
        if have as usize != need {
            let why = format!("gives {have} numbers, and its grid has {need}");
            return unfit(By::Sensor(i), None, why);
        }
    }
    let shape = PluginKind::from_i32(m.plugin[id]).is_some_and(PluginKind::is_sdf);
    let wrong = (0..m.ngeom).find(|&g| m.geom_plugin[g] == id as i32 && !shape);
    match wrong {
        Some(g) => unfit(By::Geom(g), None, "has a plugin that is not a shape".into()),
        None => Ok(()),
    }
}
