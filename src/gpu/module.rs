//! An assembled module: its text, what is known of it, and its errors in the lines of its files.

use std::fmt::Write as _;

use crate::error::{Error, Result};
use crate::gpu::own::OWN;

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
    // what names begin with that are of texts of one's own; none where every text is ours
    pub(super) own: Vec<String>,
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
            // the least that is meant, which is within a function that is meant as a whole
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

    // names as a text of one's own has them
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
