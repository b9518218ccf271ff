"""Statistics of a Vulkan driver's compiler for compute kernels; no GPU is needed if the driver offers a null device.

    RADV_FORCE_FAMILY=GFX1100 VK_DRIVER_FILES=…/radeon_icd.x86_64.json python3 benches/gpu/vulkan.py KERNEL.spv …

Prints a line of JSON for the device, then one per kernel (VK_KHR_pipeline_executable_properties). `amd.py` runs it in a separate process.
"""

import ctypes as c
import json
import sys
from pathlib import Path
from typing import Any

# pipeline creation flag: record the compiler's statistics
CAPTURE_STATISTICS = 0x40
STORAGE_BUFFER, COMPUTE = 7, 0x20
API_VERSION = 1 << 22 | 3 << 12
EXTENSIONS = [b"VK_KHR_pipeline_executable_properties", b"VK_EXT_robustness2"]


def structure(name: str, *fields: tuple[str, Any], kind: int | None = None) -> type[c.Structure]:
    """A Vulkan structure; `kind` is its sType, if it begins with sType and pNext."""
    head = [] if kind is None else [("kind", c.c_uint32), ("next", c.c_void_p)]

    def make(self: Any, **values: Any) -> None:
        c.Structure.__init__(self, **({} if kind is None else {"kind": kind}), **values)

    return type(name, (c.Structure,), {"_fields_": [*head, *fields], "__init__": make})


u32, ptr, text = c.c_uint32, c.c_void_p, c.c_char_p
handle = c.c_uint64
Application = structure("Application", ("name", text), ("v", u32), ("engine", text), ("ev", u32), ("api", u32), kind=0)
Instance = structure(
    "Instance", ("flags", u32), ("application", ptr), ("nlayer", u32), ("layers", ptr), ("nextension", u32), ("extensions", ptr), kind=1
)
Queue = structure("Queue", ("flags", u32), ("family", u32), ("n", u32), ("priorities", ptr), kind=2)
Device = structure(
    "Device", ("flags", u32), ("nqueue", u32), ("queues", ptr), ("nlayer", u32), ("layers", ptr), ("nextension", u32),
    ("extensions", ptr), ("features", ptr), kind=3,
)  # fmt: skip
# robustBufferAccess is the first of the 55 features
Features = structure("Features", ("on", u32 * 55), kind=1000059000)
Statistics = structure("Statistics", ("on", u32), kind=1000269000)
Robust = structure("Robust", ("buffers", u32), ("images", u32), ("nulls", u32), kind=1000286000)
Module = structure("Module", ("flags", u32), ("size", c.c_size_t), ("code", ptr), kind=16)
Stage = structure("Stage", ("flags", u32), ("stage", u32), ("module", handle), ("name", text), ("special", ptr), kind=18)
Pipeline = structure(
    "Pipeline", ("flags", u32), ("stage", Stage), ("layout", handle), ("base", handle), ("index", c.c_int32), kind=29
)
Layout = structure("Layout", ("flags", u32), ("nset", u32), ("sets", ptr), ("nconstant", u32), ("constants", ptr), kind=30)
Binding = structure("Binding", ("at", u32), ("type", u32), ("n", u32), ("stages", u32), ("samplers", ptr))
Set = structure("Set", ("flags", u32), ("n", u32), ("bindings", ptr), kind=32)
Executable = structure("Executable", ("pipeline", handle), ("index", u32), kind=1000269003)
Statistic = structure(
    "Statistic", ("name", c.c_char * 256), ("about", c.c_char * 256), ("format", u32), ("value", c.c_uint64), kind=1000269004
)


