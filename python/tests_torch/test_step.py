"""The step as an operation of torch: its gradients are those of differences, on every backend."""

import numpy as np
import pytest
import torch

import manyworlds as mw
from manyworlds.autograd import State, rollout, state, step

# a free body, a ball joint, and a hinge with a motor and a filter
BODIES = """<mujoco><option timestep="0.01"/><worldbody>
  <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
  <body pos="1 0 1"><joint type="ball" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 .1 -.5" size=".05"/>
    <body name="lower" pos=".3 .1 -.5"><joint name="elbow" axis="0 1 0" stiffness="5"/>
      <geom type="capsule" fromto="0 0 0 .2 0 -.3" size=".04"/></body></body>
  </worldbody><actuator><motor name="turn" joint="elbow" gear="3"/>
  <general joint="elbow" dyntype="filter" dynprm=".03" gainprm="2"/></actuator>
  <sensor><framepos objtype="body" objname="lower"/><actuatorfrc actuator="turn"/></sensor></mujoco>"""
NSIM = 3


@pytest.fixture
def bodies(backend):
    """Worlds in the air, and their state and the controls of a step, which want gradients."""
    batch = mw.Batch(mw.Model.from_xml_string(BODIES), NSIM, backend=backend, nthread=1)
    m, rng = batch.model, np.random.default_rng(1)
    shapes = [(NSIM, m.nq), (NSIM, m.nv), (NSIM, m.na), (NSIM, m.nu)]
    given = [torch.from_numpy(rng.normal(size=shape).astype(batch.dtype)).requires_grad_() for shape in shapes]
    return batch, given


def advance(batch, qpos, qvel, act, ctrl, nstep=1):
    return step(batch, State(qpos, qvel, act, torch.empty(0)), ctrl, nstep)


def gradients(batch, given, loss):
    out = torch.autograd.grad(loss(*given), given)
    assert [x.shape for x in out] == [x.shape for x in given]
    return [x.double() for x in out]


def weighed(batch, nstep=1):
    """A number that every number of two calls counts in."""

    def loss(qpos, qvel, act, ctrl):
        now = advance(batch, qpos, qvel, act, ctrl, nstep)
        then = step(batch, now, 2 * ctrl, nstep)
        parts = [*now, *then]
        return sum((x * torch.cos(torch.arange(x.numel(), dtype=x.dtype).reshape(x.shape) + k)).sum() for k, x in enumerate(parts))

    return loss


@pytest.mark.parametrize("nstep", [1, 3])
def test_gradients_are_those_of_differences(bodies, nstep):
    batch, given = bodies
    exact = mw.Batch(batch.model, NSIM, backend="cpu", nthread=1)
    have = gradients(batch, given, weighed(batch, nstep))
    loss, bound = weighed(exact, nstep), 1e-5 if batch.dtype == np.float64 else 5e-3
    for which, found in enumerate(have):
        want = torch.zeros_like(found)
        for k in range(found.numel()):
            ends = []
            for by in (-1e-6, 1e-6):
                moved = [x.detach().double().clone() for x in given]
                moved[which].view(-1)[k] += by
                ends.append(loss(*moved).item())
            want.view(-1)[k] = (ends[1] - ends[0]) / 2e-6
        assert want.abs().max() > 0.1
        assert (found - want).abs().max() < bound * want.abs().max()


def test_rollouts_are_their_steps(bodies):
    batch, given = bodies
    ctrl = torch.stack([given[3], 2 * given[3]])
    then = rollout(batch, State(*given[:3], torch.empty(0)), ctrl)
    have = torch.autograd.grad(sum((x * x).sum() for x in then), given)
    now, loss = advance(batch, *given), 0
    for k in range(2):
        if k:
            now = step(batch, now, 2 * given[3])
        loss = loss + sum((x * x).sum() for x in now)
        assert all(torch.equal(x, y[k]) for x, y in zip(now, then, strict=True))
    for x, y in zip(have, torch.autograd.grad(loss, given), strict=True):
        assert (x - y).abs().max() < 1e-5 * y.abs().max()


def test_without_gradients_nothing_is_linearised(bodies):
    batch, given = bodies
    plain = mw.Batch(batch.model, NSIM, backend=batch.backend, nthread=1)
    then = advance(batch, *(x.detach() for x in given), nstep=2)
    for name, x in zip(("qpos", "qvel", "act", "ctrl"), given, strict=True):
        plain.write(name, x.detach().numpy())
    plain.step(nstep=2)
    for name, x in zip(State._fields, then, strict=True):
        assert not x.requires_grad and torch.equal(x, torch.from_numpy(plain.read(name)))
    assert all(torch.equal(x, y) for x, y in zip(then, state(batch), strict=True))


def test_one_row_is_for_all_worlds(bodies):
    batch, given = bodies
    qpos, qvel, act, ctrl = (x.detach()[0] for x in given)
    ctrl = ctrl.clone().requires_grad_()
    sum(x.sum() for x in advance(batch, qpos, qvel, act, ctrl)).backward()
    alone = ctrl.grad
    rows = ctrl.detach().expand(NSIM, -1).clone().requires_grad_()
    sum(x.sum() for x in advance(batch, qpos, qvel, act, rows)).backward()
    assert torch.allclose(alone, rows.grad.sum(0)) and alone.abs().min() > 0


def test_a_world_that_diverges_has_no_gradient_and_says_so(bodies):
    batch, given = bodies
    qvel = given[1].detach().clone()
    qvel[1] = 1e9
    with pytest.warns(RuntimeWarning, match=r"\[\[0, 1\]\]"):
        then = advance(batch, given[0], qvel, given[2], given[3])
    then.qpos.sum().backward()
    for x in (given[0], given[3]):
        assert x.grad.isfinite().all() and (x.grad[1] == 0).all()
    assert (given[0].grad[[0, 2]] != 0).any(dim=1).all()


def test_other_precisions_are_refused(bodies):
    batch, given = bodies
    other = torch.float32 if batch.dtype == np.float64 else torch.float64
    with pytest.raises(TypeError):
        advance(batch, given[0].to(other), *given[1:])
