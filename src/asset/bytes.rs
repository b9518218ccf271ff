//! Little-endian numbers from a slice that may end at any byte.

/// A position in a slice.
pub(crate) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub fn new(rest: &'a [u8]) -> Self {
        Bytes { rest }
    }

    /// Number of bytes left.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    pub fn skip(&mut self, n: usize) -> Option<()> {
        self.rest = self.rest.get(n..)?;
        Some(())
    }

    fn word(&mut self) -> Option<[u8; 4]> {
        let (word, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*word)
    }

    pub fn i32(&mut self) -> Option<i32> {
        self.word().map(i32::from_le_bytes)
    }

    pub fn f32(&mut self) -> Option<f32> {
        self.word().map(f32::from_le_bytes)
    }

    pub fn vec3(&mut self) -> Option<[f32; 3]> {
        Some([self.f32()?, self.f32()?, self.f32()?])
    }

    /// `n` items; nothing is allocated for missing items.
    pub fn list<T>(
        &mut self,
        n: usize,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        (0..n).map(|_| item(self)).collect()
    }
}
