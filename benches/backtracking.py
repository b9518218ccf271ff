#!/usr/bin/env python3
"""backtracking.py: how many iterations conjugate gradients take with an exact line search, and with one that halves the step (Armijo).

    target/python/bin/python benches/backtracking.py

Both minimize MuJoCo's cost of the constraints of moving worlds (pyramids, MuJoCo 4.0.0 makes the rows), preconditioned by the inertia, until the
scaled improvement or the scaled slope is below 1e-8. An evaluation is one of cost and slope together. Needs mujoco and numpy.
"""
import pathlib

import mujoco
import numpy as np

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
TOLERANCE, MOST, SHARE = 1e-8, 200, 1e-4


class Problem:
    def __init__(self, m, d):
        mujoco.mj_forward(m, d)
        self.M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, self.M)
        self.J = d.efc_J.reshape(d.nefc, m.nv).copy()
        self.D, self.aref, self.loss = d.efc_D.copy(), d.efc_aref.copy(), d.efc_frictionloss.copy()
        self.equality = d.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        self.friction = (d.efc_type == mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF) | (d.efc_type == mujoco.mjtConstraint.mjCNSTR_FRICTION_TENDON)
        self.smooth, self.warm = d.qacc_smooth.copy(), d.qacc_warmstart.copy()
        self.scale = 1 / np.trace(self.M)
        self.evaluations = 0

    def evaluate(self, x):
        """Cost, slope, and which rows resist like springs."""
        self.evaluations += 1
        e, r = x - self.smooth, self.J @ x - self.aref
        f = self.D * r
        slides = self.friction & (abs(f) > self.loss)
        springs = np.where(self.friction, ~slides, self.equality | (r < 0))
        cost = np.where(springs, 0.5 * f * r, np.where(slides, self.loss * abs(r) - 0.5 * self.loss**2 / self.D, 0)).sum()
        force = np.where(springs, f, np.where(slides, np.sign(r) * self.loss, 0))
        return 0.5 * e @ self.M @ e + cost, self.M @ e + self.J.T @ force, springs

    def curvature(self, p, springs):
        return p @ self.M @ p + (self.D * (self.J @ p) ** 2)[springs].sum()

    def exact(self, x, p, slope, springs):
        """Newton steps along the line."""
        first, step = slope @ p, 0.0
        along = first
        for _ in range(50):
            step -= along / self.curvature(p, springs)
            cost, slope, springs = self.evaluate(x + step * p)
            along = slope @ p
            if abs(along) <= 1e-3 * abs(first):
                break
        return step, cost, slope, springs

    def halved(self, x, p, slope, springs):
        """The first of 1, 1/2, 1/4, ... that lowers the cost by a share of what the slope promises."""
        before = self.cost
        for k in range(40):
            step = 0.5**k
            cost, now, springs = self.evaluate(x + step * p)
            if cost <= before + SHARE * step * (slope @ p):
                break
        return step, cost, now, springs

    def solve(self, search):
        inverse = np.linalg.inv(self.M)
        x = min(self.smooth, self.warm, key=lambda x: self.evaluate(x)[0])
        self.cost, slope, springs = self.evaluate(x)
        self.evaluations = 0
        p = -inverse @ slope
        if np.linalg.norm(slope) * self.scale < TOLERANCE:
            return 0, 0
        for iteration in range(1, MOST + 1):
            step, cost, now, springs = search(self, x, p, slope, springs)
            x = x + step * p
            improvement, self.cost = self.cost - cost, cost
            if min(improvement, np.linalg.norm(now)) * self.scale < TOLERANCE:
                break
            z = inverse @ now
            beta = max(0.0, z @ (now - slope) / (slope @ inverse @ slope))
            p = beta * p - z
            if p @ now >= 0:
                p = -z
            slope = now
        return iteration, self.evaluations


def main():
    print("| model | iterations: exact | halved | evaluations: exact | halved |\n|---|---:|---:|---:|---:|")
    for name in "humanoid quadruped hand boxes".split():
        m = mujoco.MjModel.from_xml_path(str(MODELS / f"{name}.xml"))
        m.opt.cone, m.opt.jacobian = mujoco.mjtCone.mjCONE_PYRAMIDAL, mujoco.mjtJacobian.mjJAC_DENSE
        d, rng = mujoco.MjData(m), np.random.default_rng(0)
        found = {Problem.exact: [], Problem.halved: []}
        for _ in range(40):
            mujoco.mj_resetData(m, d)
            d.qvel[:] = 0.5 * rng.normal(size=m.nv)
            for _ in range(200):
                d.ctrl[:] = rng.uniform(-1, 1, m.nu)
                mujoco.mj_step(m, d)
            for search, all_ in found.items():
                all_.append(Problem(m, d).solve(search))
        exact, halved = (np.mean(all_, axis=0) for all_ in found.values())
        print(f"| {name} | {exact[0]:.1f} | {halved[0]:.1f} | {exact[1]:.1f} | {halved[1]:.1f} |")


main()
