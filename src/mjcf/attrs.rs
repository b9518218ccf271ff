//! Reading the attributes of one element against the table.

use super::log::Log;
use super::nearest::nearest;
use super::schema::Orientation;
use super::table::{Attr, Attrs, Kind};
use super::xml::Node;

/// One line of a `tags!` table: word, tag, attributes it may and must have.
pub(crate) type Tag<T> = (
    &'static str,
    T,
    &'static [&'static str],
    &'static [&'static str],
);

/// Rules of an element's context for its attributes.
pub(crate) trait Rules {
    /// Whether the attribute may be given here.
    fn may(&self, attr: &Attr) -> bool;
    /// Whether the attribute must be given here.
    fn must(&self, attr: &Attr) -> bool;
    /// Whether attributes that are not in the row are ignored.
    fn lenient(&self) -> bool {
        false
    }
}

/// An ordinary element: everything in its row.
pub(crate) struct Plain;

impl Rules for Plain {
    fn may(&self, _: &Attr) -> bool {
        true
    }
    fn must(&self, attr: &Attr) -> bool {
        attr.required
    }
}

/// An element in a default class.
pub(crate) struct InDefault;

impl Rules for InDefault {
    fn may(&self, attr: &Attr) -> bool {
        !attr.nodefault
    }
    fn must(&self, _: &Attr) -> bool {
        false
    }
}

/// An element of URDF: attributes that are not in its row are ignored.
pub(crate) struct Lenient;

impl Rules for Lenient {
    fn may(&self, _: &Attr) -> bool {
        true
    }
    fn must(&self, attr: &Attr) -> bool {
        attr.required
    }
    fn lenient(&self) -> bool {
        true
    }
}

/// Only these attributes.
pub(crate) struct Only(pub &'static [&'static str]);

impl Rules for Only {
    fn may(&self, attr: &Attr) -> bool {
        self.0.contains(&attr.name)
    }
    fn must(&self, _: &Attr) -> bool {
        false
    }
}

/// All attributes except these.
pub(crate) struct Without(pub &'static [&'static str]);

impl Rules for Without {
    fn may(&self, attr: &Attr) -> bool {
        !self.0.contains(&attr.name)
    }
    fn must(&self, attr: &Attr) -> bool {
        attr.required
    }
}

/// An element that shares its struct with other tags: it has the attributes that its tag lists and those that no tag lists.
pub(crate) struct Tagged<T: 'static> {
    pub all: &'static [Tag<T>],
    pub word: &'static str,
    pub default: bool,
}

impl<T> Rules for Tagged<T> {
    fn may(&self, attr: &Attr) -> bool {
        let has = |t: &Tag<T>| t.2.contains(&attr.name) || t.3.contains(&attr.name);
        let mut mine = self.all.iter().filter(|t| t.0 == self.word);
        (mine.any(has) || !self.all.iter().any(has)) && !(self.default && attr.nodefault)
    }
    fn must(&self, attr: &Attr) -> bool {
        !self.default
            && self
                .all
                .iter()
                .any(|t| t.0 == self.word && t.3.contains(&attr.name))
    }
}

/// Reads the attributes of an element. Every mistake goes to the log; correct attributes are kept.
pub(crate) fn read<A: Attrs>(log: &mut Log, node: &Node, rules: &dyn Rules) -> A {
    let mut out = A::default();
    out.set_origin(node.origin);
    let mut allowed: Vec<Attr> = Vec::with_capacity(48);
    A::list(&mut |attr| {
        if rules.may(attr) {
            allowed.push(*attr);
        }
    });
    read_allowed(log, node, rules, &allowed, &mut |name, text| {
        out.set(name, text)
    });
    out
}

/// [`Attrs::set`] of an element.
type Set<'a> = dyn FnMut(&str, &str) -> Option<Result<(), String>> + 'a;

