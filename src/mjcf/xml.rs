//! XML text → elements, with includes resolved.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use super::files::{self, Files};
use super::limits::Limits;
use super::log::Log;
use super::scan::{Tidy, name, tidy};
use super::source::{Origin, Source};

/// An element of the XML.
#[derive(Debug)]
pub(crate) struct Node {
    pub tag: String,
    pub attrs: Vec<(String, String)>,
    pub children: Vec<Node>,
    /// The text of its CDATA sections and plain text.
    pub cdata: Vec<String>,
    pub origin: Origin,
    /// The folder, relative to the model's, of the included file that contains the element.
    pub dir: Rc<str>,
}

impl Node {
    /// The text of an attribute.
    pub fn attr(&self, name: &str) -> Option<&str> {
        self.attrs
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, v)| v.as_str())
    }
}

// byte offset of a row and a column of characters in a text; both begin at 1
fn offset(text: &str, pos: roxmltree::TextPos) -> usize {
    let lines = text
        .split_inclusive('\n')
        .take(pos.row.saturating_sub(1) as usize);
    let start = lines.map(str::len).sum();
    let line = text.get(start..).unwrap_or("");
    let before = pos.col.saturating_sub(1) as usize;
    start + line.char_indices().nth(before).map_or(0, |(at, _)| at)
}

/// A file whose elements are being read.
struct Document<'a> {
    file: u32,
    tidy: &'a Tidy<'a>,
    dir: Rc<str>,
}

/// State of including files in each other.
pub(crate) struct Includer<'a> {
    pub files: &'a Files,
    pub limits: &'a Limits,
    pub log: &'a mut Log,
    /// Paths of the files read so far: each may be read once.
    pub seen: BTreeSet<String>,
    /// Elements so far.
    pub elements: u64,
    /// The folder of the model file, relative to the files.
    pub base: String,
    /// True for a robot of URDF, where `<include>` has no meaning.
    pub robot: bool,
}

