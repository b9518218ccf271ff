//! The panel beside the worlds.

use super::chosen;
use super::plot::Plot;
use super::worlds::Worlds;
use egui::{CollapsingHeader, DragValue, ScrollArea, Slider, Ui};
use manyworlds::Result;
use manyworlds::batch::To;
use manyworlds::picture::{Overlay, Scene, Show};
use std::time::Instant;

/// Largest number of listed flags.
const LISTED: usize = 50;
/// Number of steps over which stages are timed.
const TIMED: usize = 10;

/// State of the panel.
pub struct Panel {
    pub playing: bool,
    /// Simulated seconds per second.
    pub speed: f64,
    /// Index of the picked world.
    pub chosen: usize,
    /// The last error, in a sentence.
    pub fault: Option<String>,
    pub rate: Rate,
    plot: Plot,
    stages: Vec<(String, f64)>,
}

impl Panel {
    pub fn new() -> Self {
        Self {
            playing: true,
            speed: 1.0,
            chosen: 0,
            fault: None,
            rate: Rate::default(),
            plot: Plot::default(),
            stages: Vec::new(),
        }
    }

    /// Resets the panel for other worlds.
    pub fn begin(&mut self) {
        self.chosen = 0;
        self.fault = None;
        self.rate = Rate::default();
        self.plot.clear();
        self.stages.clear();
    }

    /// Adds a sample to the plot, once per picture.
    pub fn sample(&mut self, show: &mut Show) -> Result<()> {
        self.plot.sample(show.batch_mut(), self.chosen)
    }

    /// Shows the panel, and applies its inputs.
    pub fn show(&mut self, ui: &mut Ui, worlds: &mut Worlds, adapter: &str) -> Result<()> {
        let mut done = Ok(());
        ScrollArea::vertical().show(ui, |ui| {
            if let Some(fault) = &self.fault {
                ui.colored_label(ui.visuals().error_fg_color, fault);
                ui.separator();
            }
            done = self
                .run(ui, worlds)
                .and_then(|()| self.look(ui, &mut worlds.show, adapter));
        });
        done
    }

    // buttons and sliders that run the worlds
    fn run(&mut self, ui: &mut Ui, worlds: &mut Worlds) -> Result<()> {
        let mut done = Ok(());
        ui.horizontal(|ui| {
            let word = if self.playing { "Pause" } else { "Play" };
            if ui.button(word).clicked() {
                self.playing = !self.playing;
                if self.playing && worlds.ended() {
                    done = worlds.seek(0);
                }
            }
            if ui.button("Step").clicked() {
                self.playing = false;
                done = worlds.step();
            }
            if ui.button("Reset").clicked() {
                self.plot.clear();
                done = worlds.reset();
            }
        });
        done?;
        let speed = Slider::new(&mut self.speed, 0.03125..=8.0).logarithmic(true);
        ui.add(speed.text("× real time"));
        match worlds.replay {
            Some(_) => self.time_line(ui, worlds)?,
            None => self.drive(ui, &mut worlds.show)?,
        }
        overlays(ui, worlds.show.scene_mut());
        Ok(())
    }

    // the slider of the trajectory's time
    fn time_line(&mut self, ui: &mut Ui, worlds: &mut Worlds) -> Result<()> {
        let Some(replay) = &worlds.replay else {
            return Ok(());
        };
        let (mut frame, last) = (replay.frame(), replay.last());
        let [now, end] = [frame, last].map(|frame| replay.time(frame));
        ui.label(format!("{now:.2} of {end:.2} s, frame {frame} of {last}"));
        let line = Slider::new(&mut frame, 0..=last).show_value(false);
        match ui.add(line.text("time")).changed() {
            true => worlds.seek(frame),
            false => Ok(()),
        }
    }

    // buttons of keyframes, source of controls, gravity
    fn drive(&mut self, ui: &mut Ui, show: &mut Show) -> Result<()> {
        self.keys(ui, show)?;
        if show.policy().is_some() {
            let mut rests = false;
            ui.horizontal(|ui| {
                ui.label("A policy drives");
                rests = ui.small_button("Let them rest").clicked();
            });
            if rests {
                show.follow(None)?;
            }
        } else {
            let mut noise = show.noise();
            let slider = Slider::new(&mut noise, 0.0..=1.0).text("random controls");
            if ui.add(slider).changed() {
                show.set_noise(noise)?;
            }
        }
        let old = show.batch().model().opt.gravity;
        let mut gravity = old;
        ui.add(Slider::new(&mut gravity[2], -20.0..=5.0).text("gravity (m/s²)"));
        match gravity == old {
            true => Ok(()),
            false => show.edit(|m| m.opt.gravity = gravity),
        }
    }

