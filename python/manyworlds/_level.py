"""Selects the build of the extension module for this processor.

A wheel holds `_core`, built for every machine of its architecture, and builds for higher levels in `_levels`:

    manyworlds/_core.abi3.so   manyworlds/_levels/v3/_core.abi3.so   manyworlds/_levels/v4/_core.abi3.so

The highest level that the machine can run replaces `_core`, or the level that MANYWORLDS_CPU names.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import pathlib
import sys


def choose() -> str:
    """Replaces `manyworlds._core` by the build for this machine; returns its level."""
    from manyworlds import _core

    builds = {path.parent.name: path for path in pathlib.Path(__file__).parent.glob("_levels/*/_core.*")}
    level = _core.choose_level(sorted(builds), os.environ.get("MANYWORLDS_CPU"))
    if level in builds:
        loader = importlib.machinery.ExtensionFileLoader("manyworlds._core", str(builds[level]))
        spec = importlib.machinery.ModuleSpec("manyworlds._core", loader, origin=str(builds[level]))
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        sys.modules["manyworlds._core"] = module
        setattr(sys.modules["manyworlds"], "_core", module)
    return level
