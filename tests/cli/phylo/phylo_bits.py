#!/usr/bin/env python3
"""The same bits with any vector instructions, threads, ranks, repeats and memory: evaluate and loglh on several data."""
import itertools
import os
import pathlib
import re
import subprocess
import sys

import phylo_job


def covering(factors: dict[str, list[str]]) -> list[dict[str, str]]:
    """Rows in which every pair of values of two factors occurs. Each row is the one with most pairs that are still missing."""
    pairs = {frozenset(pair) for a, b in itertools.combinations(factors, 2) for pair in itertools.product(*([(f, v) for v in factors[f]] for f in (a, b)))}
    rows = []
    while pairs:
        best = max(itertools.product(*([(f, v) for v in values] for f, values in factors.items())),
                   key=lambda row: sum(frozenset(pair) in pairs for pair in itertools.combinations(row, 2)))
        pairs -= {frozenset(pair) for pair in itertools.combinations(best, 2)}
        rows.append(dict(best))
    return rows


def instructions(exe: str) -> list[str]:
    told = subprocess.run([exe, "loglh", "--help"], capture_output=True, text=True, check=True).stdout
    return re.search(r"--instructions.*?\{([^}]*)\}", told, re.S)[1].split(",")


def first_sites(phylip: str, count: int) -> str:
    """Fewer taxa and sites as FASTA, because CPUs that emulate instructions are slow."""
    lines = pathlib.Path(phylip).read_text(encoding="utf-8").splitlines()[1:]
    return "".join(f">{name}\n{sequence[:count]}\n" for name, sequence in map(str.split, lines))


def run(jobs: phylo_job.Jobs, ranks: int, arguments: list[str], name: str) -> phylo_job.Result:
    job = jobs.run(ranks, arguments, timeout=100)
    job.require(job.codes == [0] * ranks, f"{name}: expected that all ranks end well")
    return job


def bits(job: phylo_job.Result) -> tuple:
    return *job.bits(), job.report["bits"]


def test(jobs: phylo_job.Jobs, args) -> None:
    dna, parts = (pathlib.Path(jobs.directory.name, name) for name in ("dna.fa", "dna.part"))
    dna.write_text(first_sites(args.msa, 300), encoding="utf-8")
    parts.write_text("HKY+FC+G4m, a = 1-300\\2\nGTR+FC, b = 2-300\\2\n", encoding="utf-8")
    data = {
        "DNA": ["--msa", str(dna), "--model", "HKY+FC+I+G4m"],
        "amino acids": ["--msa", args.protein, "--model", "LG+FC"],
        "partitions": ["--msa", str(dna), "--partitions", str(parts), "--brlen", "scaled"],
    }
    for name, files in data.items():
        start = run(jobs, 1, ["search", *files, "--spr-radius", "1"], name)
        files += ["--tree", f"{start.prefix}.bestTree"]
    rows = covering({
        "data": list(data),
        "command": ["evaluate", "loglh"],
        "ranks": ["1", "2", "3", "5"],
        "--instructions": instructions(args.exe),
        "--threads": ["1", "2", "4"],
        "--repeats": ["on", "off", "auto"],
        "--memory": ["", "least", "more"],
    })
    references = {}
    for row in rows:
        case = (row["command"], row["data"])
        arguments = [row["command"], *data[row["data"]]]
        if case not in references:
            references[case] = run(jobs, 1, [*arguments, "--threads", "1", "--repeats", "off"], str(case))
        least = int(re.search(r"--memory: at least (\d+)", references[case].output)[1])
        row["--memory"] = {"": "", "least": str(least), "more": str(2 * least)}[row["--memory"]]
        options = [word for option, word in row.items() if option.startswith("--") and word for word in (option, word)]
        name = f"{' '.join(case)}, {row['ranks']} ranks, {' '.join(options)}"
        job = run(jobs, int(row["ranks"]), [*arguments, *options], name)
        job.require(bits(job) == bits(references[case]), f"{name}: another result: {bits(job)} instead of {bits(references[case])}")
        print(f"{name}: same bits", flush=True)


if __name__ == "__main__":
    parser = phylo_job.arguments(__doc__)
    parser.add_argument("--protein", required=True, help="amino-acid alignment")
    os.environ["OMP_WAIT_POLICY"] = "passive"  # there are more threads than cores
    sys.exit(phylo_job.main(parser.parse_args(), test, needs_deaths=False))
