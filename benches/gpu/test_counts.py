"""Tests of the parts of counting that need no compiler: `python3 -m unittest discover -s benches/gpu -p "test_*.py"`."""

import tempfile
import unittest
from array import array
from pathlib import Path

import check
import estimate
import functions
import metal
import npz
import races
import twin
from machines import MACHINES

METAL = """// language: metal2.0
#include <metal_stdlib>
using metal::uint;
typedef uint type_4[1];
struct type_8 {
    uint inner[900];
};
constant float half_ = 0.5;
constant uint TILE = 1u;
float mj_step(
    device type_4& data_words,
    threadgroup type_8& chip
) {
    return as_type<float>(data_words[0]) * 1e-3;
}

kernel void main_(
  metal::uint3 group [[threadgroup_position_in_grid]]
, uint local [[thread_index_in_threadgroup]]
, device type_4& data_words [[user(fake0)]]
, threadgroup type_8& chip
, device type_4 const& model_words [[user(fake0)]]
) {
    metal::float3 a = b.xyz;
    mj_step(data_words, chip);
}
"""


class Metal(unittest.TestCase):
    def test_the_text_stays_and_gets_an_entry(self) -> None:
        text = metal.cuda(METAL, 32)
        for wanted in (
            "typedef uint type_4[1 << 28];",
            "constexpr float half_ = 0.5f;",
            "INLINE float mj_step(",
            "* 1e-3f;",
            "a = b.pick<0, 1, 2>();",
            "__launch_bounds__(32)",
            "__shared__ type_8 chip;",
            "main_(metal::uint3(blockIdx.x, 0, 0), threadIdx.x, *(type_4*)data_words, chip, *(type_4 const*)model_words);",
        ):
            self.assertIn(wanted, text)

    def test_lines_are_those_of_functions(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            text, chains = Path(folder) / "a.cu", Path(folder) / "a.chains"
            text.write_text("INLINE float inner(\n    float a\n) {\n    return a;\n}\nINLINE void outer(\n) {\n    inner(1);\n}\n")
            chains.write_text("7 3 4 8\n2 1 8\n")
            self.assertEqual(functions.by_function(text, chains), ({"outer": 9, "inner": 7}, {"outer": 4, "inner": 3}))


class Check(unittest.TestCase):
    def test_what_rises_is_named_with_both_numbers(self) -> None:
        before = [check.Figure("a", 100), check.Figure("b", 100), check.Figure("c", 0), check.Figure("gone", 1)]
        now = [check.Figure("a", 102), check.Figure("b", 103), check.Figure("c", 1), check.Figure("new", 1)]
        self.assertEqual(check.risen(before, now), ["b: 100 rose to 103", "c: 0 rose to 1", "new: 1 is new", "gone is gone"])
        self.assertEqual(check.fallen(before, [check.Figure("a", 97)]), ["a: 100 fell to 97"])


class Worlds(unittest.TestCase):
    def test_arrays_come_back(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.npz"
            npz.write(path, {"qpos": npz.Array((2, 1, 2), array("d", [1, 2, 3, 4]))})
            back = npz.read(path)["qpos"]
            self.assertEqual((back.shape, list(back.values)), ((2, 1, 2), [1, 2, 3, 4]))
            self.assertEqual((back.last().shape, list(back.last().values)), ((1, 2), [3, 4]))

    def test_differences_are_found_in_tiles(self) -> None:
        plan = {"tile": 2, "world_words": 3, "arrays": {"qvel": [1, 1], "ncon": [2, 1]}}
        with tempfile.TemporaryDirectory() as folder:
            # words of worlds 0 and 1 interleaved, then those of world 2
            after = array("I", [0] * 12)
            found = array("I", after)
            found[2] = array("I", array("f", [0.25]).tobytes())[0]
            found[6 + 4] = 1
            for name, words in (("after", after), ("found", found)):
                (Path(folder) / f"{name}.words").write_bytes(words.tobytes())
            self.assertEqual(twin.differences(Path(folder), plan, 3), {"qvel": 0.25, "ncon": 1})


class Races(unittest.TestCase):
    def test_a_race_is_told_by_its_functions_and_array(self) -> None:
        plan = {"tile": 2, "world_words": 5, "arrays": {"qpos": [0, 3], "ncon": [3, 1]}}
        race = {"lines": [3, 5], "what": "reads what another lane wrote", "memory": "worlds", "word": 15}
        counts = {"0_a": {"races": []}, "1_a": {"races": [race, {**race, "memory": "workgroup"}]}}
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "0_a.cu").write_text("INLINE void inner(\n) {\n    x;\nINLINE void main_(\n    inner();\n")
            said = races.told(Path(folder), plan, counts, {"0_a": "0_a", "1_a": "0_a"}, 4)
        head = "1_a: main_ > inner (line 3) reads what another lane wrote: "
        # the second tile begins at word 10, and its second world's qpos at 11
        self.assertEqual(said, [head + "qpos[2]", head + "word 15 of workgroup memory"])
        self.assertEqual(races.array_of(plan, 9, 4), "word 9, which is of no array")


class Barriers(unittest.TestCase):
    def test_barriers_that_follow_each_other_are_one(self) -> None:
        lines = [f"    metal::{kind}_barrier(metal::mem_flags::{of});\n" for kind, of in
                 (("threadgroup", "mem_device"), ("threadgroup", "mem_threadgroup"), ("simdgroup", "mem_threadgroup"))]  # fmt: skip
        both = "(metal::mem_flags::mem_device | metal::mem_flags::mem_threadgroup);\n"
        text = "".join(["{\n", *lines, "    x = 1;\n", *lines[:2], "    x = 2;\n", lines[2], "}\n"])
        wanted = [
            "{\n",
            f"    metal::simdgroup_barrier{both}    x = 1;\n",
            f"    metal::threadgroup_barrier{both}    x = 2;\n",
            "    metal::simdgroup_barrier(metal::mem_flags::mem_none);\n",
            "}\n",
        ]
        self.assertEqual(metal.BARRIERS.sub(metal.one_barrier, text), "".join(wanted))


class Estimate(unittest.TestCase):
    def test_a_machine_that_is_full_steps_no_faster(self) -> None:
        names = ("instructions", "chained", "special", "loads", "load_sectors", "load_waits", "model_waits", "stores", "store_sectors", "shared",
                 "shared_conflicts", "shared_waits", "local", "bytes_read", "bytes_written", "barriers", "longest")  # fmt: skip
        counts = dict.fromkeys(names, 100.0) | {"instructions": 10000.0, "longest": 1.5}
        kernel = {"lanes": 8, "worlds_of_workgroup": 4, "dispatches": 1, "counts": counts, "nvidia": {"registers": 64, "shared bytes": 4096}}
        model = {"bytes_of_world": 20000, "kernels": [kernel]}
        for machine in MACHINES:
            rates = [worlds / estimate.step(model, machine, worlds) for worlds in (1, 1024, 65536)]
            self.assertLess(rates[0], rates[1])
            # never more than the cores can issue
            most = machine.cores * machine.issue * machine.ghz * 1e9 / 10000
            self.assertLessEqual(rates[2], most)


if __name__ == "__main__":
    unittest.main()
