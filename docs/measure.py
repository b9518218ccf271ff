#!/usr/bin/env python3
"""measure.py parity|performance FILE...: tables for docs/ from measured output; not needed for tests.

  parity       FILE.tsv of the comparison with MuJoCo: path, verdict, first stage, line
  performance  files with one JSON object a line: `manyworlds bench --json`, or a comparison of several programs with key "peer"
"""
import json, sys


def rate(x):
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if x >= size:
            return f"{x / size:.3g} {unit}"
    return f"{x:.3g}"


def mean(x):
    return f"{x[0]:.2f}" if isinstance(x, list) else "–"


def parity(paths):
    for path in paths:
        rows = [line.rstrip("\n").split("\t") for line in open(path)][1:]
        print(f"| model | verdict | |\n|---|---|---|")
        for model, verdict, stage, line in rows:
            print(f"| `{model}` | {verdict} | {stage or line[line.find('(') : line.find(')') + 1]} |")
        print(f"\n{sum(r[1] in ('PASS', 'PARTIAL') for r in rows)} of {len(rows)} models\n")


def performance(paths):
    print("| model | program | worlds | steps/s | steps/s of a core | contacts | rows | iterations | KiB a world | first step (s) |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for path in paths:
        for line in open(path):
            if not line.startswith("{"):
                continue
            r = json.loads(line)
            if "steps_per_s" not in r:
                print(f"| {r.get('model')} | {r.get('peer')} | {r.get('nworld')} | {r.get('error', '')[:60]} |")
                continue
            who = r.get("peer", "manyworlds")
            who = f"manyworlds, {r['device']}" if who in ("external", "manyworlds") else who
            core = rate(r["steps_per_cpu_s"]) if r.get("steps_per_cpu_s", 0) > 0 else "–"
            print(
                f"| {r.get('model', '')} | {who} | {r.get('nworld', r.get('worlds'))} | {rate(r['steps_per_s'])} | {core} | {mean(r.get('ncon'))} "
                f"| {mean(r.get('nefc'))} | {mean(r.get('niter'))} | {r.get('mem_world_bytes', 0) / 1024:.1f} | {r.get('first_s', r.get('compile_s', 0)):.2f} |"
            )


{"parity": parity, "performance": performance}[sys.argv[1]](sys.argv[2:])
