//! The picture on the page: the renderer's own, on a canvas of WebGPU.

use crate::sim::Sim;
use manyworlds_view::Painter;
use std::sync::{Arc, Mutex, PoisonError};
use wasm_bindgen::prelude::wasm_bindgen;

type Fault = Arc<Mutex<Option<String>>>;

/// A canvas that worlds are drawn on.
#[wasm_bindgen]
pub struct Canvas {
    device: wgpu::Device,
    queue: wgpu::Queue,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    painter: Option<Painter>,
    // the first fault of the device
    fault: Fault,
}

#[wasm_bindgen]
impl Canvas {
    /// Opens the browser's graphics device for a canvas. Fails with a sentence where there is none.
    pub async fn open(element: web_sys::HtmlCanvasElement) -> Result<Canvas, String> {
        let size = [element.width(), element.height()];
        let mut desc = wgpu::InstanceDescriptor::new_without_display_handle();
        desc.backends = wgpu::Backends::BROWSER_WEBGPU;
        let instance = wgpu::Instance::new(desc);
        let surface = instance
            .create_surface(wgpu::SurfaceTarget::Canvas(element))
            .map_err(|e| format!("no picture: {e}"))?;
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions {
                power_preference: wgpu::PowerPreference::HighPerformance,
                compatible_surface: Some(&surface),
                ..wgpu::RequestAdapterOptions::default()
            })
            .await
            .map_err(|_| "no picture: this browser has WebGPU, but no graphics adapter for it")?;
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor::default())
            .await
            .map_err(|e| format!("no picture: {e}"))?;
        let fault = Fault::default();
        watch(&device, &fault);
        let format = surface.get_capabilities(&adapter).formats[0];
        let config = wgpu::SurfaceConfiguration {
            view_formats: vec![format.add_srgb_suffix()],
            ..surface
                .get_default_config(&adapter, size[0].max(1), size[1].max(1))
                .ok_or("no picture: the adapter cannot draw on this page")?
        };
        Ok(Self {
            device,
            queue,
            surface,
            config,
            painter: None,
            fault,
        })
    }

    /// Begins to draw the worlds of another model.
    pub fn show(&mut self, sim: &mut Sim) -> Result<(), String> {
        let size = [self.config.width, self.config.height];
        let format = self.config.format.add_srgb_suffix();
        let assets = sim.show().scene().assets();
        let painter = Painter::onto(&self.device, &self.queue, size, assets, format);
        self.painter = Some(painter.map_err(|e| e.to_string())?);
        self.surface.configure(&self.device, &self.config);
        Ok(())
    }

    /// The canvas has another size (pixels).
    pub fn resize(&mut self, width: u32, height: u32) -> Result<(), String> {
        let size = [width.max(1), height.max(1)];
        if let Some(painter) = &mut self.painter {
            painter.resize(size).map_err(|e| e.to_string())?;
        }
        [self.config.width, self.config.height] = size;
        self.surface.configure(&self.device, &self.config);
        Ok(())
    }

    /// What the graphics device failed with, if it did: nothing is drawn on this canvas any more.
    #[wasm_bindgen(getter)]
    pub fn fault(&self) -> Option<String> {
        let fault = self.fault.lock();
        fault.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Draws the worlds as they are.
    pub fn draw(&mut self, sim: &mut Sim) -> Result<(), String> {
        if let Some(fault) = self.fault() {
            return Err(fault);
        }
        let Some(painter) = &mut self.painter else {
            return Ok(());
        };
        let shot = sim.show().shoot().map_err(|e| e.to_string())?;
        use wgpu::CurrentSurfaceTexture::{Suboptimal, Success};
        let (Success(target) | Suboptimal(target)) = self.surface.get_current_texture() else {
            return Ok(());
        };
        let view = target.texture.create_view(&wgpu::TextureViewDescriptor {
            format: Some(self.config.format.add_srgb_suffix()),
            ..wgpu::TextureViewDescriptor::default()
        });
        painter
            .draw_onto(&shot.camera, &shot.place, &shot.layers, &view)
            .map_err(|e| e.to_string())?;
        self.queue.present(target);
        Ok(())
    }
}

// the first fault is kept: what follows is its consequence
fn watch(device: &wgpu::Device, fault: &Fault) {
    let keep = |fault: Fault| {
        move |message: String| {
            let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
            fault.get_or_insert(message);
        }
    };
    let uncaptured = keep(fault.clone());
    device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| uncaptured(e.to_string())));
    let lost = keep(fault.clone());
    device.set_device_lost_callback(move |reason, message| {
        if reason != wgpu::DeviceLostReason::Destroyed {
            lost(format!("the graphics device was lost ({message})"));
        }
    });
}
