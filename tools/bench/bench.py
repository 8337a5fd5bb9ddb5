#!/usr/bin/env python3
"""Runs the benchmarks that were built. Writes the results of each program (compact.py) and a plot, and prints a summary. The raw output of
the programs, with all repetitions, stays in BUILD/bench-raw/.

A benchmark is named ALGORITHM/FAMILY/SIZE:N/...; its program may put into the context of its JSON
  subject  the algorithm that the summary compares all others with: a line per family, at the largest size that others reach
  unit     what SIZE counts, for that line
  labels   the names of algorithms in text, as "algorithm=label,..."
  clock    real_time (default) or cpu_time: the time that is compared and drawn
  drawing  what is compared and drawn in place of times: bytes and speeds (compression: compressors.py), times over that of MPI alone
           (floor: floors.py), likelihoods of trees (search: searches.py), what surviving costs (programs: programs.py), or nothing (none)
The error "did not finish N UNIT in T s" is a measurement. Any other error is a failure.
"""
import argparse
import contextlib
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import compact
import compressors
import floors
import plot
import programs
import searches
from results import STOPPED, Broken, lines, load

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tools/setup"))
import choose  # noqa: E402

SHORT = ["--benchmark_min_time=0.01"]
FULL = ["--benchmark_repetitions=10", "--benchmark_min_time=0.1"]
# These programs take other arguments.
SPECIAL = {
    "matching": {
        "short": ["--benchmark_min_time=0.01", "--limit=1", "--benchmark_filter=/blocks:10000/|^(min|BM|ford).*/blocks:100000/"],
        "full": ["--benchmark_repetitions=5", "--benchmark_min_time=0.1", "--limit=10"],
    },
    "schedule": {"full": ["--benchmark_repetitions=5", "--benchmark_min_time=0.1", "--large"]},
    "msa": {"short": ["--short", "--benchmark_min_time=0.05"], "full": ["--benchmark_repetitions=3", "--benchmark_min_time=0.05"]},
    "reassign": {"short": ["--benchmark_min_time=0.01", "--benchmark_filter=/pes:(64|400)/"]},
    "store": {"short": ["--short"], "full": []},
    "sums": {"short": ["--short"], "full": ["--benchmark_repetitions=5"]},
    "snapshot": {"short": ["--short"], "full": []},
    "agree": {"short": ["--short"], "full": ["--benchmark_repetitions=5"]},
    "store_disk": {"short": ["--short"], "full": []},
    "likelihood": {"short": ["--benchmark_min_time=0.01", "--benchmark_filter=/patterns:10000/|(avx.*|memcpy)/traversal_4/"],
                   "full": ["--benchmark_repetitions=10", "--benchmark_min_time=0.1"]},
    "scale": {"short": ["--short", "--benchmark_min_time=0.01"], "full": ["--benchmark_repetitions=3", "--benchmark_min_time=0.05"]},
}


TAKES_FILES = ["msa"]
# These are MPI jobs, on so many ranks.
JOBS = {"store": {"short": [4, 8], "full": [2, 4, 8, 16]}, "sums": {"short": [1, 2], "full": [1, 2, 4]},
        "snapshot": {"short": [4, 8], "full": [4, 8, 16]}, "agree": {"short": [2, 4, 8], "full": [2, 4, 8, 16, 32]},
        "store_disk": {"short": [2], "full": [1, 2, 4]}}
# These jobs write files into a folder that they are given.
TAKES_FOLDER = ["store_disk"]
# Peers in Python: the package from PyPI, and the tool that measures it on the files that --write-edges=FOLDER leaves.
PYTHON_PEERS = {"schedule": {"package": "rustworkx", "tool": "rustworkx_rounds.py",
                             "short": ["--repetitions=1"], "full": ["--repetitions=3"]}}
# These tools measure regraft-phylo. They take long, so they run only if they are named.
TOOLS = {"search": "search_bench.py", "phylo-scale": "phylo_scale_bench.py", "phylo-bootstrap": "phylo_bootstrap_bench.py",
         "phylo-checkpoints": "phylo_checkpoints_bench.py"}
