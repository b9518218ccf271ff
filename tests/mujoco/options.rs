//! Every option and every flag, on models that contain each feature that they switch, against MuJoCo 4.0.0, on every
//! backend. `tests/golden/options.txt` lists them, `make_options.py` makes MuJoCo's results.

use std::fmt::Write as _;

use crate::common::{Golden, error};
use manyworlds::batch::{Backend, Settings};
use manyworlds::fields::{FIELDS, Room, SIZES, View};
use manyworlds::{Batch, Error, Model};

/// A line of the list.
struct Case {
    /// Its number, the prefix of the golden's arrays.
    k: usize,
    /// The number of the model's first line, which adds no option.
    first: usize,
    model: String,
    added: String,
    /// `changes`, `same` or `refused`.
    what: String,
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string("tests/golden/options.txt").unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut cases: Vec<Case> = Vec::new();
    for (k, line) in lines.enumerate() {
        let parts: Vec<&str> = line.split('|').map(str::trim).collect();
        let [model, added, what] = parts[..] else {
            panic!("{line}: three parts needed");
        };
        let first = cases.iter().find(|case| case.model == model);
        let first = first.map_or(k, |case| case.k);
        let [model, added, what] = [model, added, what].map(str::to_owned);
        cases.push(Case {
            k,
            first,
            model,
            added,
            what,
        });
    }
    cases
}

impl Case {
    fn compile(&self) -> manyworlds::Result<Model> {
        let text = std::fs::read_to_string(format!("tests/golden/{}.xml", self.model)).unwrap();
        Model::from_xml_str(&text.replace("</mujoco>", &format!("{}</mujoco>", self.added)))
    }

    // MuJoCo's result for this line, or for the model without the option
    fn want<'a>(&self, golden: &'a Golden, name: &str) -> Option<&'a [f64]> {
        let of = |k: usize| golden.get(&format!("{k}/{name}"));
        of(self.k).or_else(|| of(self.first))
    }

    // names of MuJoCo's results
    fn names<'a>(&self, golden: &'a Golden) -> Vec<&'a str> {
        let first = format!("{}/", self.first);
        let names = golden.arrays.keys();
        names.filter_map(|name| name.strip_prefix(&first)).collect()
    }
}

/// Largest error of an array, relative to one more than its largest number.
fn tolerance(backend: Backend, name: &str) -> f64 {
    match (backend, name) {
        (Backend::Cpu, _) => 1e-8,
        // norms of differences, of which single precision keeps fewer digits
        (_, "solver_fwdinv") => 5e-2,
        _ => 5e-4,
    }
}

// the arrays of all worlds as reals
fn read(batch: &mut Batch, name: &str) -> Vec<f64> {
    match batch.read(name).unwrap() {
        View::Real(x) => x.to_vec(),
        View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
    }
}

fn put(batch: &mut Batch, golden: &Golden, model: &str) {
    let prefix = format!("{model}/in/");
    batch.reset(manyworlds::batch::To::Qpos0).unwrap();
    for (name, (_, values)) in &golden.arrays {
        if let Some(name) = name.strip_prefix(&prefix)
            && !values.is_empty()
        {
            batch.set(name, values).unwrap();
        }
    }
}

// errors above the tolerance, one array per line
fn check(case: &Case, golden: &Golden, backend: Backend) -> String {
    let settings = Settings::default().backend(backend);
    let m = case
        .compile()
        .unwrap_or_else(|e| panic!("{}: {e}", case.added));
    let mut batch = Batch::with(&m, 4, settings).unwrap();
    let names = case.names(golden);
    let mut faults = String::new();
    let mut hold = |name: &str, have: &[f64], want: &[f64]| {
        let rows = have.chunks(have.len() / 4).zip(want.chunks(want.len() / 4));
        for (w, (have, want)) in rows.enumerate() {
            let e = if have.len() == want.len() {
                error(have, want)
            } else {
                f64::INFINITY
            };
            if e > tolerance(backend, name) {
                let _ = writeln!(
                    faults,
                    "{backend:?} {} {}: {name} of state {w} is off by {e:.1e}",
                    case.model, case.added
                );
            }
        }
    };
    put(&mut batch, golden, &case.model);
    batch.forward().unwrap();
    for name in names
        .iter()
        .filter(|name| !name.contains('/') && **name != "solver_fwdinv")
    {
        let have = match *name {
            // only the warning of the inertia
            "warning" => read(&mut batch, name).iter().step_by(7).copied().collect(),
            _ => read(&mut batch, name),
        };
        hold(name, &have, case.want(golden, name).unwrap());
    }
    put(&mut batch, golden, &case.model);
    batch.step(1).unwrap();
    for name in names
        .iter()
        .filter(|name| name.contains('/') || **name == "solver_fwdinv")
    {
        let have = read(&mut batch, name.trim_start_matches("step/"));
        hold(name, &have, case.want(golden, name).unwrap());
    }
    faults
}

