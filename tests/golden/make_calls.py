#!/usr/bin/env python3
"""make_calls.py OUT.npz: results of MuJoCo 4.0.0's query functions for a few states (Jacobians, inertia, forces, rays, distances).

Models are tests/golden/edit.xml and models/humanoid.xml; NAME/in/… are the states, a row each, representable in single precision;
the results of a call have the call's name. The queried objects are in NAME/ask/….
"""
import pathlib, sys
import mujoco, numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = dict(edit=("tests/golden/edit.xml", [5, 15, 40]), humanoid=("models/humanoid.xml", [60, 150, 300]))
OBJECTS = dict(body=1, xbody=2, geom=5, site=6, camera=7)
NRAY = 12


def states(m, ends):
    d = mujoco.MjData(m)
    d.qvel[:] = .3 * np.sin(1 + np.arange(m.nv))
    d.ctrl[:] = .4 * np.cos(np.arange(m.nu))
    for k in range(max(ends) + 1):
        if k in ends:
            yield {name: np.float64(np.float32(getattr(d, name))) for name in ("qpos", "qvel", "act", "ctrl")}
        mujoco.mj_step(m, d)


def asked(m, rng):
    """Objects, points, vectors and rays of the queries."""
    id = lambda kind, name: getattr(m, kind)(name).id
    body, carrier, pairs = ("hand", "arm", [("ball", "other"), ("upper", "ball"), ("hand", "box"), ("wedge", "ball"), ("floor", "tip")]) if m.nsite > 1 else (
        "hand_left", "chest", [("head", "floor"), ("hand_left", "hand_right"), ("thigh_left", "thigh_right"), ("shin_left", "hand_left"), ("head", "shin_right")])
    return dict(
        body=[id("body", body), id("body", carrier)], site=[m.nsite - 1], geom=[m.ngeom // 2], camera=range(min(m.ncam, 1)),
        pairs=[(id("geom", a), id("geom", b)) for a, b in pairs], exclude=[id("body", carrier)],
        point=rng.uniform(-1, 1, (3, 3)), force=rng.uniform(-5, 5, (3, 3)), torque=rng.uniform(-5, 5, (3, 3)), vec=rng.uniform(-1, 1, (3, m.nv)),
        pnt=rng.uniform(-.6, .6, (3, NRAY, 3)) + [0, 0, 1.5], target=rng.permutation(3 * NRAY).reshape(3, NRAY) % m.ngeom)


def aimed(d, ask, k, rng):
    """Directions towards points near the centres of geoms."""
    return np.float64(np.float32(d.geom_xpos[ask["target"][k]] - ask["pnt"][k] + rng.uniform(-.04, .04, (NRAY, 3))))


def rays(m, d, ask, k, groups, static, exclude):
    dist, geomid, normal = np.zeros(NRAY), np.zeros(NRAY, np.int32), np.zeros((NRAY, 3))
    for r in range(NRAY):
        hit = np.zeros(1, np.int32)
        dist[r] = mujoco.mj_ray(m, d, ask["pnt"][k, r], ask["ray"][r], groups, static, exclude, hit, normal[r])
        geomid[r] = hit[0]
    return dist, geomid, normal


def look(m, d, ask, k):
    """The results of all queries for state k."""
    jac = lambda call, *args: (lambda p, r: (call(m, d, p, r, *args), np.stack([p, r]))[1])(np.zeros((3, m.nv)), np.zeros((3, m.nv)))
    body, carrier = ask["body"]
    ask["ray"] = aimed(d, ask, k, np.random.default_rng(k))
    yield "in/ray", ask["ray"]
    yield "jac", jac(mujoco.mj_jac, ask["point"][k], body)
    yield "jac_body", jac(mujoco.mj_jacBody, body)
    yield "jac_body_com", jac(mujoco.mj_jacBodyCom, body)
    yield "jac_site", jac(mujoco.mj_jacSite, ask["site"][0])
    yield "jac_geom", jac(mujoco.mj_jacGeom, ask["geom"][0])
    jacp = np.zeros((3, m.nv))
    mujoco.mj_jacSubtreeCom(m, d, jacp, carrier)
    yield "jac_subtree_com", jacp
    full, product, solution, qfrc = np.zeros((m.nv, m.nv)), np.zeros(m.nv), np.zeros((1, m.nv)), np.zeros(m.nv)
    mujoco.mj_fullM(m, d, full)
    yield "full_m", full
    mujoco.mj_mulM(m, d, product, ask["vec"][k])
    yield "mul_m", product
    mujoco.mj_solveM(m, d, solution, ask["vec"][k:k + 1])
    yield "solve_m", solution[0]
    mujoco.mj_applyFT(m, d, ask["force"][k], ask["torque"][k], ask["point"][k], body, qfrc)
    yield "apply_ft", qfrc
    for kind, number in OBJECTS.items():
        for id in ask["body" if kind == "xbody" else kind][:1]:
            for local in (0, 1):
                for name, call in ("velocity", mujoco.mj_objectVelocity), ("acceleration", mujoco.mj_objectAcceleration):
                    x = np.zeros(6)
                    call(m, d, number, id, x, local)
                    yield f"object_{name}/{kind}{local}", x
    forces = np.zeros((m.nconmax if m.nconmax > 0 else 100, 6))
    for c in range(d.ncon):
        mujoco.mj_contactForce(m, d, c, forces[c])
    yield "ncon", np.float64(d.ncon)
    yield "contact_force", forces
    for most in (.05, 10.):
        found, ends = zip(*[(lambda x: (mujoco.mj_geomDistance(m, d, a, b, most, x), x))(np.zeros(6)) for a, b in ask["pairs"]])
        yield f"geom_distance/{most:g}", np.array(found)
        yield f"fromto/{most:g}", np.array(ends)
    for name, how in dict(plain=(None, 1, -1), moving=(None, 0, ask["exclude"][0]), groups=(np.uint8([1, 0, 1, 0, 0, 1]), 1, -1)).items():
        for what, x in zip(("dist", "geomid", "normal"), rays(m, d, ask, k, *how)):
            yield f"ray/{name}/{what}", np.float64(x)
    for cutoff in (1.2, 1e10):
        dist, geomid, normal = np.zeros(NRAY), np.zeros(NRAY, np.int32), np.zeros((NRAY, 3))
        mujoco.mj_multiRay(m, d, ask["pnt"][k, 0], ask["ray"].ravel(), None, 1, -1, geomid, dist, normal.ravel(), NRAY, cutoff)
        for what, x in dict(dist=dist, geomid=geomid, normal=normal).items():
            yield f"multi_ray/{cutoff:g}/{what}", np.float64(x)
    moved, rate = d.qpos.copy(), np.zeros(m.nv)
    mujoco.mj_integratePos(m, moved, ask["vec"][k], .3)
    mujoco.mj_differentiatePos(m, rate, .7, d.qpos, moved)
    yield "integrate_pos", moved
    yield "differentiate_pos", rate


def main(out):
    arrays = {}
    for name, (path, ends) in MODELS.items():
        m = mujoco.MjModel.from_xml_path(str(ROOT / path))
        m.opt.tolerance, m.opt.iterations, m.opt.ls_iterations, m.opt.ls_tolerance = 1e-15, 200, 100, 1e-6
        m.geom_group[:] = np.arange(m.ngeom) % 4
        ask, rows = asked(m, np.random.default_rng(4)), {}
        for what, x in ask.items():
            arrays[f"{name}/ask/{what}"] = np.float64(x)
        for k, state in enumerate(states(m, ends)):
            d = mujoco.MjData(m)
            for field, x in state.items():
                getattr(d, field)[:] = x
                rows.setdefault(f"in/{field}", []).append(x)
            mujoco.mj_forward(m, d)
            mujoco.mj_rnePostConstraint(m, d)
            for what, x in look(m, d, ask, k):
                rows.setdefault(what, []).append(x)
        arrays |= {f"{name}/{what}": np.array(x) for what, x in rows.items()}
        print(name, "contacts", arrays[f"{name}/ncon"], "rays", [int((arrays[f"{name}/ray/{how}/geomid"] >= 0).sum()) for how in ("plain", "moving", "groups")],
              "multi", [int((arrays[f"{name}/multi_ray/{c}/geomid"] >= 0).sum()) for c in ("1.2", "1e+10")])
    np.savez_compressed(out, **arrays)


if __name__ == "__main__":
    main(sys.argv[1])
