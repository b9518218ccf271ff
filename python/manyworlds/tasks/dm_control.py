"""Tasks of dm_control's suite: the same observations and rewards, of all worlds at once.

Models are read from the installed package. Observations are the parts of the originals, concatenated as with
`flat_observation=True`. Numbers agree with the originals; `python/tests/test_dm_control.py` checks this.
"""

from __future__ import annotations

import xml.etree.ElementTree as xml

import numpy as np

from manyworlds.model import Model
from manyworlds.tasks.suite import HINGE, XX, XZ, ZX, ZZ, Suite, anywhere, folder, tolerance, unit

INF = float("inf")
# mjtSensor
ACCELEROMETER, GYRO, FORCE, TORQUE = 1, 3, 4, 5


def still(s) -> np.ndarray:
    """Reward for a small control, for each control: 1 at zero, 0 at 1 and beyond."""
    return tolerance(s.ctrl, margin=1, at_margin=0, fall="quadratic")


def at_least(x: np.ndarray, speed: float, margin: float, at_margin: float) -> np.ndarray:
    return tolerance(x, speed, INF, margin=margin, at_margin=at_margin, fall="linear")


class Cartpole(Suite):
    file = "cartpole.xml"
    swing_up, sparse = False, False

    def observe(self, s):
        pole = s.xmat[:, 2:, [ZZ, XZ]].reshape(s.nsim, -1)
        return {"position": np.concatenate([s.qpos[:, :1], pole], axis=1), "velocity": s.qvel}

    def reward(self, s, before, action):
        cart, upright = s.qpos[:, 0], s.xmat[:, 2:, ZZ]
        if self.sparse:
            return tolerance(cart, -0.25, 0.25) * tolerance(upright, 0.995, 1).prod(axis=1)
        centered = (1 + tolerance(cart, margin=2)) / 2
        slow = (1 + tolerance(s.qvel[:, 1:], margin=5).min(axis=1)) / 2
        return ((upright + 1) / 2).mean(axis=1) * (4 + still(s)[:, 0]) / 5 * slow * centered

    def reset(self, s, draws):
        if self.swing_up:
            qpos = np.array([0, np.pi]) + 0.01 * draws.standard_normal(2)
        else:
            qpos = np.concatenate([draws.uniform(-0.1, 0.1, 1), draws.uniform(-0.034, 0.034, 1)], axis=1)
        return qpos, 0.01 * draws.standard_normal(s.nv)


class Cheetah(Suite):
    file, speed = "cheetah.xml", 10.0

    def observe(self, s):
        return {"position": s.qpos[:, 1:], "velocity": s.qvel}

    def reward(self, s, before, action):
        return at_least(s.sensor("torso_subtreelinvel")[:, 0], self.speed, self.speed, 0.0)

    def reset(self, s, draws):
        qpos, limited = np.tile(s.qpos0, (len(draws), 1)), s.jnt_limited == 1
        low, high = s.jnt_range[limited].T
        qpos[:, limited] = draws.uniform(low, high, limited.sum())
        # the cheetah falls to the ground before the episode begins
        qpos, qvel, warm = self.trial(s).look(qpos, ["qpos", "qvel", "qacc_warmstart"], nstep=200)
        return qpos, qvel, {"qacc_warmstart": warm}


class Hopper(Suite):
    file, frame_skip = "hopper.xml", 4
    hop, height, speed = False, 0.6, 2.0

    def observe(self, s):
        touch = np.concatenate([s.sensor("touch_toe"), s.sensor("touch_heel")], axis=1)
        return {"position": s.qpos[:, 1:], "velocity": s.qvel, "touch": np.log1p(touch)}

    def reward(self, s, before, action):
        height = s.xipos[:, s.body("torso"), 2] - s.xipos[:, s.body("foot"), 2]
        standing = tolerance(height, self.height, 2)
        if self.hop:
            return standing * at_least(s.sensor("torso_subtreelinvel")[:, 0], self.speed, self.speed / 2, 0.5)
        return standing * (4 + still(s).mean(axis=1)) / 5

    def reset(self, s, draws):
        return anywhere(s, draws), np.zeros((len(draws), s.nv))


class Walker(Suite):
    file, frame_skip = "walker.xml", 10
    height, speed = 1.2, 0.0

    def observe(self, s):
        turned = s.xmat[:, 1:, [XX, XZ]].reshape(s.nsim, -1)
        return {"orientations": turned, "height": s.xpos[:, s.body("torso"), 2:], "velocity": s.qvel}

    def reward(self, s, before, action):
        torso = s.body("torso")
        standing = tolerance(s.xpos[:, torso, 2], self.height, INF, margin=self.height / 2)
        upright = (1 + s.xmat[:, torso, ZZ]) / 2
        stand = (3 * standing + upright) / 4
        if self.speed == 0:
            return stand
        move = at_least(s.sensor("torso_subtreelinvel")[:, 0], self.speed, self.speed / 2, 0.5)
        return stand * (5 * move + 1) / 6

    reset = Hopper.reset


