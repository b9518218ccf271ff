//! Settings of the whole model: `compiler`, `option`, `size`, `statistic`, `visual`.

use super::attrs::{self, Plain};
use super::defaults::{no_children, unknown_element};
use super::log::Log;
use super::read::Reader;
use super::schema::{
    Compiler, Global, Headlight, Options, Quality, Size, Statistic, Visual, VisualMap, VisualRgba,
    VisualScale,
};
use super::table::Attrs;
use super::xml::Node;

impl Reader<'_> {
    /// Reads the settings; later sections replace earlier ones, attribute by attribute.
    pub fn settings(&mut self, root: &Node) {
        let mut compiler = Compiler::default();
        for node in root.children.iter().filter(|n| n.tag == "compiler") {
            let log = &mut self.log;
            let mut said: Compiler = attrs::read(log, node, &Plain);
            check_compiler(log, node, &said);
            // assetdir stands for meshdir and texturedir
            if let Some(dir) = said.assetdir.take() {
                said.meshdir.get_or_insert_with(|| dir.clone());
                said.texturedir.get_or_insert(dir);
            }
            block(log, node, "lengthrange", &mut said.lengthrange);
            children(log, node, &["lengthrange"]);
            over(&mut compiler, said);
        }
        self.spec.compilers = vec![compiler];
        for node in root.children.iter().filter(|n| n.tag == "option") {
            let log = &mut self.log;
            let mut said: Options = attrs::read(log, node, &Plain);
            check_option(log, node, &said);
            block(log, node, "flag", &mut said.flag);
            children(log, node, &["flag"]);
            // groups that are switched off are united
            let mut off = self
                .spec
                .option
                .actuatorgroupdisable
                .take()
                .unwrap_or_default();
            off.extend(said.actuatorgroupdisable.take().unwrap_or_default());
            over(&mut self.spec.option, said);
            self.spec.option.actuatorgroupdisable = (!off.is_empty()).then_some(off);
        }
        for node in root.children.iter().filter(|n| n.tag == "size") {
            let said: Size = attrs::read(&mut self.log, node, &Plain);
            check_size(&mut self.log, node, &said);
            children(&mut self.log, node, &[]);
            over(&mut self.spec.size, said);
        }
        for node in root.children.iter().filter(|n| n.tag == "statistic") {
            let said: Statistic = attrs::read(&mut self.log, node, &Plain);
            if said.extent.is_some_and(|e| e <= 0.0) {
                self.log
                    .mistake(node.origin, Some("extent"), "extent must be positive");
            }
            children(&mut self.log, node, &[]);
            over(&mut self.spec.statistic, said);
        }
        for node in root.children.iter().filter(|n| n.tag == "visual") {
            let said = visual(&mut self.log, node);
            over(&mut self.spec.visual, said);
        }
    }
}

/// Later attributes replace earlier ones.
fn over<A: Attrs>(into: &mut A, said: A) {
    let before = std::mem::replace(into, said);
    into.inherit(&before);
}

/// Reads the child element of a name into its block.
pub(crate) fn block<A: Attrs>(log: &mut Log, node: &Node, tag: &str, into: &mut A) {
    let mut found = node.children.iter().filter(|c| c.tag == tag);
    if let Some(child) = found.next() {
        *into = attrs::read(log, child, &Plain);
        no_children(log, child);
    }
    if let Some(again) = found.next() {
        log.mistake(
            again.origin,
            None,
            format!("<{tag}> is here already; merge the two"),
        );
    }
}

/// Checks that there are only children of these names.
pub(crate) fn children(log: &mut Log, node: &Node, allowed: &[&str]) {
    for child in node
        .children
        .iter()
        .filter(|c| !allowed.contains(&c.tag.as_str()))
    {
        if allowed.is_empty() {
            log.mistake(
                child.origin,
                None,
                format!("<{}> may not have children", node.tag),
            );
        } else {
            unknown_element(log, child, &child.tag, allowed.iter().copied());
        }
    }
}

fn check_compiler(log: &mut Log, node: &Node, said: &Compiler) {
    use super::schema::Coordinate;
    if said.coordinate == Some(Coordinate::Global) {
        log.mistake(
            node.origin,
            Some("coordinate"),
            "global coordinates were removed from MuJoCo; convert the model with MuJoCo 2.3.3 or older",
        );
    }
    if let Some(seq) = &said.eulerseq
        && (seq.len() != 3 || !seq.bytes().all(|b| b"xyzXYZ".contains(&b)))
    {
        log.mistake(
            node.origin,
            Some("eulerseq"),
            "eulerseq is three letters out of x, y, z, X, Y, Z",
        );
    }
}

