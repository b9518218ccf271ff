//! An unfinished output file: it has a temporary name until it is complete, and then replaces nothing but a file of its kind.
//!
//! ```text
//! traj.npz does not exist, or is an npz ─▶ .traj.npz.x7Yq2b.part ─ complete ─▶ traj.npz
//! a pipe, a terminal                    ─▶ a nameless file       ─ complete ─▶ the bytes are copied
//! an input, a folder, a disk, another file ─▶ refused before anything is computed
//! ```

use super::{Fault, OUTPUT};
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Number of random letters in a temporary file name, and its ending.
const LETTERS: usize = 6;
const ENDING: &str = ".part";

/// The kind of an output, which decides which files it may replace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Arrays in a zip archive.
    Npz,
    /// A JSON object.
    Json,
    /// A picture, or several.
    #[cfg(feature = "view")]
    Png,
    /// The text of a kernel, or its words.
    #[cfg(feature = "gpu")]
    Text,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Npz => "npz",
            Self::Json => "json",
            #[cfg(feature = "view")]
            Self::Png => "png",
            #[cfg(feature = "gpu")]
            Self::Text => "kernel",
        }
    }

    // whether the file at a path is of this kind, or empty
    fn may_replace(self, path: &Path) -> io::Result<bool> {
        let mut start = Vec::new();
        File::open(path)?.take(64).read_to_end(&mut start)?;
        Ok(match self {
            Self::Npz => start.is_empty() || start.starts_with(b"PK"),
            #[cfg(feature = "view")]
            Self::Png => start.is_empty() || start.starts_with(b"\x89PNG"),
            // texts begin in many ways, and are known by their endings
            #[cfg(feature = "gpu")]
            Self::Text => true,
            Self::Json => start.trim_ascii_start().first().is_none_or(|c| *c == b'{'),
        })
    }
}

/// An unfinished output file.
pub struct Output {
    said: PathBuf,
    kind: Kind,
    place: Place,
    // bytes reserved on disk
    reserved: u64,
}

enum Place {
    /// A temporary file beside the final path.
    Beside(NamedTempFile, PathBuf),
    /// A nameless file, and the stream to which its bytes are copied.
    Stream(File, File),
}

impl Output {
    /// Begins a file. `inputs` are files that must not be overwritten.
    pub fn create(said: &Path, kind: Kind, inputs: &[&Path]) -> Result<Self, Fault> {
        let bad = |e: io::Error| fault(said, &e);
        let place = match target(said, kind, inputs)? {
            Target::Stream => {
                let sink = OpenOptions::new().append(true).open(said).map_err(bad)?;
                Place::Stream(tempfile::tempfile().map_err(bad)?, sink)
            }
            Target::File(path) => Place::Beside(beside(&path).map_err(bad)?, path),
        };
        let out = Self {
            said: said.to_owned(),
            kind,
            place,
            reserved: 0,
        };
        out.alone()?;
        Ok(out)
    }

    /// The file to write to; all handles share one position.
    pub fn file(&self) -> Result<File, Fault> {
        let file = match &self.place {
            Place::Beside(part, _) => part.as_file(),
            Place::Stream(part, _) => part,
        };
        file.try_clone().map_err(|e| self.fault(&e))
    }

    /// A nameless temporary file, in the folder of the output if that is a file. It is gone when it is closed, even after a crash.
    pub fn scratch(&self) -> Result<File, Fault> {
        let file = match &self.place {
            Place::Beside(_, path) => tempfile::tempfile_in(folder(path)),
            Place::Stream(..) => tempfile::tempfile(),
        };
        file.map_err(|e| self.fault(&e))
    }

    /// An error of writing this file.
    pub fn fault(&self, e: &io::Error) -> Fault {
        fault(&self.said, e)
    }

    /// True if the bytes go to stdout.
    pub fn is_stdout(&self) -> bool {
        #[cfg(unix)]
        if let Place::Stream(_, sink) = &self.place {
            use std::os::fd::AsFd;
            use std::os::unix::fs::MetadataExt;
            let id = |file: &File| file.metadata().ok().map(|there| (there.dev(), there.ino()));
            let stdout = io::stdout().as_fd().try_clone_to_owned().map(File::from);
            return stdout.is_ok_and(|stdout| id(&stdout) == id(sink));
        }
        false
    }

    /// Reserves disk space for `bytes` bytes, so that later writes cannot fail for lack of it.
    pub fn reserve(&mut self, bytes: u64) -> Result<(), Fault> {
        if bytes <= self.reserved {
            return Ok(());
        }
        let file = self.file()?;
        // a little more than needed now, if the disk has as much
        let ample = bytes + (bytes / 4).clamp(1 << 16, 1 << 26);
        let more = |to: u64| allocate(&file, self.reserved, to - self.reserved).map(|()| to);
        let to = more(ample).or_else(|_| more(bytes));
        self.reserved = to.map_err(|e| self.fault(&e))?;
        Ok(())
    }

    /// Gives the file, `bytes` long, its name, or copies it to the stream.
    pub fn finish(self, bytes: u64) -> Result<(), Fault> {
        let whole = self.file()?;
        let closed = whole.set_len(bytes).and_then(|()| whole.sync_all());
        closed.map_err(|e| self.fault(&e))?;
        let said = self.said;
        match self.place {
            Place::Stream(mut part, mut sink) => {
                let sent = part.rewind().and_then(|()| io::copy(&mut part, &mut sink));
                sent.map_err(|e| fault(&said, &e))?;
                sink.flush().map_err(|e| fault(&said, &e))
            }
            Place::Beside(part, path) => {
                // the file at the path may have changed since the start
                if let Err(why) = target(&said, self.kind, &[]) {
                    let kept = part.keep().map_err(|e| fault(&said, &e.error))?.1;
                    let text = format!(
                        "{}error: the complete result is in {}\n",
                        why.text,
                        kept.display()
                    );
                    return Err(Fault { text, ..why });
                }
                part.persist(&path)
                    .map(drop)
                    .map_err(|e| fault(&said, &e.error))
            }
        }
    }

