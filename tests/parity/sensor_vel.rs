//! Parity of `sensor_vel`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("sensor_vel", 2e-5, &["sensordata"]);
}
