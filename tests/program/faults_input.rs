//! Input files of other programs: every number format, and faulty files.

use crate::common::program::{CARTPOLE, array, npz, path, run};
use std::io::Write;
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An npy file: a header as numpy writes it, and bytes.
fn npy(descr: &str, fortran: bool, shape: &str, bytes: &[u8]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
    while !(header.len() + 11).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.bytes());
    out.extend(bytes);
    out
}

/// An npz archive of such files.
fn archive(path: &str, files: &[(&str, Vec<u8>)]) {
    let mut zip = ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, bytes) in files {
        zip.start_file(format!("{name}.npy"), SimpleFileOptions::default())
            .unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// Runs a rollout of zero steps from a state: exit code, stderr, and the positions of the first frame.
fn begin(dir: &TempDir, worlds: &str, more: &[&str]) -> (i32, String, Vec<f64>) {
    let out = path(dir, "out.npz");
    let args = [
        "rollout",
        CARTPOLE,
        "--backend",
        "cpu",
        "--steps",
        "0",
        "--worlds",
        worlds,
    ];
    let (code, _, said) = run(&[&args[..], &["--out", &out], more].concat());
    let qpos = match code {
        0 => array(&out, "qpos").1,
        _ => Vec::new(),
    };
    (code, said, qpos)
}

#[test]
fn every_kind_of_number_is_read() {
    let dir = TempDir::new().unwrap();
    let file = path(&dir, "in.npz");
    let kinds: [(&str, Vec<u8>); 20] = [
        ("<f8", [1f64, 0.0].map(f64::to_le_bytes).concat()),
        (">f8", [1f64, 0.0].map(f64::to_be_bytes).concat()),
        ("<f4", [1f32, 0.0].map(f32::to_le_bytes).concat()),
        (">f4", [1f32, 0.0].map(f32::to_be_bytes).concat()),
        ("<f2", vec![0x00, 0x3c, 0, 0]),
        (">f2", vec![0x3c, 0x00, 0, 0]),
        ("<i8", [1i64, 0].map(i64::to_le_bytes).concat()),
        (">i8", [1i64, 0].map(i64::to_be_bytes).concat()),
        ("<i4", [1i32, 0].map(i32::to_le_bytes).concat()),
        (">i4", [1i32, 0].map(i32::to_be_bytes).concat()),
        ("<i2", [1i16, 0].map(i16::to_le_bytes).concat()),
        (">i2", [1i16, 0].map(i16::to_be_bytes).concat()),
        ("|i1", vec![1, 0]),
        ("<u8", [1u64, 0].map(u64::to_le_bytes).concat()),
        (">u8", [1u64, 0].map(u64::to_be_bytes).concat()),
        ("<u4", [1u32, 0].map(u32::to_le_bytes).concat()),
        ("<u2", [1u16, 0].map(u16::to_le_bytes).concat()),
        (">u2", [1u16, 0].map(u16::to_be_bytes).concat()),
        ("|u1", vec![1, 0]),
        ("|b1", vec![1, 0]),
    ];
    for (descr, bytes) in &kinds {
        archive(&file, &[("qpos", npy(descr, false, "(2,)", bytes))]);
        let (code, said, qpos) = begin(&dir, "1", &["--state", &file]);
        assert_eq!((code, qpos), (0, vec![1.0, 0.0]), "{descr}: {said}");
        // the same file as controls
        archive(&file, &[("ctrl", npy(descr, false, "(2, 1)", bytes))]);
        let (code, said, _) = begin(&dir, "1", &["--ctrl", &file]);
        assert_eq!(code, 0, "{descr}: {said}");
    }
    for descr in ["<U4", "|S8", "<c16", "|O", "<M8[s]", "|V8"] {
        archive(&file, &[("qpos", npy(descr, false, "(2,)", &[0; 64]))]);
        let (code, said, _) = begin(&dir, "1", &["--state", &file]);
        assert_eq!(code, 1, "{descr}: {said}");
        assert!(said.contains("in.npz: qpos: "), "{said}");
    }
}

#[test]
fn both_orders_and_every_shape_are_read() {
    let dir = TempDir::new().unwrap();
    let file = path(&dir, "in.npz");
    let bytes = |x: &[f64]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    // two frames of three worlds; the second frame is used: 10 w + axis
    let rows: Vec<f64> = [[9.0; 6], [0.0, 1.0, 10.0, 11.0, 20.0, 21.0]].concat();
    let turned: Vec<f64> = (0..12)
        .map(|at| rows[at % 2 * 6 + at / 2 % 3 * 2 + at / 6])
        .collect();
    for (fortran, numbers) in [(false, &rows), (true, &turned)] {
        let qpos = npy("<f8", fortran, "(2, 3, 2)", &bytes(numbers));
        archive(&file, &[("qpos", qpos)]);
        let (code, said, qpos) = begin(&dir, "5", &["--state", &file]);
        assert_eq!(code, 0, "{said}");
        // rows are repeated cyclically over the worlds
        assert_eq!(
            qpos,
            [0.0, 1.0, 10.0, 11.0, 20.0, 21.0, 0.0, 1.0, 10.0, 11.0]
        );
    }
    for (worlds, shape, want) in [
        ("2", "(3, 2)", "has rows for 3 worlds, and there are 2"),
        ("2", "(2, 3, 2)", "has rows for 3 worlds, and there are 2"),
        ("3", "(2, 2, 3, 2)", "has shape [2, 2, 3, 2]; [2] is needed"),
        ("3", "(0, 2)", "has shape [0, 2]; [2] is needed"),
        ("3", "()", "has shape []; [2] is needed"),
        ("3", "(4611686018427387904, 2)", "is too large"),
        (
            "3",
            "(18446744073709551616, 2)",
            "dimension cannot be larger",
        ),
        ("3", "(-1, 2)", "dimension cannot be negative"),
        ("3", "(3, 2", "could not parse"),
        ("3", "('x', 2)", "dimension must be an integer"),
    ] {
        archive(&file, &[("qpos", npy("<f8", false, shape, &bytes(&rows)))]);
        let (code, said, _) = begin(&dir, worlds, &["--state", &file]);
        assert_eq!(code, 1, "{shape}: {said}");
        assert!(said.contains(want), "{shape}: {said}");
    }
}

#[test]
fn headers_that_are_none_are_refused_at_once() {
    let dir = TempDir::new().unwrap();
    let file = path(&dir, "in.npz");
    let header = |text: &str| {
        let mut out = b"\x93NUMPY\x01\x00".to_vec();
        out.extend((text.len() as u16).to_le_bytes());
        out.extend(text.bytes());
        out
    };
    // a parser that tries every bracket twice would take 2^50 tries
    let deep = |open: &str, close: &str| [open.repeat(50), close.repeat(50)].concat();
    let descr =
        |descr: &str| format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,), }}\n");
    let mut huge = header(&descr("'<f8'"));
    (huge[6], huge[9], huge[11]) = (2, 0xff, 0xff);
    for bytes in [
        Vec::new(),
        b"\x93NUMPY\x07\x00".to_vec(),
        huge,
        header(&deep("[", "]")),
        header(&deep("(", ")")),
        header(&deep("{", "}")),
        header(&"-".repeat(2000)),
        header(&descr(&deep("[", "]"))),
        header(&descr("[('a', '<f8'), ('b', '<f8')]")),
        header(&"x".repeat(60_000)),
    ] {
        archive(&file, &[("qpos", bytes)]);
        let (code, said, _) = begin(&dir, "1", &["--state", &file]);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains("in.npz: qpos: "), "{said}");
    }
}

