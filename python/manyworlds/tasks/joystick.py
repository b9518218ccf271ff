"""Common parts of the joystick tasks of MuJoCo Playground: robots that follow velocity commands, which change from time to time."""

from __future__ import annotations

import functools
import pathlib
import xml.etree.ElementTree as xml
from collections.abc import Sequence

import numpy as np

from manyworlds.model import Model
from manyworlds.task import Task
from manyworlds.tasks.packages import folder_of

# random streams of the draws in a control step
COMMAND, NOISE, PUSH = range(3)


@functools.cache
def folder() -> pathlib.Path:
    """The folder of the robots, in the installed package."""
    package = folder_of("mujoco_playground", "MuJoCo Playground", "pip install --no-deps playground")
    return package / "_src/locomotion"


def files(name: str, scene: str) -> tuple[str, dict[str, bytes]]:
    """The MJCF of a robot in a scene, and the files that it includes. Meshes are left out: they lie in another repository and collide with
    nothing, and the bodies have explicit inertias."""
    assets = {}
    for path in (folder() / name / "xmls").glob("*.xml"):
        root = xml.parse(path).getroot()
        for parent in list(root.iter()):
            for child in list(parent):
                if child.tag == "mesh" or child.get("mesh"):
                    parent.remove(child)
        assets[path.name] = xml.tostring(root)
    assets |= {path.name: path.read_bytes() for path in (folder() / name / "xmls/assets").glob("*")}
    return assets[scene].decode(), assets


def squared(x: np.ndarray) -> np.ndarray:
    """The sum of squares of each world's numbers."""
    return np.square(x).sum(axis=1)


