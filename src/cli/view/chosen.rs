//! Joints, controls and contacts of the picked world.

use egui::{CollapsingHeader, Slider, Ui};
use manyworlds::types::JointType;
use manyworlds::{Batch, Result};

/// Largest number of listed contacts.
const LISTED: usize = 12;

/// Shows a world, and applies changes of the sliders.
pub fn show(ui: &mut Ui, batch: &mut Batch, world: usize) -> Result<()> {
    let mut done = Ok(());
    CollapsingHeader::new("Joints").show(ui, |ui| done = joints(ui, batch, world));
    done?;
    let mut done = Ok(());
    CollapsingHeader::new("Controls").show(ui, |ui| done = controls(ui, batch, world));
    done?;
    let mut done = Ok(());
    CollapsingHeader::new("Contacts").show(ui, |ui| done = contacts(ui, batch, world));
    done
}

fn only(batch: &Batch, world: usize) -> Vec<bool> {
    (0..batch.nworld()).map(|w| w == world).collect()
}

// the row of a world in a field
fn row(batch: &mut Batch, field: &str, words: usize, world: usize) -> Result<Vec<f64>> {
    Ok(batch.reals(field)?[world * words..(world + 1) * words].to_vec())
}

fn joints(ui: &mut Ui, batch: &mut Batch, world: usize) -> Result<()> {
    let mut qpos = row(batch, "qpos", batch.model().nq, world)?;
    let m = batch.model();
    let mut moved = false;
    for j in 0..m.njnt {
        let free = match m.jnt_type[j] {
            kind if kind == JointType::Hinge => std::f64::consts::PI,
            kind if kind == JointType::Slide => m.stat.extent,
            _ => continue,
        };
        let [low, high] = match m.jnt_limited[j] {
            0 => [-free, free],
            _ => [m.jnt_range[2 * j], m.jnt_range[2 * j + 1]],
        };
        let x = &mut qpos[m.jnt_qposadr[j] as usize];
        let slider = Slider::new(x, low..=high).text(named(&m.names.joint, j));
        moved |= ui
            .add(slider.clamping(egui::SliderClamping::Never))
            .changed();
    }
    if moved {
        batch.set_where("qpos", &only(batch, world), &qpos)?;
        batch.forward()?;
    }
    Ok(())
}

fn controls(ui: &mut Ui, batch: &mut Batch, world: usize) -> Result<()> {
    let mut ctrl = row(batch, "ctrl", batch.model().nu, world)?;
    let m = batch.model();
    let mut moved = false;
    for i in 0..m.nu {
        let [low, high] = match m.actuator_ctrllimited[i] {
            0 => [-1.0, 1.0],
            _ => [m.actuator_ctrlrange[2 * i], m.actuator_ctrlrange[2 * i + 1]],
        };
        let slider = Slider::new(&mut ctrl[i], low..=high).text(named(&m.names.actuator, i));
        moved |= ui
            .add(slider.clamping(egui::SliderClamping::Never))
            .changed();
    }
    if moved {
        batch.set_where("ctrl", &only(batch, world), &ctrl)?;
    }
    Ok(())
}

fn contacts(ui: &mut Ui, batch: &mut Batch, world: usize) -> Result<()> {
    let forces = batch.contact_force()?;
    let num = forces.ncon[world];
    let normal = |c: usize| forces.force[6 * (world * forces.nconmax + c)];
    let sum: f64 = (0..num).map(normal).sum();
    ui.label(format!(
        "{num} contacts, normal forces of {sum:.1} N together"
    ));
    for c in 0..num.min(LISTED) {
        ui.label(format!("{c}: {:.1} N", normal(c)));
    }
    Ok(())
}

// an element's name, or its id where it has no name
fn named(names: &[String], id: usize) -> String {
    match names.get(id).filter(|name| !name.is_empty()) {
        Some(name) => name.clone(),
        None => format!("{id}"),
    }
}
