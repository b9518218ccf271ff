//! Parity of `sensor_pos`.

// if a ray grazes a round shape, the last bits of its direction change many digits of the normal
#[test]
fn shader_and_twin_agree() {
    super::body::parity("sensor_pos", 1e-4, &["sensordata"]);
}
