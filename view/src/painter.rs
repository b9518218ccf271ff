//! Draws layers into pictures.

use crate::camera::{Camera, sun_to_clip};
use crate::draw::{Draw, Drawn, Kept, LODS, MESHES, Stored, buffer, instances, mesh_of, upload};
use crate::error::Error;
use crate::light::{GpuLight, LIGHTS};
use crate::mesh::Mesh;
use crate::pipelines::{COLOR, DEPTH, For, IDENTITY, Pipelines, SAMPLES};
use crate::scene::{Form, Layer, Place};
use crate::texture::{Texture, pack};
use bytemuck::{Pod, Zeroable};

/// Side of the shadow map (pixels).
const SHADOW: u32 = 2048;
/// Colour of the horizon.
const HAZE: [f32; 3] = [0.78, 0.84, 0.90];
/// Vertices around a ball or cylinder, by level of detail.
const AROUND: [u32; LODS] = [32, 16, 8];

/// A picture: rows from the top, four bytes a pixel, red, green, blue and opacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Height x width x 4 bytes.
    pub rgba: Vec<u8>,
}

/// World and part of a pixel; none where it shows the sky.
pub type Identity = Option<[u32; 2]>;

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Frame {
    to_clip: [[f32; 4]; 4],
    to_sun: [[f32; 4]; 4],
    from_clip: [[f32; 4]; 4],
    eye: [f32; 3],
    square: f32,
    sun: [f32; 3],
    texel: f32,
    haze: [f32; 3],
    far: f32,
    // index of the sky's texture plus 1; 0: none
    sky: u32,
    nlight: u32,
    pad: [u32; 2],
    lights: [GpuLight; LIGHTS],
}

/// Meshes and textures that parts of a model's layers refer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assets {
    /// Meshes ([`Form::Mesh`]).
    pub meshes: Vec<Mesh>,
    /// Textures ([`Cover::texture`](crate::Cover::texture)).
    pub textures: Vec<Texture>,
    /// Index of the sky's texture, if any; its sides are those of a cube whose y is up.
    pub sky: Option<usize>,
    /// Whether places may have lights ([`Place::lights`]).
    pub lit: bool,
}

/// Draws layers into pictures of one size.
pub struct Painter {
    device: wgpu::Device,
    queue: wgpu::Queue,
    size: [u32; 2],
    pipelines: Pipelines,
    meshes: Stored,
    // index of the sky's texture plus 1; 0: none
    sky: u32,
    frame: wgpu::Buffer,
    frame_group: wgpu::BindGroup,
    shadow: wgpu::TextureView,
    light_group: wgpu::BindGroup,
    format: wgpu::TextureFormat,
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
    // buffers of the layers of the last picture
    kept: Vec<Option<Kept>>,
}