# This tool measures regraft-msa on alignments of a generator. It runs only if it is named, too.
GENERATED = {"msa-scale": "msa_scale_bench.py"}
# This tool measures the examples. It runs only if it is named, too.
EXAMPLES = {"programs": "programs_bench.py"}
# This tool runs its program with and without the shield.
SHIELDED = {"shield": "shield_bench.py"}
TAKES_SETS = ["search", "phylo-bootstrap"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the programs, which are named *_bench")
    parser.add_argument("--results", type=pathlib.Path, required=True, help="folder for JSON and SVG; bench/results/MACHINE to keep them")
    parser.add_argument("--short", action="store_true", help="a quick look: small sizes, little time, one repetition")
    parser.add_argument("--mpirun", help="starts benchmarks that are MPI jobs; without it they are left out")
    parser.add_argument("--build", type=pathlib.Path,
                        help="peers from PyPI are installed into BUILD/venv; without it, BUILD is build/ and nothing is installed")
    parser.add_argument("--folder", type=pathlib.Path, metavar="DIR",
                        help="store_disk writes into a new folder in DIR, on the disk to be measured (default: BUILD)")
    parser.add_argument("--sets", nargs="+", metavar="DIR",
                        help="data for search and phylo-bootstrap instead of their own: aln.phy, model.txt, perhaps start.nwk")
    parser.add_argument("--runs", metavar="DIR", help="these two keep in DIR what they have run, and go on from it later")
    parser.add_argument("--other", metavar="REGRAFT_PHYLO", help="search compares with this build instead of other programs")
    parser.add_argument("--kept", action="store_true", help="search reports what is in --runs and runs nothing more")
    parser.add_argument("names", nargs="*", metavar="NAME|FILE",
                        help="runs only these (default: all); msa measures these alignments instead of its own")
    args = parser.parse_args()
    if args.folder and not args.folder.is_dir():
        parser.error(f"{args.folder} is no folder")

    built = {p.name.removesuffix("_bench"): p for p in sorted(args.programs.glob("*_bench")) if os.access(p, os.X_OK) and p.is_file()}
    shield = args.programs.resolve().parent / "lib" / "shield" / "calls" / "libregraft_shield.so"
    if not args.mpirun:
        built = {name: program for name, program in built.items() if name not in {*JOBS, *SHIELDED}}
    if not shield.exists():
        built = {name: program for name, program in built.items() if name not in SHIELDED}
    phylo = args.programs.resolve().parent / "apps" / "phylo" / "regraft-phylo"
    msa = args.programs.resolve().parent / "apps" / "msa" / "regraft-msa"
    generator = args.programs / "surveillance"
    examples = args.programs.resolve().parent / "examples"
    tools = GENERATED if msa.exists() and generator.exists() else {}
    tools = tools | (TOOLS if phylo.exists() else {}) | (EXAMPLES if args.mpirun and (examples / "stencil").exists() else {})
    files = [name for name in args.names if name not in built and name not in tools and pathlib.Path(name).is_file()]
    names = [name for name in args.names if name not in files] or (TAKES_FILES if files else list(built))
    if files and names != TAKES_FILES:
        print(f"only {TAKES_FILES[0]} takes files", file=sys.stderr)
        return 2
    if unknown := [name for name in names if name not in built and name not in tools]:
        print(f"no benchmark is called {', '.join(unknown)}; there are: {', '.join([*built, *tools]) or 'none'}", file=sys.stderr)
        return 2
    if not names:
        print("no benchmarks are built")
        return 1
    args.results.mkdir(parents=True, exist_ok=True)
    build = args.build or ROOT / "build"
    disk = (args.folder or build).resolve()
    raw_results = build / "bench-raw"
    raw_results.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in names:
        raw, result = raw_results / f"{name}.json", args.results / f"{name}.json"
        pace = SPECIAL.get(name, {}).get("short" if args.short else "full", SHORT if args.short else FULL)
        print(f"{name} ...", flush=True)
        raw.unlink(missing_ok=True)
        source = f"{name}_bench.cpp"
        if name in EXAMPLES and name in tools:
            source, pace = "stencil.cpp", ["--short"] if args.short else []
            problem = run_tool(tools[name], examples, ["--mpirun", args.mpirun, *pace], raw)
        elif name in SHIELDED:
            pace = ["--short"] if args.short else []
            problem = run_tool(SHIELDED[name], built[name], ["--library", str(shield), "--mpirun", args.mpirun, *pace], raw)
        elif name in GENERATED:
            source, pace = "surveillance.cpp", ["--short"] if args.short else []
            problem = run_tool(GENERATED[name], msa, ["--generator", str(generator), *pace], raw)
        elif name in tools:
            source, pace = "search.cpp", (["--short"] if args.short else []) + sets_for(name, args)
            problem = run_tool(tools[name], phylo, [*keeping(name, args), *pace], raw)
        elif name in JOBS:
            with writable(name, disk) as folder:
                problem = run_job(built[name], JOBS[name]["short" if args.short else "full"], [*pace, *folder], args.mpirun, raw)
        else:
            problem = run_program([str(built[name]), *pace, *files], raw)
        if not problem and name in PYTHON_PEERS:
            problem = add_python_peer(built[name], PYTHON_PEERS[name], "short" if args.short else "full", args.build, raw)
        private = {*files, *(args.sets or [])}  # the paths of the user's files are not told
        words = [pathlib.Path(word).name if word in private else word for word in [*pace, *files]]
        facts = compiler(args.programs.parent, source) | ({"file_system": file_system(disk)} if name in TAKES_FOLDER else {})
        problem = problem or conclude(raw, result, name, facts, words)
        if problem:
            print(problem)
            failed.append(name)
            continue
        if list_runs(result):
            failed.append(name)
        drawn = plot.plot(result, result.with_suffix(".svg"))
        print(f"results: {result}" + (f", {result.with_suffix('.svg')}" if drawn else ""))
        compare_families(result)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


@contextlib.contextmanager
def writable(name: str, place: pathlib.Path) -> Iterator[list[str]]:
    """The option of a program that writes files: the name of a new folder in `place`. Other programs get no option."""
    if name not in TAKES_FOLDER:
        yield []
        return
    with tempfile.TemporaryDirectory(dir=place) as folder:
        yield [f"--folder={folder}"]


def run_program(command: list[str], raw: pathlib.Path) -> str:
    """Writes raw; returns what went wrong."""
    command = [*command, f"--benchmark_out={raw}", "--benchmark_out_format=json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    return (run.stderr or f"exit code {run.returncode}") if run.returncode else ""


def run_job(program: pathlib.Path, sizes: list[int], pace: list[str], mpirun: str, raw: pathlib.Path) -> str:
    """Runs the same job on several numbers of ranks and writes all results into raw; returns what went wrong."""
    merged: dict = {}
    for ranks in sizes:
        print(f"  on {ranks} ranks ...", flush=True)
        launch = [sys.executable, str(ROOT / "apps/launch/launch.py"), "--mpirun", mpirun, "-n", str(ranks), str(program), *pace]
        if problem := run_program(launch, raw):
            return problem
        content = load(raw)
        merged = {**content, "benchmarks": merged.get("benchmarks", []) + content["benchmarks"]}
    merged["context"]["mpi"] = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]
    raw.write_text(json.dumps(merged), encoding="utf-8")
    return ""


def sets_for(name: str, args: argparse.Namespace) -> list[str]:
    return ["--sets", *args.sets] if args.sets and name in TAKES_SETS else []


def keeping(name: str, args: argparse.Namespace) -> list[str]:
    """The options for what is not to be run again, and for another build."""
    kept = ["--kept"] if args.kept and name == "search" else []
    kept += ["--other", args.other] if args.other and name == "search" else []
    return kept + (["--runs", args.runs] if args.runs and name in TAKES_SETS else [])


def run_tool(tool: str, program: pathlib.Path, words: list[str], raw: pathlib.Path) -> str:
    """Writes raw; returns what went wrong."""
    command = [sys.executable, str(HERE / tool), "--program", str(program), "--out", str(raw), *words]
    code = subprocess.run(command, check=False).returncode
    return f"exit code {code}" if code else ""


def add_python_peer(program: pathlib.Path, peer: dict, pace: str, build: pathlib.Path | None, raw: pathlib.Path) -> str:
    """Adds the runs of a peer to raw, or prints that there is no such peer. Returns what else went wrong."""
    package = peer["package"]
    python = python_with(package, build)
    if not python:
        print(f"  without {package}: no Python has it" + (", and it could not be installed" if build else ""))
        return ""
    print(f"  {package} ...", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for command in ([str(program), f"--write-edges={folder}"], [python, str(HERE / peer["tool"]), folder, *peer[pace]]):
            run = subprocess.run(command, capture_output=True, text=True, check=False)
            if run.returncode:
                return run.stderr or f"exit code {run.returncode}"
    measured, content = json.loads(run.stdout), load(raw)
    content["context"] |= measured["context"]
    content["benchmarks"] += measured["benchmarks"]
    raw.write_text(json.dumps(content), encoding="utf-8")
    return ""


def python_with(package: str, build: pathlib.Path | None) -> str:
    """A Python that can import the package; empty if there is none. If a build folder is given, the package is installed there."""
    def has_it(python: str) -> bool:
        words = [python, "-c", f"import {package}"]
        return pathlib.Path(python).exists() and subprocess.run(words, capture_output=True, check=False).returncode == 0

    venv = str((build or ROOT / "build").resolve() / "venv/bin/python")
    if not any(map(has_it, (venv, sys.executable))) and build:
        try:
            chooser = choose.Chooser(build.resolve())
            chooser.dir.mkdir(parents=True, exist_ok=True)
            chooser.pip_install(package)
        except (SystemExit, OSError, subprocess.CalledProcessError):
            return ""
    return next(filter(has_it, (venv, sys.executable)), "")


def conclude(raw: pathlib.Path, result: pathlib.Path, name: str, facts: dict[str, str], words: list[str]) -> str:
    """Describes raw and writes result from it; returns what went wrong."""
    try:
        describe(raw, name, facts, words)
        compact.compact(raw, result)
    except (Broken, OSError) as problem:
        return str(problem)
    return ""


def describe(path: pathlib.Path, name: str, facts: dict[str, str], words: list[str]) -> None:
    """Adds to the context the facts and all else that is needed to judge the numbers and to measure them again. Removes what is private."""
    content = load(path)
    context = content["context"]
    context.pop("host_name", None)
    context["executable"] = f"{name}_bench"
    context["command"] = shlex.join([f"{name}_bench", *words])
    context["cpu"] = cpu_name()
    context["system"] = f"{platform.system()} {platform.machine()}"
    context["commit"] = commit()
    context |= facts
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def cpu_name() -> str:
    try:
        found = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.M)
    except OSError:
        found = None
    return found.group(1) if found else platform.processor()


def file_system(folder: pathlib.Path) -> str:
    """The type of the file system that a folder is on; empty if `df` does not tell."""
    try:
        told = subprocess.run(["df", "--output=fstype", str(folder)], capture_output=True, text=True, check=False).stdout.split()
    except OSError:
        return ""
    return told[-1] if told else ""


def commit() -> str:
    """The short hash of the commit, with + if files differ from it; empty outside of a repository."""

    def git(*words: str) -> str:
        try:
            return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False).stdout.strip()
        except OSError:
            return ""

    return git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")


