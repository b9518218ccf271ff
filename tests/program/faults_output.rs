//! Output of the program on errors: signals, full disks, other writers, paths that are not files.
#![cfg(unix)]

use crate::common::program::{CARTPOLE, array, manyworlds, npz, path, run};
use assert_cmd::cargo::CommandCargoExt;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// Names of the files in a folder.
fn files(dir: &TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(dir.path()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn rollout<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let args = ["rollout", CARTPOLE, "--backend", "cpu", "--out", out];
    [&args[..], more].concat()
}

/// An endless rollout, after its worlds were made. The signals `off` are ignored by it, all others are not.
fn endless(out: &str, off: &str) -> (Child, BufReader<std::process::ChildStderr>) {
    let args = rollout(
        out,
        &["--steps", "1000000000000", "--every", "100", "--json"],
    );
    // a test started in the background may ignore INT
    let on = match cfg!(target_os = "linux") {
        true => "env --default-signal",
        false => "",
    };
    let off = match off {
        "" => String::new(),
        off => format!("trap '' {off};"),
    };
    let program = Command::cargo_bin("manyworlds").unwrap();
    let script = format!(
        "exec {on} sh -c '{} exec \"$0\" \"$@\"' \"$0\" \"$@\"",
        off.replace('\'', "'\\''")
    );
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .arg(program.get_program())
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("worlds on") {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "it ended");
    }
    (child, said)
}

fn signal(child: &Child, name: &str) {
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &pid]).status();
    assert!(sent.unwrap().success());
}

/// Runs a shell script that runs the program with arguments.
fn shell(script: &str, args: &[&str]) -> Output {
    let program = Command::cargo_bin("manyworlds").unwrap();
    Command::new("sh")
        .args(["-c", &format!("{script} exec \"$0\" \"$@\"")])
        .arg(program.get_program())
        .args(args)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn rows_stay_in_place_when_room_grows() {
    ["cpu", "simd", "gpu"]
        .into_iter()
        .for_each(rows_stay_in_place);
}

fn rows_stay_in_place(backend: &str) {
    let dir = TempDir::new().unwrap();
    let model = path(&dir, "box.xml");
    let xml = r#"<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
        <body pos="0 0 .15"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>"#;
    std::fs::write(&model, xml).unwrap();
    let [small, large] = ["small", "large"].map(|name| path(&dir, &format!("{name}.npz")));
    for (out, nconmax, njmax) in [(&small, "1", "4"), (&large, "16", "64")] {
        let (code, _, said) = run(&[
            "rollout",
            &model,
            "--worlds",
            "3",
            "--steps",
            "150",
            "--every",
            "30",
            "--noise",
            ".05",
            "--backend",
            backend,
            "--nconmax",
            nconmax,
            "--njmax",
            njmax,
            "--out",
            out,
            "--keep",
            "ncon,nefc,contact_dist,contact_pos,efc_force,qpos",
        ]);
        assert_eq!(code, 0, "{backend}: {said}");
    }
    let (counts, ncon) = array(&small, "ncon");
    assert_eq!(array(&large, "ncon"), (counts.clone(), ncon.clone()));
    assert!(
        ncon[..3].iter().all(|n| *n == 0.0) && ncon.contains(&4.0),
        "{ncon:?}"
    );
    let nefc = array(&large, "nefc").1;
    assert_eq!(array(&small, "nefc").1, nefc);
    assert_eq!(array(&small, "qpos"), array(&large, "qpos"), "{backend}");
    for (name, count) in [
        ("contact_dist", &ncon),
        ("contact_pos", &ncon),
        ("efc_force", &nefc),
    ] {
        let ((have_shape, have), (want_shape, want)) = (array(&small, name), array(&large, name));
        assert_eq!(have_shape[..2], counts[..2]);
        assert_eq!(have_shape[3..], want_shape[3..]);
        let width: usize = have_shape[3..].iter().map(|n| *n as usize).product();
        let (have_row, want_row) = (
            have_shape[2] as usize * width,
            want_shape[2] as usize * width,
        );
        for (w, n) in count.iter().enumerate() {
            let n = *n as usize * width;
            let (have, want) = (&have[w * have_row..][..n], &want[w * want_row..][..n]);
            assert_eq!(have, want, "{backend}: {name} of frame and world {w}");
        }
    }
}

#[test]
fn signals_leave_a_whole_file_and_nothing_else() {
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let dir = TempDir::new().unwrap();
        let out = path(&dir, "out.npz");
        let (mut child, mut said) = endless(&out, "");
        std::thread::sleep(std::time::Duration::from_millis(300));
        signal(&child, name);
        let mut rest = String::new();
        said.read_to_string(&mut rest).unwrap();
        let mut summary = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut summary)
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{name}: {rest}");
        assert!(
            rest.contains(&format!("interrupted (signal {name})")),
            "{rest}"
        );
        assert_eq!(files(&dir), ["out.npz"]);
        let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
        let (frames, steps) = (&summary["frames"], summary["steps"].as_u64().unwrap());
        let (shape, time) = array(&out, "time");
        assert_eq!(summary["complete"], false);
        assert_eq!(shape[0], frames.as_u64().unwrap());
        assert_eq!(array(&out, "qpos").0, [shape[0], 1, 2]);
        // the state at the interruption is the last frame
        assert!(shape[0] > 1);
        assert!((time[time.len() - 1] / (0.01 * steps as f64) - 1.0).abs() < 1e-6);
    }
}

