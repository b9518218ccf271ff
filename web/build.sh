#!/bin/sh
# web/build.sh: builds the page into target/page, a folder that any static server can serve and that can be opened from disk.
#
#   web/build.sh
#   PROFILE=dev web/build.sh     # in less time, for the tests
set -eu
cd "$(dirname "$0")/.."

profile=${PROFILE:-web}
case $profile in dev) made=debug ;; *) made=$profile ;; esac
target=wasm32-unknown-unknown
out=target/page
rustup target add $target >/dev/null 2>&1 || true
rm -rf "$out" && mkdir -p "$out"
# a megabyte is little for models that are nested deeply
flags="-Ctarget-feature=+simd128 -Clink-arg=-zstack-size=4194304"
# twice, so that those who do not use the kernels need not load them: a name, and what cargo is asked for
wasm() {
    name=$1
    shift
    RUSTFLAGS=$flags cargo build -p manyworlds-web --target $target --profile "$profile" "$@"
    cargo run --quiet -p manyworlds-bindgen -- "target/$target/$made/manyworlds_web.wasm" "$out" "$name"
    # browsers fetch nothing for a page that is opened from disk, but run its scripts
    { printf 'self.%sWasm = "' "$name" && base64 <"$out/${name}_bg.wasm" | tr -d '\n' && printf '";\n'; } >"$out/${name}_wasm.js"
}
# for the tests one build stands for both, in half the time
case $profile in
dev)
    # what is left without the kernels is checked, as nothing runs it
    RUSTFLAGS=$flags cargo check -p manyworlds-web --target $target --profile dev
    wasm manyworlds --features kernels
    ;;
*) wasm manyworlds ;;
esac
wasm kernels --features kernels
cp web/index.html web/page.css web/page.js "$out"
echo "$out/index.html"
