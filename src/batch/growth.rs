//! Limit on the room that worlds may get: a share of the available memory, since a model can ask for any number of contacts.

use super::{Backend, Memory, Worlds};
use crate::fields::Model;
use crate::real::Real;
use crate::simd::Lanes;

/// Default share of the available memory that more room may take (percent).
const SHARE: u8 = 10;

/// The room that a world needed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub world: usize,
    pub contacts: usize,
    pub rows: usize,
}

/// Memory that the worlds took at first, and memory that more room may take.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    // bytes of the worlds at first, and bytes that may be added; set when room first runs short
    bound: Option<(u64, u64)>,
    /// Why growth ended.
    pub full: Option<String>,
}

impl Growth {
    /// Room (contacts, rows) for as many of the worlds as the share allows: the worlds with the largest need are left out first. `None` if
    /// no world's need fits.
    pub fn room(
        &mut self,
        m: &Model,
        nworld: usize,
        worlds: &dyn Worlds,
        needs: &[Need],
        share: Option<u8>,
    ) -> Option<(usize, usize)> {
        let share = share.unwrap_or(SHARE);
        let backend = worlds.backend();
        let bound = *self.bound.get_or_insert_with(|| {
            let more = u128::from(worlds.at_hand()) * u128::from(share) / 100;
            // estimated in the same way as the larger room
            let room = (m.nconmax, m.njmax);
            (takes(backend, &mut m.clone(), room, nworld), more as u64)
        });
        self.room_within(bound, m, nworld, backend, needs, share)
    }

    fn room_within(
        &mut self,
        (first, more): (u64, u64),
        m: &Model,
        nworld: usize,
        backend: Backend,
        needs: &[Need],
        share: u8,
    ) -> Option<(usize, usize)> {
        let mut sized = m.clone();
        let mut adds = |room| {
            let total = takes(backend, &mut sized, room, nworld);
            total.saturating_sub(first)
        };
        let mut left: Vec<(usize, usize)> = needs.iter().map(|n| (n.contacts, n.rows)).collect();
        left.sort_unstable();
        // worlds with the same need are left out together
        left.dedup();
        let mut ranked = false;
        loop {
            let contacts = left.iter().map(|need| need.0).max()?;
            let rows = left.iter().map(|need| need.1).max()?;
            let room = (ample(contacts, m.nconmax), ample(rows, m.njmax));
            let bytes = adds(room);
            if bytes <= more {
                return Some(room);
            }
            let refused = format!(
                "room for {} contacts and {} constraint rows in each world would take {} more, and {share} % of the \
                 available memory are {}: worlds that need that many continue without those that do not fit; a larger \
                 growth allows more",
                room.0,
                room.1,
                mib(bytes),
                mib(more),
            );
            self.full.get_or_insert(refused);
            // sorted by the bytes of their own room, the largest last
            if !ranked {
                left.sort_by_cached_key(|need| {
                    adds((ample(need.0, m.nconmax), ample(need.1, m.njmax)))
                });
                ranked = true;
            }
            left.pop();
        }
    }
}

// a quarter more than needed; rows of contacts that did not fit are not part of the need
fn ample(need: usize, have: usize) -> usize {
    match need > have {
        true => (need + need / 4).next_multiple_of(8),
        false => have,
    }
}

// estimated bytes of all worlds with a given room
fn takes(backend: Backend, m: &mut Model, room: (usize, usize), nworld: usize) -> u64 {
    let arrays = m.arrays_mut();
    (arrays.nconmax, arrays.njmax) = room;
    arrays.njdual = crate::compile::dual_rows(arrays);
    let memory = match backend {
        Backend::Simd => Memory::cpu(m, nworld.next_multiple_of(Lanes::WIDTH), 4),
        Backend::Gpu => match super::gpu::world(m) {
            Ok(one) => Memory {
                total: one.model + one.world.saturating_mul(nworld as u64),
                ..one
            },
            Err(_) => return u64::MAX,
        },
        Backend::Cpu | Backend::Auto => Memory::cpu(m, nworld, 8),
    };
    memory.total
}

fn mib(bytes: u64) -> String {
    match bytes {
        u64::MAX => "too much".to_owned(),
        bytes => format!("{:.0} MiB", bytes as f64 / f64::from(1 << 20)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_need_the_most_are_left_out_first() {
        let xml =
            "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
        let m = Model::from_xml_str(xml).unwrap_or_else(|e| panic!("{e}"));
        let backends = [Backend::Cpu, Backend::Simd, Backend::Gpu];
        let built = |b: &Backend| cfg!(feature = "gpu") || *b != Backend::Gpu;
        for backend in backends.into_iter().filter(built) {
            let size = |room| takes(backend, &mut m.clone(), room, 2);
            let need = |world, contacts, rows| Need {
                world,
                contacts,
                rows,
            };
            let needs = [
                need(0, 100, 400),
                need(1, 100_000, 400_000),
                need(2, 10, 40),
            ];
            let room = |bytes: u64| {
                let mut growth = Growth::default();
                let found = growth.room_within((0, bytes), &m, 2, backend, &needs, 10);
                (found, growth.full.is_some())
            };
            let [ten, hundred, all] = [(16, 56), (128, 504), (125_000, 500_000)];
            assert!(size(ten) < size(hundred) && size(hundred) < size(all));
            assert_eq!(room(size(all)), (Some(all), false), "{backend:?}");
            assert_eq!(room(size(all) - 1), (Some(hundred), true), "{backend:?}");
            assert_eq!(room(size(hundred) - 1), (Some(ten), true), "{backend:?}");
            assert_eq!(room(size(ten) - 1), (None, true), "{backend:?}");
        }
    }
}
