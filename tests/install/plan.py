#!/usr/bin/env python3
"""plan.py BUILD: what is installed has tags by which parts can be left out; .pc files for the build folder name folders that exist.

Without the benchmarks, which may not be compiled, nothing of theirs is installed.
"""
import json
import pathlib
import shlex
import subprocess
import sys

TAGS = {"runtime", "devel", "man", "bench", "python-runtime"}
build = pathlib.Path(sys.argv[1])
plan = json.loads((build / "meson-info/intro-install_plan.json").read_text(encoding="utf-8"))
files = {name: row for kind in plan.values() for name, row in kind.items()}
for name, row in files.items():
    is_bench = "bench" in row["destination"].rpartition("/")[2] or name.endswith("tools/bench") or "/regraft/bench/" in row["destination"]
    assert row["tag"] in TAGS and is_bench == (row["tag"] == "bench"), (name, row)
assert any(row["tag"] == "bench" for row in files.values()) == (build / "bench/regraft-bench").exists()

for file in sorted((build / "meson-uninstalled").glob("*.pc")):
    done = subprocess.run(["pkg-config", "--cflags", "--libs", file], capture_output=True, text=True, check=True,
                          env={"PATH": "/usr/local/bin:/usr/bin:/bin", "PKG_CONFIG_PATH": str(file.parent)})
    print(file.name, done.stdout.strip())
    if not any(pathlib.Path(word.removeprefix("-I"), "regraft.h").is_file() for word in shlex.split(done.stdout)):
        sys.exit(f"{file.name}: expected a folder that has regraft.h")
    for word in shlex.split(done.stdout):
        for option in ("-I", "-isystem", "-L", "-Wl,-rpath,"):
            folder = word.removeprefix(option)
            if folder != word and not pathlib.Path(folder).is_dir():
                sys.exit(f"{file.name}: {word}: expected a folder")
