//! An assembled module: its text, its arrays and memory, and errors with file and line.

use std::fmt::Write as _;

use crate::error::{Error, Result};
use crate::gpu::barrier;
use crate::gpu::own::OWN;

// what the kernels may use, beyond WebGPU's first version: operations of subgroups, where the device has them
fn validator() -> naga::valid::Validator {
    use naga::valid::{Capabilities, SubgroupOperationSet, ValidationFlags, Validator};
    let capabilities = Capabilities::SUBGROUP | Capabilities::SUBGROUP_BARRIER;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator
        .subgroup_stages(naga::valid::ShaderStages::COMPUTE)
        .subgroup_operations(SubgroupOperationSet::all());
    validator
}

/// An assembled module.
#[derive(Clone, Debug)]
pub struct Module {
    /// The stages it runs.
    pub stages: Vec<&'static str>,
    /// The WGSL text.
    pub text: String,
    /// Arrays that it reads, in order of the table.
    pub reads: Vec<&'static str>,
    /// Arrays that it writes, in order of the table.
    pub writes: Vec<&'static str>,
    /// Workgroup memory (bytes).
    pub workgroup_memory: u32,
    // first line of each file, from 1; the last is the derived part
    pub(super) files: Vec<(u32, String)>,
    // prefixes of the names that user texts define; none where every text is of this crate
    pub(super) own: Vec<String>,
    // it runs only in worlds where trees fell asleep or were woken
    pub(super) again: bool,
}

impl Module {
    /// The names of its stages joined, for labels and errors.
    pub fn label(&self) -> String {
        let end = if self.again { " again" } else { "" };
        self.stages.join("+") + end
    }

    /// Parses and validates the module. An error names its file and line.
    pub fn validate(&self) -> Result<naga::Module> {
        Ok(self.parsed()?.0)
    }

    /// Like [`Module::validate`], with naga's analysis of the module.
    pub(crate) fn parsed(&self) -> Result<(naga::Module, naga::valid::ModuleInfo)> {
        let module = self.parse()?;
        let info = self.checked(&module)?;
        Ok((module, info))
    }

    /// Like [`Module::validate`], with one barrier in the place of those that follow each other, and naga's analysis: what drivers get.
    pub fn merged(&self) -> Result<(naga::Module, naga::valid::ModuleInfo)> {
        let module = self.for_drivers()?;
        let info = self.checked(&module)?;
        Ok((module, info))
    }

    /// The parsed module with one barrier in the place of those that follow each other, not validated: wgpu does that.
    pub(crate) fn for_drivers(&self) -> Result<naga::Module> {
        let mut module = self.parse()?;
        barrier::merge(&mut module);
        Ok(module)
    }

    fn parse(&self) -> Result<naga::Module> {
        naga::front::wgsl::parse_str(&self.text).map_err(|e| {
            let place = e.location(&self.text);
            self.error(place, e.message())
        })
    }

    fn checked(&self, module: &naga::Module) -> Result<naga::valid::ModuleInfo> {
        validator().validate(module).map_err(|e| {
            // the shortest span of the error, since others cover the whole function
            let spans = e.spans().filter(|(span, _)| span.is_defined());
            let least = spans.min_by_key(|(span, _)| span.to_range().map(|range| range.len()));
            let place = least.map(|(span, _)| span.location(&self.text));
            let mut msg = e.as_inner().to_string();
            let mut source = std::error::Error::source(e.as_inner());
            while let Some(cause) = source {
                let _ = write!(msg, ": {cause}");
                source = cause.source();
            }
            self.error(place, &msg)
        })
    }

    /// A module with the same stages and another text.
    pub(super) fn unrolled(&self, text: String) -> Self {
        Self {
            text,
            workgroup_memory: 0,
            files: vec![(1, "unrolled".to_owned())],
            ..self.clone()
        }
    }

    // removes the prefixes that user texts were given
    fn plain(&self, text: &str) -> String {
        let text = self
            .own
            .iter()
            .fold(text.to_owned(), |text, prefix| text.replace(prefix, ""));
        match self.own.is_empty() {
            true => text,
            false => text.replace(OWN, ""),
        }
    }

    fn error(&self, place: Option<naga::SourceLocation>, msg: &str) -> Error {
        let msg = match place {
            None => self.plain(msg),
            Some(place) => {
                let line = place.line_number;
                let text = self.text.lines().nth(line as usize - 1).unwrap_or("");
                let before = text.get(..place.line_position as usize - 1).unwrap_or(text);
                let column = self.plain(before).len() + 1;
                let (text, msg) = (self.plain(text), self.plain(msg));
                let text = text.trim();
                let file = self.files.iter().rev().find(|(first, _)| *first <= line);
                let (first, name) =
                    file.map_or((1, "module"), |(first, name)| (*first, name.as_str()));
                format!("{name}:{}:{}: {msg}\n    {text}", line - first + 1, column)
            }
        };
        Error::Shader {
            stage: self.label(),
            msg,
        }
    }
}
