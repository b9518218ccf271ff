//! Files of packages: `package://NAME/FILE` as in robots of ROS, `model://` as in Gazebo, and `file://`.

use std::path::PathBuf;

use super::files::{self, Files};
use super::limits::Limits;

/// The path of a file that is given by the name of its package, for a model in the folder `here`; `None` if it is given
/// otherwise, or the reason why there is no such file.
pub(crate) fn resolve(
    files: &Files,
    limits: &Limits,
    here: &str,
    said: &str,
) -> Option<Result<String, String>> {
    if let Some(path) = said.strip_prefix("file://") {
        return Some(Ok(files::join(here, path)));
    }
    let rest = said.strip_prefix("package://");
    let rest = rest.or_else(|| said.strip_prefix("model://"))?;
    let (name, file) = rest.split_once('/').unwrap_or((rest, ""));
    if let Some(folder) = limits.packages.get(name) {
        return Some(given(folder, file));
    }
    let found = around(files, here, name, file);
    Some(found.ok_or_else(|| {
        format!(
            "there is no file {file:?} of a package {name:?} in the folders around the model; give the folder of the \
             package: `--package {name}=DIR` of the program, `Limits::packages` of the library"
        )
    }))
}

/// The path of a file in a package whose folder is given.
fn given(folder: &std::path::Path, file: &str) -> Result<String, String> {
    let why = |e| format!("folder {} of the package: {e}", folder.display());
    let full = folder.canonicalize().map_err(why)?;
    Ok(files::tidy(&full.join(file).to_string_lossy()))
}

/// The file in the nearest folder around the model that is the package or contains it.
fn around(files: &Files, here: &str, name: &str, file: &str) -> Option<String> {
    let folder = match files {
        Files::None => return None,
        Files::Disk { dir, .. } => dir.canonicalize().ok()?.join(here),
        Files::Memory(_) => PathBuf::from(here),
    };
    let mut up = here.to_owned();
    for around in folder.ancestors() {
        let own = around
            .file_name()
            .is_some_and(|n| n.to_string_lossy() == name);
        let own = own.then(|| files::join(&up, file));
        let inner = files::join(&up, &format!("{name}/{file}"));
        let found = own.into_iter().chain([inner]).find(|p| files.exists(p));
        if found.is_some() {
            return found;
        }
        up = match up.is_empty() {
            true => "..".to_owned(),
            false => files::join(&up, ".."),
        };
    }
    None
}