#[test]
fn a_signal_that_is_turned_off_stays_off() {
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "out.npz");
    let (mut child, mut said) = endless(&out, "HUP");
    signal(&child, "HUP");
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(child.try_wait().unwrap(), None);
    signal(&child, "TERM");
    said.read_to_string(&mut String::new()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(array(&out, "qpos").0[1..], [1, 2]);
}

#[test]
fn a_full_disk_leaves_the_frames_that_found_room() {
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "out.npz");
    let more = [
        "--worlds", "100", "--steps", "2000", "--every", "1", "--json",
    ];
    // limits files to 512 blocks
    let done = shell("ulimit -f 512;", &rollout(&out, &more));
    let (said, summary) = (text(&done.stderr), text(&done.stdout));
    assert_eq!(done.status.code(), Some(5), "{said}");
    assert!(
        said.contains("out.npz: cannot be written: File too large"),
        "{said}"
    );
    assert!(!said.contains("ZipWriter"), "{said}");
    assert_eq!(files(&dir), ["out.npz"]);
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let frames = summary["frames"].as_u64().unwrap();
    assert!(frames > 30, "{frames} frames");
    assert_eq!(array(&out, "qpos").0, [frames, 100, 2]);
    let time = array(&out, "time").1;
    assert!((time[time.len() - 1] - 0.01 * (frames - 1) as f64).abs() < 1e-9);

    // a dump is complete or absent
    let dump = path(&dir, "dump.npz");
    let args = [
        "forward",
        "models/humanoid.xml",
        "--backend",
        "cpu",
        "--out",
        &dump,
    ];
    let done = shell("ulimit -f 16;", &args);
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(5), "{said}");
    assert!(!said.contains("ZipWriter"), "{said}");
    assert_eq!(files(&dir), ["out.npz"]);
}

#[test]
fn nothing_is_written_over_that_is_no_result() {
    let dir = TempDir::new().unwrap();
    let own = |name: &str| path(&dir, name);
    let (model, link, notes) = (own("model.xml"), own("link.npz"), own("notes.txt"));
    std::fs::copy(CARTPOLE, &model).unwrap();
    std::fs::write(&notes, "not to be lost").unwrap();
    std::os::unix::fs::symlink(&model, &link).unwrap();
    std::fs::hard_link(&model, own("other.npz")).unwrap();
    std::os::unix::fs::symlink(own("nowhere"), own("dangling.npz")).unwrap();
    std::fs::create_dir(own("folder.npz")).unwrap();
    npz(&own("state.npz"), &[("qpos", &[2], &[0.0; 2])]);
    npz(&own("kept.npz"), &[("qpos", &[2], &[0.0; 2])]);
    std::fs::set_permissions(own("kept.npz"), PermissionsExt::from_mode(0o444)).unwrap();
    let before = files(&dir);
    let state = own("state.npz");
    let (reads, other) = (
        "is an input of this run",
        "exists and is not a file of kind npz",
    );
    for (out, code, want) in [
        ("model.xml", 1, reads),
        ("link.npz", 1, reads),
        ("other.npz", 1, reads),
        ("state.npz", 1, reads),
        ("notes.txt", 1, other),
        ("folder.npz", 1, "is a folder"),
        ("dangling.npz", 1, "is a link to a file that does not exist"),
        ("kept.npz", 1, "is write-protected"),
        ("none/out.npz", 5, "cannot be written: No such file"),
    ] {
        let out = own(out);
        let args = [
            "rollout",
            &model,
            "--backend",
            "cpu",
            "--out",
            &out,
            "--state",
            &state,
        ];
        let (have, stdout, said) = run(&args);
        assert_eq!((have, stdout.as_str()), (code, ""), "{said}");
        assert!(said.contains(want), "{out}: {said}");
    }
    assert_eq!(files(&dir), before);
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "not to be lost");
    assert_eq!(
        std::fs::read(&model).unwrap(),
        std::fs::read(CARTPOLE).unwrap()
    );

    // a dump does not overwrite its input states
    let states = own("states.json");
    std::fs::write(&states, r#"{"states": [{}]}"#).unwrap();
    let (code, _, said) = run(&["forward", CARTPOLE, "--states", &states, "--out", &states]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains(reads), "{said}");
}

