import pathlib

import pytest

import manyworlds as mw

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def pytest_addoption(parser):
    parser.addoption("--seeds", type=int, default=40, help="number of random models")


@pytest.fixture(scope="session")
def models():
    """The folder `models/` of the repository."""
    return MODELS


@pytest.fixture
def humanoid():
    return mw.Model.from_xml_path(MODELS / "humanoid.xml")


@pytest.fixture(params=["cpu", "simd"])
def backend(request):
    return request.param
