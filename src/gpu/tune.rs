//! The fastest measured settings for a model on an adapter, stored from one run to the next.
//!
//! `manyworlds bench --tune` measures and writes one small file for each adapter and model into [`folder`]. Worlds that are made
//! with open settings use the file ([`Config::tuned`]). A file that is damaged, of another version, or of
//! another adapter or model than its name says is ignored and reported ([`Tuned::Ignored`]); a missing file is no error.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use crate::batch::Choice;
use crate::error::{Error, Result};
use crate::fields::Model;
use crate::gpu::config::{Config, Unroll};
use crate::gpu::device::Adapter;

/// First entry of a file. Other kernels may need other choices, so the version of this crate is part of it.
const FORMAT: &str = concat!("manyworlds tuning ", env!("CARGO_PKG_VERSION"));

/// Whether an earlier measurement is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tuned {
    /// There is none, or the caller's settings are not open.
    #[default]
    No,
    /// It is used.
    Yes,
    /// Its file cannot be used: path and reason.
    Ignored(String),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    format: String,
    adapter: String,
    model: String,
    choice: Choice,
}

/// The manyworlds folder in the system's caches: `$XDG_CACHE_HOME/manyworlds`, `~/.cache/manyworlds`,
/// `~/Library/Caches/manyworlds`, `%LOCALAPPDATA%\manyworlds`. None where the system names no cache folder.
pub fn folder() -> Option<PathBuf> {
    let place = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let home = |inside: &str| place("HOME").map(|home| home.join(inside));
    let caches = if cfg!(windows) {
        place("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home("Library/Caches")
    } else {
        place("XDG_CACHE_HOME").or_else(|| home(".cache"))
    };
    caches.map(|caches| caches.join("manyworlds"))
}

// name of an adapter with its driver: another driver may compile differently
fn words(adapter: &Adapter) -> String {
    format!("{adapter}, {}", adapter.driver)
}

fn hex(number: u64) -> String {
    format!("{number:016x}")
}

/// The file of an adapter and a model.
pub fn path(folder: &Path, adapter: &Adapter, m: &Model) -> PathBuf {
    // fnv-1a
    let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let adapter = words(adapter).bytes().fold(0xcbf2_9ce4_8422_2325, hash);
    folder.join(format!(
        "tune-{}-{}.json",
        hex(adapter),
        hex(crate::batch::hash(m))
    ))
}

/// Stores a choice. Fails with [`Error::Io`] where the file cannot be written.
pub fn write(folder: &Path, adapter: &Adapter, m: &Model, choice: Choice) -> Result<PathBuf> {
    let path = path(folder, adapter, m);
    let stored = Stored {
        format: FORMAT.to_owned(),
        adapter: words(adapter),
        model: hex(crate::batch::hash(m)),
        choice,
    };
    let io = |source| Error::Io {
        path: path.display().to_string(),
        source,
    };
    std::fs::create_dir_all(folder).map_err(io)?;
    let text = serde_json::to_string_pretty(&stored).map_err(|e| io(e.into()))?;
    // a concurrent reader gets the old file or the new one
    let new = path.with_extension(format!("{}.new", std::process::id()));
    std::fs::write(&new, text + "\n").map_err(io)?;
    std::fs::rename(&new, &path).map_err(io)?;
    Ok(path)
}

/// The stored choice for an adapter and a model: none if there is no file. An error says in one line why a file cannot be used.
pub fn read(
    folder: &Path,
    adapter: &Adapter,
    m: &Model,
) -> std::result::Result<Option<Choice>, String> {
    /// Upper bound on the size of a valid file (bytes).
    const LARGEST: u64 = 4096;
    let path = path(folder, adapter, m);
    let bad = |why: &str| Err(format!("{}: {why}", path.display()));
    match std::fs::metadata(&path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return bad(&e.to_string()),
        Ok(meta) if !meta.is_file() || meta.len() > LARGEST => return bad("no file of ours"),
        Ok(_) => {}
    }
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(e) => return bad(&e.to_string()),
    };
    let stored: Stored = match serde_json::from_str(&text) {
        Ok(stored) => stored,
        Err(e) => return bad(&e.to_string()),
    };
    let Choice {
        lanes,
        worlds,
        tile,
        ..
    } = stored.choice;
    let sound = |n: u32, most: u32| n == 0 || (n.is_power_of_two() && n <= most);
    if stored.format != FORMAT {
        bad("of another version")
    } else if stored.adapter != words(adapter) || stored.model != hex(crate::batch::hash(m)) {
        bad("of another adapter or model")
    } else if !sound(lanes, 64) || !sound(worlds, 256) || !sound(tile, 256) {
        bad("teams and tiles are powers of two")
    } else {
        Ok(Some(stored.choice))
    }
}

