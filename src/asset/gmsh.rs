//! GMSH files of versions 4.1 and 2.2: points, and the triangles or tetrahedra between them. The form in ASCII is read here.

use std::collections::HashMap;
use std::str::SplitAsciiWhitespace;

use super::{AssetError, MeshData, gmsh_binary};

/// Points, and elements of dim + 1 points each.
pub(crate) struct Gmsh {
    pub dim: usize,
    pub point: Vec<[f64; 3]>,
    pub element: Vec<i32>,
}

/// Whether a file is one of GMSH, by its first mark.
pub(crate) fn is_gmsh(bytes: &[u8]) -> bool {
    bytes.starts_with(b"$MeshFormat")
}

impl Gmsh {
    /// The file as a mesh: its triangles, or those around its tetrahedra.
    pub fn mesh(self) -> MeshData {
        let face = match self.dim {
            2 => self.element.as_chunks().0.to_vec(),
            _ => surface(self.element.as_chunks().0),
        };
        MeshData {
            vert: self.point.iter().map(|p| p.map(|x| x as f32)).collect(),
            face,
            ..MeshData::default()
        }
    }
}

// the faces that one tetrahedron alone has, in the order of the tetrahedra
fn surface(tetrahedra: &[[i32; 4]]) -> Vec<[i32; 3]> {
    let faces = |&[a, b, c, d]: &[i32; 4]| [[b, c, d], [a, d, c], [a, b, d], [a, c, b]];
    let key = |mut face: [i32; 3]| {
        face.sort_unstable();
        face
    };
    let all: Vec<[i32; 3]> = tetrahedra.iter().flat_map(faces).collect();
    let mut times = HashMap::new();
    for face in &all {
        *times.entry(key(*face)).or_insert(0) += 1;
    }
    let alone = |face: &[i32; 3]| times.get(&key(*face)) == Some(&1);
    all.into_iter().filter(alone).collect()
}

/// Reads a file: nodes and elements in one block each, as MuJoCo takes them, nodes numbered from 1 on.
///
/// Fails, with a message for the model's author, on missing sections and on text of another form.
pub(crate) fn read_gmsh(bytes: &[u8]) -> Result<Gmsh, AssetError> {
    let text = String::from_utf8_lossy(bytes);
    let mut format = section(&text, "MeshFormat")?;
    let version = format.next().unwrap_or_default();
    if format.next() != Some("0") {
        return gmsh_binary::read(bytes, version).and_then(rounded);
    }
    let (mut nodes, mut elements) = (section(&text, "Nodes")?, section(&text, "Elements")?);
    let (point, element, dim) = match version {
        "4.1" => {
            let (point, of) = nodes41(&mut nodes)?;
            let (element, dim, on) = elements41(&mut elements)?;
            let msg =
                "nodes and elements of the GMSH file belong to entities of different dimension";
            ensure(of == on, msg)?;
            (point, element, dim)
        }
        "2.2" => {
            let (element, dim) = elements22(&mut elements)?;
            (nodes22(&mut nodes)?, element, dim)
        }
        _ => {
            let msg = format!("GMSH files are of version 4.1 or 2.2, this one is of {version:?}");
            return Err(AssetError::new(msg));
        }
    };
    rounded(Gmsh {
        dim,
        point,
        element,
    })
}

// surfaces are kept in single precision; all elements must have nodes
fn rounded(read: Gmsh) -> Result<Gmsh, AssetError> {
    let Gmsh {
        dim,
        point,
        element,
    } = read;
    let single = |x: f64| if dim == 2 { f64::from(x as f32) } else { x };
    let finite = point.as_flattened().iter().all(|x| x.is_finite());
    ensure(finite, "a node of the GMSH file is not finite")?;
    let n = point.len();
    let inside = |i: &i32| usize::try_from(*i).is_ok_and(|i| i < n);
    ensure(
        element.iter().all(inside),
        "an element of the GMSH file has a node that does not exist",
    )?;
    Ok(Gmsh {
        dim,
        point: point.into_iter().map(|p| p.map(single)).collect(),
        element,
    })
}

type Words<'a> = SplitAsciiWhitespace<'a>;

pub(super) fn ensure(ok: bool, msg: &str) -> Result<(), AssetError> {
    match ok {
        true => Ok(()),
        false => Err(AssetError::new(msg)),
    }
}

