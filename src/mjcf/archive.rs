//! Archives with a model in them: `.mjz` and `.zip`, read as if they were folders.
//!
//! Only the directory at the end of a zip file and one entry are read at a time. So an archive costs no more memory than the
//! entries read from it, whatever its unpacked size.

use std::io::{Read, Seek, SeekFrom};

use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::files::{Files, dir_of, join, name_of, stem_of, tidy};

/// Whether a path is that of an archive.
pub(crate) fn is_archive(path: &str) -> bool {
    let name = name_of(path);
    let extension = name.rsplit_once('.').map_or("", |(_, e)| e);
    ["mjz", "zip"]
        .iter()
        .any(|e| extension.eq_ignore_ascii_case(e))
}

/// A path that leads into an archive: the path of the archive, and the rest.
pub(crate) fn split(path: &str) -> Option<(&str, &str)> {
    let ends = path.match_indices('/').map(|(i, _)| path.split_at(i));
    let mut into = ends.filter(|(archive, _)| is_archive(archive));
    into.next().map(|(archive, rest)| (archive, &rest[1..]))
}

/// The path of the model file: for an archive the model file in it, at the place where MuJoCo looks for it too.
pub(crate) fn model_in(files: &Files, path: &str) -> Result<String, String> {
    if !is_archive(path) {
        return Ok(path.to_owned());
    }
    let stem = stem_of(path);
    let places = [
        "model.xml".to_owned(),
        format!("{stem}.xml"),
        format!("{stem}/{stem}.xml"),
        format!("{stem}/model.xml"),
    ];
    let archive = join(dir_of(path), name_of(path));
    let mut first = None;
    for place in &places {
        let path = format!("{archive}/{place}");
        match files.look(&path) {
            Ok(_) => return Ok(path),
            Err(why) => first = first.or(Some(why)),
        }
    }
    let places = places.join(", ");
    let why = first.unwrap_or_default();
    Err(format!(
        "archive {path:?} has no model; it is looked for at {places} ({why})"
    ))
}

/// A file in an archive, as its row of the directory describes it.
struct Entry {
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    /// Where its header starts.
    at: u64,
}

/// The size of a file in an archive, unpacked.
pub(crate) fn look(zip: &mut (impl Read + Seek), path: &str) -> Result<u64, String> {
    entry(zip, path).map(|e| e.size)
}

/// The bytes of a file in an archive, at most `max`.
pub(crate) fn read(zip: &mut (impl Read + Seek), path: &str, max: u64) -> Result<Vec<u8>, String> {
    let entry = entry(zip, path)?;
    let size = entry.size;
    if size > max {
        return Err(format!(
            "file {path:?} has {size} bytes, and no more than {max} are allowed"
        ));
    }
    let bad = |e: std::io::Error| format!("file {path:?} of the archive: {e}");
    zip.seek(SeekFrom::Start(entry.at)).map_err(bad)?;
    let mut header = [0; 30];
    zip.read_exact(&mut header).map_err(bad)?;
    let skip = i64::from(u16_at(&header, 26)) + i64::from(u16_at(&header, 28));
    zip.seek(SeekFrom::Current(skip)).map_err(bad)?;
    let packed = zip.take(entry.packed);
    let mut bytes = Vec::new();
    // one byte more than the given size shows that the size is wrong
    match entry.method {
        STORED => packed.take(size + 1).read_to_end(&mut bytes),
        _ => DeflateDecoder::new(packed)
            .take(size + 1)
            .read_to_end(&mut bytes),
    }
    .map_err(bad)?;
    let mut crc = Crc::new();
    crc.update(&bytes);
    if bytes.len() as u64 != size || crc.sum() != entry.crc {
        return Err(format!(
            "file {path:?} of the archive is damaged; pack it again"
        ));
    }
    Ok(bytes)
}

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
/// Signatures of the end of the directory, and of one of its rows.
const END: u32 = 0x0605_4b50;
const ROW: u32 = 0x0201_4b50;
/// Lengths of both without names and comments.
const END_LEN: usize = 22;
const ROW_LEN: usize = 46;

/// The directory's row of a file.
fn entry(zip: &mut (impl Read + Seek), path: &str) -> Result<Entry, String> {
    let directory = directory(zip)?;
    let mut rest = directory.as_slice();
    while rest.len() >= ROW_LEN && u32_at(rest, 0) == ROW {
        let [name, extra, comment] = [28, 30, 32].map(|i| usize::from(u16_at(rest, i)));
        let bytes = rest.get(ROW_LEN..ROW_LEN + name).unwrap_or_default();
        // folders have entries of their own
        let found =
            std::str::from_utf8(bytes).is_ok_and(|n| !n.ends_with('/') && tidy(n) == tidy(path));
        if found {
            return whole(rest, path);
        }
        rest = rest
            .get(ROW_LEN + name + extra + comment..)
            .unwrap_or_default();
    }
    Err(format!("there is no file {path:?} in the archive"))
}

/// A row of the directory, if it can be read.
fn whole(row: &[u8], path: &str) -> Result<Entry, String> {
    let [packed, size, at] = [20, 24, 42].map(|i| u32_at(row, i));
    let method = u16_at(row, 10);
    let refuse = |why: &str| {
        Err(format!(
            "file {path:?} of the archive {why}; pack it with deflate"
        ))
    };
    if u16_at(row, 8) & 1 != 0 {
        return refuse("is encrypted");
    }
    if [packed, size, at].contains(&u32::MAX) {
        return refuse("is larger than 4 GiB");
    }
    if method != STORED && method != DEFLATED {
        return refuse(&format!("is packed by method {method}"));
    }
    let [packed, size, at] = [packed, size, at].map(u64::from);
    let crc = u32_at(row, 16);
    Ok(Entry {
        method,
        crc,
        packed,
        size,
        at,
    })
}

/// The directory at the end of an archive.
fn directory(zip: &mut (impl Read + Seek)) -> Result<Vec<u8>, String> {
    let bad = |e: std::io::Error| format!("the archive: {e}");
    let size = zip.seek(SeekFrom::End(0)).map_err(bad)?;
    // a comment of up to 64 KiB may stand behind it
    let tail = size.min(END_LEN as u64 + 0xffff);
    zip.seek(SeekFrom::Start(size - tail)).map_err(bad)?;
    let mut bytes = vec![0; tail as usize];
    zip.read_exact(&mut bytes).map_err(bad)?;
    let end = bytes.windows(END_LEN).rposition(|w| u32_at(w, 0) == END);
    let Some(end) = end.and_then(|at| bytes.get(at..)) else {
        return Err("it is no zip archive, or its end is missing".into());
    };
    let [len, at] = [12, 16].map(|i| u64::from(u32_at(end, i)));
    if at + len > size {
        return Err("the directory of the archive does not lie in it".into());
    }
    zip.seek(SeekFrom::Start(at)).map_err(bad)?;
    let mut directory = vec![0; len as usize];
    zip.read_exact(&mut directory).map_err(bad)?;
    Ok(directory)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let bytes = bytes.get(at..at + 2).and_then(|b| b.try_into().ok());
    bytes.map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
    bytes.map_or(0, u32::from_le_bytes)
}
