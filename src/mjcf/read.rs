//! MJCF text → [`Spec`], section by section in MuJoCo's order.

use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

use super::archive;
use super::attach::AttachedKey;
use super::defaults::Classes;
use super::files::{self, Files};
use super::limits::Limits;
use super::log::Log;
use super::nearest::nearest;
use super::packages;
use super::schema::{Body, Compiler};
use super::spec::Spec;
use super::xml::{Includer, Node, text_of};
use crate::error::{Error, Result};

/// A model that may be attached.
pub(crate) struct Model {
    pub name: String,
    pub spec: Spec,
}

/// State of reading a model.
pub(crate) struct Reader<'a> {
    pub log: Log,
    pub files: Files,
    pub limits: &'a Limits,
    pub classes: Classes,
    pub spec: Spec,
    /// Bodies of the twists of rods, to be put behind the body of the world that is being read.
    pub twists: Vec<Body>,
    /// Models that may be attached.
    pub models: Vec<Model>,
    /// Keyframes of attached models.
    pub attached_keys: Vec<AttachedKey>,
    /// Attachments so far.
    pub parts: u32,
    /// Nesting of attachments of parts of this model that are being read.
    pub attaching: usize,
    /// Nesting of the elements of the tree that are being read, elements of attachments counted.
    pub nesting: usize,
    /// The root element, for parts that are attached a second time.
    pub root: Option<Rc<Node>>,
    /// Elements so far, copies included.
    pub elements: u64,
    /// The models being read around this one, by path: a model may not attach itself.
    pub around: Vec<String>,
    /// Path of the model file, relative to the files.
    pub path: String,
}

/// The sections under `<mujoco>`.
const SECTIONS: [&str; 18] = [
    "compiler",
    "option",
    "size",
    "statistic",
    "visual",
    "default",
    "extension",
    "asset",
    "worldbody",
    "deformable",
    "contact",
    "tendon",
    "equality",
    "actuator",
    "sensor",
    "custom",
    "keyframe",
    "include",
];

/// Sections that only group elements.
const GROUPING: [&str; 11] = [
    "visual",
    "extension",
    "asset",
    "deformable",
    "contact",
    "tendon",
    "equality",
    "actuator",
    "sensor",
    "custom",
    "keyframe",
];

impl Spec {
    /// Reads a model file with all that it includes and attaches: MJCF, URDF, or an archive with a model in it (`.mjz`,
    /// `.zip`), which has it at `model.xml`, or under the archive's own name.
    ///
    /// Files are opened only inside the repository or project around the model, or the folder above its own (see [`Limits::root`]).
    ///
    /// # Errors
    /// [`Error::Io`] if there is no such file, else [`Error::Mjcf`] or several of them, each with
    /// file, line, column and element.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Spec> {
        Spec::from_file_with(path, &Limits::default())
    }

    /// Reads a model file within the given limits.
    ///
    /// # Errors
    /// As [`Spec::from_file`].
    pub fn from_file_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Spec> {
        let path = path.as_ref();
        let shown = path.display().to_string();
        let io = |e: std::io::Error| Error::Io {
            path: shown.clone(),
            source: e,
        };
        let meta = path.metadata().map_err(io)?;
        if !meta.is_file() {
            return Err(io(std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                "not a regular file",
            )));
        }
        let files = Files::around(path, limits.root.as_deref()).with_packages(&limits.packages);
        let name = path
            .file_name()
            .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let found = archive::model_in(&files, &name).and_then(|inner| {
            // the shown path of an archive is followed by that of the file in it
            let own = inner.strip_prefix(&name).unwrap_or("");
            let shown = format!("{shown}{own}");
            let bytes = files.read(&inner, limits.file)?;
            Ok((text_of(&shown, bytes)?, shown, inner))
        });
        match found {
            Ok((text, shown, inner)) => read(text, &shown, &inner, files, limits),
            Err(why) => Err(io(std::io::Error::other(why))),
        }
    }

    /// Reads a model from a text; it has no files around it.
    ///
    /// # Errors
    /// As [`Spec::from_file`].
    #[expect(
        clippy::should_implement_trait,
        reason = "the trait has no place for the errors' documentation; both are given"
    )]
    pub fn from_str(text: &str) -> Result<Spec> {
        Spec::from_text(text, Files::None, &Limits::default())
    }

    /// Reads a model from a text, with files around it.
    ///
    /// # Errors
    /// As [`Spec::from_file`].
    pub fn from_text(text: &str, files: Files, limits: &Limits) -> Result<Spec> {
        if text.len() as u64 > limits.file {
            return Err(Error::Size {
                what: "text of the model".into(),
                need: text.len() as u64,
                have: limits.file,
            });
        }
        read(text.to_owned(), "model.xml", "", files, limits)
    }

    /// Reads a model from files in memory, given the path of the model file among them.
    ///
    /// ```
    /// use manyworlds::compile::compile;
    /// use manyworlds::mjcf::{Files, Spec};
    ///
    /// let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    /// let files = Files::memory([
    ///     ("model.xml", r#"<mujoco><asset><mesh file="meshes/rock.obj"/></asset>
    ///         <worldbody><body><freejoint/><geom type="mesh" mesh="rock"/></body></worldbody></mujoco>"#),
    ///     ("meshes/rock.obj", tetrahedron),
    /// ]);
    /// let model = compile(&Spec::from_vfs(files, "model.xml")?)?;
    /// assert_eq!((model.nmesh, model.nmeshvert), (1, 4));
    /// # Ok::<(), manyworlds::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Spec::from_file`].
    pub fn from_vfs(files: Files, path: &str) -> Result<Spec> {
        let limits = Limits::default();
        let found = archive::model_in(&files, path).and_then(|inner| {
            let bytes = files.read(&inner, limits.file)?;
            Ok((text_of(&inner, bytes)?, inner))
        });
        let (text, inner) = found.map_err(|why| Error::Io {
            path: path.into(),
            source: std::io::Error::other(why),
        })?;
        read(text, &inner, &inner, files, &limits)
    }

    /// The bytes of a file that the model names: an asset's `file`, which reading has resolved.
    ///
    /// # Errors
    /// Why it cannot be read, to be shown to the user at the element that names it.
    pub fn read_file(&self, path: &str, max: u64) -> std::result::Result<Vec<u8>, String> {
        self.sources.store.read(path, max)
    }
}

