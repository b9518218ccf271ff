//! Whether a workgroup of a device is one subgroup, whose lanes exchange registers and meet without a barrier of the workgroup.

use crate::error::Result;
use crate::gpu::device::{Device, block_on};

/// Number of workgroups that are asked.
const GROUPS: u32 = 64;

/// True if workgroups of `size` invocations are one subgroup each, with all numbers from 0 to `size - 1`. Specifications leave open how a
/// device forms subgroups, so that the device itself is asked.
pub(super) fn is_whole(device: &Device, size: u32) -> Result<bool> {
    use wgpu::BufferUsages as Use;
    let words = u64::from(GROUPS * size);
    let seen = device.buffer("subgroups", words, Use::STORAGE | Use::COPY_SRC);
    let back = device.buffer("subgroups read", words, Use::COPY_DST | Use::MAP_READ);
    // a driver that refuses the kernel has no subgroups for others either
    let scope = device
        .device
        .push_error_scope(wgpu::ErrorFilter::Validation);
    let pipeline = pipeline(device, size);
    if block_on(async { Ok(scope.pop().await) })?.is_some() {
        return Ok(false);
    }
    let bind = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("subgroups"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry {
            binding: 0,
            resource: seen.as_entire_binding(),
        }],
    });
    let mut encoder = device
        .device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind, &[]);
        pass.dispatch_workgroups(GROUPS, 1, 1);
    }
    encoder.copy_buffer_to_buffer(&seen, 0, &back, 0, 4 * words);
    device.queue.submit([encoder.finish()]);
    let mut told = Vec::new();
    block_on(device.words_of(&back, words, &mut told))?;
    Ok(told.iter().all(|&of| of == size))
}

fn pipeline(device: &Device, size: u32) -> wgpu::ComputePipeline {
    let text = text(size);
    let module = device
        .device
        .create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("subgroups"),
            source: wgpu::ShaderSource::Wgsl(text.as_str().into()),
        });
    device
        .device
        .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("subgroups"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        })
}

// every invocation writes the size of its subgroup at its number in it; where two have the same number, a word stays zero
fn text(size: u32) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> seen: array<u32>;\n\
         @compute @workgroup_size({size}) fn main(@builtin(workgroup_id) group: vec3u,\n    \
         @builtin(subgroup_invocation_id) local: u32, @builtin(subgroup_size) size: u32) {{\n    \
         seen[group.x * {size}u + local] = size;\n}}\n"
    )
}
