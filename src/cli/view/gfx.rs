//! Drawing in the window: the picture of the worlds, and the panel over it.

use crate::gpu::device::{Device, instance};
use manyworlds::Error;
use manyworlds::picture::{Shot, Show};
use manyworlds_view::Painter;
use std::sync::Arc;
use winit::window::Window;

/// A window's device and surface.
pub struct Gfx {
    pub window: Arc<Window>,
    pub input: egui_winit::State,
    device: Device,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    format: wgpu::TextureFormat,
    painter: Painter,
    panel: egui_wgpu::Renderer,
    // textures to be freed, last used in the previous picture of the panel
    freed: Vec<egui::TextureId>,
    /// Name of the adapter.
    pub adapter: String,
}

fn failed(e: impl std::fmt::Display) -> Error {
    Error::Device(format!("no window: {e}"))
}

impl Gfx {
    /// Opens the best adapter that can draw in a window, hardware or software. The worlds' own device is used if it is on that adapter.
    pub fn open(window: Window, show: &mut Show) -> Result<Self, Error> {
        let window = Arc::new(window);
        let surface = instance().create_surface(window.clone()).map_err(failed)?;
        let adapter = instance().request_adapter(&wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: Some(&surface),
            ..wgpu::RequestAdapterOptions::default()
        });
        let adapter = pollster::block_on(adapter).map_err(failed)?;
        let worlds = show.batch().wgpu_device();
        let device = match worlds.filter(|device| device.is_of(&adapter)) {
            Some(device) => device.clone(),
            None => request(&adapter)?,
        };
        show.scene_mut().draws_on(&device);
        let size = window.inner_size();
        let config = surface.get_default_config(&adapter, size.width.max(1), size.height.max(1));
        let mut config = config.ok_or_else(|| failed("the adapter cannot draw in this window"))?;
        let formats = surface.get_capabilities(&adapter).formats;
        let srgb = formats.iter().find(|format| format.is_srgb());
        // a surface without an sRGB format gets an sRGB view
        config.format = *srgb.unwrap_or(&config.format);
        let format = config.format.add_srgb_suffix();
        config.view_formats = vec![format];
        let size = [config.width, config.height];
        let painter = painter(&device, size, show, format)?;
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
        surface.configure(&device.device, &config);
        Ok(Self {
            panel: egui_wgpu::Renderer::new(
                &device.device,
                format,
                egui_wgpu::RendererOptions::default(),
            ),
            freed: Vec::new(),
            painter,
            adapter: adapter.get_info().name,
            window,
            input,
            device,
            surface,
            config,
            format,
        })
    }

    /// Draws other worlds from now on.
    pub fn change(&mut self, show: &mut Show) -> Result<(), Error> {
        show.scene_mut().draws_on(&self.device);
        let size = [self.config.width, self.config.height];
        self.painter = painter(&self.device, size, show, self.format)?;
        Ok(())
    }

    /// Sets the size of the window (pixels).
    pub fn resize(&mut self, size: [u32; 2]) -> Result<(), Error> {
        // a minimised window has size 0
        if size.contains(&0) {
            return Ok(());
        }
        [self.config.width, self.config.height] = size;
        self.surface.configure(&self.device.device, &self.config);
        self.painter.resize(size).map_err(failed)
    }

    /// Uploads and frees textures of the panel. Changes are reported once only, so they are applied even if no picture is drawn.
    pub fn take_textures(&mut self, told: &mut egui::TexturesDelta) {
        for id in self.freed.drain(..) {
            self.panel.free_texture(&id);
        }
        for (id, deltas) in &told.set {
            for delta in deltas {
                let (device, queue) = self.device.wgpu();
                self.panel.update_texture(device, queue, *id, delta);
            }
        }
        self.freed.extend(&told.free);
        told.clear();
    }

    /// Draws worlds, and the panel over them. False where the window cannot be drawn at present.
    pub fn draw(&mut self, shot: &Shot, panel: egui::FullOutput) -> Result<bool, Error> {
        self.device.check()?;
        use wgpu::CurrentSurfaceTexture as Current;
        let target = match self.surface.get_current_texture() {
            Current::Success(target) | Current::Suboptimal(target) => target,
            Current::Outdated | Current::Lost => {
                self.surface.configure(&self.device.device, &self.config);
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
        self.device.queue.present(target);
        Ok(true)
    }

    fn draw_panel(&mut self, out: egui::FullOutput, view: &wgpu::TextureView) {
        let (device, queue) = self.device.wgpu();
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

// opens a separate device for the window
fn request(adapter: &wgpu::Adapter) -> Result<Device, Error> {
    let asked = wgpu::DeviceDescriptor {
        label: Some("manyworlds view"),
        required_limits: adapter.limits(),
        ..wgpu::DeviceDescriptor::default()
    };
    let opened = pollster::block_on(adapter.request_device(&asked));
    let (device, queue) = opened.map_err(failed)?;
    Device::from_wgpu(device, queue)
}

fn painter(
    device: &Device,
    size: [u32; 2],
    show: &Show,
    format: wgpu::TextureFormat,
) -> Result<Painter, Error> {
    let (device, queue) = device.wgpu();
    let assets = show.scene().assets();
    Painter::onto(device, queue, size, assets, format).map_err(failed)
}
