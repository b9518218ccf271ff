"""The program `manyworlds`: python -m manyworlds, or manyworlds."""

import sys


def main() -> None:
    from manyworlds._core import program

    sys.exit(program(["manyworlds", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