def compiler(build: pathlib.Path, source: str) -> dict[str, str]:
    """The version and flags of the compiler, for a source file."""
    try:
        commands = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        words = shlex.split(next(entry["command"] for entry in commands if pathlib.Path(entry["file"]).name == source))
    except (OSError, StopIteration):
        return {}
    if words[0].endswith("ccache"):
        words = words[1:]
    version = subprocess.run([words[0], "--version"], capture_output=True, text=True, check=False).stdout.splitlines()
    flags = [word for word in words[1:] if re.match(r"-(O|f(?!diagnostics|visibility)|m|D(?!REGRAFT_DATA)|std=)", word)]
    return {"compiler": version[0] if version else words[0], "flags": " ".join(flags)}


def list_runs(path: pathlib.Path) -> bool:
    """Prints a line per benchmark. Returns whether one reported an error."""
    failed = False
    for run in lines(path)[1]:
        if "error" in run:
            failed |= not run["error"].startswith(STOPPED)
            print(f"  {run['name']:<60} {run['error']}")
            continue
        counters = ", ".join(f"{key} {plot.in_words(number)}" if key.startswith("s_per_") else f"{key} {number:.6g}"
                             for key, number in run.items() if key not in compact.KEYS and isinstance(number, (int, float)))
        print(f"  {run['name']:<60} {run['median']:>12.4g} {run['unit']}  {counters}")
    return failed


