#!/usr/bin/env python3
"""formatted.py ROOT [CLANG_FORMAT]: every C and C++ file is as clang-format leaves it. Skips (77) without clang-format 14: other
versions lay out the same style a little differently."""
import pathlib
import re
import subprocess
import sys

VERSION = "14"
SUFFIXES = {".hpp", ".cpp", ".h", ".c"}


def main() -> int:
    root, tool = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout if tool else ""
    found = re.search(r"version (\d+)", version)
    if not found or found.group(1) != VERSION:
        print(f"SKIPPED: clang-format {VERSION} is wanted, there is {found.group(1) if found else 'none'}")
        return 77
    folders = ["include", "lib", "apps", "examples", "bench", "tests", "bindings"]
    files = [str(path) for folder in folders for path in sorted((root / folder).rglob("*.*")) if path.suffix in SUFFIXES]
    return subprocess.run([tool, "--dry-run", "-Werror", *files], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
