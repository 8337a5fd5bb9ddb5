#!/usr/bin/env python3
"""Bad input and bad usage of regraft-phylo: a clear message, exit code 2 on every rank, no output, no hang."""
import os
import pathlib
import subprocess
import sys

import phylo_job

GOOD = ["--msa", "{msa}", "--model", "GTR+FC+G4m"]
FILES = {
    "empty.phy": "",
    "three.phy": "3 4\na ACGT\nb ACGT\nc ACGA\n",
    "siteless.fa": ">a\n>b\n>c\n>d\n",
    "twins.phy": "4 4\na ACGT\nb ACGT\na ACGA\nd ACGT\n",
    "short.phy": "4 4\na ACGT\nb ACG\nc ACGA\nd ACGT\n",
    "odd.phy": "4 4\na ACGT\nb AC5T\nc ACGA\nd ACGT\n",
    "huge.phy": "4000000000 4000000000\na ACGT\n",
    "small.phy": "4 4\na ACGT\nb ACGA\nc ACTT\nd AGGT\n",
    "bad.part": "GTR+FC+G4m, all = 1-898\nGTR, more = 800-900\n",
    "model.part": "GTR+FC+Q, all = 1-4\n",
    "bad.nwk": "((a,b),(c,e));",
    "cut.nwk": "((a,b),(c,d)",
}
CASES = [  # arguments, what the message must contain
    (["search"], "--msa"),
    (["search", "--msa", "{msa}"], "--model"),
    (["search", *GOOD, "--frobnicate"], "--frobnicate"),
    (["frobnicate"], "frobnicate"),
    ([], "subcommand"),
    (["search", *GOOD, "--brlen", "long"], "--brlen"),
    (["search", *GOOD, "--seed", "x"], "--seed"),
    (["search", *GOOD, "--seed", "-1"], "--seed"),
    (["search", *GOOD, "--replicas", "0"], "--replicas"),
    (["search", *GOOD, "--partitions", "{dir}/bad.part"], "--model"),
    (["loglh", *GOOD], "--tree"),
    (["search", "--msa", "{dir}/missing.phy", "--model", "JC"], "missing.phy: cannot be"),
    (["search", "--msa", "{dir}", "--model", "JC"], "{dir}"),
    (["search", "--msa", "{dir}/empty.phy", "--model", "JC"], "empty.phy"),
    (["search", "--msa", "{dir}/three.phy", "--model", "JC"], "three.phy: 3 taxa, expected at least 4"),
    (["search", "--msa", "{dir}/siteless.fa", "--model", "JC"], "siteless.fa: no sites, expected at least 1"),
    (["search", "--msa", "{dir}/twins.phy", "--model", "JC"], "twins.phy:4:1: "),
    (["search", "--msa", "{dir}/short.phy", "--model", "JC"], "short.phy:"),
    (["search", "--msa", "{dir}/odd.phy", "--model", "JC"], "odd.phy:3:5: "),
    (["search", "--msa", "{dir}/huge.phy", "--model", "JC"], "huge.phy:"),
    (["search", "--msa", "{dir}/small.phy", "--model", "GTR+FC+I"], "'+I' is unknown"),
    (["search", "--msa", "{dir}/small.phy", "--model", "LG+FC+G4m+"], "unknown"),
    (["search", "--msa", "{dir}/small.phy", "--partitions", "{dir}/bad.part"], "bad.part:1:"),
    (["search", "--msa", "{dir}/small.phy", "--partitions", "{dir}/model.part"], "model.part: partition all: model 'GTR+FC+Q'"),
    (["search", "--msa", "{dir}/small.phy", "--partitions", "{dir}/none.part"], "none.part"),
    (["evaluate", "--msa", "{dir}/small.phy", "--model", "JC", "--tree", "{dir}/bad.nwk"], "bad.nwk:1:"),
    (["evaluate", "--msa", "{dir}/small.phy", "--model", "JC", "--tree", "{dir}/cut.nwk"], "cut.nwk:1:"),
    (["evaluate", "--msa", "{dir}/small.phy", "--model", "JC", "--tree", "{dir}/none.nwk"], "none.nwk"),
    (["search", *GOOD, "--fail", "nowhere:0:0"], "no point named 'nowhere'"),
    (["search", *GOOD, "--fail", "spr:inside"], "expected point:rank:occurrence"),
    (["search", *GOOD, "--fail", "spr:inside:99:0"], "there is no rank 99 among"),
    (["search", *GOOD, "--fail", "random:1"], "expected random:SEED:COUNT"),
    (["search", *GOOD, "--fail", "random:1:5"], "at least one survives"),
]


