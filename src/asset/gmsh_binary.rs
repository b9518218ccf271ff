//! The binary form of GMSH files, of little-endian machines.

use super::AssetError;
use super::gmsh::{Gmsh, NUMBERED, dim_of, ensure};

/// Reads a binary file of a version; whether its elements have nodes is not checked.
pub(super) fn read(bytes: &[u8], version: &str) -> Result<Gmsh, AssetError> {
    let mut raw = Raw { rest: bytes };
    match version {
        "4.1" => version41(&mut raw),
        "2.2" => version22(&mut raw),
        _ => {
            let msg = format!("GMSH files are of version 4.1 or 2.2, this one is of {version:?}");
            Err(AssetError::new(msg))
        }
    }
}

/// The bytes of a file that are not read yet.
struct Raw<'a> {
    rest: &'a [u8],
}

impl Raw<'_> {
    // goes to the line after a mark
    fn section(&mut self, mark: &str) -> Result<(), AssetError> {
        let line = format!("{mark}\n");
        let found = self
            .rest
            .windows(line.len())
            .position(|at| at == line.as_bytes());
        let after = found.and_then(|at| self.rest.get(at + line.len()..));
        let msg = || AssetError::new(format!("the GMSH file has no section {mark}"));
        self.rest = after.ok_or_else(msg)?;
        Ok(())
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], AssetError> {
        let (first, rest) = self
            .rest
            .split_first_chunk()
            .ok_or_else(|| AssetError::new("a section of the GMSH file is cut short"))?;
        self.rest = rest;
        Ok(*first)
    }

    fn int(&mut self) -> Result<i64, AssetError> {
        self.take().map(|b| i32::from_le_bytes(b).into())
    }

    fn long(&mut self) -> Result<i64, AssetError> {
        self.take().map(i64::from_le_bytes)
    }

    fn point(&mut self) -> Result<[f64; 3], AssetError> {
        let mut real = || self.take().map(f64::from_le_bytes);
        Ok([real()?, real()?, real()?])
    }

    // a number in a line of text
    fn line(&mut self) -> Result<i64, AssetError> {
        let bad = || AssetError::new("a section of the GMSH file begins without a number");
        let end = self.rest.iter().position(|b| *b == b'\n').ok_or_else(bad)?;
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        let text = std::str::from_utf8(line).map_err(|_| bad())?;
        text.trim().parse().map_err(|_| bad())
    }
}

// the number of a node, counted from 0
fn node(number: i64) -> i32 {
    i32::try_from(number.saturating_sub(1)).unwrap_or(-1)
}

fn version41(raw: &mut Raw) -> Result<Gmsh, AssetError> {
    raw.section("$Nodes")?;
    let (blocks, n, first, last) = (raw.long()?, raw.long()?, raw.long()?, raw.long()?);
    let msg = "the nodes of the GMSH file must be in one block";
    ensure(blocks == 1, msg)?;
    ensure(first == 1 && last == n, NUMBERED)?;
    let (of, _, parametric, num) = (raw.int()?, raw.int()?, raw.int()?, raw.long()?);
    let msg = "the nodes of the GMSH file must have three coordinates, and no parameters";
    ensure(parametric == 0 && num == n, msg)?;
    for i in 1..=n {
        ensure(raw.long()? == i, NUMBERED)?;
    }
    let point = (0..n).map(|_| raw.point()).collect::<Result<_, _>>()?;
    raw.section("$Elements")?;
    let (blocks, n, _, _) = (raw.long()?, raw.long()?, raw.long()?, raw.long()?);
    let (on, _, kind, num) = (raw.int()?, raw.int()?, raw.int()?, raw.long()?);
    let msg = "the elements of the GMSH file must be in one block";
    ensure(blocks == 1 && num == n, msg)?;
    let msg = "nodes and elements of the GMSH file belong to entities of different dimension";
    ensure(of == on, msg)?;
    let dim = dim_of(kind)?;
    let mut element = Vec::new();
    for _ in 0..n {
        raw.long()?;
        for _ in 0..=dim {
            element.push(node(raw.long()?));
        }
    }
    Ok(Gmsh {
        dim,
        point,
        element,
    })
}

fn version22(raw: &mut Raw) -> Result<Gmsh, AssetError> {
    raw.section("$Nodes")?;
    let mut point = Vec::new();
    for i in 1..=raw.line()? {
        ensure(raw.int()? == i, NUMBERED)?;
        point.push(raw.point()?);
    }
    raw.section("$Elements")?;
    let (mut element, mut found) = (Vec::new(), None);
    let mut left = raw.line()?;

    // each group of elements has a head
    while left > 0 {
        let (kind, num, tags) = (raw.int()?, raw.int()?, raw.int()?);
        let dim = dim_of(kind)?;
        let msg = "the elements of the GMSH file must be all triangles or all tetrahedra";
        ensure(*found.get_or_insert(dim) == dim, msg)?;
        let msg = "a group of elements of the GMSH file is empty, or has too many";
        ensure((1..=left).contains(&num), msg)?;
        left -= num;
        for _ in 0..num {
            for _ in 0..=tags {
                raw.int()?;
            }
            for _ in 0..=dim {
                element.push(node(raw.int()?));
            }
        }
    }
    match found {
        Some(dim) => Ok(Gmsh {
            dim,
            point,
            element,
        }),
        None => Err(AssetError::new("the GMSH file has no elements")),
    }
}
