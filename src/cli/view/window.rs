//! The window: its events, and what is done for each picture.

use super::View;
use super::gfx::Gfx;
use super::panel::Panel;
use crate::cli::Fault;
use crate::cli::say::remark;
use egui::{Key, PointerButton, Response, Sense, Ui};
use manyworlds::Error;
use manyworlds::picture::Show;
use std::path::Path;
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;
use winit::window::{Window, WindowId};

/// Seconds of a picture that steps may take: half of what lies between two pictures, but no less and no more.
const BUDGET: [f64; 2] = [0.012, 0.25];
/// Degrees that the camera goes around when the pointer crosses the window.
const TURN: f64 = 180.0;

/// Worlds in a window.
pub struct App<'a> {
    args: &'a View,
    show: Show,
    panel: Panel,
    gfx: Option<Gfx>,
    last: Instant,
    // steps that are due
    due: f64,
    frames: u64,
    steps: u64,
    // why the window was closed, if nobody closed it
    ended: Option<Error>,
}

impl<'a> App<'a> {
    pub fn new(args: &'a View, show: Show) -> Self {
        Self {
            panel: Panel::new(args.contacts),
            args,
            show,
            gfx: None,
            last: Instant::now(),
            due: 0.0,
            frames: 0,
            steps: 0,
            ended: None,
        }
    }

    /// When the window is closed: why, or how many pictures there were.
    pub fn end(self) -> Result<(), Fault> {
        if let Some(e) = self.ended {
            return Err(e.into());
        }
        remark!("{} pictures, {} steps", self.frames, self.steps);
        Ok(())
    }

    fn open(&self, events: &ActiveEventLoop) -> Result<Gfx, Error> {
        let title = format!("manyworlds: {}", self.args.model.path.display());
        let size = winit::dpi::LogicalSize::new(1280, 720);
        let wanted = Window::default_attributes()
            .with_title(title)
            .with_inner_size(size);
        let window = events.create_window(wanted);
        let window = window.map_err(|e| Error::Device(format!("no window: {e}")))?;
        Gfx::open(window, self.show.scene())
    }

    // another model; what runs goes on if it is refused
    fn change(&mut self, path: &Path) -> Result<(), Error> {
        let show = self.args.open_file(path)?;
        if let Some(gfx) = &mut self.gfx {
            gfx.change(show.scene())?;
        }
        self.show = show;
        self.panel.begin();
        Ok(())
    }

    fn picture(&mut self) -> Result<(), Error> {
        let elapsed = self.last.elapsed().min(Duration::from_millis(500));
        self.last = Instant::now();
        if self.panel.playing {
            self.advance(elapsed.as_secs_f64())?;
        }
        self.panel.sample(&mut self.show)?;
        let Some(gfx) = &mut self.gfx else {
            return Ok(());
        };
        let input = gfx.input.take_egui_input(&gfx.window);
        let context = gfx.input.egui_ctx().clone();
        let (panel, show, adapter) = (&mut self.panel, &mut self.show, gfx.adapter.as_str());
        let mut done = Ok(());
        let mut out = context.run_ui(input, |ui| {
            egui::Panel::left("panel")
                .default_size(270.0)
                .show(ui, |ui| done = panel.show(ui, show, adapter));
            let rest = ui.available_size();
            let response = ui.allocate_response(rest, Sense::click_and_drag());
            let touched = touch(ui, &response, panel, show);
            if done.is_ok() {
                done = touched;
            }
        });
        gfx.take_textures(&mut out.textures_delta);
        done?;
        // of one world it needs no telling
        let chosen = (self.show.batch().nworld() > 1).then_some(self.panel.chosen);
        self.show.scene_mut().choose(chosen);
        let shot = self.show.shoot()?;
        if gfx.draw(&shot, out)? {
            self.frames += 1;
        }
        Ok(())
    }

    fn advance(&mut self, elapsed: f64) -> Result<(), Error> {
        let (nworld, timestep) = (
            self.show.batch().nworld(),
            self.show.batch().model().opt.timestep,
        );
        self.due += elapsed * self.panel.speed / timestep;
        let budget = (0.5 * elapsed).clamp(BUDGET[0], BUDGET[1]);
        let (begun, mut steps) = (Instant::now(), 0);
        while self.due >= 1.0 && begun.elapsed().as_secs_f64() < budget {
            self.show.step(1)?;
            self.due -= 1.0;
            steps += 1;
        }
        // what cannot be kept up with is let go
        self.due = self.due.min(1.0);
        self.steps += steps as u64;
        let spent = begun.elapsed().as_secs_f64();
        self.panel.rate.add(steps, spent, nworld, timestep);
        Ok(())
    }
}

// what pointer and keys do in the picture
fn touch(ui: &Ui, response: &Response, panel: &mut Panel, show: &mut Show) -> Result<(), Error> {
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
    keys(ui, panel, show)
}

fn keys(ui: &Ui, panel: &mut Panel, show: &mut Show) -> Result<(), Error> {
    // somebody writes
    if ui.ctx().egui_wants_keyboard_input() {
        return Ok(());
    }
    let pressed = |key| ui.input(|input| input.key_pressed(key));
    if pressed(Key::Space) {
        panel.playing = !panel.playing;
    }
    if pressed(Key::Period) {
        panel.playing = false;
        show.step(1)?;
    }
    match pressed(Key::R) {
        true => show.reset(),
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
            // without its device there is no window
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
