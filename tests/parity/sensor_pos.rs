//! Parity of `sensor_pos`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("sensor_pos", 2e-5, &["sensordata"]);
}
