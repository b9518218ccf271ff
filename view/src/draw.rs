//! Draws of a layer: its buffers, and the instances of each mesh.

use crate::camera::Camera;
use crate::error::Error;
use crate::mesh::{Mesh, Vertex};
use crate::scene::{Form, Layer, Map, POSE, Part};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use std::ops::Range;

/// Number of levels of detail of a round form, fine to coarse.
pub const LODS: usize = 3;
/// Number of meshes that every painter has: plane, box, cone, then ball, capsule and cylinder, each fine to coarse.
pub const MESHES: usize = 3 + 3 * LODS;

/// Index of the mesh of a form at a level of detail, 0 the finest. Meshes of the layer come after the painter's `meshes`.
pub fn mesh_of(form: Form, lod: usize, meshes: usize) -> usize {
    match form {
        Form::Plane => 0,
        Form::Box => 1,
        Form::Cone => 2,
        Form::Ball => 3 + lod,
        Form::Capsule => 3 + LODS + lod,
        Form::Cylinder => 3 + 2 * LODS + lod,
        Form::Mesh(k) => MESHES + k,
        Form::Surface(k) => meshes + k,
    }
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct GpuPart {
    scale: [f32; 3],
    half_length: f32,
    color: [f32; 4],
    floor: u32,
    shininess: f32,
    // texture index plus 1, and its mapping: 0, 1, 2 as in `Map`
    texture: u32,
    map: u32,
    stretch: [f32; 3],
    pad: f32,
}

impl GpuPart {
    fn of(part: &Part) -> Self {
        let (map, stretch) = match part.cover.map(|cover| cover.map) {
            Some(Map::Corners([x, y])) => (0, [x, y, 0.0]),
            Some(Map::Along([x, y])) => (1, [x, y, 0.0]),
            Some(Map::Around(stretch)) => (2, stretch),
            None => (0, [0.0; 3]),
        };
        Self {
            scale: part.scale,
            half_length: part.half_length,
            color: linear(part.color),
            floor: u32::from(part.floor),
            shininess: part.shininess,
            texture: part.cover.map_or(0, |cover| cover.texture as u32 + 1),
            map,
            stretch,
            pad: 0.0,
        }
    }
}

// a gamma-encoded colour, as a screen shows it, converted to linear light
fn linear([r, g, b, a]: [f32; 4]) -> [f32; 4] {
    let [r, g, b] = [r, g, b].map(|x| x.max(0.0).powf(2.2));
    [r, g, b, a]
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct GpuWorld {
    offset: [f32; 3],
    alpha: f32,
    tint: [f32; 4],
}

/// Meshes in two buffers, vertices and indices; `places` has the first vertex and the index range of each mesh.
pub struct Stored {
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    places: Vec<(i32, Range<u32>)>,
}

impl Stored {
    /// Uploads meshes to the device.
    pub fn new<'a>(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        meshes: impl IntoIterator<Item = &'a Mesh>,
    ) -> Result<Self, Error> {
        let (mut vertices, mut indices, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for mesh in meshes {
            let first = indices.len() as u32;
            places.push((
                vertices.len() as i32,
                first..first + mesh.indices.len() as u32,
            ));
            vertices.extend_from_slice(&mesh.vertices);
            indices.extend_from_slice(&mesh.indices);
        }
        let vertices = bytemuck::cast_slice::<Vertex, u8>(&vertices);
        let corners = wgpu::BufferUsages::VERTEX;
        Ok(Self {
            vertices: buffer(device, queue, "meshes", vertices, corners)?,
            indices: buffer(
                device,
                queue,
                "meshes",
                bytemuck::cast_slice(&indices),
                wgpu::BufferUsages::INDEX,
            )?,
            places,
        })
    }

    /// Number of meshes.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Draws a list of draws of these meshes, whose numbers begin at `first`.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, first: usize, draws: &[Draw]) {
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        for draw in draws {
            let (corner, indices) = &self.places[draw.mesh - first];
            pass.draw_indexed(indices.clone(), *corner, draw.instances.clone());
        }
    }
}

/// Creates a buffer with these bytes.
pub fn buffer(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    label: &str,
    bytes: &[u8],
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, Error> {
    let most = device.limits().max_buffer_size;
    let size = bytes.len() as u64;
    if size > most {
        return Err(Error::Room(size, most));
    }
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size.max(4),
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    Ok(buffer)
}

/// Instances of one mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    pub mesh: usize,
    pub instances: Range<u32>,
    /// Each has one colour: it is not a floor, and has no texture.
    pub plain: bool,
}

/// A layer on the device.
pub struct Drawn {
    pub group: wgpu::BindGroup,
    /// Meshes of the layer itself.
    pub surfaces: Option<Stored>,
    pub solid: Vec<Draw>,
    pub clear: Vec<Draw>,
    pub shadow: bool,
}

/// Assigns each (world, part) to a mesh: a list of instances, and draws over it, opaque and transparent. Opaque instances are sorted by world
/// from near to far, so that few hidden pixels are shaded.
pub fn instances(
    layer: &Layer,
    camera: &Camera,
    height: u32,
    meshes: usize,
) -> (Vec<[u32; 2]>, [Vec<Draw>; 2]) {
    let pixels = 0.5 * height as f32 / (0.5 * camera.fovy).tan();
    let mut solid = vec![Vec::new(); 2 * (meshes + layer.surfaces.len())];
    let mut clear = Vec::new();
    for w in nearest_first(layer, camera) {
        let world = &layer.worlds[w];
        for (k, part) in layer.parts.iter().enumerate() {
            let [nearest, distance] = layer.depths(w, k, camera);
            let radius = part.scale.into_iter().fold(0.0, f32::max);
            let detail = lod(radius * pixels / nearest.max(camera.near));
            let mesh = mesh_of(part.form, detail, meshes);
            let opaque = part.color[3] * world.alpha >= 1.0;
            match opaque {
                true => solid[2 * mesh + usize::from(is_plain(part))].push([w as u32, k as u32]),
                false => clear.push((distance, mesh, [w as u32, k as u32])),
            }
        }
    }
    let mut list = Vec::new();
    let mut draws = [Vec::new(), Vec::new()];
    for (kind, own) in solid
        .into_iter()
        .enumerate()
        .filter(|(_, own)| !own.is_empty())
    {
        let first = list.len() as u32;
        list.extend(own);
        draws[0].push(Draw {
            mesh: kind / 2,
            instances: first..list.len() as u32,
            plain: kind % 2 == 1,
        });
    }
    // transparent instances: the farthest first
    clear.sort_by(|a, b| b.0.total_cmp(&a.0));
    for same in clear.chunk_by(|a, b| a.1 == b.1) {
        let first = list.len() as u32;
        list.extend(same.iter().map(|it| it.2));
        let (mesh, instances) = (same[0].1, first..list.len() as u32);
        draws[1].push(Draw {
            mesh,
            instances,
            plain: false,
        });
    }
    (list, draws)
}

fn is_plain(part: &Part) -> bool {
    !part.floor && part.cover.is_none()
}

// visible worlds, from near to far
fn nearest_first(layer: &Layer, camera: &Camera) -> Vec<usize> {
    let seen = |w: &usize| layer.worlds[*w].alpha > 0.0;
    let mut worlds: Vec<usize> = (0..layer.worlds.len()).filter(seen).collect();
    let depth = |w: &usize| Vec3::from(layer.worlds[*w].offset).dot(camera.forward);
    worlds.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
    worlds
}

// level of detail of a ball whose radius is this many pixels
fn lod(radius: f32) -> usize {
    match radius {
        r if r > 40.0 => 0,
        r if r > 8.0 => 1,
        _ => 2,
    }
}

/// The buffers of a layer, kept from picture to picture.
pub struct Kept {
    buffers: [wgpu::Buffer; 5],
    // poses on the device that replace the third buffer
    live: Option<wgpu::Buffer>,
    group: wgpu::BindGroup,
}

/// Uploads a layer to the device, into the buffers of an earlier one if they are large enough.
pub fn upload(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    layout: &wgpu::BindGroupLayout,
    layer: &Layer,
    list: &[[u32; 2]],
    kept: &mut Option<Kept>,
) -> Result<wgpu::BindGroup, Error> {
    let poses = layer.worlds.len() * layer.parts.len() * POSE;
    let live = layer.live.as_ref().map(|live| &live.poses);
    let given = live.map_or(layer.poses.len(), |live| {
        poses.min(live.size() as usize / 4)
    });
    assert_eq!(given, poses, "poses of a layer");
    let parts: Vec<_> = layer.parts.iter().map(GpuPart::of).collect();
    let worlds: Vec<_> = layer
        .worlds
        .iter()
        .map(|w| GpuWorld {
            offset: w.offset,
            alpha: w.alpha,
            tint: linear(w.tint),
        })
        .collect();
    let nparts = [layer.parts.len() as u32, 0, 0, 0];
    let bytes: [&[u8]; 5] = [
        bytemuck::cast_slice(&nparts),
        bytemuck::cast_slice(&parts),
        bytemuck::cast_slice(&layer.poses),
        bytemuck::cast_slice(&worlds),
        bytemuck::cast_slice(list),
    ];
    let fits = |kept: &Kept| {
        let mut pairs = kept.buffers.iter().zip(bytes);
        let fit = pairs.all(|(buffer, bytes)| buffer.size() >= bytes.len() as u64);
        fit && kept.live.as_ref() == live
    };
    let kept = match kept.take_if(|kept| fits(kept)) {
        Some(fitting) => kept.insert(fitting),
        None => kept.insert(Kept::new(device, layout, bytes, live)?),
    };
    for (buffer, bytes) in kept.buffers.iter().zip(bytes) {
        queue.write_buffer(buffer, 0, bytes);
    }
    Ok(kept.group.clone())
}

impl Kept {
    fn new(
        device: &wgpu::Device,
        layout: &wgpu::BindGroupLayout,
        bytes: [&[u8]; 5],
        live: Option<&wgpu::Buffer>,
    ) -> Result<Self, Error> {
        let limits = device.limits();
        let most = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        if let Some(bytes) = bytes.iter().find(|bytes| bytes.len() as u64 > most) {
            return Err(Error::Room(bytes.len() as u64, most));
        }
        let storage = wgpu::BufferUsages::STORAGE;
        let usages = [
            wgpu::BufferUsages::UNIFORM,
            storage,
            storage,
            storage,
            storage,
        ];
        let buffers: [_; 5] = std::array::from_fn(|k| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("layer"),
                // rounded up, so that slightly larger layers fit later
                size: (bytes[k].len() as u64).next_power_of_two().clamp(16, most),
                usage: usages[k] | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        let [layer, parts, poses, worlds, list] = &buffers;
        let bound = [layer, parts, live.unwrap_or(poses), worlds, list];
        let entries: [_; 5] = std::array::from_fn(|k| wgpu::BindGroupEntry {
            binding: k as u32,
            resource: bound[k].as_entire_binding(),
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("layer"),
            layout,
            entries: &entries,
        });
        let live = live.cloned();
        Ok(Self {
            buffers,
            live,
            group,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::World;

    #[test]
    fn far_balls_are_coarse_and_what_is_clear_comes_last() {
        let ball = Part {
            scale: [0.1; 3],
            ..Part::new(Form::Ball, [1.0; 4])
        };
        let glass = Part {
            color: [1.0, 1.0, 1.0, 0.5],
            ..ball
        };
        let at = |x: f32| [x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let layer = Layer {
            parts: vec![ball, glass],
            worlds: vec![World::default(); 2],
            poses: [at(0.0), at(0.0), at(50.0), at(50.0)].concat(),
            shadow: true,
            ..Layer::default()
        };
        let camera = Camera::around(Vec3::ZERO, 1.0, 0.0, 0.0);
        let (list, [solid, clear]) = instances(&layer, &camera, 480, MESHES);
        assert_eq!(list, [[0, 0], [1, 0], [1, 1], [0, 1]]);
        let draw = |mesh, instances, plain| Draw {
            mesh,
            instances,
            plain,
        };
        assert_eq!(solid, [draw(3, 0..1, true), draw(5, 1..2, true)]);
        assert_eq!(clear, [draw(5, 2..3, false), draw(3, 3..4, false)]);
    }
}
