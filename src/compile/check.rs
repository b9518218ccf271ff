//! Validates arrays as a model: indices are in range, numbers are not NaN, related arrays agree. A model that was edited, read
//! from a file or put together by hand is checked here before any stage reads it.
//!
//! Most ranges are in the table ([`crate::fields::Field::within`]); conditions on several arrays are checked by topic.

mod assets;
mod derived;
mod flexes;
mod objects;
mod options;
mod plugins;
mod rods;
mod sensors;
mod tree;

use super::changed::Changed;
use crate::error::{Error, Result};
use crate::fields::{Arrays, FIELDS, Field, Room, View};
use crate::model::Names;
use crate::rowset::RowSet;

/// Checks all arrays. Pairs and patterns must only lie within their bounds here; [`strictly`] asks for more.
pub(super) fn check(m: &Arrays) -> Result<()> {
    given(m)?;
    room(m)?;
    derived::check(m)
}

/// Checks the arrays that are not derived from others.
pub(super) fn given(m: &Arrays) -> Result<()> {
    lengths(m)?;
    numbers(m)?;
    names(m)?;
    options::check(m)?;
    tree::check(m)?;
    assets::check(m)?;
    flexes::check(m)?;
    objects::check(m)?;
    plugins::check(m)?;
    sensors::check(m)
}

/// Checks numbers that changed in a valid model, by the conditions of [`given`].
pub(super) fn changed(m: &Arrays, changed: &Changed) -> Result<()> {
    reals(m, changed.rows)?;
    if changed.options {
        options::check(m)?;
    }
    let mut topics = OF_NUMBERS.iter();
    topics.try_for_each(|(of, look)| match changed.rows.meets(of) {
        true => look(m),
        false => Ok(()),
    })
}

/// A check of a part of a model.
type Look = fn(&Arrays) -> Result<()>;

/// Checks of numbers, in the order of [`given`], each with the arrays that it reads.
static OF_NUMBERS: [(RowSet, Look); 6] = [
    (tree::OF_INERTIA, tree::simple),
    (assets::OF_SIZES, assets::sizes),
    (rods::OF_BENDING, rods::all),
    (objects::OF_FRICTION, objects::friction),
    (objects::OF_PATHS, objects::tendons),
    (objects::OF_ACTUATORS, objects::parameters),
];

/// [`check`], and that derived arrays equal those that the compiler derives.
pub(super) fn strictly(m: &Arrays) -> Result<()> {
    check(m)?;
    derived::as_compiled(m)
}

/// The error about one number of an array.
fn bad(name: &str, i: usize, why: impl std::fmt::Display) -> Error {
    Error::Input(format!("{name}[{i}] {why}"))
}

/// Fails with a number of an array unless `ok`.
fn ensure(ok: bool, name: &str, i: usize, why: impl std::fmt::Display) -> Result<()> {
    match ok {
        true => Ok(()),
        false => Err(bad(name, i, why)),
    }
}

fn arrays() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| field.room == Room::Model)
}

fn lengths(m: &Arrays) -> Result<()> {
    for field in arrays() {
        let have = match m.view(field.row) {
            Some(View::Int(x)) => x.len(),
            Some(View::Real(x)) => x.len(),
            None => 0,
        };
        if field.checked_words(m) != Some(have) {
            return Err(Error::Input(format!(
                "{} has {have} numbers, which does not fit the sizes {:?} of the model",
                field.name, field.dims
            )));
        }
    }
    Ok(())
}

/// Checks that sizes counted in 32-bit words fit into 32 bits.
pub(super) fn room(m: &Arrays) -> Result<()> {
    let of_world = FIELDS.iter().filter(|field| field.room != Room::Model);
    let mut need = 0_u64;
    for field in of_world {
        let words = field.checked_words(m).map_or(u64::MAX, |n| n as u64);
        need = need.saturating_add(words);
    }
    let have = u64::from(u32::MAX);
    if need <= have {
        return Ok(());
    }
    let (nconmax, njmax) = (m.nconmax, m.njmax);
    let what = format!(
        "32-bit words of one world with room for nconmax = {nconmax} contacts and njmax = {njmax} rows"
    );
    Err(Error::Size { what, need, have })
}

