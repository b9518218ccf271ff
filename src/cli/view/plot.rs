//! Plot of one number of a world over time.

use egui::{Color32, Pos2, Sense, Stroke, Ui, pos2, vec2};
use manyworlds::{Batch, Result};
use std::collections::VecDeque;

/// Number of samples that are kept.
const KEPT: usize = 600;

/// One number of a world's field, and its past samples.
pub struct Plot {
    field: String,
    index: usize,
    // world, field and index of the samples
    of: (usize, String, usize),
    samples: VecDeque<f32>,
}

impl Default for Plot {
    fn default() -> Self {
        Self {
            field: "qpos".to_owned(),
            index: 0,
            of: (0, String::new(), 0),
            samples: VecDeque::new(),
        }
    }
}

impl Plot {
    /// Removes all samples.
    pub fn clear(&mut self) {
        self.samples.clear();
    }

    /// Adds a sample of a world, if the field has an element with this index.
    pub fn sample(&mut self, batch: &mut Batch, world: usize) -> Result<()> {
        let Ok(field) = Batch::field(&self.field) else {
            return Ok(());
        };
        let words = field.words(batch.model());
        if self.index >= words {
            return Ok(());
        }
        let of = (world, self.field.clone(), self.index);
        if self.of != of {
            (self.of, self.samples) = (of, VecDeque::new());
        }
        let mut all = vec![0f32; words * batch.nworld()];
        batch.read_into(&self.field, all.as_mut_slice())?;
        self.samples.push_back(all[world * words + self.index]);
        if self.samples.len() > KEPT {
            self.samples.pop_front();
        }
        Ok(())
    }

    /// Shows the plot, and the inputs that choose the number.
    pub fn show(&mut self, ui: &mut Ui, batch: &Batch) {
        ui.horizontal(|ui| {
            ui.add(egui::TextEdit::singleline(&mut self.field).desired_width(110.0));
            ui.add(
                egui::DragValue::new(&mut self.index)
                    .prefix("[")
                    .suffix("]"),
            );
        });
        let words = match Batch::field(&self.field) {
            Ok(field) => field.words(batch.model()),
            Err(e) => {
                ui.label(e.to_string());
                return;
            }
        };
        if self.index >= words {
            ui.label(format!(
                "{} has {words} numbers, counted from 0",
                self.field
            ));
            return;
        }
        let finite = self.samples.iter().copied().filter(|x| x.is_finite());
        let low = finite.clone().fold(f32::INFINITY, f32::min);
        let high = finite.fold(f32::NEG_INFINITY, f32::max);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 90.0), Sense::hover());
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 3.0, Color32::from_gray(20));
        if low > high {
            return;
        }
        let span = (high - low).max(1e-6 * high.abs()).max(1e-9);
        let at = |(k, x): (usize, &f32)| -> Pos2 {
            let along = k as f32 / (KEPT - 1) as f32;
            let up = (x - low) / span;
            pos2(
                rect.left() + along * rect.width(),
                rect.bottom() - 4.0 - up * (rect.height() - 8.0),
            )
        };
        let points = self
            .samples
            .iter()
            .enumerate()
            .filter(|(_, x)| x.is_finite());
        let stroke = Stroke::new(1.5, Color32::from_rgb(120, 190, 255));
        painter.line(points.map(at).collect(), stroke);
        ui.label(format!("{low:.4} to {high:.4}"));
    }
}