// the words between the marks of a section
fn section<'a>(text: &'a str, name: &str) -> Result<Words<'a>, AssetError> {
    let inside = text.split_once(&format!("${name}"));
    let inside = inside.and_then(|(_, rest)| rest.split_once(&format!("$End{name}")));
    match inside {
        Some((inside, _)) => Ok(inside.split_ascii_whitespace()),
        None => Err(AssetError::new(format!(
            "the GMSH file has no section ${name}"
        ))),
    }
}

fn number<T: std::str::FromStr>(words: &mut Words) -> Result<T, AssetError> {
    let word = words
        .next()
        .ok_or_else(|| AssetError::new("a section of the GMSH file is cut short"))?;
    word.parse()
        .map_err(|_| AssetError::new(format!("the GMSH file has {word:?} in place of a number")))
}

fn place(words: &mut Words) -> Result<[f64; 3], AssetError> {
    Ok([number(words)?, number(words)?, number(words)?])
}

pub(super) const NUMBERED: &str = "the nodes of the GMSH file are not numbered 1, 2, 3 …";

// points, and the dimension of the entity that they belong to
fn nodes41(words: &mut Words) -> Result<(Vec<[f64; 3]>, i64), AssetError> {
    let [blocks, n, first, last] = [(); 4].map(|()| number::<i64>(words));
    let (blocks, n) = (blocks?, n?);
    ensure(
        blocks == 1,
        "the nodes of the GMSH file must be in one block",
    )?;
    ensure(first? == 1 && last? == n, NUMBERED)?;
    let [dim, _, parametric, num] = [(); 4].map(|()| number::<i64>(words));
    let msg = "the nodes of the GMSH file must have three coordinates, and no parameters";
    ensure(parametric? == 0 && num? == n, msg)?;
    for i in 1..=n {
        ensure(number::<i64>(words)? == i, NUMBERED)?;
    }
    let points = (0..n).map(|_| place(words)).collect::<Result<_, _>>()?;
    Ok((points, dim?))
}

// elements, dim, and the dimension of the entity that they belong to
fn elements41(words: &mut Words) -> Result<(Vec<i32>, usize, i64), AssetError> {
    let blocks = number::<i64>(words)?;
    let msg = "the elements of the GMSH file must be in one block";
    ensure(blocks == 1, msg)?;
    let [n, _, _] = [(); 3].map(|()| number::<i64>(words));
    let [of, _, kind, num] = [(); 4].map(|()| number::<i64>(words));
    let dim = dim_of(kind?)?;
    ensure(num? == n?, msg)?;
    let mut element = Vec::new();
    while let Some(_tag) = words.next() {
        for _ in 0..=dim {
            element.push(node(words)?);
        }
    }
    Ok((element, dim, of?))
}

fn nodes22(words: &mut Words) -> Result<Vec<[f64; 3]>, AssetError> {
    let n = number::<i64>(words)?;
    let one = |i: i64| {
        ensure(number::<i64>(words)? == i, NUMBERED)?;
        place(words)
    };
    (1..=n).map(one).collect()
}

fn elements22(words: &mut Words) -> Result<(Vec<i32>, usize), AssetError> {
    let n = number::<i64>(words)?;
    let (mut element, mut found) = (Vec::new(), None);
    for _ in 0..n {
        let _tag = number::<i64>(words)?;
        let dim = dim_of(number(words)?)?;
        let msg = "the elements of the GMSH file must be all triangles or all tetrahedra";
        ensure(*found.get_or_insert(dim) == dim, msg)?;
        for _ in 0..number::<i64>(words)? {
            let _tag = number::<i64>(words)?;
        }
        for _ in 0..=dim {
            element.push(node(words)?);
        }
    }
    match found {
        Some(dim) => Ok((element, dim)),
        None => Err(AssetError::new("the GMSH file has no elements")),
    }
}

/// The dim of elements of a type.
pub(super) fn dim_of(kind: i64) -> Result<usize, AssetError> {
    match kind {
        2 => Ok(2),
        4 => Ok(3),
        _ => Err(AssetError::new(format!(
            "the GMSH file has elements of type {kind}; only triangles (2) and tetrahedra (4) are read"
        ))),
    }
}

// the number of a node, counted from 0
fn node(words: &mut Words) -> Result<i32, AssetError> {
    Ok(number::<i32>(words)?.saturating_sub(1))
}