class Reacher(Suite):
    file, size = "reacher.xml", 0.05

    def load(self):
        model = super().load()
        sizes = model.geom_size.copy()
        sizes[model.id("geom", "target"), 0] = self.size
        return model.edited(geom_size=sizes)

    def to_target(self, s):
        return s.geom_xpos[:, s.id("geom", "target"), :2] - s.geom_xpos[:, s.id("geom", "finger"), :2]

    def observe(self, s):
        return {"position": s.qpos, "to_target": self.to_target(s), "velocity": s.qvel}

    def reward(self, s, before, action):
        radii = s.geom_size[[s.id("geom", "target"), s.id("geom", "finger")], 0].sum()
        return tolerance(np.linalg.norm(self.to_target(s), axis=1), 0, radii)

    def reset(self, s, draws):
        places = np.tile(s.geom_pos, (len(draws), 1, 1))
        angle, radius = draws.uniform(0, 2 * np.pi, 1), draws.uniform(0.05, 0.20, 1)
        places[:, s.id("geom", "target"), :2] = radius * np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
        return anywhere(s, draws), np.zeros((len(draws), s.nv)), {"geom_pos": places}


class Finger(Suite):
    file, frame_skip = "finger.xml", 2

    def tip(self, s):
        return (s.sensor("tip") - s.sensor("spinner"))[:, [0, 2]]

    def observe(self, s):
        read = lambda *names: np.concatenate([s.sensor(name) for name in names], axis=1)  # noqa: E731
        return {
            "position": np.concatenate([read("proximal", "distal"), self.tip(s)], axis=1),
            "velocity": read("proximal_velocity", "distal_velocity", "hinge_velocity"),
            "touch": np.log1p(read("touchtop", "touchbottom")),
        }

    def reset(self, s, draws) -> tuple:
        return self.trial(s).free(len(draws), lambda: anywhere(s, draws)), np.zeros((len(draws), s.nv))


class FingerSpin(Finger):
    speed = 15.0

    def load(self):
        model = super().load()
        damping = model.dof_damping.copy()
        damping[model.jnt_dofadr[model.id("joint", "hinge")]] = 0.03
        return model.edited(dof_damping=damping)

    def reward(self, s, before, action):
        return np.where(s.sensor("hinge_velocity")[:, 0] <= -self.speed, 1.0, 0.0)


class FingerTurn(Finger):
    size = 0.07

    def load(self):
        model = super().load()
        sizes = model.site_size.copy()
        sizes[model.id("site", "target"), 0] = self.size
        return model.edited(site_size=sizes)

    def target(self, s):
        return (s.sensor("target") - s.sensor("spinner"))[:, [0, 2]]

    def distance(self, s):
        """Distance from the tip to the surface of the target (m), (n,)."""
        return np.linalg.norm(self.target(s) - self.tip(s), axis=1) - self.size

    def observe(self, s):
        return {**super().observe(s), "target_position": self.target(s), "dist_to_target": self.distance(s)}

    def reward(self, s, before, action):
        return np.where(self.distance(s) <= 0, 1.0, 0.0)

    def reset(self, s, draws):
        angle = draws.uniform(-np.pi, np.pi, 1)
        # the body that carries the hinge does not move, so the anchor of the joint is constant
        (anchor,) = self.trial(s).look(s.qpos0[None], ["xanchor"])
        radius = s.geom_size[s.id("geom", "cap1")].sum()
        places = np.tile(s.site_pos, (len(draws), 1, 1))
        circle = radius * np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
        places[:, s.id("site", "target"), ::2] = anchor[0, s.id("joint", "hinge"), ::2] + circle
        return *super().reset(s, draws), {"site_pos": places}


class Humanoid(Suite):
    file, frame_skip = "humanoid.xml", 5
    height, speed = 1.4, 0.0

    def observe(self, s):
        torso = s.body("torso")
        limbs = [s.body(side + limb) for side in ("left_", "right_") for limb in ("hand", "foot")]
        frame = s.xmat[:, torso].reshape(-1, 3, 3)
        ends = (s.xpos[:, limbs] - s.xpos[:, [torso]]) @ frame
        return {
            "joint_angles": s.qpos[:, 7:],
            "head_height": s.xpos[:, s.body("head"), 2],
            "extremities": ends,
            "torso_vertical": s.xmat[:, torso, ZX:],
            "com_velocity": s.sensor("torso_subtreelinvel"),
            "velocity": s.qvel,
        }

    def reward(self, s, before, action):
        standing = tolerance(s.xpos[:, s.body("head"), 2], self.height, INF, margin=self.height / 4)
        upright = at_least(s.xmat[:, s.body("torso"), ZZ], 0.9, 1.9, 0.0)
        velocity = s.sensor("torso_subtreelinvel")[:, :2]
        if self.speed == 0:
            move = tolerance(velocity, margin=2).mean(axis=1)
        else:
            move = (5 * at_least(np.linalg.norm(velocity, axis=1), self.speed, self.speed, 0.0) + 1) / 6
        return (4 + still(s).mean(axis=1)) / 5 * (standing * upright) * move

    reset = Finger.reset


