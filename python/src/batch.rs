//! Batches for Python.

use manyworlds::batch::{Backend, In, Look, Overflow, Settings, Skip, State, To};
use manyworlds::fields::{Field, Room, View, field};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::time::Instant;

use crate::array::{Array, shape};
use crate::error::{FieldError, raised};
use crate::functions::Calls;
use crate::model::Model;

/// Longest time between two checks of the interpreter for signals (s).
const PATIENCE: f64 = 0.1;

/// A saved state of all worlds.
#[pyclass(frozen, module = "manyworlds._core")]
#[derive(Debug)]
pub struct Saved(State);

// a live array: every call fills it; if it is an input, every call first writes it into the worlds
#[derive(Debug)]
struct Live {
    field: &'static Field,
    input: bool,
    array: Array,
    // it was just replaced by a larger one and holds zeros
    anew: bool,
}

/// Many worlds of one model.
#[pyclass(module = "manyworlds._core")]
#[derive(Debug)]
pub struct Batch {
    pub(crate) batch: manyworlds::Batch,
    live: Vec<Live>,
    // errors and interruptions of the calls of Python functions, if the model has any
    calls: Option<Arc<Calls>>,
    // duration of a step at its last measurement (s)
    pace: f64,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (model, nsim, backend, overflow, threads, nconmax, njmax, adapter, rne_post, solver_stat))]
    #[expect(
        clippy::too_many_arguments,
        reason = "they are given by name, in Python"
    )]
    fn new(
        py: Python<'_>,
        model: &Model,
        nsim: usize,
        backend: &str,
        overflow: &str,
        threads: Option<usize>,
        nconmax: Option<usize>,
        njmax: Option<usize>,
        adapter: Option<String>,
        rne_post: bool,
        solver_stat: bool,
    ) -> PyResult<Self> {
        let settings = Settings::default()
            .backend(match backend {
                "auto" => Backend::Auto,
                "cpu" => Backend::Cpu,
                "simd" => Backend::Simd,
                "gpu" => Backend::Gpu,
                other => return Err(unknown("backend", other, "auto, cpu, simd, gpu")),
            })
            .overflow(match overflow {
                "grow" => Overflow::Grow,
                "error" => Overflow::Error,
                "continue" => Overflow::Continue,
                other => return Err(unknown("overflow", other, "grow, error, continue")),
            })
            .threads(threads)
            .nconmax(nconmax)
            .njmax(njmax)
            .adapter(adapter)
            .rne_post(rne_post)
            .solver_stat(solver_stat);
        let calls = (!model.functions.is_empty()).then(Arc::<Calls>::default);
        let bound = calls.as_ref().map(|calls| {
            let mut inner = model.inner.clone();
            model.functions.bind(py, &mut inner, calls)?;
            PyResult::Ok(inner)
        });
        let bound = bound.transpose()?;
        let inner = bound.as_ref().unwrap_or(&model.inner);
        let make = || manyworlds::Batch::with(inner, nsim, settings);
        let mut batch = watched(py, calls.as_deref(), make)?;
        // queries are of the current state, as in mujoco.batch
        batch.look(Look::State);
        Ok(Self {
            batch,
            live: Vec::new(),
            calls,
            pace: f64::INFINITY,
        })
    }

    /// Number of worlds.
    #[getter]
    fn nsim(&self) -> usize {
        self.batch.nworld()
    }

    /// The backend: `cpu`, `simd` or `gpu`.
    #[getter]
    fn backend(&self) -> &'static str {
        match self.batch.backend() {
            Backend::Cpu => "cpu",
            Backend::Simd => "simd",
            _ => "gpu",
        }
    }

    /// True if reals are of single precision.
    #[getter]
    fn single(&self) -> bool {
        self.batch.backend() != Backend::Cpu
    }

    /// The backend and its device, in one line.
    #[getter]
    fn device(&self) -> String {
        self.batch.device()
    }

    /// Capacity of a world for contacts and rows.
    #[getter]
    fn room(&self) -> (usize, usize) {
        let m = self.batch.model();
        (m.nconmax, m.njmax)
    }

    /// A live array of all worlds, (nsim, …), filled by every call. If the field is an input, the next call writes the array's contents
    /// into the worlds.
    fn bind(&mut self, py: Python<'_>, name: &str) -> PyResult<(Py<PyAny>, bool)> {
        if let Some(live) = self.live.iter().find(|live| live.field.name == name) {
            return Ok((live.array.object(py), live.input));
        }
        let field = of_world(name)?;
        let array = self.zeros(py, field)?;
        // accelerations are an input of inverse dynamics only, so a bound array of them is not written into the worlds
        let input = manyworlds::Batch::is_input(name) && name != "qacc";
        self.fill(py, field, &array)?;
        let object = array.object(py);
        self.live.push(Live {
            field,
            input,
            array,
            anew: false,
        });
        Ok((object, input))
    }

    /// Steps all worlds.
    fn step(&mut self, py: Python<'_>, nstep: usize) -> PyResult<()> {
        let done = self.steps(py, nstep);
        self.take(py, None)?;
        done
    }

    /// Computes everything that depends on the state, of the worlds of a mask; live arrays of the others keep their contents.
    #[pyo3(signature = (mask))]
    fn forward(
        &mut self,
        py: Python<'_>,
        mask: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let Some(mask) = chosen(mask)? else {
            return self.compute(py, manyworlds::Batch::forward);
        };
        self.give(py)?;
        let done = self.run(py, |batch| batch.forward_where(&mask));
        self.take(py, Some(&mask))?;
        done
    }

    /// Forward dynamics without the stages whose results are known, and without sensors unless `sensors` is true.
    fn forward_skip(&mut self, py: Python<'_>, skip: i32, sensors: bool) -> PyResult<()> {
        let skip = stage(skip)?;
        self.compute(py, move |batch| batch.forward_skip(skip, sensors))
    }

    /// Inverse dynamics without the stages whose results are known, and without sensors unless `sensors` is true.
    fn inverse_skip(&mut self, py: Python<'_>, skip: i32, sensors: bool) -> PyResult<()> {
        let skip = stage(skip)?;
        self.compute(py, move |batch| batch.inverse_skip(skip, sensors))
    }

    /// Inverse dynamics: the generalized force that produces the acceleration.
    fn inverse(&mut self, py: Python<'_>) -> PyResult<()> {
        self.compute(py, manyworlds::Batch::inverse)
    }

    /// Resets worlds to the model's initial state or to a keyframe.
    #[pyo3(signature = (mask, keyframe))]
    fn reset(
        &mut self,
        py: Python<'_>,
        mask: Option<PyReadonlyArray1<'_, bool>>,
        keyframe: Option<usize>,
    ) -> PyResult<()> {
        self.give(py)?;
        let to = keyframe.map_or(To::Qpos0, To::Key);
        let mask = chosen(mask)?;
        self.run(py, |batch| match &mask {
            None => batch.reset(to),
            Some(mask) => batch.reset_where(mask, to),
        })?;
        self.take(py, mask.as_deref())
    }

    /// A new array of a field of all worlds.
    fn read(&mut self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let field = of_world(name)?;
        let array = self.zeros(py, field)?;
        self.fill(py, field, &array)?;
        Ok(array.object(py))
    }

    /// Writes an input of the worlds of a mask: a row for every world of the batch, or one row for all chosen worlds.
    #[pyo3(signature = (name, values, mask))]
    fn write(
        &mut self,
        py: Python<'_>,
        name: &str,
        values: &Bound<'_, PyAny>,
        mask: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let field = of_world(name)?;
        self.give(py)?;
        match chosen(mask)? {
            None => {
                let array = Array::given(values, field.elem, self.single())?;
                let reading = array.read(py)?;
                let given = [(name, reading.numbers()?)];
                self.run(py, |batch| batch.control(&given, 0, &mut []))?;
            }
            Some(mask) => {
                let values = crate::array::flat(values)?;
                self.run(py, |batch| batch.set_where(name, &mask, &values))?;
            }
        }
        self.take(py, None)
    }

    /// Size of one world's state vector, for the elements of the mjtState bits.
    fn state_size(&self, spec: i32) -> PyResult<usize> {
        self.batch.state_size(spec).map_err(raised)
    }

    /// The state of all worlds, (nsim, size).
    fn get_state(&mut self, py: Python<'_>, spec: i32) -> PyResult<Py<PyAny>> {
        self.give(py)?;
        let shape = [self.batch.nworld(), self.state_size(spec)?];
        let array = Array::zeros(py, &shape, manyworlds::fields::Elem::Real, self.single())?;
        {
            let mut filling = array.fill(py)?;
            let room = filling.room()?;
            self.run(py, |batch| batch.get_state(spec, room))?;
        }
        Ok(array.object(py))
    }

    /// Sets the state of all worlds: (nsim, size), or one row for all.
    fn set_state(&mut self, py: Python<'_>, spec: i32, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.give(py)?;
        let array = Array::given(values, manyworlds::fields::Elem::Real, self.single())?;
        {
            let reading = array.read(py)?;
            let given = reading.numbers()?;
            self.run(py, |batch| batch.set_state(spec, given))?;
        }
        self.take(py, None)
    }

    /// Saves the state of all worlds.
    fn save(&mut self, py: Python<'_>) -> PyResult<Saved> {
        self.give(py)?;
        self.run(py, manyworlds::Batch::save).map(Saved)
    }

    /// Restores a saved state.
    #[pyo3(signature = (saved, mask))]
    fn restore(
        &mut self,
        py: Python<'_>,
        saved: &Saved,
        mask: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let mask = chosen(mask)?;
        self.run(py, |batch| match &mask {
            None => batch.restore(&saved.0),
            Some(mask) => batch.reset_where(mask, To::State(&saved.0)),
        })?;
        self.take(py, None)
    }

    /// Copies the state of one world into others.
    fn copy(&mut self, py: Python<'_>, source: usize, to: Vec<usize>) -> PyResult<()> {
        self.give(py)?;
        self.run(py, |batch| batch.copy(source, &to))?;
        self.take(py, None)
    }

    /// Gives every world its own row of fields of the model.
    fn expand(&mut self, py: Python<'_>, names: Vec<String>) -> PyResult<()> {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.run(py, |batch| batch.expand(&names))?;
        self.batch.auto_const(true);
        Ok(())
    }

    /// An expanded field: one row per world.
    fn own(&mut self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let nworld = self.batch.nworld();
        let mut dims = vec![nworld];
        match field(name) {
            Some(field) => dims.extend(shape(self.batch.model(), field)),
            None => dims.extend(self.batch.model().opt.get(name).map(|row| row.len())),
        }
        let values = self.run(py, |batch| Ok(batch.reals(name)?.to_vec()))?;
        Ok(crate::array::copy(py, View::Real(&values), dims)?.unbind())
    }

    /// Sets an expanded field: a row for every world of the batch, or one row for all chosen worlds.
    #[pyo3(signature = (name, values, mask))]
    fn set_own(
        &mut self,
        py: Python<'_>,
        name: &str,
        values: &Bound<'_, PyAny>,
        mask: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let values = crate::array::flat(values)?;
        let mask = chosen(mask)?;
        self.run(py, |batch| match &mask {
            None => batch.set(name, &values),
            Some(mask) => batch.set_where(name, mask, &values),
        })
    }

    /// Derives the fields that depend on fields that were set (mj_setConst).
    #[pyo3(signature = (mask))]
    fn set_const(
        &mut self,
        py: Python<'_>,
        mask: Option<PyReadonlyArray1<'_, bool>>,
    ) -> PyResult<()> {
        let mask = chosen(mask)?;
        self.run(py, |batch| match &mask {
            None => batch.set_const(),
            Some(mask) => batch.set_const_where(mask),
        })
    }

    /// Faults of worlds since their last reset: the world, whether it diverged, whether it overflowed, and a description.
    fn flags(&mut self, py: Python<'_>) -> PyResult<Vec<(usize, bool, bool, String)>> {
        let flags = self.run(py, manyworlds::Batch::flags)?;
        let told = flags.iter().map(|flag| {
            (
                flag.world,
                flag.diverged(),
                flag.overflowed(),
                flag.to_string(),
            )
        });
        Ok(told.collect())
    }
}

