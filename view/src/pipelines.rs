//! The pipelines: one shader, one pipeline for each kind of drawing.

use crate::mesh::Vertex;
use std::sync::OnceLock;

/// Samples per pixel.
pub const SAMPLES: u32 = 4;
/// Colour format of a picture.
pub const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// Depth format of a picture and of the shadow map.
pub const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Format of the world and part indices of a pixel.
pub const IDENTITY: wgpu::TextureFormat = wgpu::TextureFormat::Rg32Uint;

/// A kind of drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum For {
    /// The sky, where no part is drawn.
    Sky,
    /// Floors and textured parts.
    Solid,
    /// Parts with one colour.
    Plain,
    /// Transparent parts.
    Clear,
    /// The shadow map.
    Shadow,
    /// Indices of worlds and parts.
    Identity,
}

/// Pipelines, each made when it is first needed, since compiling takes time.
pub struct Pipelines {
    pub frame: wgpu::BindGroupLayout,
    pub layer: wgpu::BindGroupLayout,
    pub light: wgpu::BindGroupLayout,
    device: wgpu::Device,
    module: wgpu::ShaderModule,
    color: wgpu::TextureFormat,
    made: [OnceLock<wgpu::RenderPipeline>; 6],
}

// parameters of a pipeline
struct Kind<'a> {
    label: &'a str,
    groups: &'a [Option<&'a wgpu::BindGroupLayout>],
    vertex: &'a str,
    fragment: Option<(&'a str, wgpu::TextureFormat)>,
    blend: Option<wgpu::BlendState>,
    depth: wgpu::CompareFunction,
    writes_depth: bool,
    samples: u32,
    // true for the shadow map, which has a depth bias away from the sun
    sun: bool,
}

impl Pipelines {
    /// Pipelines that draw into pictures of this format; `textured`: there are textures, `lit`: there are lights of the model.
    pub fn new(
        device: &wgpu::Device,
        color: wgpu::TextureFormat,
        textured: bool,
        lit: bool,
    ) -> Self {
        let text = shader(textured, lit);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("view.wgsl"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        Self {
            frame: frame(device),
            layer: layer(device),
            light: light(device),
            device: device.clone(),
            module,
            color,
            made: [const { OnceLock::new() }; 6],
        }
    }

    /// The pipeline for a kind of drawing.
    pub fn get(&self, what: For) -> &wgpu::RenderPipeline {
        self.made[what as usize].get_or_init(|| self.make(what))
    }

    fn make(&self, what: For) -> wgpu::RenderPipeline {
        use wgpu::CompareFunction as Compare;
        let groups = [&self.frame, &self.layer, &self.light].map(Some);
        let solid = Kind {
            label: "solid",
            groups: &groups,
            vertex: "seen_by_camera",
            fragment: Some(("shade", self.color)),
            blend: None,
            // the nearest depth is 1
            depth: Compare::Greater,
            writes_depth: true,
            samples: SAMPLES,
            sun: false,
        };
        let kind = match what {
            For::Solid => solid,
            For::Plain => Kind {
                label: "plain",
                fragment: Some(("shade_plain", self.color)),
                ..solid
            },
            For::Sky => Kind {
                label: "sky",
                groups: &groups[..1],
                vertex: "everywhere",
                fragment: Some(("sky", self.color)),
                // only where no part is drawn
                depth: Compare::Equal,
                writes_depth: false,
                ..solid
            },
            For::Clear => Kind {
                label: "clear",
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                writes_depth: false,
                ..solid
            },
            For::Shadow => Kind {
                label: "shadow",
                groups: &groups[..2],
                vertex: "seen_by_sun",
                fragment: None,
                depth: Compare::Less,
                samples: 1,
                sun: true,
                ..solid
            },
            For::Identity => Kind {
                label: "identity",
                groups: &groups[..2],
                fragment: Some(("identify", IDENTITY)),
                samples: 1,
                ..solid
            },
        };
        pipeline(&self.device, &self.module, &kind)
    }
}

// the shader without unused features: software adapters compute both sides of a branch
fn shader(textured: bool, lit: bool) -> String {
    let text = include_str!("../view.wgsl");
    let texture = format!("const TEXTURED = {textured};");
    let text = text.replace("const TEXTURED = true;", &texture);
    text.replace("const LIT = true;", &format!("const LIT = {lit};"))
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    kind: &Kind<'_>,
) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(kind.label),
        bind_group_layouts: kind.groups,
        immediate_size: 0,
    });
    let targets = kind.fragment.map(|(_, format)| {
        [Some(wgpu::ColorTargetState {
            format,
            blend: kind.blend,
            write_mask: wgpu::ColorWrites::ALL,
        })]
    });
    let attributes =
        wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32, 3 => Float32x2];
    let buffers = [Some(wgpu::VertexBufferLayout {
        array_stride: size_of::<Vertex>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &attributes,
    })];
    let has_mesh = kind.groups.len() > 1;
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(kind.label),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(kind.vertex),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: if has_mesh { &buffers } else { &[] },
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(kind.writes_depth),
            depth_compare: Some(kind.depth),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState {
                slope_scale: if kind.sun { 2.0 } else { 0.0 },
                ..wgpu::DepthBiasState::default()
            },
        }),
        multisample: wgpu::MultisampleState {
            count: kind.samples,
            ..wgpu::MultisampleState::default()
        },
        fragment: kind
            .fragment
            .zip(targets.as_ref())
            .map(|((entry, _), targets)| wgpu::FragmentState {
                module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets,
            }),
        multiview_mask: None,
        cache: None,
    })
}

fn buffer(binding: u32, ty: wgpu::BufferBindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

fn group(
    device: &wgpu::Device,
    label: &str,
    entries: &[wgpu::BindGroupLayoutEntry],
) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries,
    })
}

fn frame(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let frame = buffer(0, wgpu::BufferBindingType::Uniform);
    let textures = buffer(1, wgpu::BufferBindingType::Storage { read_only: true });
    group(device, "frame", &[frame, textures])
}

fn layer(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let storage = wgpu::BufferBindingType::Storage { read_only: true };
    let mut entries = vec![buffer(0, wgpu::BufferBindingType::Uniform)];
    entries.extend((1..5).map(|k| buffer(k, storage)));
    group(device, "layer", &entries)
}

fn light(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::FRAGMENT,
        ty,
        count: None,
    };
    let map = wgpu::BindingType::Texture {
        sample_type: wgpu::TextureSampleType::Depth,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    };
    let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
    group(device, "light", &[entry(0, map), entry(1, sampler)])
}
