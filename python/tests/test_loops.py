"""Errors of the adapters for training libraries that are not installed; tests with the libraries are in python/tests_torch."""

import importlib
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "missing", "remedy"),
    [
        ("manyworlds.sb3", "stable_baselines3", "pip install stable-baselines3"),
        ("manyworlds.rsl_rl", "torch", "pip install rsl-rl-lib"),
    ],
)
def test_a_package_that_is_missing_is_named_with_its_remedy(module, missing, remedy, monkeypatch):
    pytest.importorskip("gymnasium")
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ImportError, match=remedy):
        importlib.import_module(module)
