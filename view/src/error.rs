//! Errors of drawing a picture.

/// The reason why a picture cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The picture is larger than the adapter can draw: its size, and the largest side (pixels).
    Size([u32; 2], u32),
    /// The worlds exceed a buffer of the adapter: bytes needed, bytes available.
    Room(u64, u64),
    /// The device failed, with its message.
    Device(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size([width, height], most) => write!(
                f,
                "a picture of {width}x{height} pixels: the adapter draws 1 to {most} a side"
            ),
            Self::Room(need, there) => write!(
                f,
                "the worlds take {need} bytes of a buffer that may have {there}: show fewer"
            ),
            Self::Device(text) => write!(f, "device: {text}"),
        }
    }
}

impl std::error::Error for Error {}
