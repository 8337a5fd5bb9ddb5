#!/usr/bin/env python3
"""The commands in examples/README.md do what it says: readme.py ROOT BUILD ... Every program of the folder is in its table and among
the commands; those on ranks end with the same result as without deaths on one rank, and the ranks that --fail names die."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import job


def without_deaths(words: list[str]) -> list[str]:
    if "--fail" in words:
        at = words.index("--fail")
        return words[:at] + words[at + 2 :]
    return words


def run_on_ranks(words: list[str], args) -> None:
    """words: the command line behind ./run mpi."""
    assert words[0] == "-n", words
    ranks, name, options = int(words[1]), words[2], words[3:]
    args.exe = str(args.build / "examples" / name)
    program = job.Program(args)
    plan = options[options.index("--fail") + 1] if "--fail" in options else ""
    result = program.survive(ranks, options)
    if name in ("survive", "search"):  # their rank 1 dies by itself, and they say how many ranks are left
        result.require("3 of 4 ranks" in result.output and result.killed() == {1}, name)
        return
    result.require(result.killed() == job.victims(plan), f"expected the deaths of {job.victims(plan)}")
    alone = program.survive(1, without_deaths(options))
    result.require(result.hash() == alone.hash(), f"another result than {alone.hash()} on one rank")


def run_shielded(words: list[str], plan: str, args) -> None:
    """words: the command line behind ./run mpi --shield. The ranks that the plan names are dead at the end."""
    library = args.build / "lib/shield/calls/libregraft_shield.so"
    command = [sys.executable, str(args.root / "apps/launch/shield.py"), "--mpirun", args.mpirun, "--library", str(library), *words]
    done = subprocess.run(command, env=os.environ | {"REGRAFT_FAIL": plan}, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    assert re.search(r"^result ", done.stdout, re.M), "no result"
    dead = re.search(r"dead: ranks? ([\d, ]+) of", done.stderr)
    assert (set(map(int, dead[1].split(", "))) if dead else set()) == job.victims(plan), f"expected the deaths of {job.victims(plan)}"


def readme(args) -> None:
    text = (args.root / "examples/README.md").read_text(encoding="utf-8")
    commands = [line for block in re.findall(r"^```\n(.*?)^```", text, re.M | re.S) for line in block.splitlines()]
    sources = [file for file in (args.root / "examples").iterdir() if file.suffix in (".cpp", ".c", ".f90")]
    programs = {file.name for file in sources if re.search(r"^int main\(|^program ", file.read_text(encoding="utf-8"), re.M)}
    rows = re.findall(r"^\| \[.*?\|", text, re.M)
    listed = set(re.findall(r"\]\((.*?)\)", " ".join(rows)))
    assert listed == programs, f"in the table or in the folder, but not in both: {listed ^ programs}"
    for program in programs:
        name = program.removesuffix(".cpp")
        name = name.replace(".c", "_c" if name.replace(".c", ".cpp") in programs else "")
        assert name.endswith(".f90") or any(name in re.split(r"[ /]", command) for command in commands), f"no command runs {name}"
        lines = (args.root / "examples" / program).read_text(encoding="utf-8").count("\n")
        assert lines <= 201, f"{program} has {lines} lines"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.symlink(args.root / "data", "data")
        os.symlink(args.build, "build")
        for command in commands:
            words = shlex.split(command)
            plan = words.pop(0).removeprefix("REGRAFT_FAIL=") if words[0].startswith("REGRAFT_FAIL=") else ""
            shielded = words[:3] == ["./run", "mpi", "--shield"]
            name = pathlib.Path(words[5] if shielded else words[4] if words[:2] == ["./run", "mpi"] else words[0]).name
            if name not in args.built:
                print(f"not built: {command}")
            elif shielded:
                run_shielded(words[3:], plan, args)
                print(f"done: {command}", flush=True)
            elif words[:2] == ["./run", "mpi"]:
                run_on_ranks(words[2:], args)
                print(f"done: {command}", flush=True)
            else:
                subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
                print(f"done: {command}", flush=True)
        assert "stencil" not in args.built or pathlib.Path("flow.png").stat().st_size > 1000
        os.chdir("/")


if __name__ == "__main__":
    parser = job.arguments(__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--built", type=str.split, help="names of programs")
    parsed = parser.parse_args()
    sys.exit(job.main(parsed, lambda _, arguments: readme(arguments), needs_deaths=True))