#[test]
fn arrays_that_are_no_inputs_are_named_or_guessed() {
    let dir = TempDir::new().unwrap();
    let file = path(&dir, "in.npz");
    let qpos = || ("qpos", npy("<f8", false, "(2,)", &[0; 16]));
    let labels = ("labels", npy("<U4", false, "(2,)", b"a\0\0\0b\0\0\0"));
    archive(&file, &[qpos(), labels]);
    let (code, said, _) = begin(&dir, "1", &["--state", &file]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("in.npz: labels is no input and is ignored"),
        "{said}"
    );
    let slip = ("qvle", npy("<f8", false, "(2,)", &[0; 16]));
    archive(&file, &[qpos(), slip]);
    let (code, said, _) = begin(&dir, "1", &["--state", &file]);
    assert_eq!(code, 1);
    assert!(
        said.contains("qvle is no input; did you mean qvel?"),
        "{said}"
    );
    // the other arrays of a trajectory are accepted
    let more = ["--steps", "0", "--keep", "qpos,xpos,ncon", "--out", &file];
    let (code, _, said) = run(&[&["rollout", CARTPOLE, "--backend", "cpu"], &more[..]].concat());
    assert_eq!(code, 0, "{said}");
    let (code, said, _) = begin(&dir, "1", &["--state", &file]);
    assert_eq!((code, said.contains("no input")), (0, false), "{said}");
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let dir = TempDir::new().unwrap();
    let file = path(&dir, "in.npz");
    npz(
        &file,
        &[("qpos", &[2], &[0.5, 0.25]), ("qvel", &[2], &[0.0; 2])],
    );
    let whole = std::fs::read(&file).unwrap();
    for cut in (0..whole.len()).step_by(41) {
        std::fs::write(&file, &whole[..cut]).unwrap();
        let (code, said, _) = begin(&dir, "1", &["--state", &file]);
        assert_eq!(code, 1, "{cut} bytes: {said}");
        assert!(said.contains("in.npz: "), "{said}");
    }
    // an array shorter than its header states
    archive(&file, &[("qpos", npy("<f8", false, "(2,)", &[0; 12]))]);
    let (code, said, _) = begin(&dir, "1", &["--state", &file]);
    assert_eq!(code, 1);
    assert!(
        said.contains("qpos: the file ends before its last number"),
        "{said}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_bomb_takes_no_memory() {
    let dir = TempDir::new().unwrap();
    let file = path(&dir, "in.npz");
    // 600 MiB of zeros compressed to less than one: as another array, as the frames before the last, and as too many rows
    let zeros = vec![0; 1 << 20];
    let bomb = |name: &str, shape: &str, mib: usize| {
        let mut zip = ZipWriter::new(std::fs::File::create(&file).unwrap());
        let small = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        for (name, shape, mib) in [("qvel", "(2,)", 0), (name, shape, mib)] {
            zip.start_file(format!("{name}.npy"), small).unwrap();
            zip.write_all(&npy("<f8", false, shape, &[0; 16])).unwrap();
            (0..mib).for_each(|_| zip.write_all(&zeros).unwrap());
        }
        zip.finish().unwrap();
        assert!(std::fs::metadata(&file).unwrap().len() < 1 << 20);
    };
    for (name, shape, mib, code) in [
        ("junk", "(78643202,)", 600, 0),
        ("qpos", "(4194305, 1, 2)", 64, 0),
        ("qpos", "(39321601, 2)", 600, 1),
    ] {
        bomb(name, shape, mib);
        let limited = format!(
            "ulimit -v 500000; exec \"$0\" rollout {CARTPOLE} --backend cpu --threads 1 --steps 0 --state {file}"
        );
        let program = assert_cmd::cargo::cargo_bin("manyworlds");
        let mut shell = assert_cmd::Command::new("sh");
        let done = shell.args(["-c", &limited]).arg(program).output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{shape}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let dir = TempDir::new().unwrap();
    let pipe = path(&dir, "pipe.npz");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for flag in ["--state", "--ctrl"] {
        let (code, said, _) = begin(&dir, "1", &[flag, &pipe]);
        assert_eq!(code, 1);
        assert!(said.contains("pipe.npz: is not a regular file"), "{said}");
    }
}

#[test]
fn words_that_are_misspelt_are_guessed() {
    let dir = TempDir::new().unwrap();
    for (args, want) in [
        (
            ["--ctrl", "randon"],
            "--ctrl randon: there is no such file; did you mean random?",
        ),
        (
            ["--ctrl", "acts.npz"],
            "it is zero, random, or the name of an npz file",
        ),
        (
            ["--keep", "qpso"],
            "--keep qpso: qpso is no array of a world; did you mean qpos?",
        ),
        (
            ["--keep", "solver_Jv"],
            "--keep solver_Jv: solver_Jv is no array of a world",
        ),
        (
            ["--noise", "nan"],
            "a finite number that is not below 0 is needed",
        ),
        (
            ["--noise", "inf"],
            "a finite number that is not below 0 is needed",
        ),
        (
            ["--noise=-1", "--json"],
            "a finite number that is not below 0 is needed",
        ),
    ] {
        let (code, said, _) = begin(&dir, "1", &args);
        assert_eq!(code, 1, "{args:?}");
        assert!(said.contains(want), "{said}");
        assert!(!dir.path().join("out.npz").exists());
    }
}

#[test]
fn a_file_of_states_says_nothing_in_vain() {
    let dir = TempDir::new().unwrap();
    let (file, out) = (path(&dir, "states.json"), path(&dir, "out.json"));
    let run = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let args = ["forward", CARTPOLE, "--backend", "cpu", "--steps", "1"];
        run(&[&args[..], &["--states", &file, "--out", &out]].concat())
    };
    for (text, want) in [
        (
            r#"{"states": [{"qpso": [1, 2]}]}"#,
            "unknown name \"qpso\"; did you mean qpos?",
        ),
        (
            r#"{"states": [{"velocity": [1, 2]}]}"#,
            "unknown name \"velocity\"; there are time qpos",
        ),
        (
            r#"{"opt_overide": {}, "states": [{}]}"#,
            "did you mean opt_override?",
        ),
        (
            r#"{"opt_override": {"tolerence": 1}, "states": [{}]}"#,
            "tolerence: there is no such option; did you mean tolerance?",
        ),
        (
            r#"{"opt_override": {"gravity": 1}, "states": [{}]}"#,
            "gravity: has 1 numbers, 3 are needed",
        ),
        (
            r#"{"opt_override": {"timestep": -1}, "states": [{}]}"#,
            "the option timestep is -1: give a positive number",
        ),
        (
            r#"{"opt_override": {"timestep": 0}, "states": [{}]}"#,
            "the option timestep is 0",
        ),
        (
            r#"{"opt_override": {"cone": 7}, "states": [{}]}"#,
            "the option cone is 7",
        ),
        (
            r#"{"opt_override": {"integrator": 9}, "states": [{}]}"#,
            "the option integrator is 9",
        ),
        (
            r#"{"opt_override": {"solver": -1}, "states": [{}]}"#,
            "the option solver is -1",
        ),
        (
            r#"{"opt_override": {"cone": 0.5}, "states": [{}]}"#,
            "cone: 0.5 is no whole number",
        ),
    ] {
        let (code, _, said) = run(text);
        assert_eq!(code, 1, "{text}: {said}");
        assert!(said.contains(want), "{said}");
    }
    let known = r#"{"schema": 1, "producer": "x", "model": "m", "profile": "f64", "opt": [], "opt_override": {},
        "states": [{"kind": "small", "qpos": [0, 1], "time": 0}]}"#;
    let (code, _, said) = run(known);
    assert_eq!(code, 0, "{said}");
}
