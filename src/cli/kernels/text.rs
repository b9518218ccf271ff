//! A kernel translated to the languages of the platforms.

use crate::cli::Fault;
use clap::ValueEnum;
use manyworlds::Error;
use manyworlds::gpu::module::Module;
use naga::back::{hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};

/// The language that kernels are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// The language of WebGPU, from which all others are made
    Wgsl,
    /// The binary language of Vulkan
    Spirv,
    /// The language of Metal
    Metal,
    /// The language of Direct3D
    Hlsl,
}

/// Ending and bytes of a kernel's file. `trusted`: without checks of bounds and loops.
pub fn written(
    module: &Module,
    language: Language,
    trusted: bool,
) -> Result<(&'static str, Vec<u8>), Fault> {
    let (parsed, info) = match language {
        Language::Spirv => module.merged()?,
        _ => module.parsed()?,
    };
    let failed = |e: &dyn std::fmt::Display| {
        let msg = format!("{} in {language:?}: {e}", module.label());
        Fault::from(Error::Device(msg))
    };
    Ok(match language {
        Language::Wgsl => ("wgsl", module.text.clone().into_bytes()),
        Language::Spirv => {
            let words = spv::write_vec(&parsed, &info, &spirv(trusted), None);
            let words = words.map_err(|e| failed(&e))?;
            ("spv", bytemuck::cast_slice(&words).to_vec())
        }
        Language::Metal => {
            let pipeline = msl::PipelineOptions::default();
            let text = msl::write_string(&parsed, &info, &metal(trusted), &pipeline);
            ("metal", text.map_err(|e| failed(&e))?.0.into_bytes())
        }
        Language::Hlsl => {
            let (mut text, pipeline) = (String::new(), hlsl::PipelineOptions::default());
            hlsl::Writer::new(&mut text, &direct3d(trusted), &pipeline)
                .write(&parsed, &info, None)
                .map_err(|e| failed(&e))?;
            ("hlsl", text.into_bytes())
        }
    })
}

fn unchecked() -> BoundsCheckPolicies {
    let none = BoundsCheckPolicy::Unchecked;
    BoundsCheckPolicies {
        index: none,
        buffer: none,
        image_load: none,
        binding_array: none,
    }
}

// Vulkan 1.3 takes SPIR-V 1.6
fn spirv(trusted: bool) -> spv::Options<'static> {
    let options = spv::Options::default();
    if !trusted {
        return options;
    }
    spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::empty(),
        bounds_check_policies: unchecked(),
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..options
    }
}

fn metal(trusted: bool) -> msl::Options {
    let options = msl::Options {
        lang_version: (2, 0),
        ..msl::Options::default()
    };
    if !trusted {
        return options;
    }
    msl::Options {
        bounds_check_policies: unchecked(),
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..options
    }
}

fn direct3d(trusted: bool) -> hlsl::Options {
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        ..hlsl::Options::default()
    };
    if !trusted {
        return options;
    }
    hlsl::Options {
        restrict_indexing: false,
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: false,
        ..options
    }
}
