#!/bin/sh
# dist.sh: builds the program once for each level of the processor, holds the builds against each other, and packs them.
#
#   ./dist.sh [options of cargo build]
#   PROFILE=dev ./dist.sh --no-default-features --features cli      # the checks, in less time
#   LEVELS="v2 v3" ./dist.sh                                         # not all levels
#
# What comes out lies in target/dist (of another profile, in target/levels/checked): `manyworlds` for every machine, which becomes
# `manyworlds-v3` or `manyworlds-v4` where it can (src/cli/level.rs). docs/building.md says why.
set -eu
cd "$(dirname "$0")"

profile=${PROFILE:-dist}
case $profile in dev) made=debug ;; *) made=$profile ;; esac
host=$(rustc -vV | sed -n 's/^host: //p')
# the first one is the build for every machine
case $host in x86_64-*) levels="v2 v3 v4" ;; *) levels="base" ;; esac
case $host in *-windows-*) exe=.exe ;; *) exe= ;; esac
levels=${LEVELS:-$levels}
first=${levels%% *}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
case $profile in dist) out=target/dist ;; *) out=target/levels/checked ;; esac
out=$out/manyworlds-$version-$host

# the file of a level
file() {
    case $1 in "$first") echo "$out/manyworlds$exe" ;; *) echo "$out/manyworlds-$1$exe" ;; esac
}

rm -rf "$out" && mkdir -p "$out"
for level in $levels; do
    case $level in base) flags= ;; *) flags="-Ctarget-cpu=x86-64-$level" ;; esac
    RUSTFLAGS=$flags cargo build --profile "$profile" --bin manyworlds --target-dir "target/levels/$level" "$@"
    cp "target/levels/$level/$made/manyworlds$exe" "$(file "$level")"
done
cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$out"

# every build that this machine can run is the one that is asked for, and its f64 has the bits of the first
bits=$(mktemp -d)
trap 'rm -rf "$bits"' EXIT
asked_for() {
    MANYWORLDS_CPU=$level "$(file "$first")" "$@"
}
for level in $levels; do
    if ! said=$(asked_for devices 2>&1); then
        echo "not checked: $said"
        continue
    fi
    case $level:$said in
        base:* | *"built for x86-64-$level,"*) ;;
        *) echo "asked for $level: $said" >&2 && exit 1 ;;
    esac
    for model in humanoid cartpole tendons cones elliptic implicit meshes; do
        asked_for forward "models/$model.xml" --steps 1,200 --backend cpu --out "$bits/$model-$level.json" 2>"$bits/log" ||
            { cat "$bits/log" >&2 && exit 1; }
        cmp "$bits/$model-$first.json" "$bits/$model-$level.json" ||
            { echo "$model: cpu has other bits on $level than on $first" >&2 && exit 1; }
    done
    echo "checked: $level"
done

tar -C "$(dirname "$out")" -czf "$out.tar.gz" "$(basename "$out")"
echo "$out.tar.gz"
