//! Parity of `sensor_pos`.

// where a ray grazes a round shape, last bits of its direction are many of the normal
#[test]
fn shader_and_twin_agree() {
    super::body::parity("sensor_pos", 1e-4, &["sensordata"]);
}
