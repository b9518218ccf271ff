//! The verb `render`: a still, a film, frames in a folder, and refusals. It needs an adapter.

use crate::common::program::{CARTPOLE, path, run};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use tempfile::TempDir;

const SMALL: &[&str] = &["--size", "96x64", "--backend", "cpu"];

fn render(out: &Path, more: &[&str]) -> (i32, String) {
    let out = out.to_str().unwrap();
    let args = [&["render", CARTPOLE, "--out", out][..], SMALL, more].concat();
    let (code, data, said) = run(&args);
    assert_eq!(data, "", "nothing goes to stdout");
    (code, said)
}

// the number of frames of a PNG, the delay of the first (s), and the frames
fn frames(path: &Path) -> (u32, f64, Vec<Vec<u8>>) {
    let file = BufReader::new(File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    assert_eq!(reader.info().size(), (96, 64));
    let num = reader
        .info()
        .animation_control()
        .map_or(1, |a| a.num_frames);
    let mut delay = 0.0;
    let mut pictures = Vec::new();
    for _ in 0..num {
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut rgb).unwrap();
        if let Some(control) = reader.info().frame_control() {
            delay = f64::from(control.delay_num) / f64::from(control.delay_den);
        }
        pictures.push(rgb);
    }
    (num, delay, pictures)
}

#[test]
fn a_still_a_film_and_frames() {
    let dir = TempDir::new().unwrap();
    let still = dir.path().join("still.png");
    let (code, said) = render(
        &still,
        &["--steps", "20", "--noise", "0.1", "--worlds", "3"],
    );
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("3 worlds on CPU"), "{said}");
    assert_eq!(frames(&still).0, 1);

    // 60 steps, a frame every 20 and one at the start
    let film = dir.path().join("film.png");
    let drop = ["--steps", "60", "--film", "--every", "20", "--noise", "0.5"];
    let (code, said) = render(&film, &drop);
    assert_eq!(code, 0, "{said}");
    let (num, delay, pictures) = frames(&film);
    assert_eq!(num, 4);
    let timestep = 0.01;
    assert!((delay - 20.0 * timestep).abs() < 1e-3, "{delay}");
    assert_ne!(pictures[0], pictures[3]);

    // the same frames in a folder, which is created
    let folder = dir.path().join("frames/");
    let (code, said) = render(&folder.join(""), &drop);
    assert_eq!(code, 0, "{said}");
    for (k, picture) in pictures.iter().enumerate() {
        let (_, _, own) = frames(&folder.join(format!("{k:05}.png")));
        assert_eq!(&own[0], picture, "frame {k}");
    }
    assert!(!folder.join("00004.png").exists());
}

#[test]
fn what_a_rollout_kept_is_shown() {
    let dir = TempDir::new().unwrap();
    let kept = &path(&dir, "traj.npz");
    let steps = [
        "--steps", "30", "--every", "10", "--noise", "0.3", "--worlds", "2",
    ];
    let (code, _, said) = run(&[&["rollout", CARTPOLE, "--out", kept][..], &steps].concat());
    assert_eq!(code, 0, "{said}");
    let film = dir.path().join("film.png");
    let (code, said) = render(&film, &["--trajectory", kept, "--film"]);
    assert_eq!(code, 0, "{said}");
    let (num, delay, pictures) = frames(&film);
    assert_eq!(num, 4);
    assert!((delay - 0.1).abs() < 1e-3, "{delay}");
    let still = dir.path().join("still.png");
    let (code, said) = render(&still, &["--trajectory", kept]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(frames(&still).2[0], pictures[3]);
}

#[test]
fn what_cannot_be_drawn_is_refused() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("a.png");
    for (more, text) in [
        (&["--camera", "nobody"][..], "no camera nobody"),
        (&["--spacing", "wide"], "a finite number"),
        (
            &["--painter", "no such adapter"],
            "no adapter whose name contains",
        ),
        (
            &["--steps", "5", "--trajectory", "t.npz"],
            "cannot be used with",
        ),
    ] {
        let (code, said) = render(&out, more);
        assert_ne!(code, 0);
        assert!(said.contains(text), "{more:?}: {said}");
    }
    let (code, said) = render(&dir.path().join("a.jpeg"), &[]);
    assert_eq!(code, 1);
    assert!(said.contains("ends in .png"), "{said}");
    // a file of another type is not overwritten
    let text = dir.path().join("notes.png");
    std::fs::write(&text, "notes").unwrap();
    let (code, said) = render(&text, &[]);
    assert_eq!(code, 1);
    assert!(said.contains("not a file of kind png"), "{said}");
    assert_eq!(std::fs::read(&text).unwrap(), b"notes");
}
