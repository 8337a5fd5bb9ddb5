#!/usr/bin/env python3
"""The program in README.md is the one in examples/survive.cpp: readme.py ROOT."""
import pathlib
import re
import sys
import textwrap

root = pathlib.Path(sys.argv[1])
example = (root / "examples/survive.cpp").read_text(encoding="utf-8")
shown = re.search(r"```cpp\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.S)
tested = re.search(r"// \[README begins\]\n(.*?)\n *// \[README ends\]", example, re.S)
if not shown or not tested or shown[1].strip() != textwrap.dedent(tested[1]).strip():
    sys.exit("the first C++ program in README.md is not the marked part of examples/survive.cpp")
print("README.md shows the tested program")
