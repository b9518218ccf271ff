//! Parity of `sensor_acc`.

#[test]
fn shader_and_twin_agree() {
    super::body::parity("sensor_acc", 1e-4, &["sensordata"]);
}
