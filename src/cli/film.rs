//! Output of pictures: a still, a film in one PNG, frames in a folder, or a video by `ffmpeg`.

use super::output::{Kind, Output};
use super::{Fault, OUTPUT};
use manyworlds::picture::Picture;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Endings of files that `ffmpeg` writes.
const VIDEOS: &[&str] = &["avi", "gif", "mkv", "mov", "mp4", "webm", "webp"];

/// A kind of output for pictures.
pub enum Film {
    /// One picture, and whether it has been drawn.
    Still(Output, bool),
    /// Frames of an animated PNG; the nameless file holds their pixels until all are there.
    Moving(Output, File, u32),
    /// Files in a folder, and their number so far.
    Folder(PathBuf, u32),
    /// Output file and process of `ffmpeg`.
    Video(PathBuf, Child),
}

impl Film {
    /// Begins a film with this frame size (pixels) and frame rate (1/s); a still if `still`.
    pub fn create(
        path: &Path,
        inputs: &[&Path],
        size: [u32; 2],
        rate: f64,
        still: bool,
    ) -> Result<Self, Fault> {
        let text = path.as_os_str().to_string_lossy();
        if text.ends_with('/') || path.is_dir() {
            std::fs::create_dir_all(path).map_err(|e| cannot(path, &e))?;
            return Ok(Self::Folder(path.to_owned(), 0));
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        match ending.to_lowercase().as_str() {
            "png" => {
                let output = Output::create(path, Kind::Png, inputs)?;
                Ok(match still {
                    true => Self::Still(output, false),
                    false => {
                        let frames = output.scratch()?;
                        Self::Moving(output, frames, 0)
                    }
                })
            }
            ending if VIDEOS.contains(&ending) => {
                if path.exists() {
                    let msg =
                        format!("{text}: exists already: name another file, or remove this one");
                    return Err(Fault::usage(msg));
                }
                Ok(Self::Video(path.to_owned(), ffmpeg(path, size, rate)?))
            }
            _ => Err(Fault::usage(format!(
                "--out {text}: a picture or film ends in .png, a video in .{}, a folder of frames in /",
                VIDEOS.join(" .")
            ))),
        }
    }

    /// Adds a picture; a still is replaced.
    pub fn add(&mut self, picture: &Picture) -> Result<(), Fault> {
        match self {
            Self::Still(output, drawn) => {
                *drawn = true;
                let mut file = output.file()?;
                let written = file.rewind().and_then(|()| still(&mut file, picture));
                written.map_err(|e| output.fault(&e))
            }
            Self::Moving(output, frames, num) => {
                *num += 1;
                frames
                    .write_all(&picture.rgba)
                    .map_err(|e| output.fault(&e))
            }
            Self::Folder(folder, num) => {
                let path = folder.join(format!("{num:05}.png"));
                *num += 1;
                let output = Output::create(&path, Kind::Png, &[])?;
                let mut file = output.file()?;
                still(&mut file, picture).map_err(|e| output.fault(&e))?;
                output.finish_here()
            }
            Self::Video(path, child) => {
                let Some(pipe) = child.stdin.as_mut() else {
                    return Ok(());
                };
                pipe.write_all(&picture.rgba).map_err(|e| cannot(path, &e))
            }
        }
    }

    /// Ends the film with all pictures added so far; a file without a picture is not left behind.
    pub fn finish(self, size: [u32; 2], rate: f64) -> Result<(), Fault> {
        match self {
            Self::Still(output, true) => output.finish_here(),
            Self::Still(_, false) | Self::Moving(_, _, 0) | Self::Folder(..) => Ok(()),
            Self::Moving(output, frames, num) => {
                let mut file = output.file()?;
                let written = moving(&mut file, frames, num, size, rate);
                written.map_err(|e| output.fault(&e))?;
                output.finish_here()
            }
            Self::Video(path, mut child) => {
                drop(child.stdin.take());
                let status = child.wait().map_err(|e| cannot(&path, &e))?;
                match status.success() {
                    true => Ok(()),
                    false => Err(cannot(&path, &format!("ffmpeg ended with {status}"))),
                }
            }
        }
    }
}

fn cannot(path: &Path, e: &dyn std::fmt::Display) -> Fault {
    Fault {
        code: OUTPUT,
        text: format!("error: {}: cannot be written: {e}\n", path.display()),
    }
}

fn encoder<W: Write>(out: W, [width, height]: [u32; 2]) -> png::Encoder<'static, W> {
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder
}

// pictures are opaque
fn rgb(rgba: &[u8]) -> Vec<u8> {
    let (pixels, _) = rgba.as_chunks::<4>();
    pixels.iter().flat_map(|&[r, g, b, _]| [r, g, b]).collect()
}

fn still(file: &mut File, picture: &Picture) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    let mut writer = encoder(&mut out, [picture.width, picture.height]).write_header()?;
    writer.write_image_data(&rgb(&picture.rgba))?;
    writer.finish()?;
    out.flush()
}

// an animated PNG; each frame is shown for the same time
fn moving(
    file: &mut File,
    mut frames: File,
    num: u32,
    size: [u32; 2],
    rate: f64,
) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    let mut encoder = encoder(&mut out, size);
    encoder.set_animated(num, 0)?;
    encoder.set_frame_delay((1000.0 / rate).round().clamp(1.0, 65535.0) as u16, 1000)?;
    let mut writer = encoder.write_header()?;
    let mut rgba = vec![0; 4 * size[0] as usize * size[1] as usize];
    frames.rewind()?;
    for _ in 0..num {
        frames.read_exact(&mut rgba)?;
        writer.write_image_data(&rgb(&rgba))?;
    }
    writer.finish()?;
    out.flush()
}

fn ffmpeg(path: &Path, [width, height]: [u32; 2], rate: f64) -> Result<Child, Fault> {
    let (size, rate) = (format!("{width}x{height}"), format!("{rate}"));
    let raw = [
        "-f", "rawvideo", "-pix_fmt", "rgba", "-s", &size, "-r", &rate,
    ];
    let mut command = Command::new("ffmpeg");
    command
        .args(["-loglevel", "error", "-n"])
        .args(raw)
        .args(["-i", "-"]);
    if ["mp4", "mkv", "mov"]
        .iter()
        .any(|x| path.extension() == Some(x.as_ref()))
    {
        // the pixel format that every player can show
        command.args(["-pix_fmt", "yuv420p", "-crf", "20"]);
    }
    let child = command.arg(path).stdin(Stdio::piped()).spawn();
    child.map_err(|e| match e.kind() {
        ErrorKind::NotFound => Fault::usage(format!(
            "{}: a video needs ffmpeg, which is not installed: install it, or write a .png, which can be animated too",
            path.display()
        )),
        _ => cannot(path, &e),
    })
}
