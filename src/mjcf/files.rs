//! The files of a model: in a folder on disk, or in memory.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::archive;

/// The files of a model. Paths are relative to the folder of the model file, with `/` between names.
#[derive(Clone, Debug, Default)]
pub enum Files {
    /// No files.
    #[default]
    None,
    /// A folder on disk. Only regular files inside of `root` are opened, after links are resolved.
    Disk {
        /// The folder of the model file.
        dir: PathBuf,
        /// The folder within which files may be opened.
        root: PathBuf,
        /// Folders beside it from which files may be opened too.
        beside: Vec<PathBuf>,
    },
    /// Files in memory by path; a file whose path is not found is looked for by its name alone.
    Memory(Arc<BTreeMap<String, Arc<[u8]>>>),
}

impl Files {
    /// Files in memory, by path.
    pub fn memory<P: Into<String>, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, B)>,
    ) -> Files {
        let entry = |(path, bytes): (P, B)| (tidy(&path.into()), Arc::from(bytes.into()));
        Files::Memory(Arc::new(files.into_iter().map(entry).collect()))
    }

    /// The files around a model file on disk; `root` as in [`super::Limits::root`].
    pub fn around(model: &Path, root: Option<&Path>) -> Files {
        let dir = match model.parent() {
            Some(dir) if dir != Path::new("") => dir.to_owned(),
            _ => PathBuf::from("."),
        };
        let root = root.map_or_else(|| default_root(&dir), Path::to_owned);
        let beside = Vec::new();
        Files::Disk { dir, root, beside }
    }

    /// The same files, and those of packages (see [`super::Limits::packages`]).
    pub(crate) fn with_packages(mut self, packages: &BTreeMap<String, PathBuf>) -> Files {
        if let Files::Disk { beside, .. } = &mut self {
            beside.extend(packages.values().cloned());
        }
        self
    }

    /// Whether there is a file.
    pub fn exists(&self, path: &str) -> bool {
        self.look(path).is_ok()
    }

    /// The size of a file in bytes, or the reason why it cannot be read, to be shown to the user.
    ///
    /// Archives (`.mjz`, `.zip`) are folders, too: `robot.mjz/meshes/arm.stl`.
    pub fn look(&self, path: &str) -> Result<u64, String> {
        let found = match self {
            Files::None => Err(format!(
                "there is no file {path:?}: the model was read without files"
            )),
            Files::Disk { dir, root, beside } => {
                open(dir, root, beside, path).map(|(_, size)| size)
            }
            Files::Memory(files) => found(files, path).map(|bytes| bytes.len() as u64),
        };
        match (found, archive::split(path)) {
            (Err(why), Some((zip, inner))) => self.inside(zip, why, |zip| match zip {
                Zip::File(mut file) => archive::look(&mut file, inner),
                Zip::Bytes(bytes) => archive::look(&mut Cursor::new(bytes), inner),
            }),
            (found, _) => found,
        }
    }

    /// The bytes of a file of at most `max` bytes, or the reason why it cannot be read, to be shown to the user.
    pub fn read(&self, path: &str, max: u64) -> Result<Vec<u8>, String> {
        match (self.plain(path, max), archive::split(path)) {
            (Err(why), Some((zip, inner))) => self.inside(zip, why, |zip| match zip {
                Zip::File(mut file) => archive::read(&mut file, inner, max),
                Zip::Bytes(bytes) => archive::read(&mut Cursor::new(bytes), inner, max),
            }),
            (bytes, _) => bytes,
        }
    }

    /// Applies a function to an archive, if there is one of that path; otherwise returns the reason.
    fn inside<T>(
        &self,
        zip: &str,
        why: String,
        f: impl FnOnce(Zip) -> Result<T, String>,
    ) -> Result<T, String> {
        let opened = match self {
            Files::None => None,
            Files::Disk { dir, root, beside } => {
                let file = open(dir, root, beside, zip).ok();
                file.map(|(file, _)| Zip::File(file))
            }
            Files::Memory(files) => find(files, zip).map(|bytes| Zip::Bytes(bytes)),
        };
        let of_archive = |e: String| format!("{zip:?}: {e}");
        opened.map_or(Err(why), |zip| f(zip).map_err(of_archive))
    }

    /// The bytes of a file that is in no archive.
    fn plain(&self, path: &str, max: u64) -> Result<Vec<u8>, String> {
        let too_large = |size: u64| {
            format!("file {path:?} has {size} bytes, and no more than {max} are allowed")
        };
        match self {
            Files::None => Err(format!(
                "there is no file {path:?}: the model was read without files"
            )),
            Files::Memory(files) => {
                let bytes = found(files, path)?;
                if bytes.len() as u64 > max {
                    Err(too_large(bytes.len() as u64))
                } else {
                    Ok(bytes.to_vec())
                }
            }
            Files::Disk { dir, root, beside } => {
                let (file, size) = open(dir, root, beside, path)?;
                if size > max {
                    return Err(too_large(size));
                }
                // the file may grow while it is read
                let mut bytes = Vec::new();
                file.take(max)
                    .read_to_end(&mut bytes)
                    .map_err(|e| format!("file {path:?}: {e}"))?;
                Ok(bytes)
            }
        }
    }
}

