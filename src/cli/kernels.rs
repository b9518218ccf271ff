//! `kernels`: the text of the kernels that run a model, for people with profilers and editors.

use super::output::{Kind, Output};
use super::say::data;
use super::{Fault, ModelArg, load};
use clap::{Args, ValueEnum};
use comfy_table::{Table, presets};
use manyworlds::Error;
use manyworlds::gpu::arena::{Layout, chip_words};
use manyworlds::gpu::config::{hardware_team, team_of};
use manyworlds::gpu::module::Module;
use manyworlds::gpu::run::{group, step_walk};
use manyworlds::gpu::wgsl::Build;
use std::io::Write;
use std::path::PathBuf;

/// The kernels of a model's step, as they are put together for it: a file each, in the order of the step.
///
/// No device is needed. Lanes and worlds of a workgroup are those that are chosen for a hardware GPU, and so is which stages
/// share a kernel. `docs/shaders.md` tells how the text comes about.
#[derive(Args, Debug)]
pub struct Kernels {
    #[command(flatten)]
    model: ModelArg,
    /// Folder for the files, which is made if need be; without it only the table is shown
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Languages
    #[arg(long, value_enum, value_delimiter = ',', default_value = "wgsl")]
    language: Vec<Language>,
    /// Lanes that work on one world, a power of two; chosen if not given
    #[arg(long, value_name = "N", value_parser = lanes)]
    lanes: Option<u32>,
    /// A kernel for each stage
    #[arg(long)]
    single: bool,
}

/// The language that kernels are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    /// WebGPU's, which all others are made from
    Wgsl,
    /// Vulkan's, binary
    Spirv,
    /// Metal's
    Metal,
    /// Direct3D's
    Hlsl,
}

fn lanes(said: &str) -> Result<u32, String> {
    match said.parse() {
        Ok(n @ 1..=256) if u32::is_power_of_two(n) => Ok(n),
        _ => Err("a power of two up to 256 is needed".to_owned()),
    }
}

impl Kernels {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let m = load(&self.model)?;
        let missing = manyworlds::compile::missing_on_device(&m);
        if !missing.is_empty() {
            return Err(Error::Missing(missing).into());
        }
        let (team, tile) = self.lanes.map_or_else(|| hardware_team(&m), team_of);
        let layout = Layout::new(&m, tile, &[], chip_words(team))?;
        let build = Build::new(&m, &layout, team);
        let fuse = if self.single { 1 } else { usize::MAX };
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header([
            "kernel",
            "lines",
            "arrays read",
            "written",
            "workgroup bytes",
        ]);
        for (k, stages) in group(&step_walk(&m), fuse).iter().enumerate() {
            let module = build.module(stages);
            let cells = [
                module.label(),
                module.text.lines().count().to_string(),
                module.reads.len().to_string(),
                module.writes.len().to_string(),
                module.workgroup_memory.to_string(),
            ];
            table.add_row(cells);
            if let Some(folder) = &self.out {
                std::fs::create_dir_all(folder).map_err(|e| Fault::io(folder, e))?;
                // a fused kernel is called after its first stage
                let name = format!("{k:02}_{}", module.stages[0]);
                for &language in &self.language {
                    let (ending, bytes) = written(&module, language)?;
                    let path = folder.join(format!("{name}.{ending}"));
                    let output = Output::create(&path, Kind::Text, &[&self.model.path])?;
                    let mut file = output.file()?;
                    file.write_all(&bytes).map_err(|e| output.fault(&e))?;
                    output.finish_here()?;
                }
            }
        }
        data!("{table}")?;
        Ok(())
    }
}

// ending and bytes of a kernel's file
fn written(module: &Module, language: Language) -> Result<(&'static str, Vec<u8>), Fault> {
    use naga::back::{hlsl, msl, spv};
    let (parsed, info) = module.parsed()?;
    let failed = |e: &dyn std::fmt::Display| {
        let msg = format!("{} in {language:?}: {e}", module.label());
        Fault::from(Error::Device(msg))
    };
    Ok(match language {
        Language::Wgsl => ("wgsl", module.text.clone().into_bytes()),
        Language::Spirv => {
            let options = spv::Options::default();
            let words = spv::write_vec(&parsed, &info, &options, None).map_err(|e| failed(&e))?;
            ("spv", bytemuck::cast_slice(&words).to_vec())
        }
        Language::Metal => {
            let options = msl::Options {
                lang_version: (2, 0),
                ..msl::Options::default()
            };
            let pipeline = msl::PipelineOptions::default();
            let (text, _) =
                msl::write_string(&parsed, &info, &options, &pipeline).map_err(|e| failed(&e))?;
            ("metal", text.into_bytes())
        }
        Language::Hlsl => {
            let options = hlsl::Options {
                shader_model: hlsl::ShaderModel::V6_0,
                ..hlsl::Options::default()
            };
            let (mut text, pipeline) = (String::new(), hlsl::PipelineOptions::default());
            hlsl::Writer::new(&mut text, &options, &pipeline)
                .write(&parsed, &info, None)
                .map_err(|e| failed(&e))?;
            ("hlsl", text.into_bytes())
        }
    })
}
