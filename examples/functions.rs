//! Callbacks within the step: a controller that balances a pole, wind that pushes it, a sensor of its angle. The CPU backends
//! call the functions; a GPU runs the WGSL texts in their place.
//!
//!     cargo run --release --example functions

use manyworlds::{Batch, Model, Result};

const POLE: &str = r#"
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <body>
      <joint name="rail" type="slide" axis="1 0 0"/> <geom type="box" size="0.2 0.1 0.1" mass="1"/>
      <body>
        <joint name="pole" axis="0 1 0" damping="0.01"/> <geom type="capsule" fromto="0 0 0 0 0 1" size="0.04" mass="0.1"/>
      </body>
    </body>
  </worldbody>
  <actuator> <motor joint="rail" ctrlrange="-20 20"/> </actuator>
  <sensor> <user name="lean" dim="1" needstage="pos"/> </sensor>
</mujoco>"#;

pub(crate) fn main() -> Result<()> {
    let mut model = Model::from_xml_str(POLE)?;
    // a function gets one world in the middle of a step
    model.bind_control(|world, inputs| {
        let (q, v) = (world.qpos(), world.qvel());
        inputs.ctrl[0] = 1.0 * q[0] + 2.0 * v[0] + 30.0 * q[1] + 6.0 * v[1];
    });
    model.bind_passive(|world, force| force[1] += 0.02 * (3.0 * world.time()).sin());
    model.bind_sensor("lean", |world, reading| {
        reading[0] = world.qpos()[1].to_degrees();
    })?;
    // the same functions as WGSL texts, for a GPU
    model.bind_control_wgsl(
        "fn control() { set_ctrl(0, qpos(0) + 2.0 * qvel(0) + 30.0 * qpos(1) + 6.0 * qvel(1)); }",
    )?;
    model.bind_passive_wgsl(
        "fn passive() { set_qfrc_passive(1, qfrc_passive(1) + 0.02 * sin(3.0 * time())); }",
    )?;
    model.bind_sensor_wgsl(
        "lean",
        "fn sensor(k: i32) -> f32 { return degrees(qpos(1)); }",
    )?;

    let mut batch = Batch::new(&model, 4)?;
    println!("on {}", batch.device());
    let lean = [0.0, 0.0, 0.0, 0.1, 0.0, 0.2, 0.0, 0.3];
    batch.set("qpos", &lean)?;
    for _ in 0..4 {
        batch.step(100)?;
        println!(
            "the poles lean by {:.2?} degrees",
            batch.reals("sensordata")?
        );
    }
    Ok(())
}
