//! Never built, see Cargo.toml.
fn main() {}
