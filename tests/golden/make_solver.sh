#!/bin/sh
# make_solver.sh: every golden of the constraint solver made again (pip install mujoco==4.0.0 numpy).
set -e
cd "$(dirname "$0")/../.."
for model in models/humanoid models/quadruped models/hand models/boxes tests/golden/solver/islands; do
    python3 tests/golden/make_solver.py "$model.xml" "tests/golden/solver/$(basename "$model").npz" 8 60 40
done