fn check_option(log: &mut Log, node: &Node, said: &Options) {
    let positive = [("timestep", said.timestep), ("impratio", said.impratio)];
    for (name, value) in positive {
        if let Some(v) = value
            && v <= 0.0
        {
            log.mistake(
                node.origin,
                Some(name),
                format!("{name} must be positive, found {v}"),
            );
        }
    }
    let counts = [
        ("iterations", said.iterations),
        ("ls_iterations", said.ls_iterations),
        ("noslip_iterations", said.noslip_iterations),
        ("ccd_iterations", said.ccd_iterations),
        ("sdf_iterations", said.sdf_iterations),
        ("sdf_initpoints", said.sdf_initpoints),
    ];
    for (name, value) in counts {
        if let Some(v) = value
            && v < 0
        {
            log.mistake(
                node.origin,
                Some(name),
                format!("{name} may not be negative, found {v}"),
            );
        }
    }
    for group in said.actuatorgroupdisable.iter().flatten() {
        if !(0..=30).contains(group) {
            log.mistake(
                node.origin,
                Some("actuatorgroupdisable"),
                format!("actuator groups are 0 to 30, found {group}"),
            );
        }
    }
}

fn check_size(log: &mut Log, node: &Node, said: &Size) {
    let sizes = [
        ("njmax", said.njmax),
        ("nconmax", said.nconmax),
        ("nstack", said.nstack),
        ("nuserdata", said.nuserdata),
        ("nkey", said.nkey),
        ("nuser_body", said.nuser_body),
        ("nuser_jnt", said.nuser_jnt),
        ("nuser_geom", said.nuser_geom),
        ("nuser_site", said.nuser_site),
        ("nuser_cam", said.nuser_cam),
        ("nuser_tendon", said.nuser_tendon),
        ("nuser_actuator", said.nuser_actuator),
        ("nuser_sensor", said.nuser_sensor),
    ];
    // a hundred million of anything is a mistake, and would not fit into memory
    const MOST: i32 = 100_000_000;
    // every world has its own user data
    const MOST_DATA: i32 = 1_000_000;
    for (name, value) in sizes {
        let (least, most) = match name {
            "nuserdata" => (0, MOST_DATA),
            _ => (-1, MOST),
        };
        if let Some(v) = value
            && !(least..=most).contains(&v)
        {
            log.mistake(
                node.origin,
                Some(name),
                format!("{name} must be {least} to {most}, found {v}"),
            );
        }
    }
    if let Some(memory) = &said.memory
        && memory_bytes(memory).is_none()
    {
        let msg = "memory is a number of bytes with an optional suffix K, M, G, T, P or E, or -1";
        log.mistake(node.origin, Some("memory"), msg);
    }
    attrs::exclusive(log, node, &["memory", "nstack"]);
    attrs::exclusive(log, node, &["memory", "njmax"]);
}

/// The bytes of a size such as `10M`; -1, the built-in choice, is zero.
pub(crate) fn memory_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    if text == "-1" {
        return Some(0);
    }
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let bits = match text.get(digits.len()..)? {
        "" => 0,
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        "T" | "t" => 40,
        "P" | "p" => 50,
        "E" | "e" => 60,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << bits)
}

fn visual(log: &mut Log, node: &Node) -> Visual {
    let mut out = Visual::default();
    fn part<A: Attrs>(log: &mut Log, node: &Node, tag: &str) -> A {
        let mut said = A::default();
        block(log, node, tag, &mut said);
        said
    }
    out.global = part::<Global>(log, node, "global");
    out.quality = part::<Quality>(log, node, "quality");
    out.headlight = headlight(log, node);
    out.map = part::<VisualMap>(log, node, "map");
    out.scale = part::<VisualScale>(log, node, "scale");
    out.rgba = part::<VisualRgba>(log, node, "rgba");
    children(
        log,
        node,
        &["global", "quality", "headlight", "map", "scale", "rgba"],
    );
    let at = |tag| {
        node.children
            .iter()
            .find(|c| c.tag == tag)
            .map_or(node.origin, |c| c.origin)
    };
    if out.global.realtime.is_some_and(|r| r <= 0.0) {
        log.mistake(at("global"), Some("realtime"), "realtime must be positive");
    }
    if out.map.znear.is_some_and(|z| z <= 0.0) {
        log.mistake(at("map"), Some("znear"), "znear must be positive");
    }
    out
}

/// The headlight, whose `active` may be a number too: 0 false, 1 true, 2 auto.
fn headlight(log: &mut Log, node: &Node) -> Headlight {
    let mut out = Headlight::default();
    let mut found = node.children.iter().filter(|c| c.tag == "headlight");
    if let Some(child) = found.next() {
        let mut attrs = child.attrs.clone();
        for (name, text) in &mut attrs {
            let word = match (name.as_str(), text.trim()) {
                ("active", "0") => "false",
                ("active", "1") => "true",
                ("active", "2") => "auto",
                _ => continue,
            };
            *text = word.to_owned();
        }
        let plain = Node {
            tag: child.tag.clone(),
            attrs,
            children: Vec::new(),
            cdata: Vec::new(),
            origin: child.origin,
            dir: child.dir.clone(),
        };
        out = attrs::read(log, &plain, &Plain);
        no_children(log, child);
    }
    if let Some(again) = found.next() {
        log.mistake(
            again.origin,
            None,
            "<headlight> is here already; merge the two",
        );
    }
    out
}
