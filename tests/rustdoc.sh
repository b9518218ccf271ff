#!/bin/sh
# tests/rustdoc.sh: stands for rustdoc in `cargo test --doc`, and makes the pages of manyworlds after its examples have run.
# `cargo doc` would read all packages once more for that, in four minutes.
set -eu
rustdoc "$@"
case " $* " in *" --crate-name manyworlds "*) ;; *) exit ;; esac
case " $* " in *" --test "*) ;; *) exit ;; esac
# the same words without those of tests
was=
for word; do
    shift
    case $was in
    --test-run-directory | --test-runtool | --test-runtool-arg | --test-args | --test-builder | --test-builder-wrapper)
        was=
        continue
        ;;
    esac
    was=$word
    case $word in
    --test*) ;;
    *) set -- "$@" "$word" ;;
    esac
done
exec rustdoc "$@" -Dwarnings -o "${CARGO_TARGET_DIR:-target}/doc"