/// An archive that is open.
enum Zip<'a> {
    File(std::fs::File),
    Bytes(&'a [u8]),
}

/// Files whose folder is the whole of a project, or a package of Python.
const WHOLE: [&str; 9] = [
    "LICENSE",
    "LICENSE.txt",
    "LICENSE.md",
    "COPYING",
    "pyproject.toml",
    "setup.py",
    "package.xml",
    "package.json",
    "__init__.py",
];

/// The repository or else the project around a model; the folder above the model's own if that is wider, or if there is neither.
///
/// A repository is the nearest folder around that has a `.git`, a project the widest that has one of [`WHOLE`]: a copy of a
/// repository has no `.git`, and an installed package neither. Both belong to the owner of the model's folder. The user's home
/// and the folders above it never count as a project, whatever they hold: a model must not read unrelated files.
fn default_root(dir: &Path) -> PathBuf {
    let full = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let above = full.parent().map_or(full.clone(), Path::to_owned);
    let home = ["HOME", "USERPROFILE"]
        .into_iter()
        .find_map(std::env::var_os);
    let home = home.and_then(|home| Path::new(&home).canonicalize().ok());
    let private = |dir: &&Path| {
        dir.parent().is_none() || home.as_ref().is_some_and(|home| home.starts_with(dir))
    };
    let around: Vec<&Path> = full.ancestors().take_while(|dir| !private(dir)).collect();
    let has = |dir: &Path, mark: &str| same_owner(&dir.join(mark), &full);
    let mut repositories = around.iter().filter(|dir| has(dir, ".git"));
    let mut projects = around.iter().rev();
    let whole = |dir: &&&Path| WHOLE.iter().any(|mark| has(dir, mark));
    match repositories.next().or_else(|| projects.find(whole)) {
        Some(root) if above.starts_with(root) => root.to_path_buf(),
        _ => above,
    }
}

/// Whether both paths exist and have the same owner, where there are owners.
fn same_owner(a: &Path, b: &Path) -> bool {
    let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        a.uid() == b.uid()
    }
    #[cfg(not(unix))]
    {
        let _ = (a, b);
        true
    }
}

/// The nearest folder around both.
fn common(a: &Path, b: &Path) -> PathBuf {
    let same = a.components().zip(b.components());
    same.take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
}

fn find<'a>(files: &'a BTreeMap<String, Arc<[u8]>>, path: &str) -> Option<&'a Arc<[u8]>> {
    let path = tidy(path);
    files.get(&path).or_else(|| files.get(name_of(&path)))
}

fn found<'a>(files: &'a BTreeMap<String, Arc<[u8]>>, path: &str) -> Result<&'a Arc<[u8]>, String> {
    find(files, path).ok_or_else(|| {
        let near = super::nearest::nearest(path, files.keys().map(String::as_str));
        let near = near
            .map(|n| format!("; did you mean {n:?}?"))
            .unwrap_or_default();
        format!("there is no file {path:?} in memory{near}")
    })
}

/// Opens a regular file inside the root or a folder beside it.
fn open(
    dir: &Path,
    root: &Path,
    beside: &[PathBuf],
    path: &str,
) -> Result<(std::fs::File, u64), String> {
    let why = |e: std::io::Error| format!("file {path:?}: {e}");
    let full = dir.join(path).canonicalize().map_err(why)?;
    let root = root
        .canonicalize()
        .map_err(|e| format!("folder {}: {e}", root.display()))?;
    let mut around = beside.iter().filter_map(|b| b.canonicalize().ok());
    if !full.starts_with(&root) && !around.any(|b| full.starts_with(b)) {
        let (root, wide) = (root.display(), common(&full, &root));
        return Err(format!(
            "file {path:?} lies outside of {root}, and no file outside is opened; to allow it, set the root to {}: `--root` \
             of the program, `Limits::root` of the library",
            wide.display()
        ));
    }
    // a pipe would block on opening, so look first
    let meta = full.metadata().map_err(why)?;
    if !meta.is_file() {
        return Err(format!("{path:?} is not a regular file"));
    }
    Ok((std::fs::File::open(&full).map_err(why)?, meta.len()))
}

