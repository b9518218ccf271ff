//! MuJoCo's physics for thousands of worlds at once: a real MJCF model in, every world stepped with MuJoCo 4.0's contact
//! dynamics, on a GPU through WGSL kernels or on the CPU.
//!
//! ```
//! use manyworlds::{Batch, Model, batch::To};
//!
//! # fn main() -> manyworlds::Result<()> {
//! let model = Model::from_xml_path("models/humanoid.xml")?;
//! let mut batch = Batch::new(&model, 16)?; // the fastest that the machine and the model allow
//! println!("{} worlds on {}", batch.nworld(), batch.device());
//!
//! batch.set("ctrl", &vec![0.1; model.nu])?; // one row for all worlds, or N × nu
//! batch.step(100)?; // 100 steps of every world
//! let height = batch.reals("qpos")?.chunks(model.nq).map(|qpos| qpos[2]); // N × nq
//! let fallen: Vec<bool> = height.map(|z| z < 0.9).collect();
//! batch.reset_where(&fallen, To::Key(0))?; // those stand up again, the others go on
//! for flag in batch.flags()? {
//!     println!("{flag}"); // worlds that diverged or overflowed, named
//! }
//! # Ok(())
//! # }
//! ```
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
//! Three tables, and nothing is declared twice: [`mjcf::schema`] says what may be *said*, [`fields`] what is *kept*,
//! [`stages`] what is *done*. Every kernel has an f64 twin in [`cpu`], and every twin is held against MuJoCo 4.0.0. Arrays,
//! sizes and enums have MuJoCo's names, letter for letter.
//!
//! # Features
//!
//! All are on by default; the library alone takes `default-features = false`.
//!
//! * `gpu`: the kernels and [`batch::Backend::Gpu`] (wgpu, naga). Without it that backend is an error, and
//!   [`batch::Backend::Auto`] takes the cores.
//! * `view`: pictures of worlds ([`picture`]), on any adapter.
//! * `scene`, part of `view`: what pictures show, for a painter on a device of one's own; without kernels.
//! * `cli`: the program `manyworlds`.
//! * `count`: a copy of the pipeline that counts operations, which `manyworlds bench` shows.
//!
//! # Processors
//!
//! `simd` is as fast as the instructions that the crate was built for, and cargo builds for a processor of 2003 unless told
//! otherwise: `RUSTFLAGS=-Ctarget-cpu=native` makes it two to four times as fast on most machines. [`level`] tells what was built
//! for, and what the machine has.
//!
//! # What is refused
//!
//! A model that says what this version cannot read is an error with file, line and column; one whose dynamics need what no
//! stage computes is refused by [`Batch::new`] ([`compile::missing`] lists it). Nothing is left out in silence.

// the program's own modules name the library as others do
#[cfg(feature = "cli")]
extern crate self as manyworlds;

pub(crate) mod asset;
pub mod batch;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod compile;
pub mod cpu;
pub mod data;
pub mod error;
pub mod fields;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod level;
pub mod mjcf;
pub mod model;
#[doc(hidden)]
pub mod own;
#[cfg(feature = "scene")]
pub mod picture;
#[doc(hidden)]
pub mod real;
#[doc(hidden)]
pub mod simd;
pub mod stages;
pub mod types;
pub mod user;

pub use batch::Batch;
pub use data::Data;
pub use error::{Error, Result};
pub use model::Model;