class Driver:
    """The first device of the driver that the loader finds."""

    def __init__(self) -> None:
        self.vk = c.CDLL("libvulkan.so.1")
        self.vk.vkGetDeviceProcAddr.restype = ptr
        self.vk.vkGetDeviceProcAddr.argtypes = [ptr, text]
        application = Application(api=API_VERSION)
        self.instance = ptr()
        self.call("vkCreateInstance", c.byref(Instance(application=c.addressof(application))), None, c.byref(self.instance))
        n, self.physical = u32(1), ptr()
        self.call("vkEnumeratePhysicalDevices", self.instance, c.byref(n), c.byref(self.physical), fine=(0, 5))
        self.device = self.opened()
        self.layout = self.bound()

    def call(self, name: str, *arguments: Any, fine: tuple[int, ...] = (0,)) -> None:
        """Calls a Vulkan function; raises an error if it fails."""
        code = getattr(self.vk, name)(*arguments)
        if code not in fine:
            raise SystemExit(f"{name}: {code}")

    def about(self) -> dict[str, str]:
        """Name and version of the driver."""
        properties = c.create_string_buffer(4096)
        self.vk.vkGetPhysicalDeviceProperties(self.physical, properties)
        version = int.from_bytes(properties.raw[4:8], "little")
        name = properties.raw[20:276].split(b"\0")[0].decode()
        return {"device": name, "version": f"{version >> 22}.{version >> 12 & 0x3FF}.{version & 0xFFF}"}

    # as wgpu opens the device: reads beyond a buffer return zero
    def opened(self) -> c.c_void_p:
        statistics = Statistics(on=1)
        robust = Robust(buffers=1, next=c.addressof(statistics))
        features = Features(next=c.addressof(robust))
        features.on[0] = 1
        priority = c.c_float(1.0)
        queue = Queue(n=1, priorities=c.addressof(priority))
        names = (text * len(EXTENSIONS))(*EXTENSIONS)
        said = Device(
            next=c.addressof(features), nqueue=1, queues=c.addressof(queue), nextension=len(EXTENSIONS), extensions=c.addressof(names)
        )
        device = ptr()
        self.call("vkCreateDevice", self.physical, c.byref(said), None, c.byref(device))
        return device

    def bound(self) -> c.c_uint64:
        bindings = (Binding * 2)(*(Binding(at=at, type=STORAGE_BUFFER, n=1, stages=COMPUTE) for at in range(2)))
        one, layout = handle(), handle()
        said = Set(n=2, bindings=c.addressof(bindings))
        self.call("vkCreateDescriptorSetLayout", self.device, c.byref(said), None, c.byref(one))
        said = Layout(nset=1, sets=c.addressof(one))
        self.call("vkCreatePipelineLayout", self.device, c.byref(said), None, c.byref(layout))
        return layout

    def statistics(self, code: bytes) -> dict[str, int]:
        """The compiler's statistics of a kernel."""
        module, pipeline = handle(), handle()
        kept = c.create_string_buffer(code, len(code))
        said = Module(size=len(code), code=c.addressof(kept))
        self.call("vkCreateShaderModule", self.device, c.byref(said), None, c.byref(module))
        stage = Stage(stage=COMPUTE, module=module.value, name=b"main")
        made = Pipeline(flags=CAPTURE_STATISTICS, stage=stage, layout=self.layout.value)
        self.call("vkCreateComputePipelines", self.device, handle(0), 1, c.byref(made), None, c.byref(pipeline))
        ask = c.CFUNCTYPE(c.c_int, ptr, ptr, ptr, ptr)(
            self.vk.vkGetDeviceProcAddr(self.device, b"vkGetPipelineExecutableStatisticsKHR")
        )
        n, told = u32(64), (Statistic * 64)(*(Statistic() for _ in range(64)))
        about = Executable(pipeline=pipeline.value)
        code_of = ask(self.device, c.addressof(about), c.addressof(n), c.addressof(told))
        if code_of not in (0, 5):
            raise SystemExit(f"vkGetPipelineExecutableStatisticsKHR: {code_of}")
        return {told[k].name.decode(): told[k].value for k in range(n.value)}


if __name__ == "__main__":
    driver = Driver()
    print(json.dumps(driver.about()))
    for path in sys.argv[1:]:
        print(json.dumps(driver.statistics(Path(path).read_bytes())), flush=True)