impl std::str::FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Spec> {
        Spec::from_str(text)
    }
}

// The reader calls itself for the contents of an element, as often as elements are nested. So it has a stack of its own, large
// enough for the limit, whatever the caller's is. Memory is taken only as deep as a model is nested.
#[cfg(not(target_family = "wasm"))]
fn read(text: String, shown: &str, path: &str, files: Files, limits: &Limits) -> Result<Spec> {
    const LEVEL: usize = 64 << 10;
    let stack = limits.depth.saturating_add(16).saturating_mul(LEVEL);
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().stack_size(stack);
        let reader = reader.spawn_scoped(scope, || read_here(text, shown, path, files, limits));
        match reader.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(spec)) => spec,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(e) => Err(Error::Input(format!(
                "no thread with a stack of {stack} bytes to read the model ({e}); lower `Limits::depth`"
            ))),
        }
    })
}

// A browser has no threads, and a stack for so many levels at least.
#[cfg(target_family = "wasm")]
fn read(text: String, shown: &str, path: &str, files: Files, limits: &Limits) -> Result<Spec> {
    const LEVELS: usize = 100;
    let limits = Limits {
        depth: limits.depth.min(LEVELS),
        ..limits.clone()
    };
    read_here(text, shown, path, files, &limits)
}

fn read_here(text: String, shown: &str, path: &str, files: Files, limits: &Limits) -> Result<Spec> {
    let mut log = Log {
        most: limits.mistakes.max(1),
        ..Log::default()
    };
    log.sources.store = files.clone();
    let reader = Reader {
        log,
        files,
        limits,
        classes: Classes::default(),
        spec: Spec::default(),
        models: Vec::new(),
        attached_keys: Vec::new(),
        parts: 0,
        root: None,
        attaching: 0,
        nesting: 0,
        elements: 0,
        twists: Vec::new(),
        around: vec![files::tidy(path)],
        path: files::tidy(path),
    };
    let (spec, log, _) = reader.model(text, shown);
    match Error::several(log.errors) {
        Some(error) => Err(error),
        None => Ok(Spec {
            sources: log.sources,
            ..spec
        }),
    }
}