impl Batch {
    /// The worlds.
    #[cfg(feature = "view")]
    pub fn worlds(&mut self) -> &mut manyworlds::Batch {
        &mut self.batch
    }

    fn zeros(&self, py: Python<'_>, field: &Field) -> PyResult<Array> {
        let mut dims = vec![self.batch.nworld()];
        dims.extend(shape(self.batch.model(), field));
        Array::zeros(py, &dims, field.elem, self.single())
    }

    // writes the live inputs into the worlds
    pub(crate) fn give(&mut self, py: Python<'_>) -> PyResult<()> {
        self.call_with(py, |batch, inputs| batch.control(inputs, 0, &mut []))
    }

    // fills the rows of worlds in the live arrays; without a mask of all worlds
    pub(crate) fn take(&mut self, py: Python<'_>, mask: Option<&[bool]>) -> PyResult<()> {
        // the capacity for contacts and rows may have grown
        for k in 0..self.live.len() {
            let live = &self.live[k];
            if matches!(live.field.dims[0], "nconmax" | "njmax") && self.outgrown(py, live)? {
                self.live[k].array = self.zeros(py, self.live[k].field)?;
                self.live[k].anew = true;
            }
        }
        let Self { batch, live, .. } = self;
        let filling = live.iter_mut().map(|live| {
            // a new array has no rows yet
            let mask = mask.filter(|_| !std::mem::take(&mut live.anew));
            Ok((live.field.name, mask, live.array.fill(py)?))
        });
        let mut filling = filling.collect::<PyResult<Vec<_>>>()?;
        let rooms = filling
            .iter_mut()
            .map(|(name, mask, filling)| Ok((*name, *mask, filling.room()?)));
        let rooms = rooms.collect::<PyResult<Vec<_>>>()?;
        py.detach(|| {
            rooms
                .into_iter()
                .try_for_each(|(name, mask, room)| match mask {
                    None => batch.read_into(name, room),
                    Some(mask) => batch.read_into_where(name, mask, room),
                })
        })
        .map_err(raised)
    }

