//! The sections of a model but for its tree: assets, constraints, actuators, sensors, custom fields, keyframes.

use super::attrs::{self, Plain, Tagged, exclusive, together};
use super::defaults::{inherit_material, material, no_children, tendon, texture, unknown_element};
use super::files;
use super::read::{Reader, children};
use super::schema::{
    ActuatorTag, Bone, Equality, EqualityTag, Exclude, Hfield, Key, Mesh, MeshBuiltin, ModelAsset,
    Numeric, Pair, SaidActuator, Sensor, SensorTag, Skin, TendonTag, Text, Texture, TextureType,
    Tuple, TupleElement, Wrap, WrapTag,
};
use super::table::{Attrs, Keyword};
use super::xml::Node;
use crate::types::{ConDataField, RayDataField};

impl Reader<'_> {
    /// The index of the class of an element that stands in no body.
    fn class(&mut self, node: &Node) -> usize {
        self.classes.find(&mut self.log, node, "class").unwrap_or(0)
    }

    /// A section `<asset>`.
    pub fn asset(&mut self, section: &Node) {
        for node in &section.children {
            match node.tag.as_str() {
                "mesh" => self.mesh(node),
                "hfield" => self.hfield(node),
                "skin" => self.skin(node),
                "texture" => self.texture(node),
                "material" => {
                    let mut said = material(&mut self.log, node, &Plain);
                    let class = self.class(node);
                    inherit_material(&mut said, &self.classes.get(class).material);
                    said.class = None;
                    self.needs_name(node, said.name.as_deref());
                    self.spec.materials.push(said);
                }
                "model" => self.model_asset(node),
                tag => {
                    let names = ["mesh", "hfield", "skin", "texture", "material", "model"];
                    unknown_element(&mut self.log, node, tag, names.into_iter());
                }
            }
        }
    }

    /// Assets are used by name.
    fn needs_name(&mut self, node: &Node, name: Option<&str>) {
        if name.unwrap_or("").is_empty() {
            let msg = "needs the attribute name: nothing else can refer to it";
            self.log
                .mistake(node.origin, node.attr("name").map(|_| "name"), msg);
        }
    }

    fn mesh(&mut self, node: &Node) {
        let mut mesh: Mesh = attrs::read(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        let class = self.class(node);
        mesh.inherit(&self.classes.get(class).mesh);
        mesh.class = None;
        let log = &mut self.log;
        if let Some(n) = mesh.maxhullvert
            && n != -1
            && n < 4
        {
            log.mistake(
                node.origin,
                Some("maxhullvert"),
                format!("maxhullvert must be -1 or larger than 3, found {n}"),
            );
        }
        exclusive(log, node, &["builtin", "file"]);
        exclusive(log, node, &["builtin", "vertex"]);
        if mesh.builtin.is_some_and(|b| b != MeshBuiltin::None) && mesh.params.is_none() {
            log.mistake(
                node.origin,
                Some("builtin"),
                "a builtin mesh needs the attribute params",
            );
        }
        mesh.name = mesh
            .name
            .or_else(|| mesh.file.as_deref().map(|f| files::stem_of(f).to_owned()));
        if let Some(file) = mesh.file.take() {
            let dir = self.compiler().meshdir.clone();
            mesh.file = Some(self.asset_path(node, &file, dir.as_ref()));
        }
        self.needs_name(node, mesh.name.as_deref());
        self.spec.meshes.push(mesh);
    }

    fn hfield(&mut self, node: &Node) {
        let mut hfield: Hfield = attrs::read(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        hfield.name = hfield
            .name
            .or_else(|| hfield.file.as_deref().map(|f| files::stem_of(f).to_owned()));
        if let Some(file) = hfield.file.take() {
            let dir = self.compiler().meshdir.clone();
            hfield.file = Some(self.asset_path(node, &file, dir.as_ref()));
        } else {
            let log = &mut self.log;
            let (nrow, ncol) = (hfield.nrow(), hfield.ncol());
            for (name, n) in [("nrow", nrow), ("ncol", ncol)] {
                if !(2..=10_000).contains(&n) {
                    let attr = node.attr(name).map(|_| name);
                    log.mistake(
                        node.origin,
                        attr,
                        format!("{name} must be 2 to 10000 when there is no file, found {n}"),
                    );
                }
            }
            let wanted = i64::from(nrow) * i64::from(ncol);
            if let Some(e) = &hfield.elevation
                && e.len() as i64 != wanted
            {
                let msg = format!(
                    "elevation needs nrow × ncol = {wanted} numbers, found {}",
                    e.len()
                );
                log.mistake(node.origin, Some("elevation"), msg);
            }
        }
        self.needs_name(node, hfield.name.as_deref());
        self.spec.hfields.push(hfield);
    }

    fn skin(&mut self, node: &Node) {
        let mut skin: Skin = attrs::read(&mut self.log, node, &Plain);
        if !(0..=5).contains(&skin.group()) {
            let found = skin.group();
            self.log.mistake(
                node.origin,
                Some("group"),
                format!("group of a skin is 0 to 5, found {found}"),
            );
        }
        for child in &node.children {
            if child.tag == "bone" {
                let bone: Bone = attrs::read(&mut self.log, child, &Plain);
                no_children(&mut self.log, child);
                skin.bones.push(bone);
            } else {
                unknown_element(&mut self.log, child, &child.tag, ["bone"].into_iter());
            }
        }
        self.check_skin(node, &skin);
        skin.name = skin
            .name
            .or_else(|| skin.file.as_deref().map(|f| files::stem_of(f).to_owned()));
        if let Some(file) = skin.file.take() {
            let dir = self.compiler().meshdir.clone();
            skin.file = Some(self.asset_path(node, &file, dir.as_ref()));
        }
        self.spec.skins.push(skin);
    }

    /// A skin without a file says all of itself.
    fn check_skin(&mut self, node: &Node, skin: &Skin) {
        if skin.file.is_some() {
            return;
        }
        let len = |x: &Option<Vec<f64>>| x.as_ref().map_or(0, Vec::len);
        let (vertex, texcoord, face) = (
            len(&skin.vertex),
            len(&skin.texcoord),
            skin.face.as_deref().unwrap_or(&[]),
        );
        if vertex == 0 || face.is_empty() || skin.bones.is_empty() {
            let msg = "needs either a file, or vertex, face and at least one <bone>";
            return self.log.mistake(node.origin, None, msg);
        }
        for (name, n) in [("vertex", vertex), ("face", face.len())] {
            if n % 3 != 0 {
                self.log.mistake(
                    node.origin,
                    Some(name),
                    format!("{name} needs three numbers each, found {n} in all"),
                );
            }
        }
        if texcoord != 0 && texcoord != vertex / 3 * 2 {
            let msg = format!(
                "texcoord needs two numbers a vertex, {} in all, found {texcoord}",
                vertex / 3 * 2
            );
            self.log.mistake(node.origin, Some("texcoord"), msg);
        }
        if let Some(bad) = face
            .iter()
            .find(|f| !usize::try_from(**f).is_ok_and(|f| f < vertex / 3))
        {
            let msg = format!("face has vertex {bad}, and there are {}", vertex / 3);
            self.log.mistake(node.origin, Some("face"), msg);
        }
        for bone in &skin.bones {
            let (ids, weights) = (bone.vertid.as_deref().unwrap_or(&[]), len(&bone.vertweight));
            if ids.len() != weights {
                let msg = format!(
                    "vertweight needs a number for each of the {} of vertid, found {weights}",
                    ids.len()
                );
                self.log.mistake(bone.origin, Some("vertweight"), msg);
            }
            if let Some(bad) = ids
                .iter()
                .find(|v| !usize::try_from(**v).is_ok_and(|v| v < vertex / 3))
            {
                let msg = format!("vertid has vertex {bad}, and there are {}", vertex / 3);
                self.log.mistake(bone.origin, Some("vertid"), msg);
            }
        }
    }

    fn texture(&mut self, node: &Node) {
        let mut said: Texture = texture(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        let class = self.class(node);
        // a layout belongs to the grid it was said with
        let (layout, regrid) = (said.gridlayout.clone(), said.gridsize.is_some());
        said.inherit(&self.classes.get(class).texture);
        said.class = None;
        if regrid && layout.is_none() {
            said.gridlayout = None;
        }
        let [rows, cols] = said.gridsize();
        if let Some(layout) = &layout
            && layout.len() as i64 != i64::from(rows) * i64::from(cols)
        {
            let msg = format!(
                "gridlayout needs a letter for each of the {rows} × {cols} cells of gridsize, found {}",
                layout.len()
            );
            self.log.mistake(node.origin, Some("gridlayout"), msg);
        }
        said.name = said
            .name
            .or_else(|| said.file.as_deref().map(|f| files::stem_of(f).to_owned()));
        let dir = self.compiler().texturedir.clone();
        let mut paths = std::mem::take(&mut said);
        paths.texts(&mut |attr, text| {
            if attr.kind == super::table::Kind::File {
                *text = self.asset_path(node, text, dir.as_ref());
            }
        });
        // the sky is above everyone
        if paths.type_() != TextureType::Skybox {
            self.needs_name(node, paths.name.as_deref());
        }
        self.spec.textures.push(paths);
    }

    fn model_asset(&mut self, node: &Node) {
        let said: ModelAsset = attrs::read(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        if let Some(file) = &said.file {
            self.attachable(node, said.name.clone(), file);
        }
    }

    /// A section `<contact>`.
    pub fn contact(&mut self, section: &Node) {
        for node in &section.children {
            match node.tag.as_str() {
                "pair" => {
                    let mut pair: Pair = attrs::read(&mut self.log, node, &Plain);
                    let class = self.class(node);
                    pair.inherit(&self.classes.get(class).pair);
                    pair.class = None;
                    self.spec.pairs.push(pair);
                }
                "exclude" => {
                    let exclude: Exclude = attrs::read(&mut self.log, node, &Plain);
                    self.spec.excludes.push(exclude);
                }
                tag => unknown_element(&mut self.log, node, tag, ["pair", "exclude"].into_iter()),
            }
            no_children(&mut self.log, node);
        }
    }

    /// A section `<deformable>`.
    pub fn deformable(&mut self, section: &Node) {
        for node in &section.children {
            match node.tag.as_str() {
                "skin" => self.skin(node),
                "flex" => self.log.unsupported(node.origin, None, "flex"),
                tag => unknown_element(&mut self.log, node, tag, ["flex", "skin"].into_iter()),
            }
        }
    }

    /// A section `<equality>`.
    pub fn equality(&mut self, section: &Node) {
        for node in &section.children {
            let Some(tag) = EqualityTag::ALL.iter().find(|t| t.0 == node.tag) else {
                match node.tag.as_str() {
                    "flex" | "flexstrain" | "flexvert" => {
                        self.log.unsupported(node.origin, None, node.tag.clone())
                    }
                    "distance" => self.log.mistake(
                        node.origin,
                        None,
                        "distance equalities were removed in MuJoCo 2.2.2",
                    ),
                    tag => unknown_element(
                        &mut self.log,
                        node,
                        tag,
                        EqualityTag::ALL.iter().map(|t| t.0),
                    ),
                }
                continue;
            };
            let rules = Tagged {
                all: EqualityTag::ALL,
                word: tag.0,
                default: false,
            };
            let mut eq: Equality = attrs::read(&mut self.log, node, &rules);
            eq.tag = tag.1;
            no_children(&mut self.log, node);
            check_equality(&mut self.log, node, &eq);
            let class = self.class(node);
            eq.inherit(&self.classes.get(class).equality);
            eq.class = None;
            self.spec.equalities.push(eq);
        }
    }

    /// A section `<tendon>`.
    pub fn tendon(&mut self, section: &Node) {
        for node in &section.children {
            let Some(tag) = TendonTag::ALL.iter().find(|t| t.0 == node.tag) else {
                unknown_element(
                    &mut self.log,
                    node,
                    &node.tag,
                    TendonTag::ALL.iter().map(|t| t.0),
                );
                continue;
            };
            let rules = Tagged {
                all: TendonTag::ALL,
                word: tag.0,
                default: false,
            };
            let mut said = tendon(&mut self.log, node, &rules);
            said.tag = tag.1;
            let class = self.class(node);
            said.inherit(&self.classes.get(class).tendon);
            said.class = None;
            let steps: &[&str] = if tag.1 == TendonTag::Fixed {
                &["joint"]
            } else {
                &["site", "geom", "pulley"]
            };
            for child in &node.children {
                let step = WrapTag::ALL
                    .iter()
                    .find(|t| t.0 == child.tag && steps.contains(&t.0));
                let Some(step) = step else {
                    unknown_element(&mut self.log, child, &child.tag, steps.iter().copied());
                    continue;
                };
                let rules = Tagged {
                    all: WrapTag::ALL,
                    word: step.0,
                    default: false,
                };
                let mut wrap: Wrap = attrs::read(&mut self.log, child, &rules);
                no_children(&mut self.log, child);
                wrap.tag = step.1;
                if wrap.divisor.is_some_and(|d| d <= 0.0) {
                    self.log.mistake(
                        child.origin,
                        Some("divisor"),
                        "divisor of a pulley must be positive",
                    );
                }
                said.path.push(wrap);
            }
            self.spec.tendons.push(said);
        }
    }

    /// A section `<actuator>`.
    pub fn actuator(&mut self, section: &Node) {
        for node in &section.children {
            let Some(tag) = ActuatorTag::ALL.iter().find(|t| t.0 == node.tag) else {
                if node.tag == "plugin" {
                    self.log.unsupported(node.origin, None, "plugin");
                } else {
                    unknown_element(
                        &mut self.log,
                        node,
                        &node.tag,
                        ActuatorTag::ALL.iter().map(|t| t.0),
                    );
                }
                continue;
            };
            let rules = Tagged {
                all: ActuatorTag::ALL,
                word: tag.0,
                default: false,
            };
            let mut said: SaidActuator = attrs::read(&mut self.log, node, &rules);
            said.tag = tag.1;
            no_children(&mut self.log, node);
            let class = self.class(node);
            let source = self.classes.shortcut_source(class, tag.1);
            let mut actuating = self.classes.get(class).actuator.clone();
            if let Err((attr, why)) = actuating.say(&said, source.as_ref()) {
                self.log.mistake(node.origin, attr, why);
            }
            let mut actuator = actuating.actuator;
            actuator.name = said.name;
            actuator.origin = node.origin;
            self.spec.actuators.push(actuator);
        }
    }

    /// A section `<sensor>`.
    pub fn sensor(&mut self, section: &Node) {
        for node in &section.children {
            let Some(tag) = SensorTag::ALL.iter().find(|t| t.0 == node.tag) else {
                if node.tag == "plugin" {
                    self.log.unsupported(node.origin, None, "plugin");
                } else {
                    unknown_element(
                        &mut self.log,
                        node,
                        &node.tag,
                        SensorTag::ALL.iter().map(|t| t.0),
                    );
                }
                continue;
            };
            let rules = Tagged {
                all: SensorTag::ALL,
                word: tag.0,
                default: false,
            };
            let mut sensor: Sensor = attrs::read(&mut self.log, node, &rules);
            sensor.tag = tag.1;
            no_children(&mut self.log, node);
            check_sensor(&mut self.log, node, &sensor);
            self.spec.sensors.push(sensor);
        }
    }

    /// A section `<custom>`.
    pub fn custom(&mut self, section: &Node) {
        for node in &section.children {
            match node.tag.as_str() {
                "numeric" => {
                    let numeric: Numeric = attrs::read(&mut self.log, node, &Plain);
                    no_children(&mut self.log, node);
                    let found = numeric.data.as_ref().map_or(0, Vec::len) as i64;
                    let size = numeric.size.map_or(found, i64::from);
                    let attr = if numeric.size.is_some() {
                        "size"
                    } else {
                        "data"
                    };
                    if !(1..=500).contains(&size) {
                        self.log.mistake(
                            node.origin,
                            Some(attr),
                            format!("a numeric has 1 to 500 numbers, not {size}"),
                        );
                    } else if found > size {
                        self.log.mistake(
                            node.origin,
                            Some("data"),
                            format!("data has {found} numbers, more than size {size}"),
                        );
                    }
                    self.spec.numerics.push(numeric);
                }
                "text" => self.text(node),
                "tuple" => {
                    let mut tuple: Tuple = attrs::read(&mut self.log, node, &Plain);
                    for child in &node.children {
                        if child.tag == "element" {
                            let element: TupleElement = attrs::read(&mut self.log, child, &Plain);
                            no_children(&mut self.log, child);
                            tuple.elements.push(element);
                        } else {
                            unknown_element(
                                &mut self.log,
                                child,
                                &child.tag,
                                ["element"].into_iter(),
                            );
                        }
                    }
                    if tuple.elements.is_empty() {
                        self.log
                            .mistake(node.origin, None, "a tuple needs at least one <element>");
                    }
                    self.spec.tuples.push(tuple);
                }
                tag => unknown_element(
                    &mut self.log,
                    node,
                    tag,
                    ["numeric", "text", "tuple"].into_iter(),
                ),
            }
        }
    }

    fn text(&mut self, node: &Node) {
        let mut text: Text = attrs::read(&mut self.log, node, &Plain);
        no_children(&mut self.log, node);
        let block = node.cdata.concat();
        if !block.trim().is_empty() {
            if text.data.is_some() {
                self.log.mistake(
                    node.origin,
                    Some("data"),
                    "the text is said twice, by data and by CDATA; keep one",
                );
            }
            text.data = Some(block);
        }
        if text.data.as_deref().unwrap_or("").is_empty() {
            self.log.mistake(
                node.origin,
                None,
                "needs the attribute data, not empty, or a CDATA section",
            );
        }
        self.spec.texts.push(text);
    }

    /// A section `<keyframe>`.
    pub fn keyframe(&mut self, section: &Node) {
        for node in &section.children {
            if node.tag == "key" {
                let key: Key = attrs::read(&mut self.log, node, &Plain);
                children(&mut self.log, node, &[]);
                self.spec.keys.push(key);
            } else {
                unknown_element(&mut self.log, node, &node.tag, ["key"].into_iter());
            }
        }
    }
}

fn check_equality(log: &mut super::log::Log, node: &Node, eq: &Equality) {
    if !matches!(eq.tag, EqualityTag::Connect | EqualityTag::Weld) {
        return;
    }
    together(log, node, "site1", "site2");
    for body in ["body1", "body2", "anchor", "relpose"] {
        exclusive(log, node, &["site1", body]);
    }
    let complete = match eq.tag {
        EqualityTag::Connect => eq.body1.is_some() && eq.anchor.is_some(),
        _ => eq.body1.is_some(),
    };
    if !complete && eq.site1.is_none() && eq.site2.is_none() {
        let wanted = if eq.tag == EqualityTag::Connect {
            "body1 and anchor"
        } else {
            "body1"
        };
        log.mistake(
            node.origin,
            None,
            format!("needs either {wanted}, or site1 and site2"),
        );
    }
}

fn check_sensor(log: &mut super::log::Log, node: &Node, sensor: &Sensor) {
    use SensorTag as S;
    let has = |name: &str| node.attr(name).is_some();
    if has("reftype") || has("refname") {
        together(log, node, "reftype", "refname");
    }
    match sensor.tag {
        S::Rangefinder => {
            exclusive(log, node, &["site", "camera"]);
            if !has("site") && !has("camera") {
                log.mistake(node.origin, None, "needs either site or camera");
            }
            check_data::<RayDataField>(log, node, sensor);
        }
        S::Distance | S::Normal | S::FromTo => {
            for (geom, body) in [("geom1", "body1"), ("geom2", "body2")] {
                exclusive(log, node, &[geom, body]);
                if !has(geom) && !has(body) {
                    log.mistake(node.origin, None, format!("needs either {geom} or {body}"));
                }
            }
        }
        S::Contact => {
            exclusive(log, node, &["geom1", "body1", "subtree1", "site"]);
            exclusive(log, node, &["geom2", "body2", "subtree2"]);
            if sensor.num() <= 0 {
                log.mistake(
                    node.origin,
                    Some("num"),
                    format!("num must be positive, found {}", sensor.num()),
                );
            }
            check_data::<ConDataField>(log, node, sensor);
        }
        S::User => {
            together(log, node, "objtype", "objname");
            if sensor.dim.is_some_and(|d| !(0..=1_000_000).contains(&d)) {
                log.mistake(node.origin, Some("dim"), "dim must be 0 to 1000000");
            }
        }
        S::InsideSite => check_frame_object(log, node, sensor),
        _ if has("objtype") => check_frame_object(log, node, sensor),
        _ => {}
    }
}

/// The objects of frame sensors have a frame in space.
fn check_frame_object(log: &mut super::log::Log, node: &Node, sensor: &Sensor) {
    use crate::types::ObjType as O;
    for (attr, kind) in [("objtype", sensor.objtype), ("reftype", sensor.reftype)] {
        if let Some(kind) = kind
            && !matches!(kind, O::Body | O::XBody | O::Geom | O::Site | O::Camera)
        {
            let msg = format!(
                "{attr} {:?} is not one of body, xbody, geom, site, camera",
                kind.word()
            );
            log.mistake(node.origin, Some(attr), msg);
        }
    }
}

/// The fields that a sensor reports, in the order of their keywords, each once.
fn check_data<K: Keyword>(log: &mut super::log::Log, node: &Node, sensor: &Sensor) {
    let mut last = None;
    for word in sensor
        .data
        .as_deref()
        .unwrap_or("")
        .split_ascii_whitespace()
    {
        let at = K::WORDS.iter().position(|w| *w == word);
        if at.is_none() {
            log.mistake(
                node.origin,
                Some("data"),
                format!("data {word:?} is not one of {}", K::WORDS.join(", ")),
            );
            return;
        }
        if at <= last {
            log.mistake(
                node.origin,
                Some("data"),
                format!(
                    "data must be in the order {}, each once",
                    K::WORDS.join(", ")
                ),
            );
            return;
        }
        last = at;
    }
}