impl Reader<'_> {
    /// Reads the whole model.
    pub fn model(mut self, text: String, shown: &str) -> (Spec, Log, u64) {
        let dir = files::dir_of(&self.path).to_owned();
        let mut includer = Includer {
            files: &self.files,
            limits: self.limits,
            log: &mut self.log,
            seen: BTreeSet::from([self.path.clone()]),
            elements: self.elements,
            base: dir,
            robot: false,
        };
        let root = includer.document(shown, text, "", 1, None);
        self.elements = includer.elements;
        if let Some(root) = root.map(Rc::new)
            && !self.log.stopped
        {
            self.root = Some(root.clone());
            self.root(&root);
        }
        (self.spec, self.log, self.elements)
    }

    fn root(&mut self, root: &Node) {
        match root.tag.as_str() {
            "mujoco" => {}
            robot if robot.eq_ignore_ascii_case("robot") => return self.robot(root),
            other => {
                let msg =
                    format!("the root element is <mujoco>, or <robot> of URDF, not <{other}>");
                return self.log.mistake(root.origin, None, msg);
            }
        }
        self.spec.name = "MuJoCo Model".to_owned();
        for (name, text) in &root.attrs {
            match name.as_str() {
                "model" => self.spec.name.clone_from(text),
                _ => self.log.mistake(
                    root.origin,
                    Some(name),
                    format!("unknown attribute {name:?}; it has only model"),
                ),
            }
        }
        for node in &root.children {
            if !SECTIONS.contains(&node.tag.as_str()) {
                let place = if let Some(parent) = parent_of(&node.tag) {
                    format!("; it belongs in <{parent}>")
                } else {
                    String::new()
                };
                let near = nearest(&node.tag, SECTIONS.into_iter())
                    .map(|n| format!("; did you mean <{n}>?"));
                let hint = near.unwrap_or(if place.is_empty() {
                    format!("; there may be {}", SECTIONS.join(", "))
                } else {
                    place
                });
                self.log
                    .mistake(node.origin, None, format!("unknown section{hint}"));
            }
            let grouping = GROUPING.contains(&node.tag.as_str());
            if let (true, Some((name, _))) = (grouping, node.attrs.first()) {
                self.log.mistake(
                    node.origin,
                    Some(name),
                    format!("unknown attribute {name:?}; it has none"),
                );
            }
        }
        self.settings(root);
        self.each(root, "default", |r, node| r.classes.read(&mut r.log, node));
        self.each(root, "extension", Reader::extension);
        self.each(root, "custom", Reader::custom);
        self.each(root, "asset", Reader::asset);
        self.each(root, "contact", Reader::contact);
        self.each(root, "deformable", Reader::deformable);
        self.each(root, "equality", Reader::equality);
        self.each(root, "tendon", Reader::tendon);
        self.each(root, "actuator", Reader::actuator);
        self.each(root, "sensor", Reader::sensor);
        self.each(root, "worldbody", Reader::world);
        self.each(root, "keyframe", Reader::keyframe);
        self.finish();
    }

    /// Reads every section of a name.
    fn each(&mut self, root: &Node, tag: &str, mut read: impl FnMut(&mut Self, &Node)) {
        for node in root.children.iter().filter(|n| n.tag == tag) {
            if self.log.stopped {
                return;
            }
            read(self, node);
        }
    }

    /// The settings of the model being read.
    pub fn compiler(&self) -> &Compiler {
        self.spec.compiler()
    }

    /// The path of an asset's file in the attribute `attr`, resolved from the folder of its kind.
    pub fn asset_path(
        &mut self,
        node: &Node,
        attr: &str,
        file: &str,
        kind: Option<&String>,
    ) -> String {
        let here = files::dir_of(&self.path);
        let file = if self.compiler().strippath() {
            files::name_of(file)
        } else {
            match packages::resolve(&self.files, self.limits, here, file) {
                None => file,
                Some(Ok(path)) => return path,
                Some(Err(why)) => {
                    self.log.mistake(node.origin, Some(attr), why);
                    return file.to_owned();
                }
            }
        };
        let base = kind.cloned().unwrap_or_default();
        // first from the model's folder; for an included file then from that file's folder, with the folder of the kind (as
        // MuJoCo does for a model that is named without a folder) and without (as for one named by an absolute path)
        let first = files::join(here, &files::join(&base, file));
        let beside = files::join(&node.dir, file);
        let second = files::join(here, &files::join(&base, &beside));
        let third = files::join(here, &beside);
        let source = self.log.sources.files.get(node.origin.file as usize);
        let mut paths = vec![&first];
        if source.is_some_and(|source| source.path != self.path) {
            paths.extend([&second, &third]);
        }
        let found = paths.into_iter().find(|path| self.files.exists(path));
        found.unwrap_or(&first).clone()
    }
}

/// The section that an element belongs to.
fn parent_of(tag: &str) -> Option<&'static str> {
    Some(match tag {
        "body" | "geom" | "site" | "camera" | "light" | "frame" | "replicate" | "attach" => {
            "worldbody"
        }
        "mesh" | "hfield" | "texture" | "material" | "model" => "asset",
        "joint" | "freejoint" | "inertial" => "body",
        "flag" => "option",
        "key" => "keyframe",
        "motor" | "position" | "velocity" | "general" | "muscle" => "actuator",
        "connect" | "weld" => "equality",
        "pair" | "exclude" => "contact",
        "spatial" | "fixed" => "tendon",
        "numeric" | "text" | "tuple" => "custom",
        _ => return None,
    })
}
