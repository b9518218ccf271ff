//! Final checks of a model that has been read.

use super::names;
use super::read::Reader;

impl Reader<'_> {
    /// Checks conditions on the whole model, and drops settings that reading has resolved.
    pub fn finish(&mut self) {
        if !self.log.stopped {
            names::check(&mut self.log, &mut self.spec);
            self.place_keys();
        }
        // paths are resolved: saving must not resolve them again
        for compiler in &mut self.spec.compilers {
            (
                compiler.meshdir,
                compiler.texturedir,
                compiler.assetdir,
                compiler.strippath,
            ) = (None, None, None, None);
        }
    }
}
