"""Parameters of GPUs for the time model (estimate.py); none was available. Numbers are from data sheets and published measurements of
latency, rounded; none was measured by this project."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Machine:
    """A GPU: its number of cores (SM, CU, the unit with the workgroup memory), and their throughput per cycle."""

    name: str
    cores: int
    # clock under load
    ghz: float
    # instructions of 32 lanes that a core issues per cycle, and the special instructions among them
    issue: float
    special: float
    # limits of a core: warps of 32 lanes, workgroups, and the resources that they share
    warps: int
    workgroups: int
    registers: int
    shared_bytes: int
    # bandwidth between memory and all cores, and between the last-level cache and all cores; bytes/s
    memory: float
    cache: float
    cache_bytes: float
    # latency in cycles: of arithmetic, of workgroup memory, of a core's own cache, of the memory behind it; of a
    # barrier. Bytes of a core's cache and workgroup memory together
    arithmetic_wait: float
    shared_wait: float
    near_wait: float
    near_bytes: float
    memory_wait: float
    barrier: float
    # time from one dispatch to the next, seconds
    dispatch: float
    # measured world-steps per second by model and number of worlds, if the machine was available; they replace estimates
    measured: dict[tuple[str, int], float] = field(default_factory=dict)


G = 1e9
KIB = 1024
MIB = 1024 * 1024
MACHINES = [
    Machine(
        "H200", cores=132, ghz=1.75, issue=4, special=0.5,
        warps=64, workgroups=32, registers=65536, shared_bytes=227 * KIB,
        memory=4800 * G, cache=5500 * G, cache_bytes=50 * MIB,
        arithmetic_wait=4, shared_wait=29, near_wait=35, near_bytes=256 * KIB, memory_wait=270, barrier=20, dispatch=3e-6,
    ),
    Machine(
        "RTX 4090", cores=128, ghz=2.5, issue=4, special=0.5,
        warps=48, workgroups=24, registers=65536, shared_bytes=100 * KIB,
        memory=1008 * G, cache=5000 * G, cache_bytes=72 * MIB,
        arithmetic_wait=4, shared_wait=29, near_wait=35, near_bytes=128 * KIB, memory_wait=280, barrier=20, dispatch=3e-6,
    ),
    Machine(
        "RX 7900 XTX", cores=96, ghz=2.4, issue=2, special=0.5,
        warps=32, workgroups=32, registers=98304, shared_bytes=64 * KIB,
        memory=960 * G, cache=3500 * G, cache_bytes=96 * MIB,
        arithmetic_wait=5, shared_wait=40, near_wait=120, near_bytes=96 * KIB, memory_wait=300, barrier=30, dispatch=5e-6,
    ),
    Machine(
        "M3 (10 cores)", cores=10, ghz=1.4, issue=4, special=1,
        warps=32, workgroups=32, registers=53248, shared_bytes=60 * KIB,
        memory=100 * G, cache=400 * G, cache_bytes=8 * MIB,
        arithmetic_wait=5, shared_wait=40, near_wait=80, near_bytes=76 * KIB, memory_wait=300, barrier=30, dispatch=10e-6,
    ),
    Machine(
        "integrated (Iris Xe, 96 EU)", cores=6, ghz=1.2, issue=4, special=1,
        warps=28, workgroups=16, registers=114688, shared_bytes=64 * KIB,
        memory=60 * G, cache=150 * G, cache_bytes=4 * MIB,
        arithmetic_wait=10, shared_wait=60, near_wait=150, near_bytes=64 * KIB, memory_wait=300, barrier=60, dispatch=15e-6,
    ),
]  # fmt: skip
