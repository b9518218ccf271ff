"""Draws many worlds of a trajectory in one picture, side by side on a grid, with MuJoCo's renderer.

    manyworlds rollout models/humanoid.xml --worlds 144 --steps 500 --noise 0.05 --out traj.npz
    MUJOCO_GL=egl python3 docs/pictures/crowd.py models/humanoid.xml traj.npz docs/pictures/humanoids.png

Needs mujoco==4.0.0, numpy and pillow. Each strip of the picture is one moment: the first frame, a middle one, the last.
"""

import argparse

import mujoco
import numpy as np
from PIL import Image


def draw(model, frames, spacing, width, height):
    """One moment: qpos of every world, (worlds, nq), to pixels."""
    data = mujoco.MjData(model)
    columns = int(np.ceil(np.sqrt(len(frames) * 2.0)))
    with mujoco.Renderer(model, height, width, max_geom=100 * len(frames)) as renderer:
        camera = mujoco.MjvCamera()
        camera.lookat[:] = [0, 0, 0.4]
        camera.distance = 0.52 * spacing * columns
        camera.elevation, camera.azimuth = -38, 90
        renderer.scene.flags[mujoco.mjtRndFlag.mjRND_HAZE] = False
        option, pert = mujoco.MjvOption(), mujoco.MjvPerturb()
        scene = renderer.scene
        for w, qpos in enumerate(frames):
            data.qpos[:] = qpos
            row, column = divmod(w, columns)
            data.qpos[0] += (column - (columns - 1) / 2) * spacing
            data.qpos[1] += (row - columns / 4) * spacing
            mujoco.mj_forward(model, data)
            if w == 0:
                renderer.update_scene(data, camera)
            else:
                mujoco.mjv_addGeoms(model, data, option, pert, mujoco.mjtCatBit.mjCAT_DYNAMIC, scene)
        return renderer.render()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("trajectory")
    parser.add_argument("picture")
    parser.add_argument("--moments", type=float, nargs="+", default=[0.0, 0.28, 1.0], help="parts of the whole time")
    parser.add_argument("--spacing", type=float, default=1.6, help="metres between worlds")
    args = parser.parse_args()
    spec = mujoco.MjSpec.from_file(args.model)
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 640, 420
    model = spec.compile()
    model.stat.extent, model.vis.map.zfar = 10, 20
    qpos = np.load(args.trajectory)["qpos"]
    moments = [qpos[round(part * (len(qpos) - 1))] for part in args.moments]
    strips = [draw(model, frames, args.spacing, 640, 420) for frames in moments]
    picture = Image.fromarray(np.concatenate(strips, axis=1))
    picture.quantize(192).save(args.picture, optimize=True)


if __name__ == "__main__":
    main()
