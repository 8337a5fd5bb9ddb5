#!/usr/bin/env python3
"""Runs the benchmarks that were built. Writes the results of each program (compact.py) and a plot, and prints a summary. Then it writes one
page about everything that is in the folder of results: RESULTS/report/report.html, and report.md. The raw output of the programs, with all
repetitions, stays in BUILD/bench-raw/.

--compare OLD says in the page, and at the end of the output, what is different from earlier results. --compare-build DIR runs the programs
of another build folder, such as CHECKOUT/build-bench, and ours by turns, which tells differences from noise best. search runs each of its
searches by turns, and takes no --turns.

A benchmark is named ALGORITHM/FAMILY/SIZE:N/...; its program may put into the context of its JSON
  subject  the algorithm that the summary compares all others with: a line per family, at the largest size that others reach
  unit     what SIZE counts, for that line
  labels   the names of algorithms in text, as "algorithm=label,..."
  clock    real_time (default) or cpu_time: the time that is compared and drawn
  drawing  what is compared and drawn in place of times: bytes and speeds (compression: compressors.py), times over that of MPI alone
           (floor: floors.py), likelihoods of trees (search: searches.py), what surviving costs (programs: programs.py), the phases of
           recoveries (recovery: recoveries.py), or nothing (none)
The error "did not finish N UNIT in T s" is a measurement. Any other error is a failure.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import compact
import plot
import where
from drawings import compressors, floors, programs, recoveries, searches
from job import Job, job_of
from results import STOPPED, Broken, lines, load

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "report"))
import compare  # noqa: E402
import machine  # noqa: E402
import report  # noqa: E402

SHORT = ["--benchmark_min_time=0.01"]
FULL = ["--benchmark_repetitions=10", "--benchmark_min_time=0.1"]
# These programs take other arguments.
SPECIAL = {
    "matching": {
        "short": ["--benchmark_min_time=0.01", "--limit=1", "--benchmark_filter=/blocks:10000/|^(min|BM|ford).*/blocks:100000/"],
        "full": ["--benchmark_repetitions=5", "--benchmark_min_time=0.1", "--limit=10"],
    },
    "schedule": {"full": ["--benchmark_repetitions=5", "--benchmark_min_time=0.1", "--large"]},
    "msa": {"short": ["--short", "--benchmark_min_time=0.02"], "full": ["--benchmark_repetitions=3", "--benchmark_min_time=0.05"]},
    "reassign": {"short": ["--benchmark_min_time=0.01", "--benchmark_filter=/pes:(64|400)/"]},
    "store": {"short": ["--short"], "full": []},
    "sums": {"short": ["--short"], "full": ["--benchmark_repetitions=5"]},
    "snapshot": {"short": ["--short"], "full": []},
    "agree": {"short": ["--short"], "full": ["--benchmark_repetitions=5"]},
    "messages": {"short": ["--short"], "full": []},
    "store_disk": {"short": ["--short"], "full": []},
    "likelihood": {"short": ["--benchmark_min_time=0.01", "--benchmark_filter=/patterns:10000/|(avx.*|memcpy)/traversal_4/"],
                   "full": ["--benchmark_repetitions=10", "--benchmark_min_time=0.1"]},
    "scale": {"short": ["--short", "--benchmark_min_time=0.01"], "full": ["--benchmark_repetitions=3", "--benchmark_min_time=0.05"]},
}


TAKES_FILES = ["msa"]
# These are MPI jobs, on so many ranks.
JOBS = {"store": {"short": [4, 8, 16], "full": [2, 4, 8, 16]}, "sums": {"short": [1, 2], "full": [1, 2, 4]},
        "snapshot": {"short": [4, 8], "full": [4, 8, 16]}, "agree": {"short": [2, 4, 8, 16], "full": [2, 4, 8, 16, 32]},
        "messages": {"short": [1, 2, 4, 8, 16], "full": [1, 2, 4, 8, 16, 32]}, "store_disk": {"short": [4], "full": [1, 2, 4]}}
# On so many ranks a quick look measures only what the simulator is compared with.
SHORT_FILTERS = {("store", 16): "^(first_submit|load_one_known|repair)/mod_k/.*/collective"}
# These jobs write files into a folder that they are given.
TAKES_FOLDER = ["store_disk"]
# Peers in Python: the package from PyPI, and the tool that measures it on the files that --write-edges=FOLDER leaves.
PYTHON_PEERS = {"schedule": {"package": "rustworkx", "tool": "measured/rustworkx_rounds.py",
                             "short": ["--repetitions=1"], "full": ["--repetitions=3"]}}
# These tools measure regraft-phylo. They take long, so they run only if they are named, or in a quick look.
TOOLS = {"search": "search_bench.py", "phylo-scale": "phylo_scale_bench.py", "phylo-bootstrap": "phylo_bootstrap_bench.py",
         "phylo-checkpoints": "phylo_checkpoints_bench.py", "phylo-ranks": "phylo_ranks_bench.py"}
# This tool measures regraft-msa on alignments of a generator. It runs only if it is named, too.
GENERATED = {"msa-scale": "msa_scale_bench.py"}
# This tool measures the examples. At full size it runs only if it is named.
EXAMPLES = {"programs": "programs_bench.py"}
# These tools run their program as jobs of their own. ulfm runs that of the shield.
TOOLS_OF_JOBS = {"recovery": "recovery_bench.py", "shield": "shield_bench.py", "ulfm": "shield_bench.py"}
# This tool measures the Python package. At full size it runs only if it is named.
PYTHON = {"python": "python_bench.py"}
QUICK_TOOLS = [*EXAMPLES, *PYTHON, "phylo-checkpoints"]  # in a quick look
TAKES_SETS = ["search", "phylo-bootstrap"]
TAKES_BUILD = ["search"]  # runs another build of its program by turns itself
TAKES_MPIRUN = ["phylo-ranks"]
# These run on several nodes, too. All others compute on one core, or need one clock or one file system.
ON_NODES = ["messages", "agree", "store", "sums", "snapshot"]
PHYLO = "apps/phylo/regraft-phylo"  # in a build folder


class Build:
    """The programs of a build folder, by the names of benchmarks."""

    def __init__(self, programs_folder: pathlib.Path, mpirun: str | None):
        self.folder = programs_folder.resolve().parent
        self.built = {file.name.removesuffix("_bench"): file for file in sorted(programs_folder.glob("*_bench"))
                      if os.access(file, os.X_OK) and file.is_file()}
        if "shield" in self.built:
            self.built["ulfm"] = self.built["shield"]
        self.shield = self.place("lib/shield/calls", "libdir", "libregraft_shield.so")
        if not self.shield.exists():
            self.built.pop("shield", None)
        if not mpirun:
            self.built = {name: file for name, file in self.built.items() if name not in {*JOBS, *TOOLS_OF_JOBS}}
        self.phylo, self.msa = self.place("apps/phylo", "bindir", "regraft-phylo"), self.place("apps/msa", "bindir", "regraft-msa")
        self.generator, self.examples = programs_folder / "surveillance", self.folder / "examples"
        self.slow_reductions = programs_folder / "libslow_reductions.so"
        self.tools = GENERATED if self.msa.exists() and self.generator.exists() else {}
        self.tools = self.tools | (TOOLS if where.CHECKOUT and self.phylo.exists() else {})
        self.tools = self.tools | (EXAMPLES if mpirun and (self.examples / "stencil").exists() else {})
        self.python = self.folder / "bindings/python"
        if mpirun and where.CHECKOUT and any(self.python.glob("regraft/_mpi*.so")) and mpi4py_of(self.folder) is not None:
            self.tools = self.tools | PYTHON

    def place(self, of_build: str, of_installation: str, name: str) -> pathlib.Path:
        """A file in a build folder, or in the installation."""
        return (self.folder / of_build if where.CHECKOUT else where.folder(of_installation)) / name

    def has(self, name: str) -> bool:
        return name in self.built or name in self.tools

    def all_names(self) -> list[str]:
        return [*self.built, *self.tools]

    def by_default(self, short: bool, job: Job) -> list[str]:
        """What runs if nothing is named. At full size the examples take long."""
        if job.is_of_nodes:
            return [name for name in ON_NODES if name in self.built]
        return [*self.built, *(name for name in QUICK_TOOLS if short and name in self.tools)]

    @property
    def plan(self) -> pathlib.Path | None:
        """The program regraft-plan."""
        file = self.place("apps/plan", "bindir", "regraft-plan")
        return file if file.exists() else None


def mpi4py_of(build: pathlib.Path) -> str | None:
    """The folder in which the interpreter finds mpi4py, as ./run setup has chosen it; None if there is none."""
    for file in (build / "setup/mpi.ini", build.parent / "build/setup/mpi.ini"):
        if file.exists() and (found := re.search("mpi4py_folder = '(.+)'", file.read_text(encoding="utf-8"))):
            return found[1]
    return None


def h5py_of(build: pathlib.Path | None) -> str:
    """A folder in which only h5py is, for the interpreter of the package and its NumPy. Empty, and it says so, if there is none."""
    if not build:
        return ""
    folder = build.resolve() / "peers"
    if not (folder / "h5py").is_dir():
        words = ["install", "--quiet", "--no-deps", "--only-binary", ":all:", "--target", str(folder), "h5py"]
        try:
            subprocess.run([build.resolve() / "venv/bin/pip", *words], capture_output=True, check=True, timeout=120)
        except (OSError, subprocess.SubprocessError):
            print("  without h5py: it could not be installed")
            return ""
    return str(folder)


def installed_programs() -> pathlib.Path | None:
    return where.folder("libexecdir") / "regraft" if where.INSTALLED else None


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, required=bool(where.CHECKOUT), default=installed_programs(),
                        help="folder of the programs, which are named *_bench (default: that of the installation)")
    parser.add_argument("--results", type=pathlib.Path, required=True, help="folder for JSON and SVG; bench/results/MACHINE to keep them")
    parser.add_argument("--short", action="store_true", help="a quick look: small sizes, little time, one repetition")
    parser.add_argument("--mpirun", help="starts benchmarks that are MPI jobs; without it they are left out")
    parser.add_argument("--host", metavar="HOST:N,...",
                        help="measure on these nodes, with up to N ranks on each; inside a job of a batch system, its nodes are found")
    parser.add_argument("--hostfile", metavar="FILE", help="the same; FILE has a line `HOST slots=N` for each node")
    parser.add_argument("--launch", metavar="WORDS", default="", help="more options of mpirun, as one word, such as '--bind-to none'")
    parser.add_argument("--build", type=pathlib.Path,
                        help="peers from PyPI are installed into BUILD/venv; without it, BUILD is build/ and nothing is installed")
    parser.add_argument("--folder", type=pathlib.Path, metavar="DIR",
                        help="store_disk writes into a new folder in DIR, on the disk to be measured (default: BUILD)")
    parser.add_argument("--sets", nargs="+", metavar="DIR",
                        help="data for search and phylo-bootstrap instead of their own: aln.phy, model.txt, perhaps start.nwk")
    parser.add_argument("--runs", metavar="DIR", help="these two keep in DIR what they have run, and go on from it later")
    parser.add_argument("--untuned", action="store_true", help="simulated data for search to which nothing was tuned, instead of its own")
    parser.add_argument("--starts", type=int, metavar="N", help="search makes N searches for each data set and program")
    parser.add_argument("--kept", action="store_true", help="search reports what is in --runs and runs nothing more")
    earlier = parser.add_mutually_exclusive_group()
    earlier.add_argument("--compare", type=pathlib.Path, metavar="OLD", help="earlier results to compare with: a folder, or a JSON file")
    earlier.add_argument("--compare-build", type=pathlib.Path, metavar="DIR", help="another build folder to compare with, by turns")
    parser.add_argument("--turns", type=int, default=5, metavar="N", help="how often each build runs (default: 5)")
    parser.add_argument("names", nargs="*", metavar="NAME|FILE",
                        help="runs only these (default: all); msa measures these alignments instead of its own")
    args = parser.parse_args(words)
    if args.folder and not args.folder.is_dir():
        parser.error(f"{args.folder} is no folder")
    needed = PHYLO if args.names and set(args.names) <= {*TAKES_BUILD} else "bench"
    if args.compare_build and not (args.compare_build / needed).exists():
        parser.error(f"{args.compare_build} is no build folder with what is to be compared: {args.compare_build / needed} is not there")
    if args.starts is not None and args.starts < 1:
        parser.error(f"--starts: expected at least 1, not {args.starts}")
    if args.sets and args.untuned:
        parser.error("--sets and --untuned both choose the data: expected one of them")
    if args.turns < 3:
        parser.error(f"--turns: expected at least 3, not {args.turns}: fewer turns tell no difference from noise")
    return args


def the_job(args: argparse.Namespace) -> Job:
    words = [word for option in ("host", "hostfile") if getattr(args, option) for word in (f"--{option}", getattr(args, option))]
    return job_of(args.mpirun, [*words, *shlex.split(args.launch)]) if args.mpirun else Job("")


def work_folder(args: argparse.Namespace) -> pathlib.Path:
    """Where raw output and files of benchmarks are."""
    return args.build or (where.CHECKOUT / "build" if where.CHECKOUT else args.results)


def main(words: list[str]) -> int:
    args = parse(words)
    args.job = the_job(args)
    build = Build(args.programs, args.mpirun)
    files = [name for name in args.names if not build.has(name) and pathlib.Path(name).is_file()]
    names = [name for name in args.names if name not in files] or (TAKES_FILES if files else build.by_default(args.short, args.job))
    if files and names != TAKES_FILES:
        print(f"only {TAKES_FILES[0]} takes files", file=sys.stderr)
        return 2
    if unknown := [name for name in names if not build.has(name)]:
        there_are = ", ".join(build.all_names()) or "none"
        print(f"no benchmark is called {', '.join(unknown)}; there are: {there_are}", file=sys.stderr)
        return 2
    if args.job.is_of_nodes and (alone := [name for name in names if name not in ON_NODES]):
        print(f"{', '.join(alone)}: measured on one machine only; on several nodes there are: {', '.join(ON_NODES)}", file=sys.stderr)
        return 2
    if not names:
        print("no benchmarks are built")
        return 1
    # Earlier results are read first, because they may be in the folder in which new ones are written.
    earlier = compare.samples(args.compare, names) if args.compare else None
    if earlier and not earlier.times:
        raise Broken(f"{args.compare}: no results of {', '.join(names)} are there")
    args.results.mkdir(parents=True, exist_ok=True)
    others = [name for name in names if name not in TAKES_BUILD]
    if args.compare_build:
        failed = [name for name in names if name in TAKES_BUILD and not measure(args, build, name, files, args.results)]
        more, comparison = by_turns(args, build, others, files) if others else ([], None)
        failed += more
    else:
        failed = [name for name in names if not measure(args, build, name, files, args.results)]
        good = [name for name in names if name not in failed]
        comparison = compare.compare([earlier], [compare.samples(args.results, good)]) if earlier and good else None
    if comparison:
        print("\n".join(compare.markdown(comparison)))
    written = report.write(args.results, comparison, build.plan)
    print("\n".join([*written.validation, *(f"report: {file}" for file in written.files), *written.missing]))
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed else 0


def by_turns(args: argparse.Namespace, build: Build, names: list[str], files: list[str]) -> tuple[list[str], compare.Comparison]:
    """Runs the programs of the other build and ours by turns: old new old new. Returns what failed, and what is different. The results of
    our last turn are the results."""
    other = Build(args.compare_build / "bench", args.mpirun)
    if absent := [name for name in names if not other.has(name)]:
        print(f"not in {args.compare_build}, so not compared: {', '.join(absent)}")
    folders: dict[str, list[pathlib.Path]] = {"old": [], "new": []}
    failed = []
    for turn in range(1, args.turns + 1):
        for which, programs_of_turn in (("old", other), ("new", build)):
            folder = args.results / "turns" / f"{which}-{turn}"
            folder.mkdir(parents=True, exist_ok=True)
            for file in folder.glob("*.json"):
                file.unlink()
            folders[which].append(folder)
            print(f"turn {turn} of {args.turns}, {which} ...", flush=True)
            failed += [name for name in names if name not in absent and not measure(args, programs_of_turn, name, files, folder)]
    for file in folders["new"][-1].glob("*.json"):
        (args.results / file.name).write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    olds, news = ([compare.samples(folder) for folder in folders[which]] for which in ("old", "new"))
    return list(dict.fromkeys(failed)), compare.compare(olds, news)


def measure(args: argparse.Namespace, build: Build, name: str, files: list[str], results: pathlib.Path) -> bool:
    """Runs a benchmark, writes its results and a picture, and prints them. Returns whether it went well."""
    raw, result = work_folder(args) / "bench-raw" / f"{name}.json", results / f"{name}.json"
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.unlink(missing_ok=True)
    print(f"{name} ...", flush=True)
    nodes = args.job.nodes()
    load_meanwhile = machine.Load()
    problem, source, words = run(args, build, name, files, raw)
    private = {*files, *(args.sets or [])}  # the paths of the user's files are not told
    words = [pathlib.Path(word).name if word in private else word for word in words]
    facts = machine.compiler(build.folder, source) or {key: where.INSTALLED[key] for key in ("compiler", "flags") if key in where.INSTALLED}
    facts |= load_meanwhile.facts() | ({"nodes_of_job": nodes} if nodes else {})
    if name in TAKES_FOLDER:
        facts["file_system"] = machine.file_system((args.folder or work_folder(args)).resolve())
    facts["commit"] = where.INSTALLED.get("version") or machine.commit(machine.source_of(build.folder) or where.CHECKOUT)
    if args.compare_build and name in TAKES_BUILD and (source_before := machine.source_of(args.compare_build.resolve())):
        facts["commit_before"] = machine.commit(source_before)
    problem = problem or conclude(raw, result, name, facts, words)
    if problem:
        print(problem)
        return False
    failed = list_runs(result)
    drawn = plot.plot(result, result.with_suffix(".svg"))
    print(f"results: {result}" + (f", {result.with_suffix('.svg')}" if drawn else ""))
    compare_families(result)
    return not failed


def run(args: argparse.Namespace, build: Build, name: str, files: list[str], raw: pathlib.Path) -> tuple[str, str, list[str]]:
    """Writes raw. Returns what went wrong, the source file that tells of the compiler, and the words of the command."""
    pace_name = "short" if args.short else "full"
    pace = SPECIAL.get(name, {}).get(pace_name, SHORT if args.short else FULL)
    short = ["--short"] if args.short else []
    if name in PYTHON:
        words = ["--mpi4py", mpi4py_of(build.folder) or "", "--mpirun", args.mpirun, "--peers", h5py_of(args.build), *short]
        if (beside := args.programs / "arrays_beside").exists():
            words += ["--beside", str(beside)]
        return run_tool(PYTHON[name], build.python, words, raw), "snapshot.cpp", short
    if name in EXAMPLES and name in build.tools:
        return run_tool(build.tools[name], build.examples, ["--mpirun", args.mpirun, *short], raw), "stencil.cpp", short
    if name in TOOLS_OF_JOBS:
        what = {"shield": ["--library", str(build.shield)], "ulfm": ["--ulfm"]}.get(name, [])
        source = build.built[name].name + ".cpp"
        return run_tool(TOOLS_OF_JOBS[name], build.built[name], [*what, "--mpirun", args.mpirun, *short], raw), source, short
    if name in GENERATED:
        return run_tool(GENERATED[name], build.msa, ["--generator", str(build.generator), *short], raw), "surveillance.cpp", short
    if name in build.tools:
        words = [*short, *sets_for(name, args), *data_of_search(name, args)]
        mpirun = ["--mpirun", args.mpirun, "--slow-reductions", str(build.slow_reductions)] if name in TAKES_MPIRUN else []
        return run_tool(build.tools[name], build.phylo, [*keeping(name, args), *mpirun, *words], raw), "search.cpp", words
    source = f"{name}_bench.cpp"
    if name in JOBS:
        with writable(name, (args.folder or work_folder(args)).resolve()) as folder:
            sizes = args.job.sizes(JOBS[name][pace_name], args.short)
            more = {} if args.job.is_of_nodes else filters(name, args.short)
            problem = run_job(build.built[name], sizes, [*pace, *folder], more, args.job, raw)
        return problem, source, pace
    problem = run_program([str(build.built[name]), *pace, *files], raw)
    if not problem and name in PYTHON_PEERS and where.CHECKOUT:
        problem = add_python_peer(build.built[name], PYTHON_PEERS[name], pace_name, args.build, raw)
    return problem, source, [*pace, *files]


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


def filters(name: str, short: bool) -> dict[int, list[str]]:
    """Additional options, by ranks."""
    return {ranks: [f"--benchmark_filter={words}"] for (job, ranks), words in SHORT_FILTERS.items() if short and job == name}


def run_job(program: pathlib.Path, sizes: list[int], pace: list[str], more: dict[int, list[str]], job: Job, raw: pathlib.Path) -> str:
    """Runs the same job on several numbers of ranks and writes all results into raw; returns what went wrong."""
    merged: dict = {}
    for ranks in sizes:
        print(f"  on {ranks} ranks ...", flush=True)
        launch = [*job.launch(ranks), str(program), *pace, *more.get(ranks, [])]
        if problem := run_program(launch, raw):
            return problem
        content = load(raw)
        merged = {**content, "benchmarks": merged.get("benchmarks", []) + content["benchmarks"]}
    merged["context"]["mpi"] = machine.mpi(job.mpirun)
    raw.write_text(json.dumps(merged), encoding="utf-8")
    return ""


def sets_for(name: str, args: argparse.Namespace) -> list[str]:
    return ["--sets", *args.sets] if args.sets and name in TAKES_SETS else []


def data_of_search(name: str, args: argparse.Namespace) -> list[str]:
    """The options for what search measures, besides --sets."""
    if name != "search":
        return []
    return ["--untuned"] * args.untuned + (["--starts", str(args.starts)] if args.starts else [])


def keeping(name: str, args: argparse.Namespace) -> list[str]:
    """The options for what is not to be run again, and for another build."""
    kept = ["--kept"] if args.kept and name == "search" else []
    kept += ["--compare-build", str(args.compare_build / PHYLO)] if args.compare_build and name in TAKES_BUILD else []
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

    venv = str((build or pathlib.Path("build")).resolve() / "venv/bin/python")
    if not any(map(has_it, (venv, sys.executable))) and build:
        sys.path.insert(0, str(HERE.parents[1] / "tools/setup"))
        import choose

        try:
            chooser = choose.Chooser(build.resolve())
            chooser.dir.mkdir(parents=True, exist_ok=True)
            chooser.pip_install(package)
        except (SystemExit, OSError, subprocess.CalledProcessError):
            return ""
    return next(filter(has_it, (venv, sys.executable)), "")


def conclude(raw: pathlib.Path, result: pathlib.Path, name: str, facts: dict[str, object], words: list[str]) -> str:
    """Describes raw and writes result from it; returns what went wrong."""
    try:
        describe(raw, name, facts, words)
        compact.compact(raw, result)
    except (Broken, OSError) as problem:
        return str(problem)
    return ""


def describe(path: pathlib.Path, name: str, facts: dict[str, object], words: list[str]) -> None:
    """Adds to the context the facts and all else that is needed to judge the numbers and to measure them again. Removes what is private."""
    content = load(path)
    context = content["context"]
    context.pop("host_name", None)
    context["executable"] = f"{name}_bench"
    context["command"] = shlex.join([f"{name}_bench", *words])
    context |= machine.facts()
    context |= facts
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


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
    summaries = {"compression": compressors, "floor": floors, "programs": programs, "recovery": recoveries, "search": searches}
    if (drawing := results.context.get("drawing")) in summaries:
        print("\n".join(summaries[drawing].summary(results)))
        return
    for family, algorithms in results.families.items():
        if line := beside_subject(results, algorithms):
            print(f"{family}: {line}")


def beside_subject(results: plot.Results, algorithms: dict[str, list[plot.Point]]) -> str:
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


def run_all(words: list[str]) -> int:
    """What the command does. Returns its exit code."""
    try:
        return main(words)
    except Broken as problem:
        print(problem, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(run_all(sys.argv[1:]))
