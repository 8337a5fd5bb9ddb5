#!/usr/bin/env python3
"""The first screen of README.md is true: readme.py ROOT. The program is the one in examples/survive.cpp, its output is what its
test expects, and how to install and start it stands above."""
import pathlib
import re
import sys
import textwrap

FIRST_SCREEN = 40  # lines
COMMANDS = ["./run setup", "meson install -C build", "regraft-run -n 4"]

root = pathlib.Path(sys.argv[1])
readme = (root / "README.md").read_text(encoding="utf-8")
example = (root / "examples/survive.cpp").read_text(encoding="utf-8")
shown = re.search(r"```cpp\n(.*?)```", readme, re.S)
tested = re.search(r"// \[README begins\]\n(.*?)\n *// \[README ends\]", example, re.S)
if not shown or not tested or shown[1].strip() != textwrap.dedent(tested[1]).strip():
    sys.exit("the first C++ program in README.md is not the marked part of examples/survive.cpp")
before = readme[: shown.start()]
printed = re.search(r"\S+ from 3 of 4 ranks", before)
if not printed or printed[0] not in (root / "examples/meson.build").read_text(encoding="utf-8"):
    sys.exit("README.md does not show above the program what its test expects")
if missing := [command for command in COMMANDS if command not in before]:
    sys.exit(f"README.md does not say above the program: {missing}")
if (lines := readme[: shown.end()].count("\n") + 1) > FIRST_SCREEN:
    sys.exit(f"the program in README.md ends in line {lines}: the first screen is {FIRST_SCREEN} lines")
print("the first screen of README.md is as tested")