def compare_families(path: pathlib.Path) -> None:
    """Prints a line per family, if there is a subject to compare others with."""
    results = plot.read(path)
    if results.context.get("drawing") == "compression":
        print("\n".join(compressors.summary(results)))
        return
    if results.context.get("drawing") == "floor":
        print("\n".join(floors.summary(results)))
        return
    if results.context.get("drawing") == "programs":
        print("\n".join(programs.summary(results)))
        return
    if results.context.get("drawing") == "search":
        print("\n".join(searches.summary(results)))
        return
    for family, algorithms in results.families.items():
        if line := compare(results, algorithms):
            print(f"{family}: {line}")


def compare(results: plot.Results, algorithms: dict[str, list[plot.Point]]) -> str:
    """The time of the subject, and how many times as long the others take; empty without a subject."""
    subject = results.context.get("subject", "")
    # Keys sort by size first. All else that a name says must be the same.
    ours = {(point.size, point.arguments): point for point in algorithms.get(subject, [])}
    others = {name: {(point.size, point.arguments): point for point in points} for name, points in algorithms.items() if name != subject}
    reached = [key for points in others.values() for key in points if key in ours]
    if not ours:
        return ""
    key = max(reached, default=max(ours))
    size, point = key[0], ours[key]
    each = plot.in_words(point.seconds / size)
    parts = [f"{rounded(size)} {results.context.get('unit', '')} {plot.in_words(point.seconds)} ({each} each)"]
    for name, points in others.items():
        if key in points:
            other = points[key]
            parts.append(f"{results.label(name)} {'' if other.finished else '> '}{plot.in_words(other.seconds)}"
                         + (f" ({other.seconds / point.seconds:.3g}x)" if other.finished else ""))
        elif points:
            last = max(points.values(), key=lambda p: p.size)
            parts.append(f"{results.label(name)} {'' if last.finished else '> '}{plot.in_words(last.seconds)} at {rounded(last.size)}")
    return ", ".join(parts)


def rounded(size: int) -> str:
    return f"{size:.3g}".replace("e+0", "e")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as problem:
        sys.exit(str(problem))
