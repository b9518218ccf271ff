//! Small kernels with known counts.

use crate::count::Count;
use crate::memory::Global;
use crate::ptx::Program;
use crate::race::Races;
use crate::value::Op;
use crate::{Grid, dispatch};

/// Lanes below 8 run a loop as many times as their number, and add 1.5 each time to their word. Then all lanes write it to workgroup
/// memory and, after a barrier, write back the word of the next lane.
const TEXT: &str = r"
.visible .entry entry(
	.param .u64 entry_param_0,
	.param .u64 entry_param_1
)
{
	.shared .align 4 .b8 words[128];
	ld.param.u64 	%rd1, [entry_param_0];
	mov.u32 	%r1, %tid.x;
	mul.wide.u32 	%rd2, %r1, 4;
	add.s64 	%rd3, %rd1, %rd2;
	ld.global.f32 	%f1, [%rd3];
	mov.u32 	%r2, 0;
	setp.gt.u32 	%p1, %r1, 7;
	@%p1 bra 	$L__BB0_3;

$L__BB0_1:
	setp.ge.u32 	%p2, %r2, %r1;
	@%p2 bra 	$L__BB0_3;

	add.ftz.f32 	%f1, %f1, 0f3FC00000;
	add.s32 	%r2, %r2, 1;
	bra.uni 	$L__BB0_1;

$L__BB0_3:
	shl.b32 	%r3, %r1, 2;
	mov.u32 	%r4, words;
	add.s32 	%r5, %r4, %r3;
	st.shared.f32 	[%r5], %f1;
	bar.sync 	0;
	add.s32 	%r6, %r1, 1;
	and.b32  	%r7, %r6, 31;
	shl.b32 	%r8, %r7, 2;
	add.s32 	%r9, %r4, %r8;
	ld.shared.f32 	%f2, [%r9];
	st.global.f32 	[%rd3], %f2;
	ret;

}
";

/// Runs a program in one warp with 32 words of output; returns the counts and these words.
fn run(text: &str) -> Result<(Count, Vec<u32>), String> {
    let mut global = Global::new(vec![0; 32], vec![0]);
    let grid = Grid {
        worlds: 1,
        of_workgroup: 1,
        invocations: 32,
    };
    let (count, _) = dispatch(
        &Program::read(text)?,
        &grid,
        &mut global,
        &mut Races::new(32),
    )?;
    Ok((count, global.data))
}

#[test]
fn lanes_part_and_meet() {
    let (count, data) = run(TEXT).unwrap();
    let found: Vec<f32> = data.iter().map(|word| f32::from_bits(*word)).collect();
    let of = |lane: usize| if lane < 8 { 1.5 * lane as f32 } else { 0.0 };
    let wanted: Vec<f32> = (0..32).map(|lane| of((lane + 1) % 32)).collect();
    assert_eq!(found, wanted);
    // 5 instructions before the loop, 2 in each of its 8 iterations and 3 more in 7 of them, 10 after it
    assert_eq!(count.instructions, 5 + 2 * 8 + 3 * 7 + 10);
    // 8 lanes begin the first iteration, and one fewer each of the next
    assert_eq!(
        count.lanes,
        (5 + 10) * 32 + 2 * (1..=8).sum::<u64>() + 3 * (1..=7).sum::<u64>()
    );
    assert_eq!(
        (
            count.barriers,
            count.loads,
            count.load_sectors,
            count.stores,
            count.store_sectors
        ),
        (1, 1, 4, 1, 4)
    );
    assert_eq!(
        (count.shared, count.shared_conflicts, count.shared_waits),
        (2, 0, 1)
    );
    assert_eq!(
        (count.load_waits, count.bytes_read, count.bytes_written),
        (1, 128, 128)
    );
}

/// Each lane writes four words to workgroup memory at once, reads those of its neighbour at once, and joins two of them.
const FOURS: &str = r"
.visible .entry entry(
	.param .u64 entry_param_0,
	.param .u64 entry_param_1
)
{
	.shared .align 16 .b8 words[512];
	ld.param.u64 	%rd1, [entry_param_0];
	mov.u32 	%r1, %tid.x;
	add.s32 	%r2, %r1, 100;
	shl.b32 	%r3, %r1, 4;
	mov.u32 	%r4, words;
	add.s32 	%r5, %r4, %r3;
	st.shared.v4.u32 	[%r5], {%r1, %r2, %r1, %r2};
	bar.sync 	0;
	xor.b32  	%r6, %r3, 16;
	add.s32 	%r7, %r4, %r6;
	ld.shared.v4.u32 	{%r8, %r9, %r10, %r11}, [%r7];
	mov.b64 	%rd2, {%r8, %r11};
	shr.u64 	%rd3, %rd2, 32;
	cvt.u32.u64 	%r12, %rd3;
	mul.wide.u32 	%rd4, %r1, 4;
	add.s64 	%rd5, %rd1, %rd4;
	st.global.u32 	[%rd5], %r12;
	ret;

}
";

#[test]
fn four_words_are_touched_at_once() {
    let (count, data) = run(FOURS).unwrap();
    let wanted: Vec<u32> = (0..32).map(|lane| (lane ^ 1) + 100).collect();
    assert_eq!(data, wanted);
    // eight lanes fill the banks, so the access takes four cycles, three extra
    assert_eq!((count.shared, count.shared_conflicts), (2, 6));
    assert_eq!(count.instructions, 13);
}