impl Includer<'_> {
    /// The root element of a text, includes resolved. Mistakes go to the log; `None` if there is no root element to go on with.
    pub fn document(
        &mut self,
        path: &str,
        text: String,
        dir: &str,
        depth: usize,
        from: Option<Origin>,
    ) -> Option<Node> {
        let file = self.log.sources.files.len() as u32;
        let source = Arc::new(Source {
            path: path.to_owned(),
            text,
        });
        self.log.sources.files.push(source.clone());
        let start = Origin { file, start: 0 };
        if source.text.trim().is_empty() {
            let msg = format!("file {path:?} is empty");
            match from {
                Some(from) => self.log.mistake(from, Some("file"), msg),
                None => self.log.xml(start, msg),
            }
            return None;
        }
        let tidy = match tidy(&source.text) {
            Ok(tidy) => tidy,
            Err((fault, at)) => {
                let start = at as u32;
                self.log.mistake(Origin { file, start }, None, fault.told());
                return None;
            }
        };
        let options = roxmltree::ParsingOptions {
            allow_dtd: false,
            nodes_limit: self.limits.nodes,
            ..Default::default()
        };
        match roxmltree::Document::parse_with_options(&tidy.text, options) {
            Ok(doc) => {
                let place = Document {
                    file,
                    tidy: &tidy,
                    dir: Rc::from(dir),
                };
                let root = doc.root_element();
                self.robot |=
                    from.is_none() && root.tag_name().name().eq_ignore_ascii_case("robot");
                self.element(root, &place, depth)
            }
            Err(e) => {
                let start = tidy.written(offset(&tidy.text, e.pos())) as u32;
                let msg = self.refusal(&e);
                self.log.xml(Origin { file, start }, msg);
                None
            }
        }
    }

    // why the parser refuses a text, without the place
    fn refusal(&self, e: &roxmltree::Error) -> String {
        match e {
            roxmltree::Error::DtdDetected => "a DTD is not allowed".to_owned(),
            roxmltree::Error::NodesLimitReached => format!(
                "more than {} XML nodes; raise `Limits::nodes`",
                self.limits.nodes
            ),
            e => {
                let place = format!(" at {}:{}", e.pos().row, e.pos().col);
                format!("XML: {}", name(&e.to_string().replace(&place, "")))
            }
        }
    }

    fn element(&mut self, xml: roxmltree::Node, place: &Document, depth: usize) -> Option<Node> {
        let origin = Origin {
            file: place.file,
            start: place.tidy.written(xml.range().start) as u32,
        };
        if depth > self.limits.depth {
            let depth = self.limits.depth;
            self.log.stop(
                origin,
                format!("elements are nested more than {depth} deep; raise `Limits::depth`"),
            );
            return None;
        }
        self.elements += 1;
        let mut node = Node {
            tag: name(xml.tag_name().name()),
            attrs: attributes(xml),
            children: Vec::new(),
            cdata: texts(xml),
            origin,
            dir: place.dir.clone(),
        };
        for child in xml.children().filter(roxmltree::Node::is_element) {
            if self.log.stopped {
                return None;
            }
            if let Some(child) = self.element(child, place, depth + 1) {
                if !self.robot && child.tag.eq_ignore_ascii_case("include") {
                    node.children.extend(self.include(&child, depth + 1));
                } else {
                    node.children.push(child);
                }
            }
        }
        Some(node)
    }

    /// The contents of an included file, in place of the `<include>`.
    fn include(&mut self, node: &Node, depth: usize) -> Vec<Node> {
        let at = node.origin;
        if let Some((name, _)) = node.attrs.iter().find(|(n, _)| n != "file") {
            self.log.mistake(
                at,
                Some(name),
                format!("unknown attribute {name:?}; <include> has only file"),
            );
        }
        if !node.children.is_empty() {
            self.log.mistake(at, None, "may not have children");
        }
        let Some(name) = node.attr("file") else {
            self.log.mistake(at, None, "needs the attribute file");
            return Vec::new();
        };
        // first from the model's folder, then from that of the including file
        let here = files::join(&self.base, &files::join(&node.dir, name));
        let path = [files::join(&self.base, name), here.clone()]
            .into_iter()
            .find(|p| self.files.exists(p))
            .unwrap_or(here);
        if self.seen.len() > self.limits.files {
            let files = self.limits.files;
            self.log.stop(
                at,
                format!("more than {files} files; raise `Limits::files`"),
            );
            return Vec::new();
        }
        if !self.seen.insert(path.clone()) {
            self.log.mistake(
                at,
                Some("file"),
                format!("file {path:?} is already included; a file may be included only once"),
            );
            return Vec::new();
        }
        let text = match self
            .files
            .read(&path, self.limits.file)
            .and_then(|b| text_of(&path, b))
        {
            Ok(text) => text,
            Err(why) => {
                self.log.mistake(at, Some("file"), why);
                return Vec::new();
            }
        };
        let dir = files::dir_of(
            path.strip_prefix(&format!("{}/", self.base))
                .unwrap_or(&path),
        )
        .to_owned();
        let Some(root) = self.document(&path, text, &dir, depth, Some(at)) else {
            return Vec::new();
        };
        if root.children.is_empty() && !self.log.stopped {
            self.log.mistake(
                at,
                Some("file"),
                format!("file {path:?} has no elements to include"),
            );
        }
        root.children
    }
}

/// The text of a file's bytes. A byte that is not UTF-8 is a character of Latin-1; a byte of zero is in no text.
pub(crate) fn text_of(path: &str, bytes: Vec<u8>) -> Result<String, String> {
    if let Some(at) = bytes.iter().position(|&b| b == 0) {
        return Err(format!("file {path:?} is not text (byte {at} is zero)"));
    }
    String::from_utf8(bytes).or_else(|e| {
        let chunks = e.as_bytes().utf8_chunks();
        Ok(chunks.fold(String::new(), |mut text, chunk| {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().copied().map(char::from));
            text
        }))
    })
}

fn attributes(xml: roxmltree::Node) -> Vec<(String, String)> {
    // by some the root names its XML schema for editors, or declares prefixes: they are ignored, as in MuJoCo
    let is_root = xml.parent_element().is_none();
    xml.attributes()
        .map(|a| (name(a.name()), a.value().to_owned()))
        .filter(|(name, _)| !is_root || !(name.contains(':') || name == "xmlns"))
        .collect()
}

fn texts(xml: roxmltree::Node) -> Vec<String> {
    let parts = xml.children().filter(roxmltree::Node::is_text);
    parts.filter_map(|c| c.text().map(str::to_owned)).collect()
}