// checks every `of`th line, beginning with line `part`
fn all(backend: Backend, part: usize, of: usize) {
    let golden = Golden::open("tests/golden/options.npz");
    let only = std::env::var("OPTION").unwrap_or_default();
    let lines = cases();
    let told = |case: &&Case| match backend {
        _ if case.what == "refused" => false,
        Backend::Gpu => ON_A_DEVICE.contains(&case.added.as_str()),
        _ => true,
    };
    let lines = lines
        .iter()
        .filter(told)
        .filter(|case| case.added.contains(&only));
    let mut faults = String::new();
    for case in lines.skip(part).step_by(of) {
        let found = check(case, &golden, backend);
        println!(
            "{backend:?} {} {}: {}",
            case.model,
            case.added,
            if found.is_empty() { "right" } else { &found }
        );
        faults += &found;
    }
    assert!(faults.is_empty(), "\n{faults}");
}

#[test]
fn options_on_the_reference() {
    all(Backend::Cpu, 0, 1);
}

#[test]
fn options_side_by_side() {
    all(Backend::Simd, 0, 1);
}

/// Lines that are tested on a device: each needs other kernels, which a software adapter compiles for half a minute.
const ON_A_DEVICE: &[&str] = &[
    "<option><flag limit=\"disable\"/></option>",
    "<option impratio=\"20\"/>",
    "<option><flag diagexact=\"enable\"/></option>",
    "<option density=\"900\"/>",
    "<option integrator=\"implicit\"/>",
    "<option iterations=\"1\"><flag island=\"disable\"/></option>",
    "<option actuatorgroupdisable=\"1\"/>",
    "<option><flag nativeccd=\"disable\"/></option>",
    "<option><flag speculative=\"enable\"/></option>",
];

macro_rules! on_a_device {
    ($($name:ident: $part:literal,)+) => {
        $(#[test]
        fn $name() {
            all(Backend::Gpu, $part, 3);
        })+
    };
}

on_a_device! {
    options_on_a_device_0: 0,
    options_on_a_device_1: 1,
    options_on_a_device_2: 2,
}

#[test]
fn what_no_backend_has_is_refused_by_name() {
    let lines = cases();
    let refused: Vec<&Case> = lines.iter().filter(|case| case.what == "refused").collect();
    assert!(!refused.is_empty());
    for case in refused {
        // <flag NAME="enable"/> or integrator="NAME"
        let words: Vec<&str> = case.added.split(['"', ' ', '=', '<', '>', '/']).collect();
        for backend in [Backend::Auto, Backend::Cpu, Backend::Simd, Backend::Gpu] {
            let settings = Settings::default().backend(backend);
            let told = match case.compile().and_then(|m| Batch::with(&m, 4, settings)) {
                Err(Error::Missing(told)) => told.join(", "),
                other => panic!("{} on {backend:?}: {other:?}", case.added),
            };
            let named = words.iter().any(|word| {
                word.len() > 2
                    && !["option", "flag", "integrator", "enable", "disable"].contains(word)
                    && told.contains(word)
            });
            assert!(named, "{}: {told}", case.added);
        }
    }
}

// every option of the schema and every flag of the types must be in the list
#[test]
fn every_option_is_in_the_list() {
    let text = std::fs::read_to_string("tests/golden/options.txt").unwrap();
    let source = std::fs::read_to_string("src/compile/settings.rs").unwrap();
    for flag in source
        .split("flag.")
        .skip(1)
        .filter_map(|rest| rest.split("()").next())
    {
        let flag = flag.trim_end_matches('_');
        if flag.chars().all(|c| c.is_ascii_lowercase()) {
            assert!(text.contains(&format!("{flag}=\"")), "the flag {flag}");
        }
    }
    for (name, _) in manyworlds::model::Opt::NAMES {
        // options set by flags and by groups
        let name = match *name {
            "disableflags" | "enableflags" => continue,
            "disableactuator" => "actuatorgroupdisable",
            name => name,
        };
        assert!(text.contains(&format!("{name}=\"")), "the option {name}");
    }
}

// fields that the compiler derives from options are derived again when the options are edited
#[test]
fn an_option_that_is_changed_later_is_as_if_it_had_been_written() {
    let lines = cases();
    for case in lines.iter().filter(|case| case.what != "refused") {
        let want = case.compile().unwrap();
        let first = lines.iter().find(|first| first.k == case.first).unwrap();
        let mut have = first.compile().unwrap();
        have.edit(|m| m.opt = want.opt.clone()).unwrap();
        for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
            let differs = have.field(field.name) != want.field(field.name);
            assert!(!differs, "{} {}: {}", case.model, case.added, field.name);
        }
        // capacities for contacts and rows may grow
        let room = ["nconmax", "njmax", "njdual"];
        for (size, _) in SIZES.iter().filter(|(size, _)| !room.contains(size)) {
            let (have, want) = (have.size(size), want.size(size));
            assert_eq!(have, want, "{} {}: {size}", case.model, case.added);
        }
    }
}
