#!/usr/bin/env python3
"""Measures what it takes to build regraft from nothing, without a compiler cache, in a folder of its own.

The sets are built one after the other, each on top of the one before; what is said of a set is the sum up to there.

  demo       regraft-phylo and its libraries: what ./run demo compiles
  installed  what ./run setup --without-tests compiles: libraries, programs, packages, benchmarks, examples
  all        with all tests: what ./run test compiles
  leaf       after one changed source (lib/placement/mod_k.cpp), until its own test has said its verdict
  ids        after a change of include/regraft/core/ids.hpp, until everything is compiled again

--compare-build COMMIT measures an earlier commit first, in the same run, and prints the ratios. Seconds are user seconds of all
processes, which depend little on what else the machine does, and wall seconds, which do.
"""
import argparse
import json
import os
import pathlib
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import compact

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEST = "mod_k"
LEAF = "lib/placement/mod_k.cpp"
HEADER = "include/regraft/core/ids.hpp"
LONGEST = 10


class Tools:
    """The programs that build, as ./run has chosen them."""

    def __init__(self, meson: str, ninja: str, native_file: pathlib.Path):
        self.meson, self.ninja, self.native_file = meson, ninja, native_file.resolve()

    @staticmethod
    def run(*command: str | pathlib.Path) -> str:
        environment = {**os.environ, "CCACHE_DISABLE": "1"}
        done = subprocess.run([str(word) for word in command], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}")
        return done.stdout


def steps(build: pathlib.Path) -> dict[str, float]:
    """Seconds of each step so far, by what it made."""
    log = build / ".ninja_log"
    rows = [row.split("\t") for row in log.read_text(encoding="utf-8").splitlines()[1:]] if log.exists() else []
    return {row[3]: (int(row[1]) - int(row[0])) / 1000 for row in rows}


class Checkout:
    """A clone of a commit, and its build folder."""

    def __init__(self, folder: pathlib.Path, commit: str, tools: Tools):
        self.source, self.build, self.tools = folder / "source", folder / "build", tools
        tools.run("git", "clone", "--quiet", "--no-checkout", ROOT, self.source)
        tools.run("git", "-C", self.source, "checkout", "--quiet", commit)
        self.commit = tools.run("git", "-C", self.source, "rev-parse", "--short", "HEAD").strip()

    def configure(self, *options: str) -> None:
        again = ["--reconfigure"] if (self.build / "build.ninja").exists() else []
        self.tools.run(self.tools.meson, "setup", *again, self.build, self.source, "--native-file", self.tools.native_file, "-Dlibdir=lib", *options)

    def compile(self, *targets: str) -> None:
        self.tools.run(self.tools.ninja, "-C", self.build, *targets)

    def examples(self) -> list[str]:
        made = self.tools.run(self.tools.ninja, "-C", self.build, "-t", "targets", "all").splitlines()
        return [row.partition(":")[0] for row in made if row.startswith("examples/") and "_LINKER" in row and "/" not in row[9:].partition(":")[0]]

    def test(self) -> None:
        """Compiles what the test of the leaf needs, as ./run test does, and runs it."""
        needed = self.source / "tools/setup/needed.py"
        targets = self.tools.run(sys.executable, needed, self.build, TEST).split() if needed.exists() else []
        self.compile(*targets)
        self.tools.run(self.tools.meson, "test", "-C", self.build, "--no-rebuild", TEST)


class Meter:
    """What each set took."""

    def __init__(self, checkout: Checkout):
        self.checkout, self.lines, self.longest = checkout, {}, []
        self.user, self.wall, self.steps = 0.0, 0.0, 0

    def measure(self, name: str, work, adds: bool) -> None:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        made_before = steps(self.checkout.build)
        work()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        user, wall = after.ru_utime - before.ru_utime, time.monotonic() - start
        made = steps(self.checkout.build)
        count = sum(made_before.get(file) != seconds for file, seconds in made.items())
        if adds:
            self.user, self.wall, self.steps = self.user + user, self.wall + wall, self.steps + count
            user, wall, count = self.user, self.wall, self.steps
            self.longest = sorted(made.items(), key=lambda item: -item[1])[:LONGEST]
        self.lines[name] = {"user_s": round(user, 1), "wall_s": round(wall, 1), "steps": count}
        print(f"  {name:9} {user:7.0f} user s {wall:7.0f} wall s {count:5} steps", flush=True)


