//! Python functions that worlds call in the middle of a step, world by world, on the threads that compute them. Each call takes
//! the interpreter's lock, so the calls run one after the other.

use manyworlds::fields::{Elem, View, field};
use manyworlds::types::GeomType;
use manyworlds::user::{Touch, UserActuator, UserPart, World as Seen};
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::array;
use crate::error::raised;

/// Arrays that every function may read, whatever its `reads`.
const ALWAYS: [&str; 5] = ["time", "qpos", "qvel", "act", "ctrl"];

/// Time between two checks for signals during a call.
const PATIENCE: Duration = Duration::from_millis(100);

/// The parts of actuators, by their names in Python.
const PARTS: [(&str, UserPart); 3] = [
    ("gain", UserPart::Gain),
    ("bias", UserPart::Bias),
    ("dyn", UserPart::Dyn),
];

/// The part of an actuator with a name.
pub fn part(actuator: &str, word: &str) -> PyResult<UserPart> {
    let known = PARTS.iter().find(|(known, _)| *known == word);
    known.map(|(_, part)| *part).ok_or_else(|| {
        let msg = format!("actuator {actuator:?}: a part is gain, bias or dyn, not {word}");
        PyValueError::new_err(msg)
    })
}

/// The names of geom types in MJCF.
const GEOMS: [(&str, GeomType); 9] = [
    ("plane", GeomType::Plane),
    ("hfield", GeomType::Hfield),
    ("sphere", GeomType::Sphere),
    ("capsule", GeomType::Capsule),
    ("ellipsoid", GeomType::Ellipsoid),
    ("cylinder", GeomType::Cylinder),
    ("box", GeomType::Box),
    ("mesh", GeomType::Mesh),
    ("sdf", GeomType::Sdf),
];

/// The type of geoms with a name.
pub fn geom_type(word: &str) -> PyResult<GeomType> {
    let known = GEOMS.iter().find(|(known, _)| *known == word);
    known.map(|(_, kind)| *kind).ok_or_else(|| {
        let known = GEOMS.map(|(known, _)| known).join(", ");
        let msg = format!("collisions: a type of geoms is one of {known}, not {word:?}");
        PyValueError::new_err(msg)
    })
}

/// The view of one world that a function gets: copies of the arrays that it reads and writes.
#[pyclass(frozen, module = "manyworlds._core")]
#[derive(Debug)]
pub struct World {
    /// Its number in the batch.
    #[pyo3(get)]
    number: usize,
    arrays: Py<PyDict>,
}

#[pymethods]
impl World {
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let told = || {
            PyAttributeError::new_err(format!(
                "{name} was not read for this function: add it to `reads` of Model.with_functions"
            ))
        };
        self.arrays.bind(py).get_item(name)?.ok_or_else(told)
    }

    /// Writes into an array of the view, as an assignment to an attribute of MjData does.
    fn __setattr__(&self, py: Python<'_>, name: &str, values: &Bound<'_, PyAny>) -> PyResult<()> {
        self.__getattr__(py, name)?.set_item(py.Ellipsis(), values)
    }

    fn __dir__(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let mut names: Vec<String> = self.arrays.bind(py).keys().extract()?;
        names.push("number".to_owned());
        Ok(names)
    }
}

/// The view of an actuator of type `user` in one world that a function gets.
#[pyclass(frozen, get_all, module = "manyworlds._core")]
#[derive(Debug)]
pub struct Actuator {
    /// Number of the actuator.
    id: usize,
    /// Number of its world in the batch.
    world: usize,
    /// Time (s).
    time: f64,
    /// Its control, clamped to its range.
    ctrl: f64,
    /// Its activations.
    act: Vec<f64>,
    /// Its length (m, or rad).
    length: f64,
    /// Its velocity (m/s, or rad/s).
    velocity: f64,
    /// The parameters of the part in the model (gainprm, biasprm or dynprm).
    prm: Vec<f64>,
}

type Function = Py<PyAny>;

/// The functions of a model.
#[derive(Debug, Default)]
pub struct Functions {
    pub control: Option<Function>,
    pub passive: Option<Function>,
    pub contact_filter: Option<Function>,
    pub collisions: BTreeMap<(String, String), Function>,
    pub distances: BTreeMap<String, Function>,
    pub sensors: BTreeMap<String, Function>,
    pub actuators: BTreeMap<String, BTreeMap<String, Function>>,
    pub reads: Vec<String>,
}