    /// Like [`Output::finish`], for a file that was written from its start up to its present position.
    #[cfg(feature = "gpu")]
    pub fn finish_here(self) -> Result<(), Fault> {
        let bytes = self.file()?.stream_position();
        let bytes = bytes.map_err(|e| self.fault(&e))?;
        self.finish(bytes)
    }

    // fails if another process is writing to the same path
    fn alone(&self) -> Result<(), Fault> {
        let Place::Beside(part, path) = &self.place else {
            return Ok(());
        };
        // each process locks its own file before it looks for others, so at least one of two sees the other
        if part.as_file().try_lock().is_err() {
            return Ok(());
        }
        let start = prefix(path);
        let Ok(entries) = std::fs::read_dir(folder(path)) else {
            return Ok(());
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let long = start.len() + LETTERS + ENDING.len();
            let like = name.starts_with(&start) && name.ends_with(ENDING) && name.len() == long;
            if !like || Some(entry.file_name().as_os_str()) == part.path().file_name() {
                continue;
            }
            let locked = File::open(entry.path()).map(|file| file.try_lock());
            if let Ok(Err(TryLockError::WouldBlock)) = locked {
                let msg = "another process is writing it (to the file";
                return Err(refused(&self.said, &format!("{msg} {name})")));
            }
        }
        Ok(())
    }
}

/// A path that may be written.
enum Target {
    /// A file, existing or not; links followed.
    File(PathBuf),
    /// A pipe, a terminal or another stream.
    Stream,
}

fn target(said: &Path, kind: Kind, inputs: &[&Path]) -> Result<Target, Fault> {
    let there = match std::fs::metadata(said) {
        Ok(there) => there,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return match std::fs::symlink_metadata(said) {
                Ok(_) => Err(refused(said, "is a link to a file that does not exist")),
                Err(_) if said.file_name().is_none() => {
                    Err(refused(said, "is not the name of a file"))
                }
                Err(_) => Ok(Target::File(said.to_owned())),
            };
        }
        Err(e) => return Err(fault(said, &e)),
    };
    if is_stream(said, &there) {
        return Ok(Target::Stream);
    }
    if there.is_dir() {
        return Err(refused(said, "is a folder: name a file in it"));
    }
    if !there.is_file() {
        return Err(refused(
            said,
            "is a device, and devices are never overwritten: name a file",
        ));
    }
    let path = said.canonicalize().map_err(|e| fault(said, &e))?;
    if inputs.iter().any(|input| same(&path, &there, input)) {
        return Err(refused(said, "is an input of this run: name another file"));
    }
    if there.permissions().readonly() {
        return Err(refused(said, "is write-protected: name another file"));
    }
    match kind.may_replace(&path) {
        Ok(true) => Ok(Target::File(path)),
        Ok(false) => {
            let kind = kind.name();
            let msg =
                format!("exists and is not a file of kind {kind}: name another, or remove it");
            Err(refused(said, &msg))
        }
        Err(e) => Err(fault(said, &e)),
    }
}

// true for pipes, terminals and files that a shell has opened already
#[cfg(unix)]
fn is_stream(said: &Path, there: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let kind = there.file_type();
    let opened = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];
    let opened = kind.is_file() && opened.iter().any(|path| said.starts_with(path));
    kind.is_fifo() || kind.is_char_device() || opened
}

#[cfg(not(unix))]
fn is_stream(_said: &Path, _there: &Metadata) -> bool {
    false
}

// whether two paths name the same file, also through links
fn same(path: &Path, there: &Metadata, input: &Path) -> bool {
    #[cfg(unix)]
    if let Ok(input) = std::fs::metadata(input) {
        use std::os::unix::fs::MetadataExt;
        return (input.dev(), input.ino()) == (there.dev(), there.ino());
    }
    let _ = there;
    input.canonicalize().is_ok_and(|input| input == path)
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn prefix(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!(".{name}.")
}

// a temporary file with the permissions of the existing or a new file
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let start = prefix(path);
    let mut builder = Builder::new();
    builder.prefix(&start).suffix(ENDING).rand_bytes(LETTERS);
    let old = std::fs::metadata(path).map(|there| there.permissions());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let part = builder.tempfile_in(folder(path))?;
    if let Ok(old) = old {
        part.as_file().set_permissions(old)?;
    }
    Ok(part)
}

// reserves bytes of a file, so that their later write cannot fail
fn allocate(file: &File, from: u64, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        use rustix::io::Errno;
        match fallocate(file, FallocateFlags::empty(), from, bytes) {
            Ok(()) => return Ok(()),
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {}
            Err(e) => return Err(e.into()),
        }
    }
    // where the file system cannot reserve, zeros are written
    let mut file = file;
    let at = file.stream_position()?;
    file.seek(io::SeekFrom::Start(from))?;
    let held = io::copy(&mut io::repeat(0).take(bytes), &mut file);
    file.seek(io::SeekFrom::Start(at))?;
    held.map(drop)
}

fn fault(said: &Path, e: &io::Error) -> Fault {
    Fault {
        code: OUTPUT,
        text: format!("error: {}: cannot be written: {e}\n", said.display()),
    }
}

fn refused(said: &Path, why: &str) -> Fault {
    Fault::usage(format!("{}: {why}", said.display()))
}
