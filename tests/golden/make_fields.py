"""Names and shapes of MuJoCo's arrays in the order of its mjxmacro.h: python3 make_fields.py > fields.txt (mujoco==4.0.0)."""

import pathlib
import re

import mujoco

INCLUDE = pathlib.Path(mujoco.__path__[0]) / "include/mujoco"
TEXT = (INCLUDE / "mjxmacro.h").read_text()
NUMBERS = dict(re.findall(r"#define (mjN\w+) +(\d+)", (INCLUDE / "mjmodel.h").read_text()))
MACROS = {name: body for name, body in re.findall(r"#define (MJ\w+)[ \t]*\\\n((?:.*\\\n)*.*\n)", TEXT)}
ROW = re.compile(r"X\w*\s*\(\s*\w+,\s*(\w+),\s*(?:MJ_[MD]\((\w+)\)|(\w+)),\s*(\S.*?)\s*\)\s*\\?$")


def rows(macro):
    for line in MACROS[macro].splitlines():
        name = line.strip(" \\")
        if name in MACROS:
            yield from rows(name)
        elif row := ROW.match(line.strip()):
            yield row[1], row[2] or row[3], NUMBERS.get(row[4]) or re.sub(r"MJ_[MD]\((\w+)\)", r"\1", row[4])


for room, macros in [("model", ["MJMODEL_POINTERS"]), ("data", ["MJDATA_POINTERS", "MJDATA_ARENA_POINTERS"])]:
    for macro in macros:
        for name, first, second in rows(macro):
            print(room, name, first, second)
