//! many worlds
