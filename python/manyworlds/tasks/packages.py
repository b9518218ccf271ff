"""Where other packages keep their models."""

from __future__ import annotations

import importlib.util
import pathlib


def folder_of(package: str, whose: str, remedy: str) -> pathlib.Path:
    """The folder of an installed package, which is not imported; `whose` models are read from it. ImportError, with the remedy, if it is not there."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"models of {whose} are read from its package: {remedy}")
    return pathlib.Path(spec.submodule_search_locations[0])
