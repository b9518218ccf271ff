//! An assembled module: its text, what is known of it, and its errors in the lines of its files.

use std::fmt::Write as _;

use crate::error::{Error, Result};

/// A module and what is known of it.
#[derive(Clone, Debug)]
pub struct Module {
    /// The stages it runs.
    pub stages: Vec<&'static str>,
    /// The text.
    pub text: String,
    /// Arrays that it reads, in order of the table.
    pub reads: Vec<&'static str>,
    /// Arrays that it writes, in order of the table.
    pub writes: Vec<&'static str>,
    /// Workgroup memory (bytes).
    pub workgroup_memory: u32,
    // first line of each file, from 1; the last is the derived part
    pub(super) files: Vec<(u32, String)>,
}

impl Module {
    /// The names of its stages, for labels and errors.
    pub fn label(&self) -> String {
        self.stages.join("+")
    }

    /// Parses and validates the module. An error names the file and line that it is in.
    pub fn validate(&self) -> Result<naga::Module> {
        Ok(self.parsed()?.0)
    }

    /// The same, and what naga knows of it.
    pub(crate) fn parsed(&self) -> Result<(naga::Module, naga::valid::ModuleInfo)> {
        let module = naga::front::wgsl::parse_str(&self.text).map_err(|e| {
            let place = e.location(&self.text);
            self.error(place, e.message())
        })?;
        let mut validator = naga::valid::Validator::new(
            naga::valid::ValidationFlags::all(),
            naga::valid::Capabilities::empty(),
        );
        let info = validator.validate(&module).map_err(|e| {
            let place = e.location(&self.text);
            let mut msg = e.as_inner().to_string();
            let mut source = std::error::Error::source(e.as_inner());
            while let Some(cause) = source {
                let _ = write!(msg, ": {cause}");
                source = cause.source();
            }
            self.error(place, &msg)
        })?;
        Ok((module, info))
    }

    /// The same stages by another text.
    pub(super) fn unrolled(&self, text: String) -> Self {
        Self {
            text,
            workgroup_memory: 0,
            files: vec![(1, "unrolled".to_owned())],
            ..self.clone()
        }
    }

    fn error(&self, place: Option<naga::SourceLocation>, msg: &str) -> Error {
        let msg = match place {
            None => msg.to_owned(),
            Some(place) => {
                let line = place.line_number;
                let text = self
                    .text
                    .lines()
                    .nth(line as usize - 1)
                    .unwrap_or("")
                    .trim();
                let file = self.files.iter().rev().find(|(first, _)| *first <= line);
                let (first, name) =
                    file.map_or((1, "module"), |(first, name)| (*first, name.as_str()));
                format!(
                    "{name}:{}:{}: {msg}\n    {text}",
                    line - first + 1,
                    place.line_position
                )
            }
        };
        Error::Shader {
            stage: self.label(),
            msg,
        }
    }
}
