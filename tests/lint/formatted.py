#!/usr/bin/env python3
"""formatted.py ROOT [--only FILE...]: every C and C++ file, or each of those that are named, is as clang-format leaves it. Skips (77) without
clang-format 14: other versions lay out the same style a little differently."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

VERSION = "14"
SUFFIXES = {".hpp", ".cpp", ".h", ".c"}
FOLDERS = ["include", "lib", "apps", "examples", "bench", "tests", "bindings"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", metavar="FILE", help="paths from ROOT; others than of C and C++ do not matter")
    args = parser.parse_args()
    tool = shutil.which("clang-format-14") or shutil.which("clang-format")
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout if tool else ""
    found = re.search(r"version (\d+)", version)
    if not found or found.group(1) != VERSION:
        print(f"SKIPPED: clang-format {VERSION} is wanted, there is {found.group(1) if found else 'none'}")
        return 77
    every = [path for folder in FOLDERS for path in sorted((args.root / folder).rglob("*.*")) if path.suffix in SUFFIXES]
    files = [str(path) for path in every if args.only is None or str(path.relative_to(args.root)) in args.only]
    return subprocess.run([tool, "--dry-run", "-Werror", *files], check=False).returncode if files else 0


if __name__ == "__main__":
    sys.exit(main())
