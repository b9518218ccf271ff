#!/usr/bin/env python3
"""make_archive.py: archive.mjz, a model and its mesh as MuJoCo 4.0.0 packs them."""
import os, pathlib, shutil, tempfile
import mujoco

HERE = pathlib.Path(__file__).resolve().parent
XML = """<mujoco model="packed"><compiler meshdir="meshes"/><asset><mesh file="t.obj"/></asset>
<worldbody><body name="b"><freejoint/><geom type="mesh" mesh="t"/></body></worldbody></mujoco>"""
work = pathlib.Path(tempfile.mkdtemp())
shutil.copytree(HERE / "urdf", work / "meshes")
(work / "m.xml").write_text(XML)
os.chdir(work)
spec = mujoco.MjSpec.from_file("m.xml")
spec.encode("archive.mjz", model=spec.compile())
shutil.copy("archive.mjz", HERE / "archive.mjz")
