//! Numpy arrays of a batch: one row per world, in the precision of the backend.

use manyworlds::batch::{In, Out};
use manyworlds::fields::{Elem, Field, View};
use numpy::{
    Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn,
    ToPyArray,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

/// Alignment of arrays (bytes), which JAX needs to share their memory.
const ALIGN: usize = 64;

/// A numpy array.
#[derive(Debug)]
pub enum Array {
    /// Reals of `simd` and `gpu`.
    F32(Py<PyArrayDyn<f32>>),
    /// Reals of `cpu`.
    F64(Py<PyArrayDyn<f64>>),
    /// Integers.
    I32(Py<PyArrayDyn<i32>>),
}

impl Array {
    /// Zeros for a field of all worlds.
    pub fn zeros(py: Python<'_>, shape: &[usize], elem: Elem, single: bool) -> PyResult<Self> {
        Ok(match (elem, single) {
            (Elem::Int, _) => Self::I32(aligned(py, shape)?),
            (_, true) => Self::F32(aligned(py, shape)?),
            (_, false) => Self::F64(aligned(py, shape)?),
        })
    }

    /// An array of numbers from the caller; their precision must be the batch's.
    pub fn given(values: &Bound<'_, PyAny>, elem: Elem, single: bool) -> PyResult<Self> {
        let (array, dtype) = match (elem, single) {
            (Elem::Int, _) => (taken(values).map(Self::I32), "int32"),
            (_, true) => (taken(values).map(Self::F32), "float32"),
            (_, false) => (taken(values).map(Self::F64), "float64"),
        };
        array.ok_or_else(|| {
            let have = match values.getattr("dtype") {
                Ok(dtype) => dtype.to_string(),
                Err(_) => values.get_type().to_string(),
            };
            PyTypeError::new_err(format!("an array of {dtype} is needed, {have} was given: numbers are not converted silently"))
        })
    }

    /// The Python object.
    pub fn object(&self, py: Python<'_>) -> Py<PyAny> {
        match self {
            Self::F32(x) => x.clone_ref(py).into_any(),
            Self::F64(x) => x.clone_ref(py).into_any(),
            Self::I32(x) => x.clone_ref(py).into_any(),
        }
    }

    /// Borrows the array for reading.
    pub fn read<'py>(&self, py: Python<'py>) -> PyResult<Reading<'py>> {
        Ok(match self {
            Self::F32(x) => Reading::F32(x.bind(py).try_readonly()?),
            Self::F64(x) => Reading::F64(x.bind(py).try_readonly()?),
            Self::I32(x) => Reading::I32(x.bind(py).try_readonly()?),
        })
    }

    /// Borrows the array for writing.
    pub fn fill<'py>(&self, py: Python<'py>) -> PyResult<Filling<'py>> {
        Ok(match self {
            Self::F32(x) => Filling::F32(x.bind(py).try_readwrite()?),
            Self::F64(x) => Filling::F64(x.bind(py).try_readwrite()?),
            Self::I32(x) => Filling::I32(x.bind(py).try_readwrite()?),
        })
    }
}

// zeros that begin at a multiple of ALIGN bytes: a part of a longer array
fn aligned<T: Element>(py: Python<'_>, shape: &[usize]) -> PyResult<Py<PyArrayDyn<T>>> {
    let count: usize = shape.iter().product();
    let whole = PyArray1::<T>::zeros(py, count + ALIGN / size_of::<T>(), false);
    let first = whole.data().align_offset(ALIGN);
    let part = whole.get_item(PySlice::new(
        py,
        first.cast_signed(),
        (first + count).cast_signed(),
        1,
    ))?;
    let array = part.call_method1("reshape", (PyTuple::new(py, shape)?,))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?.unbind())
}

fn taken<T: Element>(values: &Bound<'_, PyAny>) -> Option<Py<PyArrayDyn<T>>> {
    let array = values.cast::<PyArrayDyn<T>>().ok()?;
    Some(array.clone().unbind())
}

/// An array borrowed for reading.
#[derive(Debug)]
pub enum Reading<'py> {
    /// Reals of `simd` and `gpu`.
    F32(PyReadonlyArrayDyn<'py, f32>),
    /// Reals of `cpu`.
    F64(PyReadonlyArrayDyn<'py, f64>),
    /// Integers.
    I32(PyReadonlyArrayDyn<'py, i32>),
}

impl Reading<'_> {
    /// Its numbers; an error if they are not contiguous.
    pub fn numbers(&self) -> PyResult<In<'_>> {
        Ok(match self {
            Self::F32(x) => In::F32(x.as_slice()?),
            Self::F64(x) => In::F64(x.as_slice()?),
            Self::I32(x) => In::I32(x.as_slice()?),
        })
    }
}

/// An array borrowed for writing.
#[derive(Debug)]
pub enum Filling<'py> {
    /// Reals of `simd` and `gpu`.
    F32(PyReadwriteArrayDyn<'py, f32>),
    /// Reals of `cpu`.
    F64(PyReadwriteArrayDyn<'py, f64>),
    /// Integers.
    I32(PyReadwriteArrayDyn<'py, i32>),
}

impl Filling<'_> {
    /// Its memory, to be filled with numbers.
    pub fn room(&mut self) -> PyResult<Out<'_>> {
        Ok(match self {
            Self::F32(x) => Out::F32(x.as_slice_mut()?),
            Self::F64(x) => Out::F64(x.as_slice_mut()?),
            Self::I32(x) => Out::I32(x.as_slice_mut()?),
        })
    }
}

/// A copy of an array of a model.
pub fn copy<'py>(
    py: Python<'py>,
    view: View<'_>,
    shape: Vec<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let flat = match view {
        View::Int(x) => x.to_pyarray(py).into_any(),
        View::Real(x) => x.to_pyarray(py).into_any(),
    };
    flat.call_method1("reshape", (shape,))
}

/// Numbers of an array of any type and shape, in row-major order.
pub fn flat(values: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let numpy = values.py().import("numpy")?;
    let array = numpy
        .call_method1("asarray", (values, "float64"))?
        .call_method0("ravel")?;
    let array = array.cast::<PyArray1<f64>>()?;
    Ok(array.to_vec()?)
}

/// The shape of a field of one world or of a model; empty for scalars.
pub fn shape(m: &manyworlds::Model, field: &Field) -> Vec<usize> {
    let mut shape: Vec<usize> = match field.dims {
        ["1"] => Vec::new(),
        dims => dims.iter().map(|dim| m.size(dim).unwrap_or(0)).collect(),
    };
    if field.elem.width() > 1 {
        shape.push(field.elem.width());
    }
    shape
}