def changed(file: pathlib.Path) -> None:
    """One more line at the end, which means nothing."""
    file.write_text(file.read_text(encoding="utf-8") + "// changed\n", encoding="utf-8")


def measured(folder: pathlib.Path, commit: str, tools: Tools) -> Meter:
    checkout = Checkout(folder, commit, tools)
    print(f"{checkout.commit}:", flush=True)
    meter = Meter(checkout)
    checkout.configure("-Dtests=disabled")
    meter.measure("demo", lambda: checkout.compile("apps/phylo/regraft-phylo"), adds=True)
    meter.measure("installed", lambda: checkout.compile("all", *checkout.examples()), adds=True)
    checkout.configure("-Dtests=auto")
    meter.measure("all", checkout.compile, adds=True)
    changed(checkout.source / LEAF)
    meter.measure("leaf", checkout.test, adds=False)
    checkout.compile()
    changed(checkout.source / HEADER)
    meter.measure("ids", checkout.compile, adds=False)
    print(f"  the {LONGEST} longest steps, in wall seconds:")
    for file, seconds in meter.longest:
        print(f"    {seconds:6.1f} {file}")
    return meter


def result(meters: dict[str, Meter], load: float) -> dict:
    cpu = next((row.partition(":")[2].strip() for row in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                if row.startswith("model name")), platform.machine())
    compiler = subprocess.run(["c++", "--version"], text=True, stdout=subprocess.PIPE).stdout.splitlines()[0]
    context = {"drawing": "none", "executable": "build_bench", "command": "./run bench build", "num_cpus": os.cpu_count(), "cpu": cpu,
               "system": f"{platform.system()} {platform.machine()}", "compiler": compiler, "load": round(load, 2),
               **{f"commit{'' if name == 'now' else '_before'}": meter.checkout.commit for name, meter in meters.items()}}
    benchmarks = [{"name": f"{name}/{of}", "n": 1, "median": line["user_s"], "unit": "s", **line}
                  for name, meter in meters.items() for of, line in meter.lines.items()]
    for name, meter in meters.items():
        benchmarks += [{"name": f"{name}/longest/{file}", "n": 1, "median": seconds, "unit": "s"} for file, seconds in meter.longest]
    return {"context": context, "benchmarks": benchmarks}


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench build", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--meson", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--ninja", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--native-file", type=pathlib.Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--compare-build", metavar="COMMIT", help="measure this commit first, and print the ratios")
    parser.add_argument("--results", type=pathlib.Path, required=True, help="folder for build.json")
    args = parser.parse_args()
    tools = Tools(args.meson, args.ninja, args.native_file)
    load = os.getloadavg()[0]
    meters: dict[str, Meter] = {}
    for name, commit in {"before": args.compare_build, "now": "HEAD"}.items():
        if commit is None:
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="regraft-build-"))
        try:
            meters[name] = measured(folder, commit, tools)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    args.results.mkdir(parents=True, exist_ok=True)
    (args.results / "build.json").write_text(compact.text(json.loads(json.dumps(result(meters, load)))), encoding="utf-8")
    print(f"written: {args.results / 'build.json'}")
    if "before" in meters:
        print("ratios to the earlier commit, of user seconds:")
        for of, line in meters["now"].lines.items():
            print(f"  {of:9} {line['user_s'] / meters['before'].lines[of]['user_s']:.2f}")


if __name__ == "__main__":
    main()
