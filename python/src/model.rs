//! Models for Python.

use manyworlds::compile::Parts;
use manyworlds::fields::{FIELDS, Room, SIZES};
use manyworlds::mjcf::{Files, Limits, Spec};
use manyworlds::model::{Names, Statistic};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use crate::array;
use crate::error::{FieldError, raised};
use crate::functions::{Calls, Functions, callable};
use crate::texts::Texts;

/// An immutable compiled model.
#[pyclass(frozen, module = "manyworlds._core")]
#[derive(Debug)]
pub struct Model {
    pub inner: manyworlds::Model,
    /// The functions that its worlds call.
    pub functions: Arc<Functions>,
    /// Whether `inner` has texts in WGSL.
    texts: bool,
}

impl Model {
    fn own(inner: manyworlds::Result<manyworlds::Model>) -> PyResult<Self> {
        Ok(Self {
            inner: inner.map_err(raised)?,
            functions: Arc::default(),
            texts: false,
        })
    }
}

// names of arrays and their numbers, from arrays of any type and shape
fn flat(given: BTreeMap<String, Bound<'_, PyAny>>) -> PyResult<Vec<(String, Vec<f64>)>> {
    let given = given.into_iter();
    given
        .map(|(name, values)| Ok((name, array::flat(&values)?)))
        .collect()
}

// the kind of elements whose list has another name: in Python, in the library
const KEY: (&str, &str) = ("keyframe", "key");

// the names of a kind of elements
fn names_mut<'a>(names: &'a mut Names, kind: &str) -> PyResult<&'a mut Vec<String>> {
    let own = if kind == KEY.0 { KEY.1 } else { kind };
    names.list_mut(own).ok_or_else(|| {
        let msg = format!("no elements are called {kind}");
        PyAttributeError::new_err(msg)
    })
}

#[pymethods]
impl Model {
    /// Reads and compiles a model file.
    #[staticmethod]
    #[pyo3(signature = (path, root = None, packages = None))]
    fn from_xml_path(
        py: Python<'_>,
        path: PathBuf,
        root: Option<PathBuf>,
        packages: Option<BTreeMap<String, PathBuf>>,
    ) -> PyResult<Self> {
        let limits = Limits::default()
            .root(root)
            .packages(packages.unwrap_or_default());
        Self::own(py.detach(|| manyworlds::Model::from_xml_path_with(path, &limits)))
    }

    /// Reads and compiles the text of a model, with the files that it names.
    #[staticmethod]
    #[pyo3(signature = (xml, assets = None))]
    fn from_xml_string(
        py: Python<'_>,
        xml: &str,
        assets: Option<BTreeMap<String, Vec<u8>>>,
    ) -> PyResult<Self> {
        Self::own(py.detach(|| {
            let files = assets.map_or(Files::None, Files::memory);
            manyworlds::compile::compile(&Spec::from_text(xml, files, &Limits::default())?)
        }))
    }

    /// A model from the arrays that MuJoCo compiled and the names of each kind of elements.
    #[staticmethod]
    fn from_parts(
        py: Python<'_>,
        sizes: BTreeMap<String, usize>,
        fields: BTreeMap<String, Bound<'_, PyAny>>,
        options: BTreeMap<String, Bound<'_, PyAny>>,
        stat: [f64; 7],
        names: BTreeMap<String, Vec<String>>,
    ) -> PyResult<Self> {
        let [meaninertia, meanmass, meansize, extent, x, y, z] = stat;
        let mut parts = Parts {
            sizes,
            fields: flat(fields)?.into_iter().collect(),
            options: flat(options)?.into_iter().collect(),
            stat: Statistic {
                meaninertia,
                meanmass,
                meansize,
                extent,
                center: [x, y, z],
            },
            names: Names::default(),
        };
        for (kind, own) in names {
            *names_mut(&mut parts.names, &kind)? = own;
        }
        Self::own(py.detach(|| parts.model()))
    }

