"""Turns naga's Metal text of a kernel into CUDA C++: the text stays, and a CUDA entry point calls Metal's."""

import re

# a literal without suffix is a double in C++ and a float in Metal
REAL = re.compile(r"(?<![\w.])(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+)(?![\w.])")
SWIZZLE = re.compile(r"\.([xyzw]{2,4})\b")
FUNCTION = re.compile(r"^(?=(?:metal::)?\w+ \w+\($)", re.MULTILINE)
# barriers that follow each other: the program makes one of them before a driver sees them (src/gpu/barrier.rs)
BARRIERS = re.compile(r"(?:^ *metal::(?:thread|simd)group_barrier\(.*\);\n)+", re.MULTILINE)
ENTRY = re.compile(r"^(?:\[\[.*?\]\] )?kernel void main_\((.*?)\n\) \{", re.MULTILINE | re.DOTALL)


def cuda(metal: str, invocations: int) -> str:
    """The CUDA text of a kernel with `invocations` per workgroup."""
    text = re.sub(r"#include <.*?>|using metal::uint;", "", metal)
    text = BARRIERS.sub(one_barrier, text)
    text = REAL.sub(lambda number: number[0] + "f", text)
    # the text does not get the lengths of buffers
    text = re.sub(r"^typedef uint (type_\w+)\[1\];", r"typedef uint \1[1 << 28];", text, flags=re.MULTILINE)
    text = SWIZZLE.sub(lambda letters: f".pick<{', '.join(str('xyzw'.index(c)) for c in letters[1])}>()", text)
    text = re.sub(r"^constant ", "constexpr ", text, flags=re.MULTILINE)
    # drivers inline all functions into one
    text = FUNCTION.sub("INLINE ", text)
    entry = ENTRY.search(text)
    if entry is None:
        raise ValueError("the text has no entry main_")
    parameters = [re.sub(r" \[\[.*?\]\]", "", said.strip()) for said in re.split(r"\n, ", entry[1])]
    head = f"INLINE void main_({', '.join(parameters)}) {{"
    return '#include "metal.h"\n' + text[: entry.start()] + head + text[entry.end() :] + caller(parameters, invocations)


def one_barrier(run: re.Match[str]) -> str:
    """One barrier for several, which orders the memory of all of them: lanes meet in their subgroup if one of them says so."""
    lines = run[0].splitlines()
    # a barrier of the subgroup orders no memory in SPIR-V, whatever Metal's says
    flags = sorted({line[line.rindex("metal::mem_flags") : line.rindex(")")] for line in lines if "threadgroup_barrier" in line})
    of = "simd" if any("simdgroup_barrier" in line for line in lines) else "thread"
    indent = lines[0][: -len(lines[0].lstrip())]
    return f"{indent}metal::{of}group_barrier({' | '.join(flags) or 'metal::mem_flags::mem_none'});\n"


def caller(parameters: list[str], invocations: int) -> str:
    """The CUDA entry point, which passes Metal's the parameters that it declares."""
    lines, given = [], []
    for said in parameters:
        kind, name = said.rsplit(" ", 1)
        if name == "group":
            given.append("metal::uint3(blockIdx.x, 0, 0)")
        elif name == "local":
            given.append("threadIdx.x")
        elif name == "_buffer_sizes":
            given.append("_mslBufferSizes{}")
        elif kind.startswith("threadgroup "):
            lines.append(f"    __shared__ {kind.removeprefix('threadgroup ').rstrip('&')} {name};")
            given.append(name)
        else:
            # "device type_4 const& model_words"
            of = kind.removeprefix("device ").rstrip("&")
            given.append(f"*({of}*){name}")
    body = "\n".join([*lines, f"    main_({', '.join(given)});"])
    return (
        f'\nextern "C" __global__ void __launch_bounds__({invocations})\n'
        f"entry(uint* __restrict__ data_words, const uint* __restrict__ model_words) {{\n{body}\n}}\n"
    )
