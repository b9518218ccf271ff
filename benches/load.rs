//! Time and memory for loading models, from text to compiled model: `cargo bench --bench load -- MODEL.xml …`.
//!
//! Each load runs in a process of its own, so that only the file cache is warm; the best of five counts. CPU time is that of
//! all threads (Linux). `benches/load.py` compares it with MuJoCo's own loader.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use manyworlds::Model;
use manyworlds::compile::compile;
use manyworlds::mjcf::Spec;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, path] = args.as_slice()
        && flag == "--once"
    {
        return once(path);
    }
    let mut paths: Vec<String> = args.into_iter().filter(|a| a.ends_with(".xml")).collect();
    if paths.is_empty() {
        let entries = std::fs::read_dir("models").expect("run in the root of the project");
        let files = entries.map(|e| e.expect("the folder can be read").path());
        let xml = files.filter(|p| p.extension().is_some_and(|e| e == "xml"));
        paths = xml.map(|p| p.display().to_string()).collect();
        paths.sort();
    }
    println!("model\tms\tpeak_kib\tassets_kib\tcompiled_kib");
    for path in paths {
        match best(&path) {
            Ok([ns, peak, assets, compiled]) => {
                let ms = ns as f64 / 1e6;
                let [assets, compiled] = [assets, compiled].map(|bytes| bytes / 1024);
                println!("{path}\t{ms:.2}\t{peak}\t{assets}\t{compiled}");
            }
            Err(why) => println!("{path}\t{why}"),
        }
    }
}

// minimal time and memory of several processes
fn best(path: &str) -> Result<[u64; 4], String> {
    let exe = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut best = [u64::MAX; 4];
    for _ in 0..5 {
        let out = Command::new(&exe).args(["--once", path]).output();
        let out = out.map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&out.stdout);
        let numbers: Vec<u64> = text
            .split_whitespace()
            .filter_map(|n| n.parse().ok())
            .collect();
        if numbers.len() != 4 {
            let err = String::from_utf8_lossy(&out.stderr);
            return Err(err.lines().next().unwrap_or("no answer").to_owned());
        }
        for (best, n) in best.iter_mut().zip(numbers) {
            *best = n.min(*best);
        }
    }
    Ok(best)
}

fn once(path: &str) {
    // pages of the program itself are in memory before
    let tiny = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>";
    let _ = Model::from_xml_str(tiny);
    let (before, memory) = (cpu(), status("VmRSS:"));
    let model = match Model::from_xml_path(path) {
        Ok(model) => model,
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(1);
        }
    };
    let (after, peak) = (cpu(), status("VmHWM:"));
    drop(model);
    let spec = Spec::from_file(path).expect("it was read before");
    let model = compile(&spec).expect("it was compiled before");
    let folder = Path::new(path).parent().unwrap_or(Path::new("."));
    let meshes = spec.meshes.iter().filter_map(|m| m.file.as_ref());
    let files = meshes.chain(spec.hfields.iter().filter_map(|h| h.file.as_ref()));
    let assets: u64 = files
        .filter_map(|f| std::fs::metadata(folder.join(f)).ok())
        .map(|data| data.len())
        .sum();
    let compiled = model.to_bytes().map_or(0, |bytes| bytes.len());
    println!(
        "{} {} {assets} {compiled}",
        after - before,
        peak.saturating_sub(memory)
    );
}

// nanoseconds that all threads have run
fn cpu() -> u64 {
    // the kernel updates a thread's counter when the thread pauses
    std::thread::sleep(Duration::from_micros(1));
    let tasks = std::fs::read_dir("/proc/self/task");
    let tasks = tasks.into_iter().flatten().flatten();
    let ran = tasks.filter_map(|t| std::fs::read_to_string(t.path().join("schedstat")).ok());
    ran.filter_map(|s| s.split(' ').next()?.parse::<u64>().ok())
        .sum()
}

// a number of KiB in the status of this process
fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(key));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    number.unwrap_or(0)
}