#[test]
fn what_is_not_known_is_named() {
    let text = TEXT.replace("and.b32", "dance.b32");
    let said = Program::read(&text).unwrap_err();
    assert!(
        said.contains("dance.b32") && said.contains("not known"),
        "{said}"
    );
    let text = TEXT.replace("[%rd3], %f2", "[%rd3+128], %f2");
    let said = run(&text).unwrap_err();
    assert!(said.contains("cannot be written"), "{said}");
}

#[test]
fn values_are_those_of_ptx() {
    let value = |name: &str, x: [u64; 4]| {
        let parts: Vec<&str> = name.split('.').collect();
        Op::named(&parts).unwrap().value(x)
    };
    let minus = |x: i32| u64::from(x as u32);
    let real = |x: f32| u64::from(x.to_bits());
    assert_eq!(value("bfi.b32", [1, 0b1000, 1, 1]), 0b1010);
    assert_eq!(value("bfi.b32", [0, 0b1010, 1, 2]), 0b1000);
    assert_eq!(value("bfe.u32", [0b1101_0000, 4, 3, 0]), 0b101);
    assert_eq!(value("bfe.s32", [0b1101_0000, 4, 4, 0]), minus(-3));
    assert_eq!(value("sub.s32", [1, 3, 0, 0]), minus(-2));
    assert_eq!(value("mul.wide.s32", [minus(-2), 3, 0, 0]), -6i64 as u64);
    assert_eq!(value("mul.wide.u32", [minus(-2), 3, 0, 0]), 0x2_ffff_fffa);
    assert_eq!(value("mul.hi.s32", [minus(-2), 3, 0, 0]), minus(-1));
    assert_eq!(value("shr.s32", [minus(-8), 1, 0, 0]), minus(-4));
    assert_eq!(value("shr.u32", [minus(-8), 40, 0, 0]), 0);
    assert_eq!(value("setp.lt.s32", [minus(-1), 0, 0, 0]), 1);
    assert_eq!(value("setp.lt.u32", [minus(-1), 0, 0, 0]), 0);
    assert_eq!(value("setp.gtu.ftz.f32", [real(f32::NAN), 0, 0, 0]), 1);
    assert_eq!(value("setp.neu.ftz.f32", [real(f32::NAN), 0, 0, 0]), 1);
    assert_eq!(value("setp.ne.ftz.f32", [real(f32::NAN), 0, 0, 0]), 0);
    assert_eq!(value("add.ftz.f32", [real(1e-40), 0, 0, 0]), 0);
    assert_eq!(
        value("max.ftz.f32", [real(f32::NAN), real(2.0), 0, 0]),
        real(2.0)
    );
    assert_eq!(
        value("cvt.rni.ftz.f32.f32", [real(2.5), 0, 0, 0]),
        real(2.0)
    );
    assert_eq!(
        value("cvt.rzi.ftz.s32.f32", [real(-2.5), 0, 0, 0]),
        minus(-2)
    );
    assert_eq!(value("cvt.rn.f32.s32", [minus(-2), 0, 0, 0]), real(-2.0));
    assert_eq!(value("cvt.s64.s32", [minus(-2), 0, 0, 0]), -2i64 as u64);
    assert_eq!(value("selp.f32", [real(1.0), real(2.0), 0, 0]), real(2.0));
    assert_eq!(value("popc.b32", [minus(-1), 0, 0, 0]), 32);
    assert_eq!(value("neg.s32", [3, 0, 0, 0]), minus(-3));
}

/// The races of the example in two workgroups, with these words in the place of its barrier.
fn races_with(barrier: &str) -> Vec<String> {
    let program = Program::read(&TEXT.replace("bar.sync \t0;", barrier)).unwrap();
    let mut global = Global::new(vec![0; 64], vec![0]);
    let grid = Grid {
        worlds: 2,
        of_workgroup: 1,
        invocations: 32,
    };
    let mut races = Races::new(64);
    dispatch(&program, &grid, &mut global, &mut races).unwrap();
    let said = races.json(&program.chains);
    said.split("},").map(str::to_owned).collect()
}

#[test]
fn a_barrier_orders_the_memory_that_it_says() {
    let orders = |barrier: &str| {
        let said = races_with(barrier).concat();
        let races = said.contains("reads what another lane wrote");
        assert_eq!(races, said.contains("\"memory\":\"workgroup\""), "{said}");
        !races
    };
    assert!(orders("bar.sync 0;") && orders("barrier.sync 0;"));
    assert!(orders("bar.warp.sync -1;") && orders("bar.warp.sync 0xffffffff;"));
    assert!(!orders("bar.warp.sync 4294967295;") && !orders(""));
}

#[test]
fn workgroups_that_write_the_same_words_race() {
    // the lanes of a workgroup have words of their own, which those of the other workgroup write too
    let [said] = &races_with("bar.sync 0;")[..] else {
        panic!("one race is found");
    };
    assert!(said.contains("is of two workgroups"), "{said}");
    assert!(said.contains("\"memory\":\"worlds\""), "{said}");
}