/// No real is NaN, and integers lie where the table says.
pub(super) fn numbers(m: &Arrays) -> Result<()> {
    for field in arrays() {
        match (m.view(field.row), field.within) {
            (Some(View::Int(x)), Some((least, end))) => {
                let most = m.size(end).unwrap_or(0);
                let inside = |x: &i32| *x >= least && i64::from(*x) < most as i64;
                if let Some(i) = x.iter().position(|x| !inside(x)) {
                    let why = format!(
                        "is {}, and must be at least {least} and below {end} = {most}",
                        x[i]
                    );
                    return Err(bad(field.name, i, why));
                }
            }
            (Some(View::Real(x)), _) => real(field, x)?,
            _ => {}
        }
    }
    Ok(())
}

/// No real of some arrays is NaN.
pub(super) fn reals(m: &Arrays, rows: RowSet) -> Result<()> {
    rows.fields().try_for_each(|field| match m.view(field.row) {
        Some(View::Real(x)) => real(field, x),
        _ => Ok(()),
    })
}

fn real(field: &Field, x: &[f64]) -> Result<()> {
    // without an early exit, which would prevent the compiler from vectorizing the loop
    let any = x.iter().fold(false, |any, x| any | x.is_nan());
    let first = any.then(|| x.iter().position(|x| x.is_nan())).flatten();
    first.map_or(Ok(()), |i| Err(bad(field.name, i, "is not a number")))
}

// every element has a name, perhaps an empty one, or none has
fn names(m: &Arrays) -> Result<()> {
    for (what, size) in Names::LISTS {
        let list = m.names.list(what).unwrap_or_default();
        let n = m.size(size).unwrap_or(0);
        if !list.is_empty() && list.len() != n {
            let have = list.len();
            return Err(Error::Input(format!(
                "names.{what} has {have} names for {n} elements"
            )));
        }
    }
    Ok(())
}

/// A run of a list from an address on: it lies within the list.
fn span(names: [&str; 2], i: usize, adr: i32, num: i32, len: usize) -> Result<()> {
    ensure(
        num >= 0,
        names[1],
        i,
        format_args!("is {num}, and must not be negative"),
    )?;
    let end = i64::from(adr) + i64::from(num);
    let why = format_args!("is {adr}: {num} entries from there do not lie within {len}");
    ensure(
        num == 0 || (adr >= 0 && end <= len as i64),
        names[0],
        i,
        why,
    )
}

/// Runs of a list: they lie within it.
fn spans(names: [&str; 2], adr: &[i32], num: &[i32], len: usize) -> Result<()> {
    let mut runs = adr.iter().zip(num).enumerate();
    runs.try_for_each(|(i, (&adr, &num))| span(names, i, adr, num, len))
}

/// Runs that follow each other, and fill a list.
fn runs(names: [&str; 2], adr: &[i32], num: &[i32], len: usize) -> Result<()> {
    let mut next = 0_i64;
    for (i, (&adr, &num)) in adr.iter().zip(num).enumerate() {
        ensure(
            num >= 0,
            names[1],
            i,
            format_args!("is {num}, and must not be negative"),
        )?;
        // an empty run may have the address -1
        let ok = i64::from(adr) == next || (num == 0 && adr == -1);
        ensure(
            ok,
            names[0],
            i,
            format_args!("is {adr}, where {next} follows"),
        )?;
        next += i64::from(num);
    }
    let why = format_args!("and those before it count {next}, not {len}");
    ensure(
        next == len as i64,
        names[1],
        num.len().saturating_sub(1),
        why,
    )
}

/// An id within a list.
fn id(name: &str, i: usize, id: i32, least: i32, len: usize) -> Result<usize> {
    let ok = id >= least && i64::from(id) < len as i64;
    ensure(
        ok,
        name,
        i,
        format_args!("is {id}, and must be at least {least} and below {len}"),
    )?;
    Ok(usize::try_from(id).unwrap_or(usize::MAX))
}