/// The configuration with the stored choice, if [`Config::tuned`] names a folder and all settings of a
/// [`Choice`] are left open.
pub(crate) fn settle(config: &Config, m: &Model, adapter: &Adapter) -> (Config, Tuned) {
    let Config {
        lanes,
        worlds,
        tile,
        fuse,
        unroll,
        ref tuned,
        ..
    } = *config;
    let open = (lanes, worlds, tile, fuse, unroll) == (0, 0, 0, 0, Unroll::Auto);
    let Some(folder) = tuned.as_ref().filter(|_| open) else {
        return (config.clone(), Tuned::No);
    };
    match read(folder, adapter, m) {
        Ok(None) => (config.clone(), Tuned::No),
        Ok(Some(choice)) => (choice.put(config), Tuned::Yes),
        Err(why) => (config.clone(), Tuned::Ignored(why)),
    }
}

impl Choice {
    /// A configuration with this choice.
    pub fn put(self, config: &Config) -> Config {
        Config {
            lanes: self.lanes,
            worlds: self.worlds,
            tile: self.tile,
            fuse: self.fuse,
            unroll: self.unroll,
            ..config.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Arrays;

    fn adapter(driver: &str) -> Adapter {
        Adapter {
            name: "a card".to_owned(),
            driver: driver.to_owned(),
            backend: "vulkan".to_owned(),
            software: false,
            binding: 0,
            workgroup_memory: 0,
            subgroup: (32, 32),
        }
    }

    const CHOICE: Choice = Choice {
        lanes: 16,
        worlds: 4,
        tile: 8,
        fuse: 3,
        unroll: Unroll::Always,
    };

    #[test]
    fn a_choice_comes_back_for_its_adapter_and_model_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("new");
        let mut m = Model::unchecked(Arrays::default());
        let (card, other) = (adapter("1.0"), adapter("1.1"));
        assert_eq!(read(&folder, &card, &m), Ok(None));
        write(&folder, &card, &m, CHOICE).unwrap();
        assert_eq!(read(&folder, &card, &m), Ok(Some(CHOICE)));
        assert_eq!(read(&folder, &other, &m), Ok(None));
        m.arrays_mut().opt.timestep += 0.001;
        assert_eq!(read(&folder, &card, &m), Ok(None));
    }

    #[test]
    fn it_fills_what_is_open_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (m, card) = (Model::unchecked(Arrays::default()), adapter("1.0"));
        write(folder.path(), &card, &m, CHOICE).unwrap();
        let mut config = Config {
            tuned: Some(folder.path().to_owned()),
            ..Config::default()
        };
        let (settled, tuned) = settle(&config, &m, &card);
        assert_eq!((settled.lanes, settled.fuse, tuned), (16, 3, Tuned::Yes));
        config.lanes = 4;
        let (settled, tuned) = settle(&config, &m, &card);
        assert_eq!((settled.lanes, settled.fuse, tuned), (4, 0, Tuned::No));
        let (settled, tuned) = settle(&Config::default(), &m, &card);
        assert_eq!((settled.lanes, tuned), (0, Tuned::No));
    }

    #[test]
    fn files_that_are_not_sound_are_ignored_with_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let (m, card) = (Model::unchecked(Arrays::default()), adapter("1.0"));
        let path = write(folder.path(), &card, &m, CHOICE).unwrap();
        let good = std::fs::read_to_string(&path).unwrap();
        let config = Config {
            tuned: Some(folder.path().to_owned()),
            ..Config::default()
        };
        let ignored = |text: &[u8], why: &str| {
            std::fs::write(&path, text).unwrap();
            let (settled, tuned) = settle(&config, &m, &card);
            assert_eq!(settled.lanes, 0);
            match tuned {
                Tuned::Ignored(said) => assert!(said.contains(why), "{said}"),
                other => panic!("{other:?}"),
            }
        };
        ignored(b"", "EOF");
        ignored(&good.as_bytes()[..good.len() / 2], "EOF");
        ignored(&[0xff, 0xfe, 0], "UTF-8");
        ignored(
            good.replace("\"lanes\": 16", "\"lanes\": 12").as_bytes(),
            "powers of two",
        );
        ignored(
            good.replace("\"lanes\": 16", "\"lanes\": 128").as_bytes(),
            "powers of two",
        );
        ignored(
            good.replace("\"lanes\": 16", "\"lanes\": -1").as_bytes(),
            "u32",
        );
        ignored(
            good.replace(FORMAT, "manyworlds tuning 0.0.0").as_bytes(),
            "version",
        );
        ignored(
            good.replace("a card", "the card").as_bytes(),
            "another adapter",
        );
        ignored(
            good.replace("\"fuse\"", "\"confuse\"").as_bytes(),
            "confuse",
        );
        ignored(&vec![b' '; 10_000], "no file of ours");
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        let (_, tuned) = settle(&config, &m, &card);
        assert!(matches!(tuned, Tuned::Ignored(_)));
    }
}
