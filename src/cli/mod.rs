//! The command line: one file per verb. Data goes to stdout, progress and remarks to stderr. This file has the code that verbs share:
//! arguments, exit codes, loading a model.

mod array;
mod bench;
mod devices;
mod drive;
mod dump;
#[cfg(feature = "view")]
mod film;
mod forward;
mod info;
mod inputs;
mod interrupt;
#[cfg(feature = "view")]
mod kept;
#[cfg(feature = "gpu")]
mod kernels;
pub mod level;
mod npz;
mod output;
mod progress;
#[cfg(feature = "view")]
mod render;
mod rollout;
mod say;
mod trajectory;
#[cfg(feature = "gpu")]
mod verify;
#[cfg(feature = "window")]
mod view;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use manyworlds::batch::{Backend, Overflow, Settings, Unroll};
use manyworlds::mjcf::Limits;
#[cfg(feature = "view")]
use manyworlds::picture::Overlay;
use manyworlds::{Error, Model};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Exit code of wrong arguments or bad input files.
pub const USAGE: u8 = 1;
/// Exit code of a bad or unsupported model.
pub const MODEL: u8 = 2;
/// Exit code of a failed check: parity, overflow.
pub const CHECK: u8 = 3;
/// Exit code of a device that refuses, is lost or out of memory.
pub const DEVICE: u8 = 4;
/// Exit code of results that cannot be written.
pub const OUTPUT: u8 = 5;

const AFTER: &str = "\
Exit codes: 0 done, 1 wrong arguments or input files, 2 bad or unsupported model, 3 a check failed (parity, overflow), \
4 the device refused, was lost or ran out of memory, 5 the results could not be written (a full disk), 128 + n ended by signal n \
(129 HUP, 130 INT, 143 TERM; 141 nobody reads stdout any more).

Data goes to stdout, everything else to stderr.";

/// MuJoCo's physics for thousands of worlds at once, on any GPU or on the CPU.
#[derive(Parser)]
#[command(version, after_help = AFTER, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Print the sizes and options of a model, the memory of a world, and missing features
    Info(info::Info),
    /// Step many worlds and save their trajectories
    Rollout(rollout::Rollout),
    /// Draw many worlds: a still, frames or a film
    #[cfg(feature = "view")]
    Render(render::Render),
    /// Open a window in which worlds run
    #[cfg(feature = "window")]
    View(view::View),
    /// Write all arrays of a forward pass from given states, and the states after some steps
    Forward(forward::Forward),
    /// Compare every kernel with its twin, on random states of your model
    #[cfg(feature = "gpu")]
    Verify(verify::Verify),
    /// Write the kernels that run a model
    #[cfg(feature = "gpu")]
    Kernels(kernels::Kernels),
    /// Measure how fast many worlds step
    Bench(bench::Bench),
    /// List the adapters that the kernels can run on
    Devices(devices::Devices),
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

/// Runs the program with its arguments, the first of which is its name; returns its exit code.
pub fn program(args: impl Iterator<Item = OsString>) -> u8 {
    let args = match Cli::try_parse_from(args) {
        Ok(args) => args,
        Err(e) => {
            // help and version are not errors
            let code = u8::from(e.use_stderr()) * USAGE;
            let _ = e.print();
            return code;
        }
    };
    match run(args) {
        Ok(()) => 0,
        Err(fault) => fault.tell(),
    }
}

/// Runs the verb.
fn run(cli: Cli) -> Result<(), Fault> {
    if !matches!(cli.verb, Verb::Completions { .. }) {
        level::say_what_is_lost();
    }
    match cli.verb {
        Verb::Info(args) => args.run(),
        Verb::Rollout(args) => args.run(),
        #[cfg(feature = "view")]
        Verb::Render(args) => args.run(),
        #[cfg(feature = "window")]
        Verb::View(args) => args.run(),
        Verb::Forward(args) => args.run(),
        #[cfg(feature = "gpu")]
        Verb::Verify(args) => args.run(),
        #[cfg(feature = "gpu")]
        Verb::Kernels(args) => args.run(),
        Verb::Bench(args) => args.run(),
        Verb::Devices(args) => args.run(),
        Verb::Completions { shell } => {
            let (mut command, mut script) = (Cli::command(), Vec::new());
            clap_complete::generate(shell, &mut command, "manyworlds", &mut script);
            say::text(&String::from_utf8_lossy(&script))
        }
    }
}

/// An error that ends the program.
#[derive(Debug)]
pub struct Fault {
    /// Exit code.
    pub code: u8,
    /// Text for stderr.
    pub text: String,
}

impl Fault {
    /// Writes the text to stderr; returns the exit code.
    pub fn tell(&self) -> u8 {
        // where stderr is closed, the exit code remains
        let _ = write!(anstream::stderr(), "{}", self.text);
        self.code
    }

    /// Wrong arguments or input files.
    pub fn usage(text: impl std::fmt::Display) -> Self {
        Self {
            code: USAGE,
            text: format!("error: {text}\n"),
        }
    }

    /// A file that cannot be read or written.
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        Self::usage(format!("{}: {source}", path.display()))
    }
}

impl From<Error> for Fault {
    fn from(e: Error) -> Self {
        let code = match &e {
            Error::Mjcf { .. } | Error::Several(_) | Error::Missing(_) => MODEL,
            Error::Overflow { .. } => CHECK,
            Error::Device(_) | Error::Shader { .. } | Error::Size { .. } => DEVICE,
            _ => USAGE,
        };
        Self {
            code,
            text: e.render(),
        }
    }
}

