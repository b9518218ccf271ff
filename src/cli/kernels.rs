//! `kernels`: writes the text of the kernels that run a model, for use in profilers and editors, and for offline compilers.

mod images;
mod text;

use super::output::{Kind, Output};
use super::say::data;
use super::{Fault, ModelArg, UnrollArg, load};
use clap::Args;
use comfy_table::{Table, presets};
use images::Images;
use manyworlds::gpu::arena::{Layout, chip_words};
use manyworlds::gpu::config::{hardware_team, single, team_of};
use manyworlds::gpu::run::{groups, step_walk};
use manyworlds::gpu::unroll::{Formed, Forms};
use manyworlds::gpu::wgsl::{Build, Team};
use manyworlds::{Error, Model};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use text::{Language, written};

/// The kernels of a model's step, as they are put together for it: a file each, in the order of the step.
///
/// No device is needed. Lanes and worlds of a workgroup are those that are chosen for a hardware GPU, and so is which stages
/// share a kernel. `docs/shaders.md` tells how the text comes about.
#[derive(Args, Debug)]
pub struct Kernels {
    #[command(flatten)]
    model: ModelArg,
    /// Folder for the files, created if it does not exist; if not given, only the table is printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Languages of the files
    #[arg(long, value_enum, value_delimiter = ',', default_value = "wgsl")]
    language: Vec<Language>,
    /// Leave out checks of bounds and loops, as for a driver that keeps accesses within their buffers
    #[arg(long)]
    trusted: bool,
    /// Lanes that work on one world, a power of two; chosen if not given
    #[arg(long, value_name = "N", value_parser = lanes)]
    lanes: Option<u32>,
    /// Invocations that the GPU runs in lockstep: 32, or 64 on GPUs of AMD
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = subgroup)]
    subgroup: u32,
    /// Use no operations of subgroups, as for GPUs whose subgroups have several sizes (those of AMD always)
    #[arg(long)]
    portable: bool,
    /// Which kernels are unrolled for the model, without loops
    #[arg(long, value_enum, default_value_t = UnrollArg::Auto)]
    unroll: UnrollArg,
    /// Write a kernel for each stage, also for stages that share one
    #[arg(long)]
    single: bool,
    #[command(flatten)]
    images: Images,
    /// Print a JSON object: how worlds lie in memory, and the kernels in the order of the step
    #[arg(long)]
    json: bool,
}

/// The kernels of a step, their team, and their memory layout.
struct Plan {
    team: Team,
    layout: Layout,
    kernels: Vec<Formed>,
}

fn lanes(said: &str) -> Result<u32, String> {
    match said.parse() {
        Ok(n @ 1..=256) if u32::is_power_of_two(n) => Ok(n),
        _ => Err("a power of two up to 256 is needed".to_owned()),
    }
}

fn subgroup(said: &str) -> Result<u32, String> {
    match said.parse() {
        Ok(n @ (32 | 64)) => Ok(n),
        _ => Err("32 or 64 is needed".to_owned()),
    }
}

impl Kernels {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let m = load(&self.model)?;
        let missing = manyworlds::compile::missing(&m);
        if !missing.is_empty() {
            return Err(Error::Missing(missing).into());
        }
        let plan = self.plan(&m)?;
        if let Some(folder) = &self.out {
            std::fs::create_dir_all(folder).map_err(|e| Fault::io(folder, e))?;
            for (k, kernel) in plan.kernels.iter().enumerate() {
                for &language in &self.language {
                    let (ending, bytes) = written(&kernel.module, language, self.trusted)?;
                    self.write(folder, &format!("{}.{ending}", name(k, kernel)), &bytes)?;
                }
            }
            for (name, bytes) in self.images.bytes(&m, &plan.layout)? {
                self.write(folder, name, &bytes)?;
            }
        }
        match self.json {
            true => data!("{}", plan.json()),
            false => data!("{}", plan.table()),
        }
    }

    fn plan(&self, m: &Model) -> Result<Plan, Fault> {
        let lanes = self.lanes.unwrap_or_else(|| hardware_team(m).0.lanes);
        let (team, tile) = team_of(lanes, self.subgroup);
        let fixed = !self.portable && self.subgroup == 32;
        let team = Team {
            subgroup: fixed && lanes > 1 && team.invocations() == self.subgroup,
            ..team
        };
        let layout = Layout::new(m, tile, &[], chip_words(team))?;
        let forms = Forms {
            plain: Build::new(m, &layout, team),
            unroll: self.unroll.into(),
            worlds: single(team, tile, self.subgroup, u64::MAX >> 1),
            software: false,
            asked: self.lanes.is_some_and(|lanes| lanes > 1),
        };
        let fuse = if self.single { 1 } else { usize::MAX };
        let groups = groups(m, &step_walk(m), fuse);
        let groups = groups.iter().filter(|group| group.hosted().is_none());
        let kernels = groups.flat_map(|group| forms.of(group)).collect();
        Ok(Plan {
            team,
            layout,
            kernels,
        })
    }

    fn write(&self, folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Fault> {
        let inputs: Vec<&Path> = [self.model.path.as_path()]
            .into_iter()
            .chain(self.images.file())
            .collect();
        let output = Output::create(&folder.join(name), Kind::Text, &inputs)?;
        let mut file = output.file()?;
        file.write_all(bytes).map_err(|e| output.fault(&e))?;
        output.finish_here()
    }
}

// file name of a kernel, after its first stage
fn name(k: usize, kernel: &Formed) -> String {
    format!("{k:02}_{}", kernel.module.stages[0])
}

impl Plan {
    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header([
            "kernel",
            "lanes × worlds",
            "unrolled",
            "lines",
            "arrays read",
            "written",
            "workgroup bytes",
        ]);
        for kernel in &self.kernels {
            let Formed {
                module, team, why, ..
            } = kernel;
            let unrolled = match why {
                None => "yes".to_owned(),
                Some(why) => format!("no: {why}"),
            };
            table.add_row([
                module.label(),
                format!("{} × {}", team.lanes, team.worlds),
                unrolled,
                module.text.lines().count().to_string(),
                module.reads.len().to_string(),
                module.writes.len().to_string(),
                module.workgroup_memory.to_string(),
            ]);
        }
        table
    }

    fn json(&self) -> Value {
        let kernel = |(k, kernel): (usize, &Formed)| {
            json!({
                "file": name(k, kernel),
                "stages": kernel.module.stages,
                "lanes": kernel.team.lanes,
                "worlds": kernel.team.worlds,
                "unrolled": kernel.why.is_none(),
                "workgroup_bytes": kernel.module.workgroup_memory,
            })
        };
        let kept = self
            .layout
            .slots()
            .filter(|(_, slot)| slot.per_world && slot.words > 0 && !slot.chip && !slot.transient);
        let arrays: serde_json::Map<_, _> = kept
            .map(|(field, slot)| (field.name.to_owned(), json!([slot.offset, slot.words])))
            .collect();
        let kernels: Vec<_> = self.kernels.iter().enumerate().map(kernel).collect();
        json!({
            "lanes": self.team.lanes,
            "worlds_of_workgroup": self.team.worlds,
            "tile": self.layout.tile,
            "world_words": self.layout.world_words,
            "model_words": self.layout.model_arena_words(),
            "arrays": arrays,
            "kernels": kernels,
        })
    }
}
