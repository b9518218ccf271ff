#!/bin/sh
# make.sh: remakes every golden (pip install mujoco==4.0.0 numpy), one for each model of models/, with its name.
set -e
cd "$(dirname "$0")/../.."
for model in models/*.xml; do
    python3 tests/golden/make.py "$model" "tests/golden/$(basename "$model" .xml).npz"
done
for name in solids stones terrain distances lands enclosed enclosures tactile delays_rk4 delays_off plastic_rk4 surfaces_elliptic sticky_elliptic; do
    python3 tests/golden/make.py tests/golden/$name.xml tests/golden/$name.npz
done
python3 tests/golden/make.py tests/golden/soft_cage.xml tests/golden/cages.npz
python3 tests/golden/make_collision.py tests/golden/collision.npz
python3 tests/golden/make_collision.py tests/golden/convex.npz 12 convex
python3 tests/golden/make_collision.py tests/golden/faces.npz 16 faces
python3 tests/golden/make_collision.py tests/golden/caps.npz 60 caps
python3 tests/golden/make_collision.py tests/golden/hfield.npz 16 hfield
python3 tests/golden/make_collision.py tests/golden/older.npz 8 older
python3 tests/golden/make_collision.py tests/golden/older_hfield.npz 6 older_hfield
python3 tests/golden/make_collision.py tests/golden/tight.npz 24 tight
python3 tests/golden/make_options.py tests/golden/options.npz
python3 tests/golden/make_sleep.py tests/golden/sleep.npz
python3 tests/golden/make_hooks.py tests/golden/hooks.npz
python3 tests/golden/make_derivative.py tests/golden/derivative.npz
python3 tests/golden/make_edit.py tests/golden/edit.npz
python3 tests/golden/make_expand.py tests/golden/expand.npz
python3 tests/golden/make_corners.py
python3 tests/golden/make_mesh.py
python3 tests/golden/make_hull.py
python3 tests/golden/make_merge.py
python3 tests/golden/make_archive.py
python3 tests/golden/make_compile.py compile
python3 tests/golden/make_compile.py urdf
python3 tests/golden/make_compile.py scale
python3 tests/golden/make_compile.py flex
python3 tests/golden/make_sdf.py
for name in lines sheet old_lines old_sheet; do
    python3 tests/golden/make_soft.py $name 28
done
for name in block soft old_block old_soft rigid cage foil clay shell strain drum hide crate hose putty; do
    python3 tests/golden/make_soft.py $name 8
done
for name in tin field rod ribbon rope lath; do
    python3 tests/golden/make_soft.py $name 24
done
python3 tests/golden/make_soft.py nodes 6
python3 tests/golden/make_spins.py
python3 tests/golden/make_squash.py
tests/golden/make_solver.sh
python3 tests/golden/make_textures.py > tests/golden/textures.txt
python3 tests/golden/make_fields.py > tests/golden/fields.txt
