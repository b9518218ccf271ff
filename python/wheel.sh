#!/bin/sh
# wheel.sh: builds the wheel with the extension module once for each processor level; docs/building.md gives the reason.
#
#   python/wheel.sh [folder]          # target/wheels if not given; needs maturin
set -eu
cd "$(dirname "$0")"
out=$(mkdir -p "${1:-../target/wheels}" && cd "${1:-../target/wheels}" && pwd)
case $(uname -m) in x86_64 | AMD64) levels="v3 v4" first=-Ctarget-cpu=x86-64-v2 ;; *) levels= first= ;; esac

rm -rf manyworlds/_levels
trap 'rm -rf manyworlds/_levels' EXIT
for level in $levels; do
    RUSTFLAGS=-Ctarget-cpu=x86-64-$level cargo build --release --target-dir "../target/levels/$level"
    mkdir -p "manyworlds/_levels/$level"
    # copied under the name of the extension module in the wheel
    for built in lib_core.so lib_core.dylib; do
        [ ! -f "../target/levels/$level/release/$built" ] || cp "../target/levels/$level/release/$built" "manyworlds/_levels/$level/_core.abi3.so"
    done
    [ ! -f "../target/levels/$level/release/_core.dll" ] || cp "../target/levels/$level/release/_core.dll" "manyworlds/_levels/$level/_core.pyd"
done
RUSTFLAGS=$first maturin build --release --target-dir ../target/levels/wheel --out "$out"
