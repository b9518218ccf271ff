"""Pictures of worlds, on a software adapter if there is no other."""

import numpy as np
import pytest

import manyworlds as mw


@pytest.fixture(scope="module")
def batch(models):
    batch = mw.Batch(mw.Model.from_xml_path(models / "humanoid.xml"), nsim=9, backend="simd")
    batch.qvel[:] = np.random.default_rng(0).normal(size=batch.qvel.shape)
    batch.step(nstep=20)
    return batch


def test_a_picture_shows_worlds(batch):
    picture = batch.render(size=(160, 90))
    assert picture.shape == (90, 160, 3) and picture.dtype == np.uint8
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 200
    # a second picture of the same state is equal
    assert np.array_equal(batch.render(size=(160, 90)), picture)
    batch.step(nstep=20)
    assert not np.array_equal(batch.render(size=(160, 90)), picture)


def test_cameras(batch):
    above = batch.render(1, size=(160, 90), camera=(90, -80, 5))
    assert not np.array_equal(above, batch.render(1, size=(160, 90)))
    with pytest.raises(ValueError, match="no camera nobody"):
        batch.render(camera="nobody")
    with pytest.raises(TypeError, match="camera is a name"):
        batch.render(camera=(1.0,))
