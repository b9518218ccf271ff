//! The worlds of the window: they are stepped, or show the frames of a rollout.

use crate::cli::kept::Kept;
use manyworlds::Result;
use manyworlds::picture::Show;
use std::time::Instant;

/// Time per picture that steps may take: half of the time between pictures, within these bounds (s).
const BUDGET: [f64; 2] = [0.012, 0.25];
/// Time from one kept frame to the next where the file has no times (s).
const FRAME: f64 = 1.0 / 30.0;

/// Worlds, and the trajectory that they may replay.
pub struct Worlds {
    pub show: Show,
    /// The replayed trajectory; none if the worlds are stepped.
    pub replay: Option<Replay>,
    // number of steps that are due
    due: f64,
}

/// A trajectory, and the shown frame.
pub struct Replay {
    kept: Kept,
    frame: usize,
    // seconds since this frame was due
    since: f64,
}

impl Worlds {
    pub fn new(show: Show) -> Self {
        Self {
            show,
            replay: None,
            due: 0.0,
        }
    }

    /// Worlds that replay a trajectory, from its first frame.
    pub fn replaying(show: Show, kept: Kept) -> Result<Self> {
        let replay = Replay {
            kept,
            frame: 0,
            since: 0.0,
        };
        let mut worlds = Self {
            replay: Some(replay),
            ..Self::new(show)
        };
        worlds.seek(0)?;
        Ok(worlds)
    }

    /// Makes one step, or shows the next frame of a trajectory.
    pub fn step(&mut self) -> Result<()> {
        match &self.replay {
            Some(replay) => self.seek(replay.frame + 1),
            None => self.show.step(1),
        }
    }

    /// Restarts the worlds or the trajectory.
    pub fn reset(&mut self) -> Result<()> {
        match self.replay {
            Some(_) => self.seek(0),
            None => self.show.reset(),
        }
    }

    /// Shows a frame of the trajectory, at most its last one.
    pub fn seek(&mut self, frame: usize) -> Result<()> {
        let Some(replay) = &mut self.replay else {
            return Ok(());
        };
        replay.frame = frame.min(replay.last());
        replay.since = 0.0;
        replay.kept.put(self.show.batch_mut(), replay.frame)
    }

    /// Whether the last frame of the trajectory is shown.
    pub fn ended(&self) -> bool {
        let ended = |replay: &Replay| replay.frame == replay.last();
        self.replay.as_ref().is_some_and(ended)
    }

    /// Advances the worlds by `seconds` of their time, while `elapsed` seconds have passed. Returns the number of steps and their duration (s).
    pub fn advance(&mut self, seconds: f64, elapsed: f64) -> Result<(usize, f64)> {
        if let Some(replay) = &mut self.replay {
            if let Some(frame) = replay.after(seconds) {
                let since = replay.since;
                self.seek(frame)?;
                self.replay
                    .iter_mut()
                    .for_each(|replay| replay.since = since);
            }
            return Ok((0, 0.0));
        }
        self.due += seconds / self.show.batch().model().opt.timestep;
        let budget = (0.5 * elapsed).clamp(BUDGET[0], BUDGET[1]);
        let (begun, mut steps) = (Instant::now(), 0);
        while self.due >= 1.0 && begun.elapsed().as_secs_f64() < budget {
            self.show.step(1)?;
            self.due -= 1.0;
            steps += 1;
        }
        // steps that cannot be made in time are dropped
        self.due = self.due.min(1.0);
        Ok((steps, begun.elapsed().as_secs_f64()))
    }
}

impl Replay {
    /// The frame that is shown.
    pub fn frame(&self) -> usize {
        self.frame
    }

    /// The last frame.
    pub fn last(&self) -> usize {
        self.kept.nframe - 1
    }

    /// Time of a frame (s), relative to the first if times were kept.
    pub fn time(&self, frame: usize) -> f64 {
        self.kept.time(frame).unwrap_or(frame as f64 * FRAME)
    }

    // the frame that is due after `seconds` more seconds, if it is another
    fn after(&mut self, seconds: f64) -> Option<usize> {
        self.since += seconds;
        let mut frame = self.frame;
        while frame < self.last() {
            // a frame whose successor's time is not later is passed at once
            let lasts = (self.time(frame + 1) - self.time(frame)).max(0.0);
            if self.since < lasts {
                break;
            }
            self.since -= lasts;
            frame += 1;
        }
        (frame != self.frame).then_some(frame)
    }
}
