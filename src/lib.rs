//! MuJoCo's physics for thousands of worlds at once: a real MJCF model in, every world stepped with MuJoCo 4.0's contact
//! dynamics, on a GPU through WGSL kernels or on the CPU.
//!
//! ```
//! use manyworlds::{Batch, Model, To};
//!
//! # fn main() -> manyworlds::Result<()> {
//! let model = Model::from_xml_path("models/humanoid.xml")?;
//! let mut batch = Batch::new(&model, 16)?; // the fastest that the machine and the model allow
//! println!("{} worlds on {}", batch.nworld(), batch.device());
//!
//! batch.expand(&["body_mass"])?; // from now on each world has its own
//! let masses = batch.reals("body_mass")?.chunks(model.nbody).enumerate(); // N × nbody (kg)
//! let masses = masses.flat_map(|(world, row)| row.iter().map(move |mass| mass * (0.8 + 0.02 * world as f64)));
//! let masses: Vec<f64> = masses.collect();
//! batch.set("body_mass", &masses)?;
//! batch.set_const()?; // derives the constants that depend on the masses (mj_setConst)
//!
//! batch.set("ctrl", &vec![0.1; model.nu])?; // one row for all worlds, or N × nu
//! batch.step(100)?; // 100 steps of every world
//! let fallen: Vec<bool> = batch.reals("qpos")?.chunks(model.nq).map(|qpos| qpos[2] < 0.9).collect();
//! batch.reset_where(&fallen, To::Key(0))?; // those stand up again, the others go on
//! # Ok(())
//! # }
//! ```
//!
//! # What there is
//!
//! | | |
//! |---|---|
//! | [`Batch`] | Many worlds of a model. [`Settings`] name the [`Backend`] and the response to [`Overflow`]. A reset puts worlds [`To`] a start, a keyframe or a saved [`State`]. Derivatives, Jacobians, rays and other queries: [`batch`]. |
//! | [`Model`] | A compiled model: read like a struct, written by [`Model::edit`], saved in one file. Options and names: [`model`]. |
//! | [`Spec`] | The description of a model, read from MJCF or URDF or put together: [`mjcf`]; [`compile`] makes a model of it. |
//! | [`fields`] | The table of all arrays, each with its shape, unit, frame and meaning; a [`Batch`] reads and sets them by these names. [`Data`] is one world, array by array. |
//! | [`types`] | MuJoCo's enums and constants, with its numbers. |
//! | [`user`] | Functions of your own in the middle of a step (MuJoCo's callbacks). |
//! | [`Error`], [`Result`] | Errors, with the place in the model's text ([`Excerpt`]). |
//! | [`picture`] | Pictures of worlds. |
//! | [`policy`] | Policies from files, which choose the controls of worlds. |
//! | [`wgpu_interop`] | Worlds on a wgpu device of yours: the one module whose interface has types of another library. |
//! | [`level`] | The instructions that the crate was built for, and those that the machine has. |
//!
//! Arrays, sizes and enums have MuJoCo's names, letter for letter. Structs and enums that may get more fields or variants are
//! `non_exhaustive`; structs of settings have a setter for each field: `Settings::default().backend(Backend::Cpu).threads(2)`.
//!
//! # How it is built
//!
//! ```text
//! arm.xml ─ mjcf ─▶ Spec ─ compile ─▶ Model ──────── gpu/arena ────────▶ [model]
//!                                       └▶ Data × worlds ──────────────▶ [worlds]
//!      stages.rs, one list:  kinematics ▸ com_pos ▸ crb ▸ factor_m ▸ … ▸ solve_newton ▸ euler
//!                       src/cpu/*.rs, f64, one world       shaders/*.wgsl, f32, all worlds
//!                                       └──────▶ Data ◀── parity ──▶ Data ◀──┘
//! ```
//!
//! Three tables, and nothing is declared twice: [`mjcf::schema`] lists the elements and attributes of a model's text, [`fields`]
//! the arrays, and `stages.rs` the computations of a step. Every kernel has an f64 twin, and every twin is tested against MuJoCo
//! 4.0.0. Stages, twins and kernels are no part of the public API.
//!
//! # Features
//!
//! All features are on by default; the library alone takes `default-features = false`.
//!
//! * `gpu`: the kernels and [`Backend::Gpu`] (wgpu, naga). Without it that backend is an error, and [`Backend::Auto`] takes the cores.
//! * `view`: pictures of worlds ([`picture`]), on any adapter.
//! * `policy`, part of `cli` and `scene`: policies from files ([`policy`]).
//! * `scene`, part of `view`: the content of pictures, for a painter on your own device; without kernels.
//! * `cli`: the program `manyworlds`.
//! * `count`: a copy of the pipeline that counts operations, which `manyworlds bench` shows.
//!
//! # Processors
//!
//! `simd` is as fast as the instructions that the crate was built for, and cargo builds for a processor of 2003 unless told
//! otherwise: `RUSTFLAGS=-Ctarget-cpu=native` makes it two to four times as fast on most machines. [`level`] tells the level that
//! the crate was built for, and that of the machine.
//!
//! # What is refused
//!
//! A model with text that this version cannot read is an error with file, line and column. A model whose dynamics need features
//! that no stage computes is refused by [`Batch::new`] ([`compile::missing`] lists them). No part of a model is ignored silently.

// modules of the program name the library as other crates do
#[cfg(feature = "cli")]
extern crate self as manyworlds;

#[macro_use]
mod settable;

// the public API
pub mod batch;
pub mod compile;
pub mod fields;
pub mod level;
pub mod mjcf;
pub mod model;
#[cfg(feature = "scene")]
pub mod picture;
#[cfg(feature = "policy")]
pub mod policy;
pub mod types;
pub mod user;
#[cfg(feature = "gpu")]
pub mod wgpu_interop;

// internals, for the crate's own tests, benchmarks and program, and free to change
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[doc(hidden)]
pub mod cpu;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod gpu;
#[doc(hidden)]
pub mod real;
#[doc(hidden)]
pub mod simd;
#[doc(hidden)]
pub mod stages;

mod asset;
mod data;
mod error;
#[cfg(feature = "policy")]
mod npy;
mod own;
mod parted;
mod rowset;
mod still;

pub use batch::{Backend, Batch, Overflow, Settings, State, To};
pub use error::{Error, Excerpt, Result};
pub use fields::Data;
pub use mjcf::Spec;
pub use model::Model;