impl Painter {
    /// A painter of pictures of this size (width, height in pixels), with the meshes and textures of a model. Fails where the adapter cannot
    /// draw that size.
    pub fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        size: [u32; 2],
        assets: &Assets,
    ) -> Result<Self, Error> {
        Self::onto(device, queue, size, assets, COLOR)
    }

    /// Like [`Painter::new`] for views of a window or canvas of this format, which must be sRGB, such as `Bgra8UnormSrgb`.
    pub fn onto(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        size: [u32; 2],
        assets: &Assets,
        format: wgpu::TextureFormat,
    ) -> Result<Self, Error> {
        check(device, size)?;
        let textured = assets.textures.iter().any(|it| it.sides() > 0);
        let pipelines = Pipelines::new(device, format, textured, assets.lit);
        let meshes = store(device, queue, &assets.meshes)?;
        let texels = pack(&assets.textures);
        let storage = wgpu::BufferUsages::STORAGE;
        let texels = bytemuck::cast_slice(&texels);
        let textures = buffer(device, queue, "textures", texels, storage)?;
        let frame = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("frame"),
            size: size_of::<Frame>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let frame_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("frame"),
            layout: &pipelines.frame,
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: frame.as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: textures.as_entire_binding(),
                },
            ],
        });
        let shadow = view(&target(device, [SHADOW; 2], DEPTH, 1));
        let light_group = light_group(device, &pipelines.light, &shadow);
        Ok(Self {
            size,
            meshes,
            sky: assets.sky.map_or(0, |k| k as u32 + 1),
            frame,
            frame_group,
            shadow,
            light_group,
            format,
            color: view(&target(device, size, format, SAMPLES)),
            depth: view(&target(device, size, DEPTH, SAMPLES)),
            kept: Vec::new(),
            pipelines,
            device: device.clone(),
            queue: queue.clone(),
        })
    }

    /// Sets the size of pictures (pixels). Fails where the adapter cannot draw that size.
    pub fn resize(&mut self, size: [u32; 2]) -> Result<(), Error> {
        if size != self.size {
            check(&self.device, size)?;
            self.size = size;
            self.color = view(&target(&self.device, size, self.format, SAMPLES));
            self.depth = view(&target(&self.device, size, DEPTH, SAMPLES));
        }
        Ok(())
    }

    /// Draws layers from a camera.
    pub fn draw(
        &mut self,
        camera: &Camera,
        place: &Place,
        layers: &[Layer],
    ) -> Result<Picture, Error> {
        let picture = target(&self.device, self.size, COLOR, 1);
        self.draw_onto(camera, place, layers, &view(&picture))?;
        let rgba = self.read(&picture, 4)?;
        let [width, height] = self.size;
        Ok(Picture {
            width,
            height,
            rgba,
        })
    }

    /// Draws layers into a view of the painter's size and format.
    pub fn draw_onto(
        &mut self,
        camera: &Camera,
        place: &Place,
        layers: &[Layer],
        picture: &wgpu::TextureView,
    ) -> Result<(), Error> {
        let layers = self.put(camera, place, layers)?;
        let mut encoder = self.device.create_command_encoder(&Default::default());
        self.draw_shadows(&mut encoder, &layers);
        self.draw_solids(&mut encoder, &layers, picture);
        self.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// World and part of a layer that each pixel shows, rows from the top.
    pub fn identify(
        &mut self,
        camera: &Camera,
        place: &Place,
        layer: &Layer,
    ) -> Result<Vec<Identity>, Error> {
        let layers = self.put(camera, place, std::slice::from_ref(layer))?;
        let picture = target(&self.device, self.size, IDENTITY, 1);
        let depth = view(&target(&self.device, self.size, DEPTH, 1));
        let mut encoder = self.device.create_command_encoder(&Default::default());
        {
            let color = view(&picture);
            let mut pass = begin(&mut encoder, "identity", Some((&color, None)), &depth, 0.0);
            pass.set_pipeline(self.pipelines.get(For::Identity));
            pass.set_bind_group(0, &self.frame_group, &[]);
            for layer in &layers {
                self.draw_list(&mut pass, layer, &layer.solid);
                self.draw_list(&mut pass, layer, &layer.clear);
            }
        }
        self.queue.submit([encoder.finish()]);
        let bytes = self.read(&picture, 8)?;
        let (pairs, _) = bytes.as_chunks::<8>();
        let number = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let identity = |b: &[u8; 8]| match [number(&b[..4]), number(&b[4..])] {
            [0, _] | [_, 0] => None,
            [world, part] => Some([world - 1, part - 1]),
        };
        Ok(pairs.iter().map(identity).collect())
    }

    // uploads the frame and the layers to the device
    fn put(
        &mut self,
        camera: &Camera,
        place: &Place,
        layers: &[Layer],
    ) -> Result<Vec<Drawn>, Error> {
        let [width, height] = self.size;
        let to_clip = camera.to_clip(width as f32 / height as f32);
        let reach = camera.eye.distance(place.center) + place.radius;
        let (lights, nlight) = GpuLight::all(&place.lights);
        let frame = Frame {
            to_clip: to_clip.to_cols_array_2d(),
            from_clip: to_clip.inverse().to_cols_array_2d(),
            to_sun: sun_to_clip(place.sun, place.center, place.radius).to_cols_array_2d(),
            eye: camera.eye.to_array(),
            square: place.square,
            sun: place.sun.to_array(),
            texel: 2.0 * place.radius / SHADOW as f32,
            haze: HAZE,
            far: 3.0 * reach,
            sky: self.sky,
            nlight,
            pad: [0; 2],
            lights,
        };
        self.queue
            .write_buffer(&self.frame, 0, bytemuck::bytes_of(&frame));
        self.kept.resize_with(layers.len(), || None);
        let (device, queue) = (&self.device, &self.queue);
        let (layout, meshes) = (&self.pipelines.layer, self.meshes.len());
        let put = |(layer, kept): (&Layer, &mut Option<Kept>)| {
            let (list, [solid, clear]) = instances(layer, camera, height, meshes);
            let group = upload(device, queue, layout, layer, &list, kept)?;
            let surfaces = match layer.surfaces.as_slice() {
                [] => None,
                surfaces => Some(Stored::new(device, queue, surfaces)?),
            };
            Ok(Drawn {
                group,
                surfaces,
                solid,
                clear,
                shadow: layer.shadow,
            })
        };
        layers.iter().zip(&mut self.kept).map(put).collect()
    }

    fn draw_shadows(&self, encoder: &mut wgpu::CommandEncoder, layers: &[Drawn]) {
        let mut pass = begin(encoder, "shadow", None, &self.shadow, 1.0);
        pass.set_pipeline(self.pipelines.get(For::Shadow));
        pass.set_bind_group(0, &self.frame_group, &[]);
        for layer in layers.iter().filter(|layer| layer.shadow) {
            self.draw_list(&mut pass, layer, &layer.solid);
        }
    }

    fn draw_solids(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        layers: &[Drawn],
        picture: &wgpu::TextureView,
    ) {
        let color = Some((&self.color, Some(picture)));
        let mut pass = begin(encoder, "solids", color, &self.depth, 0.0);
        pass.set_bind_group(0, &self.frame_group, &[]);
        pass.set_bind_group(2, &self.light_group, &[]);
        // parts that may hide the floor and the sky are drawn before them, so that hidden pixels are not shaded
        for (plain, what) in [(true, For::Plain), (false, For::Solid)] {
            for layer in layers.iter().rev() {
                for same in layer.solid.chunk_by(|a, b| a.plain == b.plain) {
                    if same[0].plain == plain {
                        pass.set_pipeline(self.pipelines.get(what));
                        self.draw_list(&mut pass, layer, same);
                    }
                }
            }
        }
        pass.set_pipeline(self.pipelines.get(For::Sky));
        pass.draw(0..3, 0..1);
        for layer in layers.iter().filter(|layer| !layer.clear.is_empty()) {
            pass.set_pipeline(self.pipelines.get(For::Clear));
            self.draw_list(&mut pass, layer, &layer.clear);
        }
    }

    fn draw_list(&self, pass: &mut wgpu::RenderPass<'_>, layer: &Drawn, draws: &[Draw]) {
        pass.set_bind_group(1, &layer.group, &[]);
        let meshes = self.meshes.len();
        // runs of the painter's meshes and of the layer's own, in the order of the list
        for same in draws.chunk_by(|a, b| (a.mesh < meshes) == (b.mesh < meshes)) {
            match (&layer.surfaces, same[0].mesh < meshes) {
                (Some(own), false) => own.draw(pass, meshes, same),
                _ => self.meshes.draw(pass, 0, same),
            }
        }
    }

    // the pixels of a picture, `pixel` bytes each
    fn read(&self, picture: &wgpu::Texture, pixel: u32) -> Result<Vec<u8>, Error> {
        let [width, height] = self.size;
        let row = (width * pixel).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let back = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("back"),
            size: u64::from(row) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_texture_to_buffer(
            picture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &back,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(row),
                    rows_per_image: None,
                },
            },
            picture.size(),
        );
        self.queue.submit([encoder.finish()]);
        let failed = |e: &dyn std::fmt::Display| Error::Device(e.to_string());
        back.map_async(wgpu::MapMode::Read, .., |_| {});
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|e| failed(&e))?;
        let mapped = back.get_mapped_range(..).map_err(|e| failed(&e))?;
        let rows = mapped.chunks_exact(row as usize);
        let pixels = rows.flat_map(|bytes| &bytes[..(width * pixel) as usize]);
        Ok(pixels.copied().collect())
    }
}

