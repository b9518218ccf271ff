"""Joystick tasks of MuJoCo Playground: Go1 and G1, with the same observations, rewards and ends, of all worlds at once.

Models are read from the installed package; the physics is MuJoCo's, not MJX's. Numbers agree with the originals; `python/tests/test_playground.py` checks this.
"""

from __future__ import annotations

import numpy as np

from manyworlds.tasks.joystick import COMMAND, PUSH, Joystick, squared

FLAT, ROUGH = "scene_mjx_feetonly_flat_terrain.xml", "scene_mjx_feetonly_rough_terrain.xml"


class Go1(Joystick):
    """A quadruped. Its commands change at random times. With `kicks` it is kicked from time to time, with equal strength within an episode."""

    name, scene, keyframe, frame_skip = "go1", FLAT, "home", 5
    feet = ("FR", "FL", "RR", "RL")
    timestep, kp, kd = 0.004, 35.0, 0.5
    # greatest velocities of a command, and the probability that each is not 0
    amplitudes, often = (1.5, 0.8, 1.2), (0.9, 0.25, 0.5)
    # kicks: ranges of the velocity change of the trunk (m/s), of their duration and of the wait until the next (s)
    kicks, kick_range, kick_times, kick_waits = False, (0.0, 3.0), (0.05, 0.2), (1.0, 3.0)
    memory = {"until_command": (), **dict.fromkeys(("since_kick", "until_kick", "kick_time", "kick_speed", "kicking"), ()), "kick_way": 2}
    scales = {
        "tracking_lin_vel": 1.0,
        "tracking_ang_vel": 0.5,
        "lin_vel_z": -0.5,
        "ang_vel_xy": -0.05,
        "orientation": -5.0,
        "dof_pos_limits": -1.0,
        "pose": 0.5,
        "termination": -1.0,
        "stand_still": -1.0,
        "torques": -0.0002,
        "action_rate": -0.01,
        "energy": -0.001,
        "feet_clearance": -2.0,
        "feet_height": -0.2,
        "feet_slip": -0.1,
        "feet_air_time": 0.1,
    }

    def load(self):
        model = super().load()
        damping, gain, bias = model.dof_damping.copy(), model.actuator_gainprm.copy(), model.actuator_biasprm.copy()
        damping[6:], gain[:, 0], bias[:, 1] = self.kd, self.kp, -self.kp
        options = {"timestep": self.timestep, "ccd_iterations": 20}
        return model.edited(options, dof_damping=damping, actuator_gainprm=gain, actuator_biasprm=bias)

    def soft(self, low, high):
        return 0.95 * low, 0.95 * high

    def velocity(self, s):
        return s.sensor("local_linvel")

    def gyro(self, s):
        return s.sensor("gyro")

    def terminated(self, s):
        return s.sensor("upvector")[:, 2] < 0

    def wait(self, s, draws) -> np.ndarray:
        """Control steps until the command changes: 5 s on average."""
        return np.round(-5 * np.log1p(-draws.random(1)[:, 0]) / s.dt)

    def act(self, s, action):
        controls = super().act(s, action)
        if self.kicks:
            self.kick(s)
        return controls

    def kick(self, s) -> None:
        """Applies a half sine wave of force to the trunks of worlds whose kick is due; the others wait."""
        kicked, trunk = s.since_kick >= s.until_kick, s.body("trunk")
        wave = 0.5 * np.sin(np.pi * s.kicking * s.dt / s.kick_time)
        force = np.where(kicked, wave * s.own("body_subtreemass")[:, trunk] * s.kick_speed / s.kick_time, 0)
        s.xfrc_applied[:, trunk, :2] = force[:, None] * s.kick_way
        over = kicked & (s.kicking >= np.round(s.kick_time / s.dt))
        s.kicking += kicked
        s.since_kick[...] = np.where(over, 0, s.since_kick + ~kicked)
        # the next kick, in a new direction
        begins = ~kicked & (s.since_kick >= s.until_kick)
        if begins.any():
            angle = s.draws(PUSH).uniform(0, 2 * np.pi, 1)
            s.kicking[begins] = 0
            s.kick_way[...] = np.where(begins[:, None], np.concatenate([np.cos(angle), np.sin(angle)], axis=1), s.kick_way)

    def go_on(self, s, going):
        s.until_command -= going
        due = going & (s.until_command <= 0)
        if due.any():
            draws, most = s.draws(COMMAND), np.array(self.amplitudes)
            other = draws.uniform(-most, most, 3) * (draws.random(3) < self.often)
            changes = (draws.random(3) < 0.5) & due[:, None]
            s.command[...] = np.where(changes, other, s.command)
            s.until_command[...] = np.where(due, self.wait(s, draws), s.until_command)

    def reset(self, s, draws):
        qpos, qvel = self.start(s, draws)
        most = np.array(self.amplitudes)
        remembered = {
            "command": draws.uniform(-most, most, 3),
            "until_command": self.wait(s, draws),
            "until_kick": np.round(draws.uniform(*self.kick_waits, 1)[:, 0] / s.dt),
            "kick_time": draws.uniform(*self.kick_times, 1)[:, 0],
            "kick_speed": draws.uniform(*self.kick_range, 1)[:, 0],
        }
        return qpos, qvel, {"ctrl": qpos[:, 7:], **remembered}

    def observe(self, s):
        gravity = -s.site_xmat[:, s.id("site", "imu"), 6:]
        angles, speeds = s.qpos[:, 7:], s.qvel[:, 6:]
        sensed = self.noisy(s, self.velocity(s), self.gyro(s), gravity, angles, speeds)
        sensed[:, 9 : 9 + s.nu] -= self.pose
        state = np.concatenate([sensed, s.last_act, s.command], axis=1)
        if not self.privileged:
            return {"state": state}
        exact = [self.gyro(s), s.sensor("accelerometer"), gravity, self.velocity(s), s.sensor("global_angvel"), angles - self.pose, speeds]
        feet = [s.actuator_force, s.touched, s.sensordata[:, self._velocities], s.air_time]
        return {"state": state, "privileged_state": np.concatenate([state, *exact, *feet, self.kicked(s)], axis=1)}

    def kicked(self, s) -> np.ndarray:
        """The force of a kick (N), and 1 if a kick is due, (n, 4)."""
        if not self.kicks:
            return np.zeros((s.nsim, 4))
        return np.concatenate([s.xfrc_applied[:, s.body("trunk"), :3], (s.since_kick >= s.until_kick)[:, None]], axis=1)

    def reward(self, s, before, action):
        told = self.terms(s, action)
        return np.clip(sum(told.values()) * s.dt, 0, 10000), {f"reward/{name}": term for name, term in told.items()}

    def of_lin_vel_z(self, s, action):
        return np.square(s.sensor("global_linvel")[:, 2])

    def of_ang_vel_xy(self, s, action):
        return squared(s.sensor("global_angvel")[:, :2])

    def of_orientation(self, s, action):
        return squared(s.sensor("upvector")[:, :2])

    def of_pose(self, s, action):
        weights = np.tile([1.0, 1.0, 0.1], 4)
        return np.exp(-(np.square(s.qpos[:, 7:] - self.pose) * weights).sum(axis=1))

    def of_torques(self, s, action):
        return np.sqrt(squared(s.actuator_force)) + np.abs(s.actuator_force).sum(axis=1)

    def of_feet_slip(self, s, action):
        speeds = np.square(self.foot_velocities(s)[:, :, :2]).sum(axis=2)
        return (speeds * s.touches).sum(axis=1) * self.told(s)

    def of_feet_height(self, s, action):
        return super().of_feet_height(s, action) * self.told(s)

    def of_feet_air_time(self, s, action):
        return ((s.air_time - 0.1) * s.landed).sum(axis=1) * self.told(s)


