//! The worlds of the window: they go on, or show what a rollout kept.

use crate::cli::kept::Kept;
use manyworlds::Result;
use manyworlds::picture::Show;
use std::time::Instant;

/// Seconds of a picture that steps may take: half of what lies between two pictures, but no less and no more.
const BUDGET: [f64; 2] = [0.012, 0.25];
/// Seconds from one kept frame to the next, where their times are not known.
const FRAME: f64 = 1.0 / 30.0;

/// Worlds, and what moves them.
pub struct Worlds {
    pub show: Show,
    /// What is replayed, if they do not go on by themselves.
    pub replay: Option<Replay>,
    // steps that are due
    due: f64,
}

/// A trajectory, and where in it the worlds are.
pub struct Replay {
    kept: Kept,
    frame: usize,
    // seconds that have gone since this frame
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

    /// Worlds that show a trajectory, from its first frame.
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

    /// One step, or one frame of a trajectory.
    pub fn step(&mut self) -> Result<()> {
        match &self.replay {
            Some(replay) => self.seek(replay.frame + 1),
            None => self.show.step(1),
        }
    }

    /// Begins again.
    pub fn reset(&mut self) -> Result<()> {
        match self.replay {
            Some(_) => self.seek(0),
            None => self.show.reset(),
        }
    }

    /// Goes to a frame of the trajectory, at most to its last one.
    pub fn seek(&mut self, frame: usize) -> Result<()> {
        let Some(replay) = &mut self.replay else {
            return Ok(());
        };
        replay.frame = frame.min(replay.last());
        replay.since = 0.0;
        replay.kept.put(self.show.batch_mut(), replay.frame)
    }

    /// Whether the trajectory has come to its end.
    pub fn ended(&self) -> bool {
        let ended = |replay: &Replay| replay.frame == replay.last();
        self.replay.as_ref().is_some_and(ended)
    }

    /// Goes on by so many seconds of the worlds, of which `elapsed` have passed here. Steps that were made, and how long they took (s).
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
        // what cannot be kept up with is let go
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

    /// Time of a frame (s), from the first one if times were kept.
    pub fn time(&self, frame: usize) -> f64 {
        self.kept.time(frame).unwrap_or(frame as f64 * FRAME)
    }

    // the frame where the worlds are so many seconds later, if it is another
    fn after(&mut self, seconds: f64) -> Option<usize> {
        self.since += seconds;
        let mut frame = self.frame;
        while frame < self.last() {
            // times that run back are passed at once
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
