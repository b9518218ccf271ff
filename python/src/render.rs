//! Pictures for Python.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::batch::Batch;
use crate::error::raised;
use crate::model::Model;
use manyworlds::picture::{self, Options, Overlay, Sight};

/// Draws the worlds of batches of one model.
#[pyclass(module = "manyworlds._core")]
pub struct Renderer {
    inner: picture::Renderer,
}

#[pymethods]
impl Renderer {
    #[new]
    #[pyo3(signature = (model, nsim, worlds, size, camera, spacing, groups, sites, overlays))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are given by name, in Python"
    )]
    fn new(
        py: Python<'_>,
        model: &Model,
        nsim: usize,
        worlds: usize,
        size: [u32; 2],
        camera: Option<&Bound<'_, PyAny>>,
        spacing: Option<f64>,
        groups: Vec<i32>,
        sites: bool,
        overlays: Vec<String>,
    ) -> PyResult<Self> {
        let overlays = overlays.iter().map(|word| word.parse::<Overlay>());
        let overlays: Result<Vec<Overlay>, String> = overlays.collect();
        let options = Options::default()
            .size(size)
            .worlds(worlds)
            .spacing(spacing)
            .sight(camera.map_or_else(|| Ok(Sight::default()), sight)?)
            .groups(groups)
            .sites(sites)
            .overlays(overlays.map_err(PyValueError::new_err)?);
        let inner = py.detach(|| picture::Renderer::new(&model.inner, nsim, &options));
        Ok(Self {
            inner: inner.map_err(raised)?,
        })
    }

    /// A picture of the worlds in their current poses, (height, width, 3) bytes.
    fn draw<'py>(&mut self, py: Python<'py>, batch: &mut Batch) -> PyResult<Bound<'py, PyAny>> {
        let (renderer, batch) = (&mut self.inner, batch.worlds());
        let picture = py.detach(|| renderer.draw(batch)).map_err(raised)?;
        let (pixels, _) = picture.rgba.as_chunks::<4>();
        let rgb: Vec<u8> = pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect();
        let shape = [picture.height as usize, picture.width as usize, 3];
        Ok(PyArray1::from_vec(py, rgb).reshape(shape)?.into_any())
    }
}

// the name or number of a camera, or (azimuth, elevation[, distance])
fn sight(camera: &Bound<'_, PyAny>) -> PyResult<Sight> {
    if let Ok(name) = camera.extract::<String>() {
        return Ok(Sight::Named(name));
    }
    if let Ok(number) = camera.extract::<usize>() {
        return Ok(Sight::Named(number.to_string()));
    }
    let numbers = camera.extract::<Vec<f64>>();
    numbers.ok().as_deref().and_then(Sight::around).ok_or_else(|| {
        PyTypeError::new_err(
            "camera is a name, a number, or (azimuth, elevation[, distance]) in degrees and metres",
        )
    })
}