class G1(Joystick):
    """A humanoid. Its command changes every ten seconds, and it is pushed every five to ten seconds."""

    name, scene, keyframe, frame_skip = "g1", FLAT, "knees_bent", 10
    feet = ("left_foot", "right_foot")
    timestep, max_foot_height, base_height_target, max_contact_force = 0.002, 0.15, 0.5, 500.0
    # greatest velocities of a command (forwards, sideways, turning), and control steps between commands
    most, every = (1.0, 0.5, 1.0), 500
    pushes, push_interval_range, push_range = True, (5.0, 10.0), (0.1, 2.0)
    memory = {"since_command": (), "phase": 2, "phase_dt": (), "push_interval": ()}
    scales = {
        "tracking_lin_vel": 1.0,
        "tracking_ang_vel": 0.75,
        "lin_vel_z": 0.0,
        "ang_vel_xy": -0.15,
        "orientation": -2.0,
        "base_height": 0.0,
        "torques": 0.0,
        "action_rate": 0.0,
        "energy": 0.0,
        "dof_acc": 0.0,
        "feet_clearance": 0.0,
        "feet_air_time": 2.0,
        "feet_slip": -0.25,
        "feet_height": 0.0,
        "feet_phase": 1.0,
        "alive": 0.0,
        "stand_still": -1.0,
        "termination": -100.0,
        "collision": -0.1,
        "contact_force": -0.01,
        "joint_deviation_knee": -0.1,
        "joint_deviation_hip": -0.25,
        "dof_pos_limits": -1.0,
        "pose": -0.1,
    }

    def __init__(self, scales: dict[str, float] | None = None, **options):
        super().__init__(scales, **options)
        self._crossed = self.found("right_foot_left_foot_found", "left_foot_right_shin_found", "right_foot_left_shin_found")
        self._collided = self.found("left_hand_left_thigh_found", "right_hand_right_thigh_found")
        sides = ("left", "right")
        self._hips = self.angles(*(f"{side}_hip_{axis}_joint" for side in sides for axis in ("roll", "yaw")))
        self._knees = self.angles(*(f"{side}_knee_joint" for side in sides))

    def load(self):
        return super().load().edited({"timestep": self.timestep})

    def soft(self, low, high):
        middle, half = (low + high) / 2, 0.5 * 0.95 * (high - low)
        return middle - half, middle + half

    def angles(self, *names: str) -> np.ndarray:
        """Indices of joints among the joint angles."""
        return np.array([self._model.jnt_qposadr[self._model.id("joint", name)] - 7 for name in names])

    def velocity(self, s):
        return s.sensor("local_linvel_pelvis")

    def gyro(self, s):
        return s.sensor("gyro_pelvis")

    def terminated(self, s):
        return (s.sensor("upvector_torso")[:, 2] < 0) | (s.sensordata[:, self._crossed] > 0).any(axis=1)

    def commands(self, draws) -> np.ndarray:
        """Random commands; a tenth of them is zero (to stand)."""
        most = np.array(self.most)
        return draws.uniform(-most, most, 3) * (draws.random(1) >= 0.1)

    def go_on(self, s, going):
        s.since_command += going
        due = s.since_command > self.every
        if due.any():
            s.command[...] = np.where(due[:, None], self.commands(s.draws(COMMAND)), s.command)
            s.since_command[due] = 0
        phase = np.fmod(s.phase + s.phase_dt[:, None] + np.pi, 2 * np.pi) - np.pi
        s.phase[...] = np.where(going[:, None], phase, s.phase)
        pushed = (np.fmod(s.moves + 1, s.push_interval) == 0) & self.pushes
        if pushed.any():
            draws = s.draws(PUSH)
            angle, speed = draws.uniform(0, 2 * np.pi, 1), draws.uniform(*self.push_range, 1)
            s.qvel[:, :2] += np.concatenate([np.cos(angle), np.sin(angle)], axis=1) * speed * pushed[:, None]

    def reset(self, s, draws):
        qpos, qvel = self.start(s, draws)
        qpos[:, 7:] *= draws.uniform(0.5, 1.5, s.nu)
        remembered = {
            "command": self.commands(draws),
            "phase": np.tile([0, np.pi], (len(draws), 1)),
            "phase_dt": 2 * np.pi * s.dt * draws.uniform(1.25, 1.5, 1)[:, 0],
            "push_interval": np.round(draws.uniform(*self.push_interval_range, 1)[:, 0] / s.dt),
        }
        return qpos, qvel, {"ctrl": qpos[:, 7:], **remembered}

    def observe(self, s):
        gravity = -s.site_xmat[:, s.id("site", "imu_in_pelvis"), 6:]
        angles, speeds = s.qpos[:, 7:], s.qvel[:, 6:]
        sensed = self.noisy(s, self.velocity(s), self.gyro(s), gravity, angles, speeds)
        sensed[:, 9 : 9 + s.nu] -= self.pose
        phase = [np.cos(s.phase), np.sin(s.phase)]
        state = np.concatenate([sensed[:, :9], s.command, sensed[:, 9:], s.last_act, *phase], axis=1)
        if not self.privileged:
            return {"state": state}
        turning = [s.sensor("accelerometer_pelvis"), gravity, self.velocity(s), s.sensor("global_angvel_pelvis")]
        feet = [s.actuator_force, self.touching(s), s.sensordata[:, self._velocities], s.air_time]
        exact = [self.gyro(s), *turning, angles - self.pose, speeds, s.qpos[:, 2:3], *feet]
        return {"state": state, "privileged_state": np.concatenate([state, *exact], axis=1)}

    def touching(self, s) -> np.ndarray:
        """Feet that touch the floor in the current state, also before the first step."""
        return np.where(s.moves[:, None] > 0, s.touches, s.sensordata[:, self._found] > 0)

    def reward(self, s, before, action):
        told = self.terms(s, action)
        return sum(told.values()) * s.dt, {f"reward/{name}": term for name, term in told.items()}

    def of_lin_vel_z(self, s, action):
        return np.square(s.sensor("global_linvel_pelvis")[:, 2]) + np.square(s.sensor("global_linvel_torso")[:, 2])

    def of_ang_vel_xy(self, s, action):
        return squared(s.sensor("global_angvel_torso")[:, :2])

    def of_orientation(self, s, action):
        return squared(s.sensor("upvector_torso") - np.array([0.073, 0, 1]))

    def of_base_height(self, s, action):
        return np.square(s.qpos[:, 2] - self.base_height_target)

    def of_torques(self, s, action):
        return np.abs(s.actuator_force).sum(axis=1)

    def of_dof_acc(self, s, action):
        return squared(s.qacc[:, 6:])

    def of_alive(self, s, action):
        return np.ones(s.nsim)

    def of_feet_slip(self, s, action):
        speed = np.linalg.norm(s.sensor("global_linvel_pelvis")[:, :2], axis=1)
        return speed * s.touches.sum(axis=1)

    def of_feet_air_time(self, s, action):
        return np.minimum((s.air_time - 0.2) * s.landed, 0.3).sum(axis=1)

    def of_feet_phase(self, s, action):
        error = squared(self.foot_heights(s) - self.heights(s.phase))
        going = np.linalg.norm(s.sensor("global_linvel_pelvis")[:, :2], axis=1) > 0.1
        turning = np.abs(s.sensor("global_angvel_pelvis")[:, 2]) > 0.1
        return np.exp(-error / 0.01) * (going | turning | self.told(s))

    def heights(self, phase: np.ndarray) -> np.ndarray:
        """Target heights of the feet (m): up and down once per cycle of the phase, with zero velocity at both ends."""
        x = (phase + np.pi) / (2 * np.pi)
        smooth = lambda x: x * x * (3 - 2 * x)  # noqa: E731
        return self.max_foot_height * np.where(x <= 0.5, smooth(2 * x), 1 - smooth(2 * x - 1))

    def of_collision(self, s, action):
        return (s.sensordata[:, self._collided] > 0).any(axis=1) * 1.0

    def of_contact_force(self, s, action):
        return sum(np.maximum(np.abs(s.sensor(f"{foot}_force")[:, 2]) - self.max_contact_force, 0) for foot in self.feet)

    def of_joint_deviation_hip(self, s, action):
        # half as much if the command is to the left; as in the original, rolls and yaws count alike, each with the weights of all four
        weights = np.where(s.command[:, 1] > 0.1, 2.0, 4.0)
        return np.abs(s.qpos[:, 7:] - self.pose)[:, self._hips].sum(axis=1) * weights

    def of_joint_deviation_knee(self, s, action):
        return np.abs(s.qpos[:, 7:] - self.pose)[:, self._knees].sum(axis=1)

    def of_pose(self, s, action):
        return squared(s.qpos[:, 7:] - self.pose)


TASKS = {
    "Go1JoystickFlatTerrain-v0": (Go1, {}),
    "Go1JoystickRoughTerrain-v0": (Go1, {"scene": ROUGH}),
    "G1JoystickFlatTerrain-v0": (G1, {}),
}
