#!/bin/sh
# make_solver.sh: remakes every golden of the constraint solver (pip install mujoco==4.0.0 numpy).
set -e
cd "$(dirname "$0")/../.."
make() {
    python3 tests/golden/make_solver.py "$@"
}
out=tests/golden/solver
for model in humanoid quadruped hand boxes; do
    make "models/$model.xml" "$out/$model.npz" 8 60 40
done
make $out/islands.xml $out/islands.npz 8 60 40
make $out/islands.xml $out/islands_elliptic.npz 8 60 40 cone=1
make models/elliptic.xml $out/elliptic.npz 8 5 12
make models/humanoid.xml $out/humanoid_elliptic.npz 8 60 40 cone=1 impratio=5
make models/humanoid.xml $out/humanoid_cg.npz 8 60 40 solver=1
make $out/islands.xml $out/islands_cg.npz 8 60 40 solver=1 cone=1
dual=$out/dual
make models/humanoid.xml $dual/humanoid_pgs.npz 6 60 40 solver=0
make $out/islands.xml $dual/islands_pgs.npz 6 60 40 solver=0
make models/elliptic.xml $dual/elliptic_pgs.npz 6 5 12 solver=0
make models/humanoid.xml $dual/humanoid_elliptic_pgs.npz 6 60 40 solver=0 cone=1
make models/hand.xml $dual/hand_noslip.npz 6 60 40 noslip_iterations=5
make $out/islands.xml $dual/islands_noslip.npz 6 60 40 noslip_iterations=20
make models/elliptic.xml $dual/elliptic_noslip.npz 6 5 12 noslip_iterations=5
make $out/islands.xml $dual/islands_pgs_noslip.npz 6 60 40 solver=0 cone=1 noslip_iterations=20
