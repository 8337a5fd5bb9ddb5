#!/usr/bin/env python3
"""tidy.py BUILD CLANG_TIDY FILE...: clang-tidy finds nothing in these files and in the headers that they include. Skips (77) without
clang-tidy 14: other versions have other checks. HACKING.md says how to check all files, which takes long."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

VERSION = "14"


def findings(command: list[str]) -> str:
    """What clang-tidy says of a file; empty if it finds nothing."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


def commands(build: str, folder: str) -> None:
    """Writes into a folder how the files of the build are compiled. clang-tidy takes the command of the file with the most similar name, as
    sources of libraries are compiled together; one with a precompiled header of g++ is of no use to it."""
    known = json.loads((pathlib.Path(build) / "compile_commands.json").read_text(encoding="utf-8"))
    (pathlib.Path(folder) / "compile_commands.json").write_text(json.dumps([row for row in known if "pch.hpp" not in row["command"]]), encoding="utf-8")


def main() -> int:
    build, tool, *files = sys.argv[1:]
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout if tool else ""
    found = re.search(r"version (\d+)", version)
    if not found or found.group(1) != VERSION:
        print(f"SKIPPED: clang-tidy {VERSION} is wanted, there is {found.group(1) if found else 'none'}")
        return 77
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        commands(build, folder)
        bad = [said for said in pool.map(findings, ([tool, "--quiet", "-p", folder, file] for file in files)) if said]
    print("\n".join(bad) or f"clang-tidy finds nothing in {len(files)} files")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
