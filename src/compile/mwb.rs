//! Compiled models in files, `.mwb`: the role of MuJoCo's `.mjb`, with our arrays.
//!
//! ```text
//! "mworlds\n" · version u32 · table u64 · payload bytes u64 · payload hash u64 · payload
//! payload:  sizes u64 · options f64 · statistics f64 · names · arrays in the order of the table, i32 or f64
//! ```
//!
//! Everything is little-endian. `table` is a hash over names, types and shapes of everything that a model holds: a file of
//! another table is refused, never misread.

use std::path::Path;

use crate::compile::pair::Pairs;
use crate::error::{Error, Result};
use crate::fields::{Arrays, FIELDS, Field, Model, Room, SIZES, View, ViewMut};
use crate::model::{Names, Opt, Statistic};

const MAGIC: &[u8; 8] = b"mworlds\n";
const VERSION: u32 = 3;
const HEADER: usize = 8 + 4 + 3 * 8;

impl Model {
    /// Writes the compiled model into a file that [`Model::load`] reads back, equal in every bit. Functions of your own ([`crate::user`]),
    /// textures and lights are left out.
    ///
    /// ```
    /// # let dir = std::env::temp_dir().join(format!("manyworlds-{}", std::process::id()));
    /// # std::fs::create_dir_all(&dir).unwrap();
    /// use manyworlds::Model;
    ///
    /// let model = Model::from_xml_path("models/humanoid.xml")?;
    /// model.save(dir.join("humanoid.mwb"))?;
    /// assert!(Model::load(dir.join("humanoid.mwb"))? == model);
    /// # std::fs::remove_dir_all(&dir).unwrap();
    /// # Ok::<(), manyworlds::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be written, and those of [`Model::to_bytes`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        std::fs::write(path, self.to_bytes()?).map_err(|source| Error::Io {
            path: path.display().to_string(),
            source,
        })
    }

    /// Reads a compiled model from a file of [`Model::save`], without its XML and assets.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read; [`Error::Input`] if it is not a compiled model, is damaged, cut short, or
    /// was written by a version with other arrays.
    pub fn load(path: impl AsRef<Path>) -> Result<Model> {
        let path = path.as_ref();
        let bytes = std::fs::read(path).map_err(|source| Error::Io {
            path: path.display().to_string(),
            source,
        })?;
        parse(&bytes)
            .map_err(|why| Error::Input(format!("{}: the compiled model {why}", path.display())))
    }

    /// The compiled model as bytes, the same for equal models. Functions of your own ([`crate::user`]), textures and lights are left
    /// out.
    ///
    /// # Errors
    /// [`Error::Input`] if an array of a model made by hand does not have the length that the sizes give.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        if self.users().pairs() != Pairs::default() {
            // its list of pairs is longer than that of the text alone
            let mut plain = self.clone();
            plain.unbind()?;
            return plain.to_bytes();
        }
        let mut payload = Vec::new();
        for (size, _) in SIZES {
            let value = self.size(size).unwrap_or_default() as u64;
            payload.extend(value.to_le_bytes());
        }
        put_options(&self.opt, &mut payload);
        put_reals(&statistics(&self.stat), &mut payload);
        put_names(&self.names, &mut payload);
        for field in arrays() {
            put_array(self, field, &mut payload)?;
        }

        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(table().to_le_bytes());
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend(hash(&payload).to_le_bytes());
        bytes.extend(payload);
        Ok(bytes)
    }

    /// A compiled model from the bytes of [`Model::to_bytes`].
    ///
    /// # Errors
    /// [`Error::Input`] as [`Model::load`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Model> {
        parse(bytes).map_err(|why| Error::Input(format!("the compiled model {why}")))
    }
}

/// Why bytes are not a model.
type Parsed<T> = std::result::Result<T, String>;

fn parse(bytes: &[u8]) -> Parsed<Model> {
    if !bytes.starts_with(MAGIC) {
        return Err("has no header: it is not a compiled model (.mwb)".to_owned());
    }
    let mut header = Reader(&bytes[MAGIC.len()..]);
    let version = header.u32()?;
    if version != VERSION {
        return Err(format!(
            "has format version {version}, and this program reads version {VERSION}; compile the model again"
        ));
    }
    if header.u64()? != table() {
        return Err(
            "was compiled by another version, with other arrays; compile the model again"
                .to_owned(),
        );
    }
    let (need, sum) = (header.u64()?, header.u64()?);
    let payload = header.0;
    if payload.len() as u64 != need {
        let have = payload.len();
        return Err(format!(
            "has {have} bytes after its header, which announces {need}; copy or compile it again"
        ));
    }
    if hash(payload) != sum {
        return Err("is damaged: its hash differs; copy or compile it again".to_owned());
    }
    model(Reader(payload))
}

