"""The example learns, and the same seed gives the same learning curve."""

import pathlib
import sys

import pytest

pytest.importorskip("gymnasium")
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
import ppo  # noqa: E402


def curve(*args):
    quiet = lambda *line, **rest: None  # noqa: E731
    return ppo.learn(ppo.arguments(["InvertedPendulum-v5", "--envs", "64", "--seed", "1", *args]), quiet)


def test_a_pole_is_balanced():
    assert curve("--steps", "250000")[-1][2] > 900


def test_the_same_seed_learns_the_same():
    runs = [[line[2] for line in curve("--steps", "40000", "--threads", threads)] for threads in ("1", "2")]
    assert runs[0] == runs[1]
