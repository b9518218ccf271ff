//! `info`: sizes of a model, memory of a world, and features that are missing.

use super::{Fault, MODEL, ModelArg, array};
use crate::cli::say::data;
use clap::Args;
use comfy_table::{Table, presets};
use manyworlds::batch::Memory;
use manyworlds::compile::missing;
use manyworlds::fields::{SIZES, field};
use manyworlds::types::{Cone, Integrator, Solver};
use manyworlds::{Error, Model};
use serde_json::{Map, Value, json};

/// The sizes and options of a model, the memory of a world, and the features that the model needs and that are missing.
///
/// Exits with 2 if the model needs features that this version lacks; all of them are listed.
#[derive(Args, Debug)]
pub struct Info {
    #[command(flatten)]
    model: ModelArg,
    /// Print each array of a world, too: shape, unit, frame, role and its memory on a device
    #[arg(long)]
    arrays: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

impl Info {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let m = Model::from_xml_path_with(&self.model.path, &self.model.limits());
        let m = m.map_err(|e| Fault {
            code: MODEL,
            ..e.into()
        })?;
        let missing = missing(&m);
        let cpu = Memory::cpu(&m, 1, 8);
        let built = cfg!(feature = "gpu");
        let device = built.then(|| Memory::device(&m)).transpose()?;
        if self.json {
            let sizes: Map<String, Value> = SIZES
                .iter()
                .map(|(size, _)| ((*size).to_owned(), m.size(size).into()))
                .collect();
            let info = json!({
                "model": m.names.model,
                "supported": missing.is_empty(),
                "missing": missing,
                "sizes": sizes,
                "timestep": m.opt.timestep,
                "bytes_per_world_cpu": cpu.world,
                "bytes_per_world_gpu": device.map(|device| device.world),
                "bytes_model_gpu": device.map(|device| device.model),
                "arrays_gpu": built.then(|| arrays_json(&m)).transpose()?,
                "keyframes": m.names.key,
            });
            data!("{info:#}")?;
        } else {
            data!("{}: {}", self.model.path.display(), m.names.model)?;
            data!("{}", table(&m, &cpu, device.as_ref()))?;
            if self.arrays {
                data!("{}", arrays_table(&m)?)?;
            }
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(Error::Missing(missing).into()),
        }
    }
}

// bytes of each array of a world on a device; arrays on chip separately
fn arrays_json(m: &Model) -> Result<Value, Fault> {
    let (mut arena, mut chip) = (Map::new(), Map::new());
    for (name, bytes, on_chip) in Memory::device_arrays(m)? {
        let to = if on_chip { &mut chip } else { &mut arena };
        to.insert(name.to_owned(), bytes.into());
    }
    Ok(json!({ "arena": arena, "chip": chip }))
}

fn arrays_table(m: &Model) -> Result<Table, Fault> {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    let head = [
        "array of a world",
        "shape",
        "unit",
        "frame",
        "role",
        "bytes",
        "where",
    ];
    table.set_header(head);
    for (name, bytes, on_chip) in Memory::device_arrays(m)? {
        let Some(field) = field(name) else { continue };
        let place = if on_chip { "on chip" } else { "memory" };
        let shape: Vec<String> = array::shape(m, field)
            .iter()
            .map(usize::to_string)
            .collect();
        table.add_row([
            name.to_owned(),
            shape.join(" × "),
            field.unit(),
            field.frame.to_string(),
            field.role.to_string(),
            bytes.to_string(),
            place.to_owned(),
        ]);
    }
    Ok(table)
}

fn table(m: &Model, cpu: &Memory, device: Option<&Memory>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let mut row = |what: &str, value: String| {
        table.add_row([what.to_owned(), value]);
    };
    row("coordinates, dofs", format!("nq {}, nv {}", m.nq, m.nv));
    row(
        "tree",
        format!("{} bodies, {} joints, {} trees", m.nbody, m.njnt, m.ntree),
    );
    let soft = match m.nblock {
        0 => String::new(),
        _ => ", and elements of soft bodies".to_owned(),
    };
    let pairs = m.ncollision - m.nblock;
    let shapes = format!(
        "{} geoms, {} sites, {pairs} pairs that may meet{soft}",
        m.ngeom, m.nsite
    );
    row("shapes", shapes);
    row(
        "actuators",
        format!(
            "{} actuators, {} controls, {} activations",
            m.nactuator, m.nu, m.na
        ),
    );
    row("tendons, equalities", format!("{}, {}", m.ntendon, m.neq));
    row(
        "sensors",
        format!("{} ({} numbers)", m.nsensor, m.nsensordata),
    );
    row(
        "keyframes",
        match m.nkey {
            0 => "none".to_owned(),
            n => format!("{n}: {}", m.names.key.join(", ")),
        },
    );
    let word = |x: Option<String>| x.unwrap_or_else(|| "?".to_owned());
    row(
        "step",
        format!(
            "{} s, {}, {} solver, {} cone",
            m.opt.timestep,
            word(Integrator::from_i32(m.opt.integrator).map(|x| format!("{x:?}"))),
            word(Solver::from_i32(m.opt.solver).map(|x| format!("{x:?}"))),
            word(Cone::from_i32(m.opt.cone).map(|x| format!("{x:?}").to_lowercase())),
        ),
    );
    row(
        "room in a world",
        format!("{} contacts, {} constraint rows", m.nconmax, m.njmax),
    );
    let on_cpu = format!("{} on the CPU (f64)", kib(cpu.world));
    let Some(device) = device else {
        row("memory of a world", on_cpu);
        row("missing", lacks(m));
        return table;
    };
    row(
        "memory of a world",
        format!("{} on a device (f32), {on_cpu}", kib(device.world)),
    );
    row(
        "memory of the model",
        format!("{} on a device", kib(device.model)),
    );
    row("missing", lacks(m));
    table
}

// the missing features that a model needs, one in a line
fn lacks(m: &Model) -> String {
    match missing(m) {
        list if list.is_empty() => "nothing".to_owned(),
        list => list.join("\n"),
    }
}

fn kib(bytes: u64) -> String {
    format!("{:.1} KiB", bytes as f64 / 1024.0)
}