impl Functions {
    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.control.is_none()
            && self.passive.is_none()
            && self.contact_filter.is_none()
            && self.collisions.is_empty()
            && self.distances.is_empty()
            && self.sensors.is_empty()
            && self.actuators.is_empty()
    }

    /// Binds the functions to a model; its worlds report errors to `calls`.
    pub fn bind(
        &self,
        py: Python<'_>,
        model: &mut manyworlds::Model,
        calls: &Arc<Calls>,
    ) -> PyResult<()> {
        for name in &self.reads {
            if field(name).is_none() {
                let msg = format!("reads: {name} is no array of a world or a model");
                return Err(PyValueError::new_err(msg));
            }
        }
        let caller = |function: &Function| Caller {
            function: function.clone_ref(py),
            reads: self.reads.clone(),
            calls: Arc::clone(calls),
        };
        if let Some(function) = &self.control {
            let caller = caller(function);
            model.bind_control(move |world, inputs| {
                let to = [
                    ("ctrl", &mut *inputs.ctrl),
                    ("qfrc_applied", &mut *inputs.qfrc_applied),
                    ("xfrc_applied", &mut *inputs.xfrc_applied),
                    ("userdata", &mut *inputs.userdata),
                ];
                let names = to.each_ref().map(|(name, _)| *name);
                caller.call(world, &[], &names, |py, seen, function| {
                    function.call1(py, (seen.clone(),))?;
                    to.into_iter()
                        .try_for_each(|(name, to)| written(&seen, name, to))
                });
            });
        }
        if let Some(function) = &self.passive {
            let caller = caller(function);
            model.bind_passive(move |world, force| {
                caller.call(world, &[], &["qfrc_passive"], |py, seen, function| {
                    function.call1(py, (seen.clone(),))?;
                    written(&seen, "qfrc_passive", force)
                });
            });
        }
        if let Some(function) = &self.contact_filter {
            let caller = caller(function);
            let asked = move |world: &Seen<'_>, [geom1, geom2]: [usize; 2]| {
                caller.call(world, &[], &[], |py, seen, function| {
                    let given = function.call1(py, (seen, geom1, geom2))?;
                    given.bind(py).is_truthy()
                })
            };
            py.detach(|| model.bind_contact_filter(asked))
                .map_err(raised)?;
        }
        for ((type1, type2), function) in &self.collisions {
            let caller = caller(function);
            let types = [geom_type(type1)?, geom_type(type2)?];
            let meet = move |world: &Seen<'_>, [geom1, geom2]: [usize; 2], distance: f64| {
                let reads = ["geom_xpos", "geom_xmat"];
                caller.call(world, &reads, &[], |py, seen, function| {
                    let given = function.call1(py, (seen, geom1, geom2, distance))?;
                    let touches: Vec<(f64, [f64; 3], [f64; 3])> = given.extract(py)?;
                    let touch = |(dist, pos, normal)| Touch { dist, pos, normal };
                    Ok(touches.into_iter().map(touch).collect())
                })
            };
            py.detach(|| model.bind_collision(types[0], types[1], meet))
                .map_err(raised)?;
        }
        for (name, function) in &self.distances {
            let caller = caller(function);
            let distance = move |point: [f64; 3]| caller.call_distance(point);
            model.bind_sdf(name, distance).map_err(raised)?;
        }
        for (name, function) in &self.sensors {
            let (caller, sensor) = (caller(function), name.clone());
            let read = move |world: &Seen<'_>, reading: &mut [f64]| {
                caller.call(world, &["sensordata"], &[], |py, seen, function| {
                    let given = function.call1(py, (seen,))?;
                    filled(given.bind(py), reading, || format!("sensor {sensor:?}"))
                });
            };
            model.bind_sensor(name, read).map_err(raised)?;
        }
        for (name, parts) in &self.actuators {
            for (word, function) in parts {
                let part = part(name, word)?;
                let (caller, actuator) = (caller(function), name.clone());
                let compute = move |seen: &UserActuator<'_>, out: &mut [f64]| {
                    caller.call_actuator(seen, out, || format!("actuator {actuator:?}"));
                };
                model.bind_user(name, part, compute).map_err(raised)?;
            }
        }
        Ok(())
    }
}

/// An error if an object is not callable.
pub fn callable(py: Python<'_>, function: &Function, what: &str) -> PyResult<()> {
    match function.bind(py).is_callable() {
        true => Ok(()),
        false => Err(PyTypeError::new_err(format!(
            "{what} is not callable: give a function"
        ))),
    }
}

/// Errors of the function calls of a batch.
#[derive(Debug, Default)]
pub struct Calls {
    // true: no further function is called
    ended: AtomicBool,
    // the first error
    error: Mutex<Option<PyErr>>,
}

impl Calls {
    // stops further calls, with an error, unless they are stopped already
    fn end(&self, e: PyErr) {
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.ended.swap(true, Ordering::Relaxed) {
            *error = Some(e);
        }
    }

