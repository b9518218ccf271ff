"""Live arrays shared with torch and JAX."""

import jax
import numpy as np
import pytest
import torch

import manyworlds as mw


@pytest.fixture
def batch(reach, backend):
    return mw.Batch(reach().model, nsim=5, backend=backend, nthread=1)


def test_torch_shares_live_arrays(batch):
    ctrl, qpos = batch.bind("ctrl"), batch.bind("qpos")
    theirs, seen = torch.from_dlpack(ctrl), torch.from_dlpack(qpos)
    assert theirs.data_ptr() == ctrl.ctypes.data
    assert theirs.dtype == (torch.float32 if batch.dtype == np.float32 else torch.float64)
    # the next call takes values written by torch into the worlds, and torch sees its results
    theirs.copy_(torch.linspace(-2, 3, 5)[:, None])
    batch.step(nstep=3)
    assert torch.equal(seen, torch.from_numpy(batch.read("qpos")))
    assert (seen[1:, 0] > seen[:-1, 0]).all()


def test_jax_shares_live_arrays(batch):
    with jax.enable_x64(True):
        batch.write("ctrl", np.ones((5, 1), batch.dtype))
        qpos = batch.bind("qpos")
        batch.step(nstep=3)
        theirs = jax.dlpack.from_dlpack(qpos)
        assert theirs.dtype == batch.dtype
        assert np.array_equal(np.asarray(theirs), qpos) and float(theirs[0, 0]) > 0
        assert theirs.unsafe_buffer_pointer() == qpos.ctypes.data


def test_arrays_that_are_read_only_are_not_handed_out(batch):
    # torch and JAX have no way to respect that an array is read-only
    with pytest.raises(BufferError, match="readonly"):
        jax.dlpack.from_dlpack(batch.bind("xpos"))
    assert torch.from_numpy(batch.read("xpos")).shape == (5, 2, 3)


def test_arrays_of_others_are_taken(batch):
    mine = torch.rand(5, 1, dtype=torch.float32 if batch.dtype == np.float32 else torch.float64)
    batch.write("qpos", np.from_dlpack(mine))
    assert np.array_equal(batch.read("qpos"), mine.numpy())
