//! A step allocates nothing: all memory is allocated with the batch, or by the first steps.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use manyworlds::batch::{Backend, In, Out, Overflow, Settings};
use manyworlds::{Batch, Model};

thread_local! {
    static MADE: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[expect(
    unsafe_code,
    reason = "an allocator that counts stands before the system's own"
)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MADE.set(MADE.get() + 1);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn a_step_allocates_nothing() {
    for name in [
        "humanoid",
        "quadruped",
        "hand",
        "boxes",
        "elliptic",
        "equalities",
        "cones",
        "sensors",
        "touch",
        "rays",
    ] {
        let m = Model::from_xml_path(format!("models/{name}.xml")).unwrap();
        for backend in [Backend::Cpu, Backend::Simd] {
            let settings = Settings::default()
                .backend(backend)
                .threads(1)
                .overflow(Overflow::Continue);
            let mut batch = Batch::with(&m, 20, settings).unwrap();

            // worlds side by side allocate slots for the contacts of all worlds; the second run has no new contacts
            let start = batch.save().unwrap();
            batch.step(100).unwrap();
            batch.restore(&start).unwrap();
            let before = MADE.get();
            batch.step(99).unwrap();
            batch.step(1).unwrap();
            assert_eq!(MADE.get() - before, 0, "{name}, {backend:?}");
        }
    }
}

#[test]
fn control_allocates_nothing_after_the_first_call() {
    let m = Model::from_xml_path("models/humanoid.xml").unwrap();
    for backend in [Backend::Cpu, Backend::Simd] {
        let settings = Settings::default()
            .backend(backend)
            .threads(1)
            .overflow(Overflow::Grow);
        let mut batch = Batch::with(&m, 20, settings).unwrap();
        let u = vec![0.1f32; 20 * m.nu];
        let (mut qpos, mut warning) = (vec![0f64; 20 * m.nq], vec![0; 20 * 7]);
        let start = batch.save().unwrap();
        let mut made = 0;
        for _ in 0..2 {
            // the second run has the same contacts as the first
            batch.restore(&start).unwrap();
            let before = MADE.get();
            for n in [1, 99] {
                let mut out = [
                    ("qpos", Out::F64(&mut qpos)),
                    ("warning", Out::I32(&mut warning)),
                ];
                let inputs = [("ctrl", In::F32(&u))];
                batch.control(&inputs, n, &mut out).unwrap();
            }
            made = MADE.get() - before;
        }
        assert_eq!(made, 0, "{backend:?}");
    }
}
