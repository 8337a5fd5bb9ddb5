#!/usr/bin/env python3
"""The first screens of README.md are true: readme.py ROOT. The program is examples/survive.cpp, all of it, so that it compiles as shown;
its output is what its test expects; how to install, compile and start it stands above. The table of ./run demo has the columns that
examples/demo.py prints. tests/examples/demo_page.py compares what is in them."""
import ast
import pathlib
import re
import sys

FIRST_SCREENS = 70  # lines
COMMANDS = ["./run setup", "meson install -C build", "g++ -std=c++20 examples/survive.cpp $(pkg-config --cflags --libs regraft-mpi) -o survive",
            "regraft-run -n 4 ./survive"]


def columns_of_demo(source: str) -> list[str]:
    """The list HEADER in demo.py."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "HEADER":
            return ast.literal_eval(node.value)
    return []


def complaints(readme: str, example: str, tests: str, demo: str) -> list[str]:
    """The texts of README.md, examples/survive.cpp, examples/meson.build and examples/demo.py."""
    bad = []
    shown = re.search(r"```cpp\n(.*?)```", readme, re.S)
    if not shown:
        return ["README.md shows no program in C++"]
    if shown[1] != example:
        bad.append("the first C++ program in README.md is not examples/survive.cpp")
    if "int main(" not in shown[1]:
        bad.append("the first C++ program in README.md has no main")
    before = readme[: shown.start()]
    printed = re.search(r"\S+ from 3 of 4 ranks", before)
    if not printed or printed[0] not in tests:
        bad.append("README.md does not show above the program what its test expects")
    if missing := [command for command in COMMANDS if command not in before]:
        bad.append(f"README.md does not say above the program: {missing}")
    if (lines := readme[: shown.end()].count("\n") + 1) > FIRST_SCREENS:
        bad.append(f"the program in README.md ends in line {lines}, after line {FIRST_SCREENS}")
    header = re.search(r"^ *(died .*)$", readme, re.M)
    if not header or re.split(r"\s{2,}", header[1]) != columns_of_demo(demo):
        bad.append("the table of ./run demo in README.md has other columns than examples/demo.py prints")
    return bad


def main() -> None:
    root = pathlib.Path(sys.argv[1])
    texts = [(root / name).read_text(encoding="utf-8") for name in ("README.md", "examples/survive.cpp", "examples/meson.build", "examples/demo.py")]
    bad = complaints(*texts)
    # A check that never complains is worth nothing.
    for number, (old, new) in enumerate([("patterns", "sites"), ("MPI_Init", "MPI_Start"), ("14.39", "14.38"), ('"died"', '"dead"')]):
        broken = [*texts[:number], texts[number].replace(old, new), *texts[number + 1 :]]
        assert len(complaints(*broken)) > len(bad), (old, new)
    sys.exit("\n".join(bad) if bad else 0)


main()
