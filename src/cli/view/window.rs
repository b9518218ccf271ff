//! The window: its events, and the work for each picture.

use super::View;
use super::gfx::Gfx;
use super::panel::Panel;
use super::worlds::Worlds;
use crate::cli::Fault;
use crate::cli::say::remark;
use egui::{Key, PointerButton, Response, Sense, Ui};
use manyworlds::Error;
use manyworlds::policy::Policy;
use std::path::Path;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;
use winit::window::{Window, WindowId};

/// Degrees of azimuth when the pointer is dragged across the window.
const TURN: f64 = 180.0;

/// Worlds in a window.
pub struct App<'a> {
    args: &'a View,
    worlds: Worlds,
    panel: Panel,
    gfx: Option<Gfx>,
    last: Instant,
    frames: u64,
    steps: u64,
    // the error that closed the window, if any
    ended: Option<Error>,
}

impl<'a> App<'a> {
    pub fn new(args: &'a View, worlds: Worlds) -> Self {
        Self {
            panel: Panel::new(),
            args,
            worlds,
            gfx: None,
            last: Instant::now(),
            frames: 0,
            steps: 0,
            ended: None,
        }
    }

    /// After the window is closed: its error, or the number of pictures.
    pub fn end(self) -> Result<(), Fault> {
        if let Some(e) = self.ended {
            return Err(e.into());
        }
        remark!("{} pictures, {} steps", self.frames, self.steps);
        Ok(())
    }

    fn open(&mut self, events: &ActiveEventLoop) -> Result<Gfx, Error> {
        let title = format!("manyworlds: {}", self.args.model.path.display());
        let size = winit::dpi::LogicalSize::new(1280, 720);
        let wanted = Window::default_attributes()
            .with_title(title)
            .with_inner_size(size);
        let window = events.create_window(wanted);
        let window = window.map_err(|e| Error::Device(format!("no window: {e}")))?;
        Gfx::open(window, &mut self.worlds.show)
    }

    // opens another model or a policy; if it is refused, the present worlds go on
    fn change(&mut self, path: &Path) -> Result<(), Error> {
        if path.extension().is_some_and(|ending| ending == "npz") {
            self.panel.begin();
            let show = &mut self.worlds.show;
            return show.follow(Some(Policy::open(path, show.batch().model())?));
        }
        let nworld = self.worlds.show.batch().nworld();
        let mut worlds = self.args.open_file(path, nworld)?;
        if let Some(gfx) = &mut self.gfx {
            gfx.change(&mut worlds.show)?;
        }
        self.worlds = worlds;
        self.panel.begin();
        Ok(())
    }

    fn picture(&mut self) -> Result<(), Error> {
        let elapsed = self.last.elapsed().min(Duration::from_millis(500));
        self.last = Instant::now();
        if self.panel.playing {
            self.advance(elapsed.as_secs_f64())?;
        }
        self.panel.sample(&mut self.worlds.show)?;
        let Some(gfx) = &mut self.gfx else {
            return Ok(());
        };
        let input = gfx.input.take_egui_input(&gfx.window);
        let context = gfx.input.egui_ctx().clone();
        let (panel, worlds, adapter) = (&mut self.panel, &mut self.worlds, gfx.adapter.as_str());
        let mut done = Ok(());
        let mut out = context.run_ui(input, |ui| {
            egui::Panel::left("panel")
                .default_size(270.0)
                .show(ui, |ui| done = panel.show(ui, worlds, adapter));
            let rest = ui.available_size();
            let response = ui.allocate_response(rest, Sense::click_and_drag());
            let touched = touch(ui, &response, panel, worlds);
            if done.is_ok() {
                done = touched;
            }
        });
        gfx.take_textures(&mut out.textures_delta);
        done?;
        // a single world is not highlighted
        let show = &mut self.worlds.show;
        let chosen = (show.batch().nworld() > 1).then_some(self.panel.chosen);
        show.scene_mut().choose(chosen);
        let shot = show.shoot()?;
        if gfx.draw(&shot, out)? {
            self.frames += 1;
        }
        Ok(())
    }

