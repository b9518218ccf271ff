"""Folders of the models of other packages."""

from __future__ import annotations

import importlib.util
import pathlib


def folder_of(package: str, whose: str, remedy: str) -> pathlib.Path:
    """The folder of an installed package with the models of `whose`; the package is not imported. Raises ImportError, with the remedy, if it is missing."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"models of {whose} are read from its package: {remedy}")
    return pathlib.Path(spec.submodule_search_locations[0])