    fn outgrown(&self, py: Python<'_>, live: &Live) -> PyResult<bool> {
        let have: Vec<usize> = live.array.object(py).getattr(py, "shape")?.extract(py)?;
        Ok(have[1..] != shape(self.batch.model(), live.field))
    }

    fn fill(&mut self, py: Python<'_>, field: &Field, array: &Array) -> PyResult<()> {
        let mut filling = array.fill(py)?;
        let (batch, room) = (&mut self.batch, filling.room()?);
        py.detach(|| batch.read_into(field.name, room))
            .map_err(raised)
    }

    // calls the batch without the interpreter's lock: Python functions, of these worlds or of others that share the threads, may need the
    // lock before a thread is free
    pub(crate) fn run<T: Send>(
        &mut self,
        py: Python<'_>,
        run: impl FnOnce(&mut manyworlds::Batch) -> manyworlds::Result<T> + Send,
    ) -> PyResult<T> {
        let batch = &mut self.batch;
        watched(py, self.calls.as_deref(), || run(batch))
    }

    // calls the batch with the live inputs
    fn call_with(
        &mut self,
        py: Python<'_>,
        run: impl FnOnce(&mut manyworlds::Batch, &[(&str, In<'_>)]) -> manyworlds::Result<()> + Send,
    ) -> PyResult<()> {
        let Self {
            batch, live, calls, ..
        } = self;
        let inputs = live.iter().filter(|live| live.input);
        let reading = inputs
            .map(|live| Ok((live.field.name, live.array.read(py)?)))
            .collect::<PyResult<Vec<_>>>()?;
        let numbers = reading
            .iter()
            .map(|(name, x)| Ok((*name, x.numbers()?)))
            .collect::<PyResult<Vec<_>>>()?;
        watched(py, calls.as_deref(), || run(batch, &numbers))
    }

    // writes the live inputs into the worlds, runs a computation, and fills the live arrays with its results
    fn compute(
        &mut self,
        py: Python<'_>,
        run: impl FnOnce(&mut manyworlds::Batch) -> manyworlds::Result<()> + Send,
    ) -> PyResult<()> {
        self.give(py)?;
        let done = self.run(py, run);
        self.take(py, None)?;
        done
    }

    // steps in pieces that are short enough for interrupts; the first piece takes the inputs
    fn steps(&mut self, py: Python<'_>, n: usize) -> PyResult<()> {
        let mut left = n;
        loop {
            let piece = ((PATIENCE / self.pace) as usize).max(1).min(left);
            let start = Instant::now();
            match left == n {
                true => {
                    self.call_with(py, |batch, inputs| batch.control(inputs, piece, &mut []))?
                }
                false => self.run(py, |batch| batch.step(piece))?,
            }
            left -= piece;
            if piece > 0 {
                self.pace = (start.elapsed().as_secs_f64() / piece as f64).max(1e-9);
            }
            if left == 0 {
                return Ok(());
            }
            py.check_signals()?;
        }
    }
}

// runs without the interpreter's lock; if worlds call Python functions, their errors and signals are watched
fn watched<T: Send>(
    py: Python<'_>,
    calls: Option<&Calls>,
    run: impl FnOnce() -> manyworlds::Result<T> + Send,
) -> PyResult<T> {
    match calls {
        None => py.detach(run).map_err(raised),
        Some(calls) => calls.watch(py, run),
    }
}

// the field of a world with a name
fn of_world(name: &str) -> PyResult<&'static Field> {
    if field(name).is_some_and(|field| field.room == Room::Model) {
        return Err(FieldError::new_err(format!(
            "{name} is a field of the model, not of a world: use model.{name}, or Batch.expand, which lets worlds differ in it"
        )));
    }
    manyworlds::Batch::field(name).map_err(|e| FieldError::new_err(e.to_string()))
}

// the mask of the chosen worlds; none: all worlds
fn chosen(mask: Option<PyReadonlyArray1<'_, bool>>) -> PyResult<Option<Vec<bool>>> {
    let mask = mask.map(|mask| mask.as_slice().map(<[bool]>::to_vec));
    Ok(mask.transpose()?)
}

// the stages to skip, from an mjtStage
fn stage(skip: i32) -> PyResult<Skip> {
    match skip {
        0 => Ok(Skip::None),
        1 => Ok(Skip::Pos),
        2 => Ok(Skip::Vel),
        _ => Err(PyValueError::new_err(format!(
            "skipstage is 0 (none), 1 (pos) or 2 (vel), not {skip}"
        ))),
    }
}

fn unknown(what: &str, have: &str, known: &str) -> PyErr {
    PyValueError::new_err(format!("{what} is one of {known}, not {have:?}"))
}