    /// Loads a compiled model (`.mwb`).
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        Self::own(py.detach(|| manyworlds::Model::load(path)))
    }

    /// Saves the compiled model.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.inner.save(path)).map_err(raised)
    }

    /// The bytes of the compiled model.
    fn to_bytes(&self) -> PyResult<Vec<u8>> {
        self.inner.to_bytes().map_err(raised)
    }

    /// A compiled model from its bytes.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        Self::own(py.detach(|| manyworlds::Model::from_bytes(bytes)))
    }

    /// A copy of the model with other values of fields and options; derived fields are derived again.
    fn edited(
        &self,
        py: Python<'_>,
        fields: BTreeMap<String, Bound<'_, PyAny>>,
        options: BTreeMap<String, Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (fields, options) = (flat(fields)?, flat(options)?);
        let mut inner = self.inner.clone();
        let bad = py.detach(|| inner.edit(|m| write(m, &fields, &options)));
        let bad = bad.map_err(raised)?;
        match bad {
            Some(name) => Err(FieldError::new_err(format!(
                "the model has no {name} of so many numbers"
            ))),
            None => Ok(Self {
                inner,
                functions: Arc::clone(&self.functions),
                texts: self.texts,
            }),
        }
    }

    /// A copy of the model whose worlds call functions, in place of the functions that it had.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are given by name, in Python"
    )]
    fn with_functions(
        &self,
        py: Python<'_>,
        control: Option<Py<PyAny>>,
        passive: Option<Py<PyAny>>,
        contact_filter: Option<Py<PyAny>>,
        collisions: BTreeMap<(String, String), Py<PyAny>>,
        distances: BTreeMap<String, Py<PyAny>>,
        sensors: BTreeMap<String, Py<PyAny>>,
        actuators: BTreeMap<String, BTreeMap<String, Py<PyAny>>>,
        reads: Vec<String>,
    ) -> PyResult<Self> {
        let alone = [
            ("control", &control),
            ("passive", &passive),
            ("contact_filter", &contact_filter),
        ];
        for (what, function) in alone {
            function.iter().try_for_each(|f| callable(py, f, what))?;
        }
        let of_actuators = actuators
            .iter()
            .flat_map(|(name, parts)| parts.values().map(move |f| (name, f)));
        let of_names = distances.iter().chain(&sensors);
        for (name, function) in of_names.chain(of_actuators) {
            callable(py, function, name)?;
        }
        for ((type1, type2), function) in &collisions {
            callable(py, function, &format!("{type1}, {type2}"))?;
        }
        let functions = Functions {
            control,
            passive,
            contact_filter,
            collisions,
            distances,
            sensors,
            actuators,
            reads,
        };
        // errors are reported here, and not when worlds are made
        functions.bind(py, &mut self.inner.clone(), &Arc::<Calls>::default())?;
        Ok(Self {
            inner: self.inner.clone(),
            functions: Arc::new(functions),
            texts: self.texts,
        })
    }

    /// A copy of the model with WGSL texts that replace functions on a device; an earlier text stays unless a new one is given.
    #[expect(
        clippy::too_many_arguments,
        reason = "they are given by name, in Python"
    )]
    fn with_wgsl(
        &self,
        py: Python<'_>,
        control: Option<String>,
        passive: Option<String>,
        contact_filter: Option<String>,
        collisions: BTreeMap<(String, String), String>,
        distances: BTreeMap<String, String>,
        sensors: BTreeMap<String, String>,
        actuators: BTreeMap<String, BTreeMap<String, String>>,
    ) -> PyResult<Self> {
        let texts = Texts {
            control,
            passive,
            contact_filter,
            collisions,
            distances,
            sensors,
            actuators,
        };
        let mut inner = self.inner.clone();
        py.detach(|| texts.bind(&mut inner))?;
        Ok(Self {
            inner,
            functions: Arc::clone(&self.functions),
            texts: true,
        })
    }

    /// True if its worlds call functions, or run texts in their place.
    fn has_functions(&self) -> bool {
        self.texts || !self.functions.is_empty()
    }

    /// A size, by its name.
    fn size(&self, name: &str) -> PyResult<usize> {
        self.inner
            .size(name)
            .ok_or_else(|| PyAttributeError::new_err(format!("no size is called {name}")))
    }

    /// A copy of an array, by its name.
    fn field<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let unknown = || FieldError::new_err(format!("a model has no array {name}"));
        let field = manyworlds::fields::field(name).ok_or_else(unknown)?;
        let view = self.inner.field(name).ok_or_else(unknown)?;
        array::copy(py, view, array::shape(&self.inner, field))
    }

    /// An option, by its name: a list of numbers.
    fn option(&self, name: &str) -> PyResult<Vec<f64>> {
        let unknown = || PyAttributeError::new_err(format!("no option is called {name}"));
        self.inner.opt.get(name).ok_or_else(unknown)
    }

    /// Names of the elements of a kind, in order of their ids.
    fn names(&self, kind: &str) -> PyResult<Vec<String>> {
        Ok(names_mut(&mut self.inner.names.clone(), kind)?.clone())
    }

    /// Kinds of elements that have names: the size that counts each.
    #[staticmethod]
    fn kinds(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let kinds = PyDict::new(py);
        for (list, size) in Names::LISTS {
            let kind = if *list == KEY.1 { KEY.0 } else { *list };
            kinds.set_item(kind, size)?;
        }
        Ok(kinds)
    }

    /// Features that the model needs and this version lacks, each in a few words.
    fn missing(&self) -> Vec<String> {
        manyworlds::compile::missing(&self.inner)
    }

    /// Every array of a model or of a world by name: its room (`Model`, `Data` or `Scratch`), its dimensions, its description, its unit,
    /// its frame and its role; integers have an empty unit, and arrays without coordinates an empty frame.
    #[staticmethod]
    fn table(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let table = PyDict::new(py);
        for field in FIELDS {
            let room = match field.room {
                Room::Model => "Model",
                Room::Data => "Data",
                Room::Scratch => "Scratch",
            };
            let mut dims: Vec<String> = field.dims.iter().map(|dim| (*dim).to_owned()).collect();
            if field.elem.width() > 1 {
                dims.push(field.elem.width().to_string());
            }
            let (unit, frame, role) = (field.unit(), field.frame.word(), field.role.word());
            let row = (room, dims, field.doc.trim(), unit, frame, role);
            table.set_item(field.name, row)?;
        }
        Ok(table)
    }

    /// Every size by name, with its description.
    #[staticmethod]
    fn sizes(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let sizes = PyDict::new(py);
        for (name, doc) in SIZES {
            sizes.set_item(name, doc.trim())?;
        }
        Ok(sizes)
    }

    /// Every option by name, with its description.
    #[staticmethod]
    fn options(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let options = PyDict::new(py);
        for (name, doc) in manyworlds::model::Opt::NAMES {
            options.set_item(name, doc.trim())?;
        }
        Ok(options)
    }
}

// writes fields and options; returns the name of the first that does not fit
fn write(
    m: &mut manyworlds::model::Arrays,
    fields: &[(String, Vec<f64>)],
    options: &[(String, Vec<f64>)],
) -> Option<String> {
    use manyworlds::fields::ViewMut;
    for (name, values) in fields {
        let fits = match m.field_mut(name) {
            Some(ViewMut::Real(x)) if x.len() == values.len() => {
                x.copy_from_slice(values);
                true
            }
            Some(ViewMut::Int(x)) if x.len() == values.len() => {
                x.iter_mut().zip(values).for_each(|(to, &x)| *to = x as i32);
                true
            }
            _ => false,
        };
        if !fits {
            return Some(name.clone());
        }
    }
    let wrong = options
        .iter()
        .find(|(name, values)| !m.opt.set(name, values));
    wrong.map(|(name, _)| name.clone())
}
