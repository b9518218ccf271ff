//! `manyworlds view` on a virtual screen (Xvfb): pictures with several colours, keys, closing the window.
#![cfg(all(feature = "window", target_os = "linux"))]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A virtual X server, which keeps its framebuffer in a file.
struct Screen {
    server: Child,
    display: String,
    folder: tempfile::TempDir,
}

impl Screen {
    fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1280x720x24",
                "-nolisten",
                "tcp",
                "-fbdir",
            ])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is needed (Debian: xvfb)");
        let mut line = String::new();
        let out = server.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        Self {
            server,
            display: format!(":{}", line.trim()),
            folder,
        }
    }

    fn view(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
        command
            .arg("view")
            .args(args)
            .env("DISPLAY", &self.display)
            .env_remove("WAYLAND_DISPLAY")
            .env("WINIT_X11_SCALE_FACTOR", "1")
            .stderr(Stdio::piped());
        command
    }

    // shares of the colours to the right of the panel, with 8 shades per channel
    fn colors(&self) -> Vec<f64> {
        colors(&self.folder.path().join("Xvfb_screen0")).unwrap_or_default()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

// the same from a file in the format of `xwd`
fn colors(path: &Path) -> Option<Vec<f64>> {
    let bytes = std::fs::read(path).ok()?;
    // the server writes the header in its own byte order and then swaps it: until then a number is 0 or too large
    let word = |k: usize| {
        let four = bytes.get(4 * k..4 * k + 4)?;
        let number = u32::from_be_bytes(four.try_into().ok()?) as usize;
        (1..1 << 16).contains(&number).then_some(number)
    };
    let (width, height, line) = (word(4)?, word(5)?, word(12)?);
    assert_eq!(word(11)?, 32, "bits of a pixel");
    let pixels = bytes.get(word(0)? + 12 * word(19)?..)?;
    let mut counts = BTreeMap::new();
    for row in pixels.chunks_exact(line).take(height) {
        for pixel in row.chunks_exact(4).take(width).skip(300) {
            let shade = [pixel[0] >> 5, pixel[1] >> 5, pixel[2] >> 5];
            *counts.entry(shade).or_insert(0) += 1;
        }
    }
    let all = ((width - 300) * height) as f64;
    Some(counts.values().map(|&n: &i32| f64::from(n) / all).collect())
}

#[test]
fn help_reads_well() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
    let out = command.args(["view", "--help"]).output().unwrap();
    assert!(out.status.success());
    insta::assert_snapshot!("help_view", String::from_utf8_lossy(&out.stdout));
}

// waits until a condition holds for an open window
fn wait(view: &mut Child, what: &str, mut so: impl FnMut(&mut Child) -> bool) {
    let begun = Instant::now();
    while !so(view) {
        let long = begun.elapsed() >= Duration::from_secs(300);
        if long {
            let _ = view.kill();
        }
        assert!(!long, "{what}: not within 300 s");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_window_shows_worlds() {
    let screen = Screen::open();
    for backend in ["cpu", "simd", "gpu"] {
        let args = ["models/cartpole.xml", "--worlds", "4"];
        let view = screen.view(&args).args(["--backend", backend]).spawn();
        let mut view = view.unwrap();
        let shown = || screen.colors().into_iter().filter(|share| *share > 0.002);
        wait(&mut view, &format!("{backend}: three colours"), |view| {
            assert!(view.try_wait().unwrap().is_none(), "{backend} ended");
            shown().count() >= 3
        });
        view.kill().unwrap();
        view.wait().unwrap();
    }
}

#[test]
fn a_window_closes_after_its_pictures() {
    let screen = Screen::open();
    for backend in ["cpu", "simd", "gpu"] {
        let args = ["models/cartpole.xml", "--worlds", "4", "--frames", "25"];
        let view = screen.view(&args).args(["--backend", backend]).spawn();
        let mut view = view.unwrap();
        wait(&mut view, &format!("{backend}: an end"), |view| {
            view.try_wait().unwrap().is_some()
        });
        let out = view.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{backend}: {said}");
        assert!(said.contains("25 pictures"), "{backend}: {said}");
    }
}

#[test]
fn a_window_follows_a_policy_and_shows_a_trajectory() {
    let (screen, folder) = (Screen::open(), tempfile::tempdir().unwrap());
    let kept = folder.path().join("kept.npz");
    let mut rollout = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
    rollout.args([
        "rollout",
        "models/quadruped.xml",
        "--worlds",
        "2",
        "--steps",
        "60",
    ]);
    rollout.args([
        "--ctrl",
        "models/quadruped_walk.npz",
        "--backend",
        "simd",
        "--out",
    ]);
    assert!(
        rollout
            .arg(&kept)
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    );
    let kept = kept.to_str().unwrap();
    for what in [
        ["--ctrl", "models/quadruped_walk.npz"],
        ["--trajectory", kept],
    ] {
        let view = screen.view(&[
            "models/quadruped.xml",
            "--frames",
            "20",
            "--backend",
            "simd",
        ]);
        let mut view = { view }.args(what).spawn().unwrap();
        wait(&mut view, "an end", |view| {
            view.try_wait().unwrap().is_some()
        });
        let out = view.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{what:?}: {said}");
        // replaying a trajectory makes no steps
        let stands = said.contains("20 pictures, 0 steps");
        assert_eq!(stands, what[0] == "--trajectory", "{what:?}: {said}");
        let worlds = if stands { "2 worlds" } else { "16 worlds" };
        assert!(said.contains(worlds), "{what:?}: {said}");
    }
}

#[test]
fn without_a_screen_there_is_a_sentence() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manyworlds"));
    let out = command
        .args(["view", "models/cartpole.xml", "--backend", "simd"])
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(4), "{said}");
    assert!(
        said.contains("no window") && said.contains("render"),
        "{said}"
    );
}
