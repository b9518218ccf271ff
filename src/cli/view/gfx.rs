//! What the window draws with: the renderer's picture of the worlds, and the panel over it.

use crate::gpu::device::instance;
use manyworlds::Error;
use manyworlds::picture::{Scene, Shot};
use manyworlds_view::Painter;
use std::sync::{Arc, Mutex, PoisonError};
use winit::window::Window;

/// A window's device and surface.
pub struct Gfx {
    pub window: Arc<Window>,
    pub input: egui_winit::State,
    device: wgpu::Device,
    queue: wgpu::Queue,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    format: wgpu::TextureFormat,
    painter: Painter,
    panel: egui_wgpu::Renderer,
    // textures that the last picture of the panel was the last to need
    freed: Vec<egui::TextureId>,
    // the first fault of the device
    fault: Arc<Mutex<Option<String>>>,
    /// Name of the adapter.
    pub adapter: String,
}

fn failed(e: impl std::fmt::Display) -> Error {
    Error::Device(format!("no window: {e}"))
}

impl Gfx {
    /// Opens the best adapter that can draw in a window, a software one too, for the worlds of a scene.
    pub fn open(window: Window, scene: &Scene) -> Result<Self, Error> {
        let window = Arc::new(window);
        let surface = instance().create_surface(window.clone()).map_err(failed)?;
        let adapter = instance().request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: Some(&surface),
            ..wgpu::RequestAdapterOptions::default()
        });
        let adapter = pollster::block_on(adapter).map_err(failed)?;
        let asked = wgpu::DeviceDescriptor {
            label: Some("manyworlds view"),
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&asked)).map_err(failed)?;
        let fault = watch(&device);
        let size = window.inner_size();
        let config = surface.get_default_config(&adapter, size.width.max(1), size.height.max(1));
        let mut config = config.ok_or_else(|| failed("the adapter cannot draw in it"))?;
        let formats = surface.get_capabilities(&adapter).formats;
        let srgb = formats.iter().find(|format| format.is_srgb());
        // a surface without one has a view that is
        config.format = *srgb.unwrap_or(&config.format);
        let format = config.format.add_srgb_suffix();
        config.view_formats = vec![format];
        let painter = Painter::onto(
            &device,
            &queue,
            [config.width, config.height],
            scene.assets(),
            format,
        );
        let context = egui::Context::default();
        let side = device.limits().max_texture_dimension_2d as usize;
        let scale = Some(window.scale_factor() as f32);
        let viewport = egui::ViewportId::ROOT;
        let input = egui_winit::State::new(
            context,
            viewport,
            &window,
            scale,
            window.theme(),
            Some(side),
        );
        surface.configure(&device, &config);
        Ok(Self {
            panel: egui_wgpu::Renderer::new(&device, format, egui_wgpu::RendererOptions::default()),
            freed: Vec::new(),
            painter: painter.map_err(failed)?,
            adapter: adapter.get_info().name,
            window,
            input,
            device,
            queue,
            surface,
            config,
            format,
            fault,
        })
    }

    /// Begins to draw the worlds of another scene.
    pub fn change(&mut self, scene: &Scene) -> Result<(), Error> {
        let (size, format) = ([self.config.width, self.config.height], self.format);
        let painter = Painter::onto(&self.device, &self.queue, size, scene.assets(), format);
        self.painter = painter.map_err(failed)?;
        Ok(())
    }

    /// The window has another size (pixels).
    pub fn resize(&mut self, size: [u32; 2]) -> Result<(), Error> {
        // a window that is put away has none
        if size.contains(&0) {
            return Ok(());
        }
        [self.config.width, self.config.height] = size;
        self.surface.configure(&self.device, &self.config);
        self.painter.resize(size).map_err(failed)
    }

    /// Takes textures that the panel needs from now on; whatever becomes of its picture, they are told but once.
    pub fn take_textures(&mut self, told: &mut egui::TexturesDelta) {
        for id in self.freed.drain(..) {
            self.panel.free_texture(&id);
        }
        for (id, deltas) in &told.set {
            for delta in deltas {
                self.panel
                    .update_texture(&self.device, &self.queue, *id, delta);
            }
        }
        self.freed.extend(&told.free);
        told.clear();
    }

    /// Draws worlds, and the panel over them. False where the window cannot be drawn in just now.
    pub fn draw(&mut self, shot: &Shot, panel: egui::FullOutput) -> Result<bool, Error> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(fault) = &*fault {
            return Err(Error::Device(fault.clone()));
        }
        drop(fault);
        use wgpu::CurrentSurfaceTexture as Current;
        let target = match self.surface.get_current_texture() {
            Current::Success(target) | Current::Suboptimal(target) => target,
            Current::Outdated | Current::Lost => {
                self.surface.configure(&self.device, &self.config);
                return Ok(false);
            }
            Current::Timeout | Current::Occluded | Current::Validation => return Ok(false),
        };
        let view = target.texture.create_view(&wgpu::TextureViewDescriptor {
            format: Some(self.format),
            ..wgpu::TextureViewDescriptor::default()
        });
        let drawn = self
            .painter
            .draw_onto(&shot.camera, &shot.place, &shot.layers, &view);
        drawn.map_err(|e| Error::Device(e.to_string()))?;
        self.draw_panel(panel, &view);
        self.queue.present(target);
        Ok(true)
    }

    fn draw_panel(&mut self, out: egui::FullOutput, view: &wgpu::TextureView) {
        let (device, queue) = (&self.device, &self.queue);
        self.input
            .handle_platform_output(&self.window, out.platform_output);
        let context = self.input.egui_ctx();
        let jobs = context.tessellate(out.shapes, out.pixels_per_point);
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: [self.config.width, self.config.height],
            pixels_per_point: out.pixels_per_point,
        };
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut buffers = self
            .panel
            .update_buffers(device, queue, &mut encoder, &jobs, &screen);
        {
            let color = Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Load,
                    store: wgpu::StoreOp::Store,
                },
            });
            let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                label: Some("panel"),
                color_attachments: &[color],
                ..wgpu::RenderPassDescriptor::default()
            });
            self.panel
                .render(&mut pass.forget_lifetime(), &jobs, &screen);
        }
        buffers.push(encoder.finish());
        queue.submit(buffers);
    }
}

// the first fault is kept: what follows is its consequence
fn watch(device: &wgpu::Device) -> Arc<Mutex<Option<String>>> {
    let fault = Arc::new(Mutex::new(None));
    let kept = fault.clone();
    device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get_or_insert(e.to_string());
    }));
    fault
}
