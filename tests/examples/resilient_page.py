#!/usr/bin/env python3
"""What docs/mpi/resilient.md shows is what examples/resilient has: the first program, how each of the others differs from the one before, and what
owners prints. resilient_page.py ROOT OWNERS [--write]

OWNERS    the program, or nothing ('') to leave its output as it is
--write   put into the page what belongs there
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys

STEPS = 5
CONTEXT = 1  # lines around a difference


def shown_blocks(root: pathlib.Path, owners: str) -> dict[str, str]:
    """The blocks of code of the page by what stands above them: <!-- NAME -->."""
    folder = root / "examples/resilient"
    texts = [(folder / f"power{step}.cpp").read_text(encoding="utf-8") for step in range(STEPS)]
    blocks = {"power0.cpp": f"```cpp\n{texts[0]}```\n"}
    for step in range(1, STEPS):
        lines = difflib.unified_diff(texts[step - 1].splitlines(True), texts[step].splitlines(True), f"power{step - 1}.cpp", f"power{step}.cpp",
                                     n=CONTEXT)
        blocks[f"power{step}.cpp"] = f"```diff\n{''.join(lines)}```\n"
    if owners:
        printed = subprocess.run([owners], capture_output=True, text=True, check=True).stdout
        blocks["owners"] = f"```text\n{printed}```\n"
    return blocks


def main() -> int | str:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("owners")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    page = args.root / "docs/mpi/resilient.md"
    text = page.read_text(encoding="utf-8")
    blocks = shown_blocks(args.root, args.owners)
    for name, block in blocks.items():
        at = re.compile(rf"(<!-- {re.escape(name)} -->\n)(```\w+\n.*?^```\n)", re.M | re.S)
        found = at.findall(text)
        if len(found) != 1:
            return f"{page}: expected one block behind <!-- {name} -->, found {len(found)}"
        if args.write:
            text = at.sub(lambda match, block=block: match[1] + block, text)
        elif found[0][1] != block:
            different = difflib.unified_diff(found[0][1].splitlines(), block.splitlines(), "shown", "expected", lineterm="", n=0)
            return "\n".join([f"{page}: <!-- {name} --> shows something else (tests/examples/resilient_page.py --write):", *different])
    if args.write:
        page.write_text(text, encoding="utf-8")
    print(f"{len(blocks)} blocks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
