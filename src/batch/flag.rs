//! Warnings and overflows of a world, by name.

use crate::types::*;
use std::fmt;

/// Warnings and overflows of a world since it was last reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flag {
    /// Index of the world.
    pub world: usize,
    /// Number of warnings of each kind ([`Warning`]).
    pub warning: [i32; 7],
    /// Resources that ran out (`OVERFLOW_*` bits).
    pub overflow: i32,
    /// Largest number of contacts and of constraint rows asked for.
    pub needed: [i32; 2],
}

const WARNINGS: [(Warning, &str); 7] = [
    (Warning::Inertia, "nearly singular inertia matrix"),
    (Warning::ContactFull, "too many contacts"),
    (Warning::CnstrFull, "too many constraint rows"),
    (Warning::BadQpos, "bad number in qpos"),
    (Warning::BadQvel, "bad number in qvel"),
    (Warning::BadQacc, "bad number in qacc"),
    (Warning::BadCtrl, "bad number in ctrl"),
];

impl Flag {
    /// True if the world has any warning or overflow.
    pub fn is_set(&self) -> bool {
        self.overflow != 0 || self.warning.iter().any(|&n| n != 0)
    }

    /// Number of warnings of one kind.
    pub fn count(&self, kind: Warning) -> i32 {
        self.warning[kind as usize]
    }

    /// True if a bad number in its state or acceleration reset the world.
    pub fn diverged(&self) -> bool {
        [Warning::BadQpos, Warning::BadQvel, Warning::BadQacc]
            .iter()
            .any(|&kind| self.count(kind) > 0)
    }

    /// True if contacts or constraint rows did not fit.
    pub fn overflowed(&self) -> bool {
        self.overflow & (OVERFLOW_CONTACT | OVERFLOW_CONSTRAINT) != 0
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = Vec::new();
        for (kind, what) in WARNINGS {
            match self.count(kind) {
                0 => {}
                1 => said.push(what.to_owned()),
                n => said.push(format!("{what} ({n} times)")),
            }
        }
        let [contacts, rows] = self.needed;
        for (bit, what) in [
            (OVERFLOW_CONTACT, format!("{contacts} contacts needed")),
            (
                OVERFLOW_CONSTRAINT,
                format!("{rows} constraint rows needed"),
            ),
            (
                OVERFLOW_CCD,
                "the convex collider ran out of iterations".to_owned(),
            ),
            (
                OVERFLOW_TURNS,
                "the adapter ended the loops of a kernel early: more lanes make shorter loops"
                    .to_owned(),
            ),
            (
                OVERFLOW_PRECISION,
                "this precision is too coarse for the inertia matrix, accelerations may be off by more than 1 %: the \
                 backend cpu computes in f64"
                    .to_owned(),
            ),
            (
                OVERFLOW_IPC,
                "contacts of flexes ended a step early, at less than its time: a shorter timestep makes its way shorter".to_owned(),
            ),
        ] {
            if self.overflow & bit != 0 {
                said.push(what);
            }
        }
        write!(f, "world {}: {}", self.world, said.join(", "))
    }
}