def turned(quat: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """The quaternion `quat` (4,), rotated about its own z axis by the angles `yaw` (n, 1) (rad): (n, 4)."""
    w, x, y, z = quat
    c, s = np.cos(yaw / 2), np.sin(yaw / 2)
    return np.concatenate([w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s], axis=1)


class Joystick(Task):
    """A robot follows a command: velocity forwards and sideways (m/s) and turning rate (rad/s), in its own frame.

    An action is the offset of the joint targets from their angles in a keyframe, in units of `action_scale` (rad). `scales` are weights of
    the reward terms and override the task's. `noise` scales the noise of the sensors, 0: no noise.
    With `privileged` the observation also has the part `privileged_state`, for a critic.
    """

    derived, before, action_range = True, (), (-1.0, 1.0)
    name, scene, keyframe = "", "", ""
    feet: Sequence[str] = ()
    action_scale, noise, privileged = 0.5, 1.0, True
    tracking_sigma, max_foot_height = 0.25, 0.1
    # amplitudes of the noise: velocity, angular velocity, gravity, joint angles, joint velocities
    deviations = (0.1, 0.2, 0.05, 0.03, 1.5)
    scales: dict[str, float] = {}

    def __init__(self, scales: dict[str, float] | None = None, **options):
        self.set(options)
        unknown = set(scales or {}) - set(self.scales)
        if unknown:
            raise TypeError(f"{type(self).__name__} has no reward term {sorted(unknown)[0]!r}: there are {', '.join(self.scales)}")
        self.scales = {**self.scales, **(scales or {})}
        model = self._model = self.model = self.load()
        key = model.id("keyframe", self.keyframe)
        self.home, self.pose = model.key_qpos[key], model.key_qpos[key][7:]
        low, high = model.jnt_range[1:].T
        self.soft_low, self.soft_high = self.soft(low, high)
        self._sites = [model.id("site", name) for name in self.feet]
        self._velocities = np.concatenate([self.columns(f"{name}_global_linvel") for name in self.feet])
        self._found = self.found(*(f"{name}_floor_found" for name in self.feet))
        nu, nfeet = model.nu, len(self.feet)
        self.memory = {
            **dict.fromkeys(("last_act", "acted"), nu),
            **dict.fromkeys(("air_time", "touched", "touches", "landed", "swing_peak"), nfeet),
            **{"command": 3, "moves": (), **self.memory},
        }
        self._noise = np.repeat(self.deviations, [3, 3, 3, nu, nu])

    def load(self) -> Model:
        """The model of the robot with the changes of the task."""
        return Model.from_xml_string(*files(self.name, self.scene))

    def soft(self, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Soft limits of the joints, from their limits (rad)."""
        raise NotImplementedError

    def columns(self, name: str) -> np.ndarray:
        """The columns of a sensor in `sensordata`."""
        i = self._model.id("sensor", name)
        return self._model.sensor_adr[i] + np.arange(self._model.sensor_dim[i])

    def found(self, *names: str) -> np.ndarray:
        """The columns in `sensordata` of the contact flags of sensors."""
        return np.array([self.columns(name)[0] for name in names])

    # bookkeeping of a control step runs at the start of the next one, so observations and rewards use the values before it
    def act(self, s, action):
        going = s.moves > 0
        s.last_act[...] = s.acted
        s.air_time *= 1 - s.touches
        s.swing_peak *= 1 - s.touches
        s.touched[...] = s.touches
        self.go_on(s, going)
        return self.pose + action * self.action_scale

    def go_on(self, s, going: np.ndarray) -> None:
        """Updates the other memories in the worlds of the mask `going`, which have made a step."""
        raise NotImplementedError

    def moved(self, s, action):
        touches = s.sensordata[:, self._found] > 0
        s.landed[...] = (s.air_time > 0) & (touches | (s.touched > 0))
        s.touches[...], s.acted[...] = touches, action
        s.air_time += s.dt
        np.maximum(s.swing_peak, self.foot_heights(s), out=s.swing_peak)
        s.moves += 1

    def foot_heights(self, s) -> np.ndarray:
        return s.site_xpos[:, self._sites, 2]

    def foot_velocities(self, s) -> np.ndarray:
        return s.sensordata[:, self._velocities].reshape(s.nsim, -1, 3)

    def noisy(self, s, *parts: np.ndarray) -> np.ndarray:
        """Velocity, angular velocity, gravity, joint angles and joint velocities, concatenated, with sensor noise."""
        exact = np.concatenate(parts, axis=1)
        if self.noise == 0:
            return exact
        return exact + (2 * s.draws(NOISE).random(exact.shape[1]) - 1) * (self.noise * self._noise)

    def start(self, s, draws) -> tuple[np.ndarray, np.ndarray]:
        """Initial states: the keyframe with a random horizontal position, heading and base velocity."""
        qpos, qvel = np.tile(self.home, (len(draws), 1)), np.zeros((len(draws), s.nv))
        qpos[:, :2] += draws.uniform(-0.5, 0.5, 2)
        qpos[:, 3:7] = turned(self.home[3:7], draws.uniform(-3.14, 3.14, 1))
        qvel[:, :6] = draws.uniform(-0.5, 0.5, 6)
        return qpos, qvel

    def terms(self, s, action) -> dict[str, np.ndarray]:
        """The weighted reward terms with a nonzero weight."""
        return {name: scale * getattr(self, f"of_{name}")(s, action) for name, scale in self.scales.items() if scale}

    def told(self, s) -> np.ndarray:
        """Mask of the worlds whose command is not zero."""
        return np.sqrt(squared(s.command)) > 0.01

    def of_tracking_lin_vel(self, s, action):
        return np.exp(-squared(s.command[:, :2] - self.velocity(s)[:, :2]) / self.tracking_sigma)

    def of_tracking_ang_vel(self, s, action):
        return np.exp(-np.square(s.command[:, 2] - self.gyro(s)[:, 2]) / self.tracking_sigma)

    def velocity(self, s) -> np.ndarray:
        """Linear velocity of the body, in its own frame (m/s)."""
        raise NotImplementedError

    def gyro(self, s) -> np.ndarray:
        """Angular velocity of the body, in its own frame (rad/s)."""
        raise NotImplementedError

    def of_termination(self, s, action):
        return self.terminated(s) * 1.0

    def of_action_rate(self, s, action):
        return squared(action - s.last_act)

    def of_energy(self, s, action):
        return (np.abs(s.qvel[:, 6:]) * np.abs(s.actuator_force)).sum(axis=1)

    def of_stand_still(self, s, action):
        return np.abs(s.qpos[:, 7:] - self.pose).sum(axis=1) * ~self.told(s)

    def of_dof_pos_limits(self, s, action):
        angles = s.qpos[:, 7:]
        return (np.maximum(self.soft_low - angles, 0) + np.maximum(angles - self.soft_high, 0)).sum(axis=1)

    def of_feet_clearance(self, s, action):
        speed = np.sqrt(np.linalg.norm(self.foot_velocities(s)[:, :, :2], axis=2))
        return (np.abs(self.foot_heights(s) - self.max_foot_height) * speed).sum(axis=1)

    def of_feet_height(self, s, action):
        return (np.square(s.swing_peak / self.max_foot_height - 1) * s.landed).sum(axis=1)