def refused(jobs: phylo_job.Jobs, args) -> None:
    directory = pathlib.Path(jobs.directory.name)
    for name, text in FILES.items():
        (directory / name).write_text(text, encoding="utf-8")
    fill = {"msa": args.msa, "dir": str(directory)}
    for number, (arguments, message) in enumerate(CASES):
        ranks = 1 if number % 2 else 5
        case = " ".join(arguments)
        result = jobs.run(ranks, [argument.format(**fill) for argument in arguments])
        result.require(result.codes == [2] * ranks, f"{case}: expected exit code 2 on all ranks")
        result.require(message.format(**fill) in result.output, f"{case}: expected a message with '{message}'")
        result.require(result.output.count("regraft-phylo:") == 1, f"{case}: expected one message, not one per rank")
        result.require(not list(directory.glob("job*")), f"{case}: left files behind")
        print(f"{case}: {result.output.split('regraft-phylo:')[1].strip().splitlines()[0]}")


def outputs(jobs: phylo_job.Jobs, args) -> None:
    """What is there is kept without --redo; what cannot be written is said."""
    first = jobs.search(2)
    bits = first.bits()
    again = jobs.run(2, ["evaluate", "--msa", args.msa, "--model", "JC"], prefix=first.prefix)
    again.require(again.codes == [2, 2] and "exists already" in again.output, "expected a refusal to overwrite")
    again.require(again.bits() == bits, "a refused run has changed the output")
    redo = jobs.run(2, ["evaluate", "--msa", args.msa, "--model", "JC", "--redo"], prefix=first.prefix)
    redo.require(redo.codes == [0, 0] and redo.bits() != bits, "expected that --redo overwrites")
    nowhere = jobs.run(2, ["loglh", "--msa", args.msa, "--model", "JC", "--tree", f"{first.prefix}.bestTree"], prefix=pathlib.Path("/proc/none/x"))
    nowhere.require(nowhere.codes == [2, 2] and "cannot be written" in nowhere.output, "expected that an unwritable prefix is said")
    leftovers = [path.name for path in pathlib.Path(jobs.directory.name).iterdir() if path.suffix == ".tmp"]
    first.require(not leftovers, f"temporary files left: {leftovers}")


def alone(jobs: phylo_job.Jobs, args) -> None:
    """Without a launcher it is a job of one rank."""
    prefix = f"{jobs.directory.name}/alone"
    for arguments, expected in ((["--help"], "search"), (["search", "--help"], "--fail"), (["points"], "spr:inside")):
        run = subprocess.run([args.exe, *arguments], capture_output=True, text=True, check=False)
        assert run.returncode == 0 and expected in run.stdout and not run.stderr, (arguments, run)
    command = [args.exe, "search", "--msa", args.msa, "--model", "GTR+FC+G4m", "--spr-radius", "2", "--prefix", prefix]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1"))
    assert run.returncode == 0 and not run.stderr, run
    assert pathlib.Path(f"{prefix}.bestTree").read_text(encoding="utf-8") == jobs.search(3).bits()[0]


def all_cases(jobs: phylo_job.Jobs, args) -> None:
    refused(jobs, args)
    outputs(jobs, args)
    alone(jobs, args)


if __name__ == "__main__":
    sys.exit(phylo_job.main(phylo_job.arguments(__doc__).parse_args(), all_cases, needs_deaths=False))