/// Reads an argument that is a size: a finite number, not below zero.
fn size(said: &str) -> Result<f64, String> {
    match said.parse::<f64>() {
        Ok(x) if x.is_finite() && x >= 0.0 => Ok(x),
        _ => Err("a finite number that is not below 0 is needed".to_owned()),
    }
}

/// The overlays to draw: the named ones, and contacts if `contacts`.
#[cfg(feature = "view")]
fn overlays(named: &[Overlay], contacts: bool) -> Vec<Overlay> {
    let contacts = contacts && !named.contains(&Overlay::Contacts);
    let contacts = contacts.then_some(Overlay::Contacts);
    named.iter().copied().chain(contacts).collect()
}

/// Reads and compiles a model; every error has the exit code of a bad model.
pub fn load(model: &ModelArg) -> Result<Model, Fault> {
    Model::from_xml_path_with(&model.path, &model.limits()).map_err(|e| Fault {
        code: MODEL,
        ..e.into()
    })
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BackendArg {
    /// The fastest that the machine and the model allow: a hardware GPU, else simd, else cpu; the program says which one and
    /// why
    Auto,
    /// The kernels, f32, on the best adapter, even if that is a software adapter
    Gpu,
    /// The twins, f64, on all threads
    Cpu,
    /// The twins for 8 or 16 worlds side by side, f32, on all threads: the fastest without a GPU
    Simd,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OverflowArg {
    /// Stop with exit code 3 and say how much room is needed
    Error,
    /// Make room and repeat the step
    Grow,
    /// Continue without the contacts that did not fit, and say so at the end
    Continue,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum UnrollArg {
    /// Kernels that are known to become faster
    Auto,
    /// None
    Never,
    /// All kernels that can be unrolled
    Always,
}

/// Who computes, and with how much room.
#[derive(Args, Debug)]
#[command(next_help_heading = "Worlds")]
pub struct Engine {
    /// Backend that computes the worlds
    #[arg(long, value_enum, default_value_t = BackendArg::Auto)]
    backend: BackendArg,
    /// GPU: the first adapter whose name contains these letters (see `devices`)
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// GPU: lanes that work on one world, a power of two; chosen if not given
    #[arg(long, value_name = "N")]
    lanes: Option<u32>,
    /// GPU: which kernels are unrolled for the model, without loops
    #[arg(long, value_enum, default_value_t = UnrollArg::Auto)]
    unroll: UnrollArg,
    /// GPU: do not use the result of `bench --tune` (a file in the user's cache folder)
    #[arg(long)]
    no_cache: bool,
    /// CPU: threads; all if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: Option<u32>,
    /// Contacts that a world has room for; the model's nconmax if not given
    #[arg(long, value_name = "N")]
    nconmax: Option<u32>,
    /// Constraint rows that a world has room for; the model's njmax if not given
    #[arg(long, value_name = "N")]
    njmax: Option<u32>,
    /// What to do when a world needs more room for contacts or constraint rows
    #[arg(long, value_enum, default_value_t = OverflowArg::Grow)]
    overflow: OverflowArg,
    /// Share of the available memory that larger buffers may take; worlds that need more continue as with `--overflow continue`
    #[arg(long, value_name = "PERCENT", default_value_t = 10, value_parser = clap::value_parser!(u8).range(0..=100))]
    growth: u8,
}

impl Engine {
    /// The library's settings.
    pub fn settings(&self) -> Settings {
        Settings {
            backend: match self.backend {
                BackendArg::Auto => Backend::Auto,
                BackendArg::Gpu => Backend::Gpu,
                BackendArg::Cpu => Backend::Cpu,
                BackendArg::Simd => Backend::Simd,
            },
            overflow: match self.overflow {
                OverflowArg::Error => Overflow::Error,
                OverflowArg::Grow => Overflow::Grow,
                OverflowArg::Continue => Overflow::Continue,
            },
            nconmax: self.nconmax.map(|n| n as usize),
            njmax: self.njmax.map(|n| n as usize),
            growth: Some(self.growth),
            threads: self.threads.map(|n| n as usize),
            adapter: self.adapter.clone(),
            lanes: self.lanes,
            tuning: None,
            rne_post: false,
            solver_stat: false,
            no_cache: self.no_cache,
            unroll: self.unroll.into(),
        }
    }
}

impl From<UnrollArg> for Unroll {
    fn from(said: UnrollArg) -> Self {
        match said {
            UnrollArg::Auto => Self::Auto,
            UnrollArg::Never => Self::Never,
            UnrollArg::Always => Self::Always,
        }
    }
}

/// The model that a verb is about.
#[derive(Args, Debug)]
pub struct ModelArg {
    /// The model, MJCF or URDF
    #[arg(value_name = "MODEL.xml")]
    pub path: PathBuf,
    /// The folder that all files of the model must lie in; the repository or project around the model, or the folder above its
    /// own, if not given
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// The folder of the package that `package://NAME/FILE` refers to; may be given several times
    #[arg(long = "package", value_name = "NAME=DIR", value_parser = package)]
    pub packages: Vec<(String, PathBuf)>,
}

/// A name and a folder, from `NAME=DIR`.
fn package(text: &str) -> Result<(String, PathBuf), String> {
    let (name, folder) = text
        .split_once('=')
        .ok_or("a package is given as NAME=DIR")?;
    Ok((name.to_owned(), PathBuf::from(folder)))
}

impl ModelArg {
    /// Limits on the files that may be read.
    pub fn limits(&self) -> Limits {
        Limits {
            root: self.root.clone(),
            packages: self.packages.iter().cloned().collect(),
            ..Limits::default()
        }
    }
}
