"""make_textures.py: pixels of MuJoCo's builtin textures.

    python3 tests/golden/make_textures.py > tests/golden/textures.txt

One line per texture: its attributes, `=`, then width, height and pixels in hexadecimal.
"""
import mujoco

COLOURS = 'rgb1=".8 .2 .1" rgb2=".1 .3 .9" markrgb="1 .9 .2" width="5" height="4"'
for kind in ("2d", "cube", "skybox"):
    for builtin in ("checker", "gradient", "flat"):
        for mark in ("none", "edge", "cross"):
            said = f'type="{kind}" builtin="{builtin}" mark="{mark}" {COLOURS}'
            m = mujoco.MjModel.from_xml_string(f"<mujoco><asset><texture name='t' {said}/></asset></mujoco>")
            print(said, "=", m.tex_width[0], m.tex_height[0], m.tex_data.tobytes().hex())