/// A path without `.`, `..` and empty names where they can be resolved, with `/` between names.
pub(crate) fn tidy(path: &str) -> String {
    let path = path.replace('\\', "/");
    let absolute = path.starts_with('/');
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." if names.last().is_some_and(|n| *n != "..") => drop(names.pop()),
            ".." if absolute => {}
            name => names.push(name),
        }
    }
    let joined = names.join("/");
    if absolute {
        format!("/{joined}")
    } else {
        joined
    }
}

/// Whether a path is absolute: the same file wherever it is given.
pub(crate) fn absolute(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    path.starts_with(['/', '\\']) || drive
}

/// A path in a folder; an absolute path stays as it is.
pub(crate) fn join(dir: &str, path: &str) -> String {
    if absolute(path) || dir.is_empty() {
        tidy(path)
    } else {
        tidy(&format!("{dir}/{path}"))
    }
}

/// The folder of a path.
pub(crate) fn dir_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// The name of a file without its folder.
pub(crate) fn name_of(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The name of a file without its folder and extension.
pub(crate) fn stem_of(path: &str) -> &str {
    let name = name_of(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_tidied() {
        assert_eq!(tidy("./a//b/../c.stl"), "a/c.stl");
        assert_eq!(tidy("../a/./b"), "../a/b");
        assert_eq!(tidy("a\\b"), "a/b");
        assert_eq!(tidy("/../a"), "/a");
        assert_eq!(join("assets", "x.stl"), "assets/x.stl");
        assert_eq!(join("assets", "/x.stl"), "/x.stl");
        assert_eq!(stem_of("a/b.c.stl"), "b.c");
    }

    #[test]
    fn nothing_outside_of_the_root_is_opened() -> std::io::Result<()> {
        let tmp = tempfile::tempdir()?;
        let models = tmp.path().join("robots/arm");
        std::fs::create_dir_all(&models)?;
        std::fs::write(tmp.path().join("secret"), "s")?;
        std::fs::write(tmp.path().join("robots/near"), "n")?;
        let files = Files::around(&models.join("arm.xml"), None);
        assert_eq!(files.read("../near", 9).as_deref(), Ok(b"n".as_slice()));
        assert!(
            files
                .read("../near", 0)
                .is_err_and(|e| e.contains("has 1 bytes"))
        );
        assert!(
            files
                .read("../../secret", 9)
                .is_err_and(|e| e.contains("outside"))
        );
        assert!(
            files
                .read("..", 9)
                .is_err_and(|e| e.contains("not a regular file"))
        );
        let wide = Files::around(&models.join("arm.xml"), Some(tmp.path()));
        assert_eq!(wide.read("../../secret", 9).as_deref(), Ok(b"s".as_slice()));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(tmp.path().join("secret"), models.join("link"))?;
            assert!(files.read("link", 9).is_err_and(|e| e.contains("outside")));
        }
        Ok(())
    }

    #[test]
    fn a_repository_is_the_root() -> std::io::Result<()> {
        let tmp = tempfile::tempdir()?;
        let base = tmp.path().canonicalize()?;
        let arm = base.join("lab/robots/arm/mjcf");
        std::fs::create_dir_all(&arm)?;
        assert_eq!(default_root(&arm), base.join("lab/robots/arm"));
        // a worktree has a file of that name
        std::fs::write(base.join("lab/.git"), "gitdir: elsewhere")?;
        assert_eq!(default_root(&arm), base.join("lab"));
        assert_eq!(default_root(&base.join("lab/robots")), base.join("lab"));
        // the folder above stays allowed
        assert_eq!(default_root(&base.join("lab")), base);
        std::fs::create_dir(base.join("lab/robots/.git"))?;
        assert_eq!(default_root(&arm), base.join("lab/robots"));
        std::fs::write(base.join("secret"), "s")?;
        let files = Files::around(&arm.join("arm.xml"), None);
        let refused = files.read("../../../../secret", 9);
        let wanted = format!("set the root to {}:", base.display());
        assert!(refused.is_err_and(|e| e.contains(&wanted)));
        Ok(())
    }

    #[test]
    fn memory_is_found_by_path_or_name() {
        let files = Files::memory([("a/b.stl", "1"), ("c.stl", "2")]);
        assert_eq!(files.read("./a/b.stl", 9).as_deref(), Ok(b"1".as_slice()));
        assert_eq!(
            files.read("meshes/c.stl", 9).as_deref(),
            Ok(b"2".as_slice())
        );
        assert!(files.read("b.stl", 9).is_err());
    }
}
