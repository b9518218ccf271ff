"""Arrays in npz files, without numpy, so that counting needs only Python."""

import ast
import struct
import zipfile
from array import array
from math import prod
from pathlib import Path

MAGIC = b"\x93NUMPY\x01\x00"
# numpy's format names, and the type codes of `array`
FORMATS = {"<f8": "d", "<f4": "f", "<i4": "i"}


class Array:
    """An array in row-major order."""

    def __init__(self, shape: tuple[int, ...], values: "array[float]") -> None:
        self.shape = shape
        self.values = values

    def last(self) -> "Array":
        """The last row along the first axis."""
        shape = self.shape[1:]
        return Array(shape, self.values[len(self.values) - prod(shape) :])


def read(path: Path) -> dict[str, Array]:
    """The arrays of a file, by name."""
    found = {}
    with zipfile.ZipFile(path) as file:
        for entry in file.namelist():
            data = file.read(entry)
            (size,) = struct.unpack("<H", data[8:10])
            head = ast.literal_eval(data[10 : 10 + size].decode())
            if head["descr"] not in FORMATS:
                continue
            values = array(FORMATS[head["descr"]])
            values.frombytes(data[10 + size :])
            found[entry.removesuffix(".npy")] = Array(head["shape"], values)
    return found


def write(path: Path, arrays: dict[str, Array]) -> None:
    """Writes arrays in single precision. Equal arrays give equal bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, it in arrays.items():
            head = str({"descr": "<f4", "fortran_order": False, "shape": it.shape}) + " "
            head += " " * (-(len(MAGIC) + 2 + len(head) + 1) % 64) + "\n"
            data = MAGIC + struct.pack("<H", len(head)) + head.encode() + array("f", it.values).tobytes()
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), data, zipfile.ZIP_DEFLATED)