    fn keys(&mut self, ui: &mut Ui, show: &mut Show) -> Result<()> {
        let names = show.batch().model().names.key.clone();
        let mut to = None;
        ui.horizontal_wrapped(|ui| {
            for (k, name) in names.iter().enumerate() {
                let number = k.to_string();
                let word = if name.is_empty() { &number } else { name }.as_str();
                if ui.small_button(word).clicked() {
                    to = Some(k);
                }
            }
        });
        match to {
            Some(k) => show.reset_to(To::Key(k)),
            None => Ok(()),
        }
    }

    // rates, devices, flags, the picked world, plot and stage times
    fn look(&mut self, ui: &mut Ui, show: &mut Show, adapter: &str) -> Result<()> {
        ui.separator();
        ui.label(self.rate.to_string());
        ui.label(format!("Computes: {}", show.batch().device()));
        ui.label(format!("Draws: {adapter}"));
        ui.separator();
        self.flags(ui, show)?;
        let last = show.batch().nworld() - 1;
        ui.horizontal(|ui| {
            ui.label("World");
            ui.add(DragValue::new(&mut self.chosen).range(0..=last));
        });
        chosen::show(ui, show.batch_mut(), self.chosen)?;
        CollapsingHeader::new("A number over time")
            .default_open(true)
            .show(ui, |ui| self.plot.show(ui, show.batch()));
        let mut done = Ok(());
        CollapsingHeader::new("Time of the stages").show(ui, |ui| done = self.times(ui, show));
        done
    }

    fn flags(&mut self, ui: &mut Ui, show: &mut Show) -> Result<()> {
        let flags = show.batch_mut().flags()?;
        let set: Vec<_> = flags.iter().filter(|flag| flag.is_set()).collect();
        if set.is_empty() {
            ui.label("No world has diverged");
            return Ok(());
        }
        let said = format!("{} worlds diverged or overflowed", set.len());
        CollapsingHeader::new(said).id_salt("flags").show(ui, |ui| {
            for flag in set.iter().take(LISTED) {
                if ui
                    .selectable_label(self.chosen == flag.world, flag.to_string())
                    .clicked()
                {
                    self.chosen = flag.world;
                }
            }
        });
        Ok(())
    }

    fn times(&mut self, ui: &mut Ui, show: &mut Show) -> Result<()> {
        if ui.button(format!("Time {TIMED} steps")).clicked() {
            self.stages = show.batch_mut().stage_times(TIMED)?;
            self.stages.sort_by(|a, b| b.1.total_cmp(&a.1));
        }
        let all: f64 = self.stages.iter().map(|stage| stage.1).sum();
        for (name, seconds) in self.stages.iter().take(LISTED) {
            ui.label(format!(
                "{:4.1} %  {name}",
                100.0 * seconds / all.max(1e-12)
            ));
        }
        Ok(())
    }
}

// check boxes of the overlays
fn overlays(ui: &mut Ui, scene: &mut Scene) {
    ui.horizontal_wrapped(|ui| {
        ui.label("Drawn too:");
        for overlay in Overlay::ALL {
            let mut shown = scene.overlays().contains(&overlay);
            if ui.checkbox(&mut shown, overlay.word()).changed() {
                scene.overlay(overlay, shown);
            }
        }
    });
}

/// Rates of steps and pictures, updated twice a second.
#[derive(Default)]
pub struct Rate {
    since: Option<Instant>,
    steps: usize,
    spent: f64,
    frames: usize,
    said: String,
}

impl Rate {
    /// Adds a picture preceded by `steps` steps of `nworld` worlds, which took `spent` seconds, with this timestep (s).
    pub fn add(&mut self, steps: usize, spent: f64, nworld: usize, timestep: f64) {
        // the time before the first picture is not counted
        let Some(since) = self.since else {
            self.since = Some(Instant::now());
            return;
        };
        self.steps += steps;
        self.spent += spent;
        self.frames += 1;
        let wall = since.elapsed().as_secs_f64();
        if wall >= 0.5 {
            let rate = (self.steps * nworld) as f64 / self.spent.max(1e-9);
            let pace = self.steps as f64 * timestep / wall;
            let pictures = self.frames as f64 / wall;
            let said =
                format!("{rate:.0} steps/s, {pace:.2} × real time, {pictures:.0} pictures/s");
            *self = Self {
                since: Some(Instant::now()),
                said,
                ..Self::default()
            };
        }
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.said)
    }
}
