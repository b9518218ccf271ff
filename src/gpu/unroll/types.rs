//! Types as sequences of scalars.

use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner};

use super::Why;
use super::graph::Kind;

/// The kind of a naga scalar type.
pub fn kind(scalar: Scalar) -> Result<Kind, Why> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Sint, 4) => Ok(Kind::Int),
        (ScalarKind::Uint, 4) => Ok(Kind::Uint),
        (ScalarKind::Float, 4) => Ok(Kind::Real),
        (ScalarKind::Bool, _) => Ok(Kind::Bool),
        _ => Err(Why::Foreign("a scalar of another width")),
    }
}

/// The kinds of a type's scalars, in order.
pub fn kinds(module: &Module, inner: &TypeInner) -> Result<Vec<Kind>, Why> {
    let of = |ty: Handle<Type>| kinds(module, &module.types[ty].inner);
    Ok(match *inner {
        TypeInner::Scalar(scalar) => vec![kind(scalar)?],
        TypeInner::Vector { size, scalar } => vec![kind(scalar)?; size as usize],
        TypeInner::Matrix {
            columns,
            rows,
            scalar,
        } => vec![kind(scalar)?; columns as usize * rows as usize],
        TypeInner::Array {
            base,
            size: ArraySize::Constant(n),
            ..
        } => of(base)?.repeat(n.get() as usize),
        TypeInner::Struct { ref members, .. } => {
            let mut all = Vec::new();
            for member in members {
                all.extend(of(member.ty)?);
            }
            all
        }
        _ => return Err(Why::Foreign("a type without a size")),
    })
}

/// First scalar and number of scalars of a part of a type. For a pointer, those of its target type.
pub fn part(module: &Module, inner: &TypeInner, index: usize) -> Result<(usize, usize), Why> {
    let size = |ty: Handle<Type>| kinds(module, &module.types[ty].inner).map(|k| k.len());
    Ok(match *inner {
        TypeInner::Vector { .. } => (index, 1),
        TypeInner::ValuePointer { size: Some(_), .. } => (index, 1),
        TypeInner::Matrix { rows, .. } => (index * rows as usize, rows as usize),
        TypeInner::Array { base, .. } => {
            let n = size(base)?;
            (index * n, n)
        }
        TypeInner::Struct { ref members, .. } => {
            let mut first = 0;
            for member in &members[..index] {
                first += size(member.ty)?;
            }
            (first, size(members[index].ty)?)
        }
        TypeInner::Pointer { base, .. } => {
            return part(module, &module.types[base].inner, index);
        }
        _ => return Err(Why::Foreign("a part of something without parts")),
    })
}