/// Reads the attributes of an element that may have those `allowed`; `set` takes the name and the text of each.
fn read_allowed(
    log: &mut Log,
    node: &Node,
    rules: &dyn Rules,
    allowed: &[Attr],
    set: &mut Set<'_>,
) {
    for (name, text) in &node.attrs {
        let Some(attr) = allowed.iter().find(|a| a.name == name) else {
            if !rules.lenient() {
                unknown(log, node, name, allowed);
            }
            continue;
        };
        if says_nothing(attr, text) {
            continue;
        }
        if let Some(Err(why)) = set(name, text) {
            log.mistake(node.origin, Some(name), format!("{name} {why}"));
        }
    }
    for attr in allowed.iter().filter(|a| rules.must(a)) {
        let said = node.attr(attr.name);
        if said.is_none_or(|text| says_nothing(attr, text)) {
            let doc = attr.doc.trim_end_matches('.');
            log.mistake(
                node.origin,
                None,
                format!("needs the attribute {}: {}", attr.name, lower(doc)),
            );
        }
    }
}

/// Whether a text counts as an absent attribute, as in MuJoCo: no numbers at all, or an empty file or name where no class can
/// have given another.
fn says_nothing(attr: &Attr, text: &str) -> bool {
    match attr.kind {
        Kind::Real(..) | Kind::Int(..) => text.trim().is_empty(),
        Kind::File | Kind::Ref(_) => text.is_empty() && attr.nodefault,
        _ => false,
    }
}

/// A copy of an element without unknown attributes; attributes that are nearly known stay, since they are typing errors. The
/// children are those that `child` returns.
pub(crate) fn known<A: Attrs>(node: &Node, child: impl Fn(&Node) -> Option<Node>) -> Node {
    let mut names = Vec::new();
    A::list(&mut |attr| names.push(attr.name));
    let near = |name: &str| nearest(name, names.iter().copied()).is_some();
    let attrs = node.attrs.iter().filter(|(name, _)| near(name));
    Node {
        tag: node.tag.clone(),
        attrs: attrs.cloned().collect(),
        children: node.children.iter().filter_map(child).collect(),
        cdata: Vec::new(),
        origin: node.origin,
        dir: node.dir.clone(),
    }
}

fn unknown(log: &mut Log, node: &Node, name: &str, allowed: &[Attr]) {
    let msg = match nearest(name, allowed.iter().map(|a| a.name)) {
        Some(near) => format!("unknown attribute {name:?}; did you mean {near:?}?"),
        None if allowed.is_empty() => format!("unknown attribute {name:?}; it has none"),
        None => {
            let names: Vec<_> = allowed.iter().map(|a| a.name).collect();
            format!(
                "unknown attribute {name:?}; it may have {}",
                names.join(", ")
            )
        }
    };
    log.mistake(node.origin, Some(name), msg);
}

fn lower(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or(String::new(), |c| c.to_lowercase().chain(chars).collect())
}

/// Checks that an orientation is given in one way, and not as a zero quaternion.
pub(crate) fn check_orientation(log: &mut Log, node: &Node, o: &Orientation) {
    let said = [
        ("quat", o.quat.is_some()),
        ("axisangle", o.axisangle.is_some()),
        ("xyaxes", o.xyaxes.is_some()),
        ("zaxis", o.zaxis.is_some()),
        ("euler", o.euler.is_some()),
    ];
    let said: Vec<_> = said.iter().filter(|s| s.1).map(|s| s.0).collect();
    if let [first, second, ..] = said.as_slice() {
        log.mistake(
            node.origin,
            Some(second),
            format!("the orientation is given twice, by {first} and by {second}; keep one"),
        );
    }
    if o.quat == Some([0.0; 4]) {
        log.mistake(
            node.origin,
            Some("quat"),
            "quat may not be zero; \"1 0 0 0\" is the identity",
        );
    }
}

/// Checks that at most one of these attributes is given.
pub(crate) fn exclusive(log: &mut Log, node: &Node, names: &[&str]) {
    let said: Vec<_> = names.iter().filter(|n| node.attr(n).is_some()).collect();
    if let [first, second, ..] = said.as_slice() {
        log.mistake(
            node.origin,
            Some(second),
            format!("{first} and {second} exclude each other; keep one"),
        );
    }
}

/// Checks that two attributes are given together or not at all.
pub(crate) fn together(log: &mut Log, node: &Node, a: &str, b: &str) {
    // an empty name names nothing
    let given = |name: &str| node.attr(name).is_some_and(|text| !text.is_empty());
    if given(a) != given(b) {
        let (said, missing) = if given(a) { (a, b) } else { (b, a) };
        log.mistake(
            node.origin,
            Some(said),
            format!("{said} also needs {missing}"),
        );
    }
}