#[test]
fn an_older_file_is_replaced_where_a_link_leads() {
    let dir = TempDir::new().unwrap();
    let (old, link) = (path(&dir, "old.npz"), path(&dir, "link.npz"));
    npz(&old, &[("qpos", &[2], &[0.0; 2])]);
    std::fs::set_permissions(&old, PermissionsExt::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("old.npz", &link).unwrap();
    let (code, _, said) = run(&rollout(&link, &["--steps", "10"]));
    assert_eq!(code, 0, "{said}");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(array(&old, "qpos").0, [2, 1, 2]);
    assert_eq!(
        std::fs::metadata(&old).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(files(&dir), ["link.npz", "old.npz"]);

    // a file name without a folder
    let model = std::fs::canonicalize(CARTPOLE).unwrap();
    let args = [
        "rollout",
        model.to_str().unwrap(),
        "--backend",
        "cpu",
        "--steps",
        "20",
        "--out",
        "old.npz",
    ];
    let mut command = manyworlds(&args);
    let done = command.current_dir(dir.path()).output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert_eq!(array(&old, "qpos").0, [3, 1, 2]);
    assert_eq!(files(&dir), ["link.npz", "old.npz"]);
}

#[test]
fn a_pipe_gets_the_whole_file() {
    let dir = TempDir::new().unwrap();
    let (pipe, copy) = (path(&dir, "pipe.npz"), path(&dir, "copy.npz"));
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let reader = std::thread::spawn({
        let (pipe, copy) = (pipe.clone(), copy.clone());
        move || std::fs::write(copy, std::fs::read(pipe).unwrap()).unwrap()
    });
    let (code, _, said) = run(&rollout(&pipe, &["--steps", "10"]));
    assert_eq!(code, 0, "{said}");
    reader.join().unwrap();
    assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(array(&copy, "qpos").0, [2, 1, 2]);

    // a reader that closes the pipe is reported, and the pipe remains a pipe; the output exceeds the pipe's buffer of 64 KiB
    let more = [
        "--steps", "1000", "--every", "1", "--worlds", "64", "--noise", "0.1",
    ];
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || drop(std::fs::File::open(pipe).unwrap())
    });
    let (code, _, said) = run(&rollout(&pipe, &more));
    assert_eq!(code, 5, "{said}");
    assert!(
        said.contains("pipe.npz: cannot be written: Broken pipe"),
        "{said}"
    );
    reader.join().unwrap();

    // stdout gets only the result; the summary goes to stderr
    let done = manyworlds(&rollout("/dev/stdout", &["--steps", "10"]))
        .output()
        .unwrap();
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{said}");
    assert!(said.contains("1 worlds × 10 steps"), "{said}");
    std::fs::write(&copy, done.stdout).unwrap();
    assert_eq!(array(&copy, "qpos").0, [2, 1, 2]);
}

#[test]
fn a_second_writer_is_turned_away() {
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "out.npz");
    let (mut child, mut rest) = endless(&out, "");
    // waits for the partial file, which exists once the rollout has begun
    while files(&dir).is_empty() {
        std::thread::yield_now();
    }
    let (code, stdout, said) = run(&rollout(&out, &["--steps", "10"]));
    assert_eq!((code, stdout.as_str()), (1, ""), "{said}");
    assert!(said.contains("another process is writing it"), "{said}");
    // another name does not conflict
    let (code, _, said) = run(&rollout(&path(&dir, "out.npz.npz"), &["--steps", "10"]));
    assert_eq!(code, 0, "{said}");
    signal(&child, "TERM");
    rest.read_to_string(&mut String::new()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(files(&dir), ["out.npz", "out.npz.npz"]);
    assert_eq!(array(&out, "qpos").0[1..], [1, 2]);

    // a file left behind by a killed writer does no harm
    std::fs::write(dir.path().join(".out.npz.abcdef.part"), "PK").unwrap();
    let (code, _, said) = run(&rollout(&out, &["--steps", "10"]));
    assert_eq!(code, 0, "{said}");
    assert_eq!(array(&out, "qpos").0, [2, 1, 2]);
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let dir = TempDir::new().unwrap();
    let out = path(&dir, "out.npz");
    for args in [
        vec!["info", CARTPOLE],
        vec!["info", CARTPOLE, "--json"],
        vec!["completions", "bash"],
        vec!["--help"],
        vec![
            "bench",
            CARTPOLE,
            "--backend",
            "cpu",
            "--worlds",
            "1",
            "--min-s",
            "0",
            "--quick",
        ],
        rollout(&out, &["--steps", "10"]),
    ] {
        // the reader closes before the first byte
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child = Command::cargo_bin("manyworlds")
            .unwrap()
            .args(&args)
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let done = child.wait_with_output().unwrap();
        let said = text(&done.stderr);
        assert!(!said.contains("panicked"), "{args:?}: {said}");
        if args != ["--help"] {
            assert_eq!(done.status.code(), Some(141), "{args:?}: {said}");
        }
    }
    // the older file was complete
    assert_eq!(array(&out, "qpos").0, [2, 1, 2]);

    // stderr is closed
    let mut child = Command::cargo_bin("manyworlds")
        .unwrap()
        .args(rollout(&out, &["--steps", "10"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_stdout_is_told() {
    for args in [&["info", CARTPOLE][..], &["completions", "zsh"]] {
        let done = shell("exec >/dev/full;", args);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(5), "{said}");
        assert!(said.contains("error: stdout: No space left"), "{said}");
    }
}
