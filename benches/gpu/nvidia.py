"""NVIDIA's compilers, without a GPU: nvrtc compiles CUDA C++ to PTX, ptxas compiles PTX to machine code."""

import ctypes
import re
import subprocess
from collections import Counter
from pathlib import Path

from tools import CompilerError

FLAGS = ["--std=c++17", "--use_fast_math", "--device-as-default-execution-space", "--generate-line-info", "-w"]

# kinds of machine instructions by the beginning of their names; the first match counts
KINDS = {
    "global load": r"LDG|LD\b",
    "global store": r"STG|ST\b",
    "shared": r"LDS|STS",
    "local": r"LDL|STL",
    "constant": r"U?LDC",
    "barrier": r"BAR|WARPSYNC|BSYNC|BSSY|BMOV|BREAK",
    "branch": r"BRA|BRX|CALL|RET|EXIT|JMP",
    "special": r"MUFU",
    "real": r"F(ADD|MUL|FMA|SETP|MNMX|SEL|CHK|SET|RND|SWZADD)|F2I|I2F|I2FP",
    "nothing": r"NOP",
}


class Nvrtc:
    """The library that compiles to PTX (nvrtc)."""

    def __init__(self, site: Path) -> None:
        folder = site / "nvidia" / "cuda_nvrtc" / "lib"
        ctypes.CDLL(str(next(folder.glob("libnvrtc-builtins.so*"))), ctypes.RTLD_GLOBAL)
        self.library = ctypes.CDLL(str(next(folder.glob("libnvrtc.so*"))))

    def ptx(self, text: str, header: str, arch: str) -> str:
        """The PTX of a text that includes `metal.h`."""
        program = ctypes.c_void_p()
        names, texts = (ctypes.c_char_p * 1)(b"metal.h"), (ctypes.c_char_p * 1)(header.encode())
        create, build = self.library.nvrtcCreateProgram, self.library.nvrtcCompileProgram
        if create(ctypes.byref(program), text.encode(), b"kernel.cu", 1, texts, names) != 0:
            raise CompilerError("nvrtc takes no program")
        flags = [f"--gpu-architecture={arch.replace('sm_', 'compute_')}", *FLAGS]
        failed = build(program, len(flags), (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags)))
        if failed:
            raise CompilerError(self.said(program, "ProgramLog")[:4000])
        ptx = self.said(program, "PTX")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return ptx

    def said(self, program: ctypes.c_void_p, what: str) -> str:
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{what}")(program, text)
        return text.value.decode()


def machine(ptx: Path, site: Path, arch: str) -> dict[str, int]:
    """ptxas's statistics of a kernel, and the number of its machine instructions by kind; the machine code is written beside the PTX."""
    cubin = ptx.with_suffix(".cubin")
    ptxas = site / "nvidia" / "cuda_nvcc" / "bin" / "ptxas"
    told = subprocess.run([ptxas, "-v", f"-arch={arch}", ptx, "-o", cubin], capture_output=True, text=True)
    if told.returncode:
        raise CompilerError(told.stderr[:4000])
    disassembler = next((site / "nvidia").glob("cu1*/bin/nvdisasm"))
    code = subprocess.run([disassembler, "-c", cubin], capture_output=True, text=True, check=True).stdout
    ptx.with_suffix(".sass").write_text(code)

    def number(pattern: str) -> int:
        found = re.search(pattern, told.stderr)
        return int(found[1]) if found else 0

    return {
        "registers": number(r"Used (\d+) registers"),
        "stack bytes": number(r"(\d+) bytes stack frame"),
        "spilled bytes": number(r"(\d+) bytes spill stores") + number(r"(\d+) bytes spill loads"),
        "shared bytes": number(r"(\d+) bytes smem"),
        **mix(code),
    }


def mix(code: str) -> dict[str, int]:
    """Numbers of machine instructions by kind, and in total."""
    count: Counter[str] = Counter()
    for line in re.finditer(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?([A-Z][A-Z0-9_.]+)", code):
        kind = next((kind for kind, names in KINDS.items() if re.match(names, line[1])), "integer")
        count[kind] += 1
    del count["nothing"]
    return {"instructions": sum(count.values()), **dict(sorted(count.items()))}
