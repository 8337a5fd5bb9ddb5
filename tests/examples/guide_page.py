#!/usr/bin/env python3
"""A guide shows its programs as they are, and what they print: guide_page.py PAGE [--write] [--source FILE]... [-- COMMAND...]

Above each block of code of the page that is compared stands <!-- NAME -->: the name of a source, or `output` for what COMMAND prints.
Programs in several languages are compared with the same output, one call for each.
--source   a file that the page shows as a whole
--lines    FOLDER: a number on the page before <!-- lines: A to B -->, or <!-- lines: A -->, is how many lines FOLDER/B has that FOLDER/A
           has not, or how many FOLDER/A has
--write    put into the page what belongs there
"""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys

LINES = re.compile(r"(\d+)(<!-- lines: (\S+)(?: to (\S+))? -->)")
LANGUAGES = {".cpp": "cpp", ".py": "python"}


def new_lines(folder: pathlib.Path, old: str, new: str | None) -> int:
    texts = [(folder / name).read_text(encoding="utf-8").splitlines() for name in (old, new) if name]
    if new is None:
        return len(texts[0])
    return sum(line.startswith("+ ") for line in difflib.ndiff(*texts))


def with_block(text: str, name: str, block: str) -> str:
    """The text with the block of code that belongs behind <!-- NAME -->."""
    at = re.compile(rf"(<!-- {re.escape(name)} -->\n)```\w+\n.*?^```\n", re.M | re.S)
    if (found := len(at.findall(text))) != 1:
        sys.exit(f"expected one block behind <!-- {name} -->, found {found}")
    return at.sub(lambda match: match[1] + block, text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--source", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--lines", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    own, command = sys.argv[1:end], sys.argv[end + 1 :]
    args = parser.parse_args(own)
    shown = expected = args.page.read_text(encoding="utf-8")
    for source in args.source:
        expected = with_block(expected, source.name, f"```{LANGUAGES[source.suffix]}\n{source.read_text(encoding='utf-8')}```\n")
    if command:
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        expected = with_block(expected, "output", f"```text\n{printed}```\n")
    if args.lines:
        if not LINES.search(expected):
            sys.exit(f"{args.page}: expected a number before <!-- lines: ... -->")
        expected = LINES.sub(lambda match: f"{new_lines(args.lines, match[3], match[4])}{match[2]}", expected)
    if args.write:
        args.page.write_text(expected, encoding="utf-8")
    elif shown != expected:
        different = difflib.unified_diff(shown.splitlines(), expected.splitlines(), "shown", "expected", lineterm="", n=0)
        print("\n".join([f"{args.page} shows something else (tests/examples/guide_page.py --write):", *different]))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
