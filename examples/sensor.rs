//! Reads sensors by name: an accelerometer on a ball that falls, bounces and rolls.
//!
//!     cargo run --release --example sensor

use manyworlds::{Batch, Model, Result};

const BALL: &str = r#"
<mujoco>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body pos="0 0 0.5">
      <freejoint/>
      <geom size="0.1" solref="-2000 -10"/> <site name="middle"/>
    </body>
  </worldbody>
  <sensor>
    <accelerometer name="felt" site="middle"/>
    <framepos name="where" objtype="site" objname="middle"/>
  </sensor>
</mujoco>"#;

pub(crate) fn main() -> Result<()> {
    let model = Model::from_xml_str(BALL)?;
    // the range of a sensor in sensordata
    let place = |name: &str| {
        let id = model
            .names
            .sensor
            .iter()
            .position(|n| n == name)
            .unwrap_or(0);
        let adr = model.sensor_adr[id] as usize;
        adr..adr + model.sensor_dim[id] as usize
    };
    let (felt, position) = (place("felt"), place("where"));

    let mut batch = Batch::new(&model, 3)?;
    // initial velocities along x of 0, 1 and 2 m/s
    for (world, speed) in [0.0, 1.0, 2.0].into_iter().enumerate() {
        let mask: Vec<bool> = (0..3).map(|w| w == world).collect();
        batch.set_where("qvel", &mask, &[speed, 0.0, 0.0, 0.0, 0.0, 0.0])?;
    }
    for _ in 0..5 {
        batch.step(50)?;
        for (world, s) in batch
            .reals("sensordata")?
            .chunks(model.nsensordata)
            .enumerate()
        {
            let (at, a) = (&s[position.clone()], &s[felt.clone()]);
            let felt = a.iter().map(|x| x * x).sum::<f64>().sqrt();
            println!(
                "world {world}: at {:.2} {:.2} m, feels {felt:.1} m/s^2",
                at[0], at[2]
            );
        }
    }
    Ok(())
}