fn check(device: &wgpu::Device, size: [u32; 2]) -> Result<(), Error> {
    let most = device.limits().max_texture_dimension_2d;
    match size.iter().any(|&x| x == 0 || x > most) {
        true => Err(Error::Size(size, most)),
        false => Ok(()),
    }
}

fn light_group(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    shadow: &wgpu::TextureView,
) -> wgpu::BindGroup {
    let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("shadow"),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        compare: Some(wgpu::CompareFunction::LessEqual),
        ..wgpu::SamplerDescriptor::default()
    });
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("light"),
        layout,
        entries: &[
            wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::TextureView(shadow),
            },
            wgpu::BindGroupEntry {
                binding: 1,
                resource: wgpu::BindingResource::Sampler(&sampler),
            },
        ],
    })
}

// the meshes that every painter has, then those of the model
fn store(device: &wgpu::Device, queue: &wgpu::Queue, own: &[Mesh]) -> Result<Stored, Error> {
    let mut all = vec![Mesh::default(); MESHES];
    let mut put = |form, lod, mesh| all[mesh_of(form, lod, MESHES)] = mesh;
    put(Form::Plane, 0, Mesh::plane());
    put(Form::Box, 0, Mesh::cube());
    put(Form::Cone, 0, Mesh::cylinder(16, true));
    for (lod, around) in AROUND.into_iter().enumerate() {
        put(Form::Ball, lod, Mesh::ball(around, false));
        put(Form::Capsule, lod, Mesh::ball(around, true));
        put(Form::Cylinder, lod, Mesh::cylinder(around, false));
    }
    Stored::new(device, queue, all.iter().chain(own))
}

fn target(
    device: &wgpu::Device,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    samples: u32,
) -> wgpu::Texture {
    use wgpu::TextureUsages as Use;
    let read = if samples == 1 {
        Use::COPY_SRC | Use::TEXTURE_BINDING
    } else {
        Use::empty()
    };
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d {
            width,
            height,
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: Use::RENDER_ATTACHMENT | read,
        view_formats: &[],
    })
}

fn view(texture: &wgpu::Texture) -> wgpu::TextureView {
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

// a pass into a colour target, which may be resolved into another, and a depth target cleared to `far`
fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    label: &str,
    color: Option<(&wgpu::TextureView, Option<&wgpu::TextureView>)>,
    depth: &wgpu::TextureView,
    far: f32,
) -> wgpu::RenderPass<'a> {
    let color = color.map(|(view, resolve_target)| wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target,
        ops: wgpu::Operations {
            load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
            store: wgpu::StoreOp::Store,
        },
    });
    let color = color.map(|color| [Some(color)]);
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some(label),
        color_attachments: color.as_ref().map_or(&[], |color| color),
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(far),
                store: wgpu::StoreOp::Store,
            }),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    })
}
