//! Tables of `bench`.

use crate::cli::say::data;
use crate::cli::{Fault, progress};
use comfy_table::{Table, presets};
use serde_json::Value;

fn number(x: &Value) -> f64 {
    x.as_f64().unwrap_or(f64::NAN)
}

fn table(header: impl IntoIterator<Item = &'static str>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header);
    table
}

/// Prints the runs, the start, and the stages of the largest batch.
pub fn print(results: &[Value]) -> Result<(), Fault> {
    let mut runs = table([
        "worlds",
        "steps/s",
        "median",
        "ns a step",
        "steps/s of a core",
        "contacts",
        "rows",
        "iterations",
        "KiB a world",
        "first step",
    ]);
    for r in results {
        let mean = |name: &str| match r[name][0].as_f64() {
            Some(x) => format!("{x:.2}"),
            None => "–".to_owned(),
        };
        runs.add_row([
            r["worlds"].to_string(),
            progress::rate(number(&r["steps_per_s"]), ""),
            progress::rate(number(&r["steps_per_s_med"]), ""),
            format!("{:.0}", number(&r["ns_per_step"])),
            progress::rate(number(&r["steps_per_cpu_s_med"]), ""),
            mean("ncon"),
            mean("nefc"),
            mean("niter"),
            format!("{:.1}", number(&r["mem_world_bytes"]) / 1024.0),
            format!("{:.2} s", number(&r["first_s"])),
        ]);
    }
    data!("{runs}")?;
    let Some(last) = results.last() else {
        return Ok(());
    };
    start(&last["start_up"])?;
    stages(last)
}

// start-up times of one world, from the text of the model to the first step
fn start(start: &Value) -> Result<(), Fault> {
    let mut parts = table(["start, ms", "parse", "compile", "open", "first step"]);
    let ms = |name: &str| format!("{:.1}", 1e3 * number(&start[name]));
    parts.add_row([
        "one world".to_owned(),
        ms("parse_s"),
        ms("compile_s"),
        ms("open_s"),
        ms("first_s"),
    ]);
    data!("{parts}")
}

// stages, the most expensive first: time, work, and rates
fn stages(r: &Value) -> Result<(), Fault> {
    let Some(stages) = r["stage_ns"].as_object() else {
        return Ok(());
    };
    let mut stages: Vec<(&String, f64)> =
        stages.iter().map(|(name, x)| (name, number(x))).collect();
    stages.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all: f64 = stages.iter().map(|(_, ns)| ns).sum();
    if all == 0.0 {
        return Ok(());
    }
    let work = &r["work"];
    let limits = [
        number(&work["core_flops"]) * 1e-9,
        number(&work["core_bytes_per_s"]) * 1e-9,
    ];
    // a program that does not count has no work to show
    let counted = !work.is_null();
    let mut heads = vec!["stage", "ns a world-step", "share"];
    if counted {
        heads.extend(["FLOP", "bytes", "GFLOP/s", "GB/s"]);
    }
    let mut rows = table(heads);
    let mut total = [0.0; 3];
    let mut row = |name: &str, [ns, flop, bytes]: [f64; 3]| {
        let rate = |x: f64| match x > 0.0 && ns > 0.0 {
            true => format!("{:.1}", x / ns),
            false => "–".to_owned(),
        };
        let share = format!("{:.0} %", 100.0 * ns / all);
        let mut row = vec![name.to_owned(), format!("{ns:.0}"), share];
        if counted {
            let [flops, size] = [flop, bytes].map(|x| format!("{x:.0}"));
            row.extend([flops, size, rate(flop), rate(bytes)]);
        }
        rows.add_row(row);
    };
    for (name, ns) in stages {
        let own = &work["stages"][name];
        let part = [
            ns,
            own["flop"].as_f64().unwrap_or(0.0),
            own["bytes"].as_f64().unwrap_or(0.0),
        ];
        row(name, part);
        (0..3).for_each(|k| total[k] += part[k]);
    }
    row("all", total);
    data!("{rows}")?;
    if limits[0] > 0.0 {
        data!(
            "one core: {:.0} GFLOP/s in single precision side by side, {:.1} GB/s from memory",
            limits[0],
            limits[1]
        )?;
    }
    Ok(())
}