    fn advance(&mut self, elapsed: f64) -> Result<(), Error> {
        let seconds = elapsed * self.panel.speed;
        let (steps, spent) = self.worlds.advance(seconds, elapsed)?;
        self.steps += steps as u64;
        let batch = self.worlds.show.batch();
        let (nworld, timestep) = (batch.nworld(), batch.model().opt.timestep);
        self.panel.rate.add(steps, spent, nworld, timestep);
        if self.worlds.ended() {
            self.panel.playing = false;
        }
        Ok(())
    }
}

// effects of pointer and keys in the picture
fn touch(
    ui: &Ui,
    response: &Response,
    panel: &mut Panel,
    worlds: &mut Worlds,
) -> Result<(), Error> {
    let show = &mut worlds.show;
    let screen = ui.ctx().content_rect();
    let (size, aspect) = (screen.size(), screen.width() / screen.height());
    let at = |pos: egui::Pos2| [2.0 * pos.x / size.x - 1.0, 1.0 - 2.0 * pos.y / size.y];
    if let Some(at) = response.interact_pointer_pos().map(at) {
        if response.drag_started_by(PointerButton::Primary)
            && let Some(grip) = show.take(at, aspect)?
        {
            panel.chosen = grip.world;
        }
        show.pull(at, aspect)?;
        if response.clicked() {
            if let Some(grip) = show.take(at, aspect)? {
                panel.chosen = grip.world;
            }
            show.release()?;
        }
    }
    if response.drag_stopped() {
        show.release()?;
    }
    let by = response.drag_delta();
    let (x, y) = (f64::from(by.x / size.x), f64::from(by.y / size.y));
    if response.dragged_by(PointerButton::Primary) && !show.holds() {
        show.orbit(-TURN * x, -TURN * y * 0.6)?;
    }
    if response.dragged_by(PointerButton::Secondary) {
        show.pan(-x * f64::from(aspect), y)?;
    }
    let scroll = ui.input(|input| input.smooth_scroll_delta.y);
    if response.hovered() && scroll != 0.0 {
        show.zoom((-f64::from(scroll) / 400.0).exp2())?;
    }
    keys(ui, panel, worlds)
}

fn keys(ui: &Ui, panel: &mut Panel, worlds: &mut Worlds) -> Result<(), Error> {
    // a text field has the keyboard
    if ui.ctx().egui_wants_keyboard_input() {
        return Ok(());
    }
    let pressed = |key| ui.input(|input| input.key_pressed(key));
    if pressed(Key::Space) {
        panel.playing = !panel.playing;
    }
    if pressed(Key::Period) {
        panel.playing = false;
        worlds.step()?;
    }
    match pressed(Key::R) {
        true => worlds.reset(),
        false => Ok(()),
    }
}

impl ApplicationHandler for App<'_> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        if self.gfx.is_some() {
            return;
        }
        match self.open(events) {
            Ok(gfx) => {
                gfx.window.request_redraw();
                self.gfx = Some(gfx);
            }
            Err(e) => {
                self.ended = Some(e);
                events.exit();
            }
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _id: WindowId, event: WindowEvent) {
        let Some(gfx) = &mut self.gfx else { return };
        let _ = gfx.input.on_window_event(&gfx.window, &event);
        let done = match event {
            WindowEvent::CloseRequested => {
                events.exit();
                Ok(())
            }
            WindowEvent::Resized(size) => gfx.resize([size.width, size.height]),
            WindowEvent::DroppedFile(path) => {
                if let Err(e) = self.change(&path) {
                    self.panel.fault = Some(e.to_string());
                }
                Ok(())
            }
            WindowEvent::RedrawRequested => {
                let done = self.picture();
                if let Some(gfx) = &self.gfx {
                    gfx.window.request_redraw();
                }
                if self.args.frames.is_some_and(|most| self.frames >= most) {
                    events.exit();
                }
                done
            }
            _ => Ok(()),
        };
        match done {
            // without its device the window cannot go on
            Err(e @ Error::Device(_)) => {
                self.ended = Some(e);
                events.exit();
            }
            Err(e) => {
                self.panel.playing = false;
                self.panel.fault = Some(e.to_string());
            }
            Ok(()) => {}
        }
    }
}