class Quadruped(Suite):
    file, frame_skip, speed = "quadruped.xml", 4, 0.5

    def __init__(self, **options):
        super().__init__(**options)
        model = self.model
        assert isinstance(model, Model)
        of = lambda *wanted: [name for name, kind in zip(model.names("sensor"), model.sensor_type) if kind in wanted]  # noqa: E731
        self._imu, self._force_torque = of(GYRO, ACCELEROMETER), of(FORCE, TORQUE)
        hinges = np.flatnonzero(model.jnt_type == HINGE)
        self._hinges = model.jnt_qposadr[hinges], model.jnt_dofadr[hinges]

    def load(self):
        # without the terrain, walls, ball and rangefinders of the suite's other tasks
        root = xml.parse(folder() / self.file).getroot()
        names = {"wall_px", "wall_py", "wall_nx", "wall_ny", "ball", "target", "terrain"}
        for parent in list(root.iter()):
            for child in list(parent):
                if child.tag in ("geom", "body", "site") and child.get("name") in names or child.tag == "rangefinder":
                    parent.remove(child)
        reach = 20 * self.speed
        for floor in root.iterfind(".//geom[@name='floor']"):
            floor.set("size", f"{reach} {reach} .5")
        assets = {f"./common/{path.name}": path.read_bytes() for path in (folder() / "common").glob("*.xml")}
        return Model.from_xml_string(xml.tostring(root, encoding="unicode"), assets)

    def observe(self, s):
        qpos, qvel = self._hinges
        read = lambda names: np.concatenate([s.sensor(name) for name in names], axis=1)  # noqa: E731
        return {
            "egocentric_state": np.concatenate([s.qpos[:, qpos], s.qvel[:, qvel], s.act], axis=1),
            "torso_velocity": s.sensor("velocimeter"),
            "torso_upright": s.xmat[:, s.body("torso"), ZZ],
            "imu": read(self._imu),
            "force_torque": np.arcsinh(read(self._force_torque)),
        }

    def reward(self, s, before, action):
        upright = at_least(s.xmat[:, s.body("torso"), ZZ], 1.0, 2.0, 0.0)
        return upright * at_least(s.sensor("velocimeter")[:, 0], self.speed, self.speed, 0.5)

    def reset(self, s, draws):
        trial, qpos = self.trial(s), np.tile(s.qpos0, (len(draws), 1))
        qpos[:, :3], qpos[:, 3:7] = 0, unit(draws.standard_normal(4))
        # raised from the middle of the floor by whole centimetres until there are no contacts
        touching, height = np.arange(len(qpos)), np.zeros(len(qpos))
        while touching.size:
            depth = trial.depth(qpos[touching])
            touching, depth = touching[depth > -np.inf], depth[depth > -np.inf]
            height[touching] += np.maximum(np.floor(depth / 0.01), 1)
            qpos[:, 2] = 0.01 * height
        (readings,) = trial.look(qpos, ["sensordata"])
        return qpos, np.zeros((len(draws), s.nv)), {"sensordata": readings}


TASKS = {
    "cartpole-balance-v0": (Cartpole, {}),
    "cartpole-balance_sparse-v0": (Cartpole, {"sparse": True}),
    "cartpole-swingup-v0": (Cartpole, {"swing_up": True}),
    "cartpole-swingup_sparse-v0": (Cartpole, {"swing_up": True, "sparse": True}),
    "cheetah-run-v0": (Cheetah, {}),
    "finger-spin-v0": (FingerSpin, {}),
    "finger-turn_easy-v0": (FingerTurn, {"size": 0.07}),
    "finger-turn_hard-v0": (FingerTurn, {"size": 0.03}),
    "hopper-hop-v0": (Hopper, {"hop": True}),
    "hopper-stand-v0": (Hopper, {}),
    "humanoid-run-v0": (Humanoid, {"speed": 10.0}),
    "humanoid-stand-v0": (Humanoid, {}),
    "humanoid-walk-v0": (Humanoid, {"speed": 1.0}),
    "quadruped-run-v0": (Quadruped, {"speed": 5.0}),
    "quadruped-walk-v0": (Quadruped, {"speed": 0.5}),
    "reacher-easy-v0": (Reacher, {"size": 0.05}),
    "reacher-hard-v0": (Reacher, {"size": 0.015}),
    "walker-run-v0": (Walker, {"speed": 8.0}),
    "walker-stand-v0": (Walker, {}),
    "walker-walk-v0": (Walker, {"speed": 1.0}),
}
