//! The picture on the page: drawn by the renderer on a WebGPU canvas.

use crate::graphics::Graphics;
use crate::sim::{Said, Sim};
use manyworlds_view::{Assets, Painter};
use wasm_bindgen::prelude::wasm_bindgen;

/// A canvas on which worlds are drawn.
#[wasm_bindgen]
pub struct Canvas {
    graphics: Graphics,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    // false until the surface has `config`: configuring empties the canvas, so it is delayed until a picture is drawn
    configured: bool,
    painter: Option<Painter>,
    // the assets of the painter
    assets: Assets,
}

#[wasm_bindgen]
impl Canvas {
    /// Opens the browser's graphics device for a canvas of this size (pixels). The canvas keeps its content until a picture is drawn. Fails with a
    /// sentence where there is no such device.
    pub async fn open(
        element: web_sys::HtmlCanvasElement,
        width: u32,
        height: u32,
    ) -> Said<Canvas> {
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
        let graphics = Graphics::open(&adapter).await;
        let graphics = graphics.map_err(|e| format!("no picture: {e}"))?;
        let format = surface.get_capabilities(&adapter).formats[0];
        let config = wgpu::SurfaceConfiguration {
            view_formats: vec![format.add_srgb_suffix()],
            ..surface
                .get_default_config(&adapter, width.max(1), height.max(1))
                .ok_or("no picture: the adapter cannot draw on this page")?
        };
        Ok(Self {
            graphics,
            surface,
            config,
            configured: false,
            painter: None,
            assets: Assets::default(),
        })
    }

    /// Draws other worlds from now on. Poses that kernels compute on the device of this canvas are not read to the host.
    pub fn show(&mut self, sim: &mut Sim) -> Said {
        #[cfg(feature = "kernels")]
        sim.drawn_on(&self.graphics);
        let assets = sim.show().scene().assets();
        // worlds of the same model can use the same painter
        if self.painter.is_none() || self.assets != *assets {
            let size = [self.config.width, self.config.height];
            let format = self.config.format.add_srgb_suffix();
            let (device, queue) = self.graphics.wgpu();
            let painter = Painter::onto(device, queue, size, assets, format);
            self.painter = Some(painter.map_err(|e| e.to_string())?);
            self.assets = assets.clone();
        }
        Ok(())
    }

    /// Sets the size of the canvas (pixels), from its next picture on.
    pub fn resize(&mut self, width: u32, height: u32) -> Said {
        let size = [width.max(1), height.max(1)];
        if let Some(painter) = &mut self.painter {
            painter.resize(size).map_err(|e| e.to_string())?;
        }
        [self.config.width, self.config.height] = size;
        self.configured = false;
        Ok(())
    }

    /// The graphics device that draws.
    pub fn graphics(&self) -> Graphics {
        self.graphics.clone()
    }

    /// The fault of the graphics device, if any: then this canvas draws nothing any more.
    #[wasm_bindgen(getter)]
    pub fn fault(&self) -> Option<String> {
        self.graphics.fault()
    }

    /// Draws the worlds in their present state.
    pub fn draw(&mut self, sim: &mut Sim) -> Said {
        if let Some(fault) = self.fault() {
            return Err(fault);
        }
        let Some(painter) = &mut self.painter else {
            return Ok(());
        };
        let shot = sim.show().shoot().map_err(|e| e.to_string())?;
        let (device, queue) = self.graphics.wgpu();
        if !self.configured {
            self.surface.configure(device, &self.config);
            self.configured = true;
        }
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
        queue.present(target);
        Ok(())
    }
}