fn model(mut bytes: Reader) -> Parsed<Model> {
    let mut m = Arrays::default();
    for (size, _) in SIZES {
        let value = usize::try_from(bytes.u64()?).map_err(|_| too_long())?;
        m.set_size(size, value);
    }
    for (name, _) in Opt::NAMES {
        let n = bytes.u32()? as usize;
        let values = bytes.reals(n)?;
        if !m.opt.set(name, &values) {
            return Err(format!("has {n} numbers for the option {name}"));
        }
    }
    let stat = bytes.reals(7)?;
    m.stat = Statistic {
        meaninertia: stat[0],
        meanmass: stat[1],
        meansize: stat[2],
        extent: stat[3],
        center: [stat[4], stat[5], stat[6]],
    };
    m.names = bytes.names()?;

    // nothing is allocated that the bytes do not fill
    let mut need = 0_usize;
    for field in arrays() {
        let array = field
            .checked_words(&m)
            .and_then(|n| n.checked_mul(word(&m, field)));
        need = array
            .and_then(|n| need.checked_add(n))
            .ok_or_else(too_long)?;
    }
    if need != bytes.0.len() {
        let have = bytes.0.len();
        return Err(format!(
            "has {have} bytes of arrays, and its sizes need {need}"
        ));
    }
    m.allocate();
    for field in arrays() {
        match m.view_mut(field.row) {
            Some(ViewMut::Int(array)) => {
                for x in array {
                    *x = i32::from_le_bytes(bytes.array()?);
                }
            }
            Some(ViewMut::Real(array)) => {
                for x in array {
                    *x = f64::from_le_bytes(bytes.array()?);
                }
            }
            None => return Err(format!("has no array {}", field.name)),
        }
    }
    super::check::strictly(&m).map_err(|e| format!("is damaged: {e}; compile it again"))?;
    Ok(Model::unchecked(m))
}

fn too_long() -> String {
    "has sizes that no memory can hold".to_owned()
}

fn arrays() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| field.room == Room::Model)
}

/// Bytes of one number of an array.
fn word(m: &Arrays, field: &Field) -> usize {
    match m.view(field.row) {
        Some(View::Int(_)) => 4,
        _ => 8,
    }
}

fn put_array(m: &Arrays, field: &Field, out: &mut Vec<u8>) -> Result<()> {
    let have = match m.view(field.row) {
        Some(View::Int(array)) => {
            out.extend(array.iter().flat_map(|x| x.to_le_bytes()));
            array.len()
        }
        Some(View::Real(array)) => {
            put_reals(array, out);
            array.len()
        }
        None => 0,
    };
    match field.checked_words(m) == Some(have) {
        true => Ok(()),
        false => Err(Error::Input(format!(
            "{} has {have} numbers, which does not fit the sizes {:?} of the model",
            field.name, field.dims
        ))),
    }
}

fn put_reals(values: &[f64], out: &mut Vec<u8>) {
    out.extend(values.iter().flat_map(|x| x.to_le_bytes()));
}

fn put_options(opt: &Opt, out: &mut Vec<u8>) {
    for (name, _) in Opt::NAMES {
        let values = opt.get(name).unwrap_or_default();
        out.extend((values.len() as u32).to_le_bytes());
        put_reals(&values, out);
    }
}

fn statistics(stat: &Statistic) -> [f64; 7] {
    let Statistic {
        meaninertia,
        meanmass,
        meansize,
        extent,
        center: [x, y, z],
    } = *stat;
    [meaninertia, meanmass, meansize, extent, x, y, z]
}

// a text: the number of its bytes as u32, then the bytes
fn put_text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

// a list: its length as u32, then the texts; `text` keeps name and text in turn
fn put_names(names: &Names, out: &mut Vec<u8>) {
    put_text(&names.model, out);
    for list in Names::LISTS.iter().filter_map(|(list, _)| names.list(list)) {
        out.extend((list.len() as u32).to_le_bytes());
        list.iter().for_each(|name| put_text(name, out));
    }
    for list in [&names.text, &names.place] {
        out.extend((list.len() as u32).to_le_bytes());
        for (name, text) in list {
            put_text(name, out);
            put_text(text, out);
        }
    }
}

/// Bytes that are not read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Parsed<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(n).ok_or("is cut short")?;
        self.0 = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Parsed<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk().ok_or("is cut short")?;
        self.0 = rest;
        Ok(*head)
    }

    fn u32(&mut self) -> Parsed<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Parsed<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn reals(&mut self, n: usize) -> Parsed<Vec<f64>> {
        let bytes = self.take(n.checked_mul(8).ok_or_else(too_long)?)?;
        let (chunks, _) = bytes.as_chunks();
        Ok(chunks.iter().map(|x| f64::from_le_bytes(*x)).collect())
    }

    fn text(&mut self) -> Parsed<String> {
        let n = self.u32()? as usize;
        let text = String::from_utf8(self.take(n)?.to_vec());
        text.map_err(|_| "has a name that is not UTF-8".to_owned())
    }

    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let n = self.u32()?;
        (0..n).map(|_| item(self)).collect()
    }

    fn names(&mut self) -> Parsed<Names> {
        let mut names = Names {
            model: self.text()?,
            ..Names::default()
        };
        for (list, _) in Names::LISTS {
            if let Some(to) = names.list_mut(list) {
                *to = self.list(Self::text)?;
            }
        }
        for list in [&mut names.text, &mut names.place] {
            *list = self.list(|r| Ok((r.text()?, r.text()?)))?;
        }
        Ok(names)
    }
}

/// Hash over everything that gives the bytes their meaning.
fn table() -> u64 {
    let mut text = String::new();
    for (size, _) in SIZES {
        text += &format!("{size};");
    }
    for ((name, _), ty) in Opt::NAMES.iter().zip(Opt::TYPES) {
        text += &format!("{name}:{ty};");
    }
    for field in arrays() {
        text += &format!("{}:{:?}{:?};", field.name, field.elem, field.dims);
    }
    hash(text.as_bytes())
}

/// FNV-1a over words of 8 bytes, the last filled up with zeros, mixed so that every bit reaches the top.
fn hash(bytes: &[u8]) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    for chunk in chunks.iter().chain([&last]) {
        h = (h ^ u64::from_le_bytes(*chunk)).wrapping_mul(0x0000_0100_0000_01b3);
        h ^= h >> 29;
    }
    h
}