    /// Runs a computation that may call functions. It fails with the exception of a function, or with that of a signal, which ends it
    /// at the next call of a function.
    pub fn watch<T: Send>(
        &self,
        py: Python<'_>,
        run: impl FnOnce() -> manyworlds::Result<T> + Send,
    ) -> PyResult<T> {
        *self.error.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.ended.store(false, Ordering::Relaxed);
        let (done, here) = (AtomicBool::new(false), std::thread::current());
        let ended = std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let ended = catch_unwind(AssertUnwindSafe(run));
                done.store(true, Ordering::Release);
                here.unpark();
                ended
            });
            while !done.load(Ordering::Acquire) {
                py.detach(|| std::thread::park_timeout(PATIENCE));
                if let Err(e) = py.check_signals() {
                    self.end(e);
                }
            }
            worker.join().and_then(|ended| ended)
        });
        let mut error = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        match (ended, error.take()) {
            (_, Some(e)) => Err(e),
            (Ok(found), None) => found.map_err(raised),
            (Err(panic), None) => resume_unwind(panic),
        }
    }
}

// a function, with the names of the arrays that it reads and the calls of its batch
struct Caller {
    function: Function,
    reads: Vec<String>,
    calls: Arc<Calls>,
}

impl Caller {
    // calls the function for a world; it may also read the arrays `reads`, and write the arrays `writes`
    fn call<T>(
        &self,
        world: &Seen<'_>,
        reads: &[&str],
        writes: &[&str],
        run: impl for<'py> FnOnce(Python<'py>, Bound<'py, World>, &Function) -> PyResult<T>,
    ) -> T {
        self.attempt(Some(world.number()), |py| {
            let arrays = PyDict::new(py);
            for name in writes {
                arrays.set_item(name, read(py, world, name)?)?;
            }
            let own = self.reads.iter().map(String::as_str);
            for name in ALWAYS.into_iter().chain(reads.iter().copied()).chain(own) {
                if !arrays.contains(name)? {
                    let array = read(py, world, name)?;
                    array.call_method1(intern!(py, "setflags"), (false,))?;
                    arrays.set_item(name, array)?;
                }
            }
            let seen = World {
                number: world.number(),
                arrays: arrays.unbind(),
            };
            run(py, Bound::new(py, seen)?, &self.function)
        })
    }

    fn call_actuator(
        &self,
        seen: &UserActuator<'_>,
        out: &mut [f64],
        what: impl FnOnce() -> String,
    ) {
        self.attempt(Some(seen.world), |py| {
            let actuator = Actuator {
                id: seen.id,
                world: seen.world,
                time: seen.time,
                ctrl: seen.ctrl,
                act: seen.act.to_vec(),
                length: seen.length,
                velocity: seen.velocity,
                prm: seen.prm.to_vec(),
            };
            let given = self.function.call1(py, (actuator,))?;
            filled(given.bind(py), out, what)
        });
    }

    // a signed distance is not told whose point it gets
    fn call_distance(&self, point: [f64; 3]) -> f64 {
        self.attempt(None, |py| {
            self.function.call1(py, (point.to_vec(),))?.extract(py)
        })
    }

    // runs with the interpreter's lock; after an exception, of this call or an earlier one, the computation ends here
    fn attempt<T>(&self, world: Option<usize>, run: impl FnOnce(Python<'_>) -> PyResult<T>) -> T {
        if !self.calls.ended.load(Ordering::Relaxed) {
            let done = Python::attach(|py| {
                run(py).inspect_err(|e| {
                    if let Some(world) = world {
                        // an exception that cannot take notes gets none
                        let note = (format!("in world {world}"),);
                        let _ = e.value(py).call_method1("add_note", note);
                    }
                })
            });
            match done {
                Ok(found) => return found,
                Err(e) => self.calls.end(e),
            }
        }
        // unlike a panic, this prints no message
        resume_unwind(Box::new("a Python function raised an exception"))
    }
}

// a copy of an array of a world, or of the model with the values of that world
fn read<'py>(py: Python<'py>, world: &Seen<'_>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let Some(field) = field(name) else {
        return Err(PyValueError::new_err(format!("no array is called {name}")));
    };
    let shape = array::shape(world.model(), field);
    match field.elem {
        Elem::Int => array::copy(py, View::Int(&world.ints(name).map_err(raised)?), shape),
        _ => array::copy(py, View::Real(&world.reals(name).map_err(raised)?), shape),
    }
}

// copies an array that a function may have written
fn written(seen: &Bound<'_, World>, name: &str, to: &mut [f64]) -> PyResult<()> {
    let array = seen.getattr(name)?;
    filled(&array, to, || name.to_owned())
}

// copies the numbers that a function returned; their count must match
fn filled(given: &Bound<'_, PyAny>, to: &mut [f64], what: impl FnOnce() -> String) -> PyResult<()> {
    let values = array::flat(given)?;
    if values.len() != to.len() {
        let (what, need, have) = (what(), to.len(), values.len());
        let msg = format!("{what}: {need} numbers are needed, its function returned {have}");
        return Err(PyValueError::new_err(msg));
    }
    to.copy_from_slice(&values);
    Ok(())
}
