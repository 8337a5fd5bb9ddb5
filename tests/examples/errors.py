#!/usr/bin/env python3
"""An example program whose command line is wrong says so once, with exit code 2 on all ranks, and does nothing; --help works."""
import sys

import job

WRONG = {  # options: what must be printed
    "--nonsense": "--nonsense",
    "--size 0": "--size: Value 0 not in range",
    "--size -5": "--size",
    "--steps 1e3": "--steps",
    "--steps": "--steps",
    "--size 99999999999999999999": "--size",
    "--fail nothing:0:0": "--fail: failure plan: 'nothing:0:0': there is no point named 'nothing'",
    "--fail agree:inside": "--fail: failure plan",
    "--fail agree:inside:3:0": "--fail: there is no rank 3, expected one below 3",
}


def errors(program: job.Program, args) -> None:
    for options, said in WRONG.items():
        result = program.run(3, options.split())
        result.require(result.codes == [2, 2, 2] and not result.cut_short, f"'{options}': expected exit code 2")
        result.require(result.output.count(said) == 1, f"'{options}': expected once: {said}")
        result.require("result" not in result.output, f"'{options}': expected no result")
    helped = program.run(2, ["--help"])
    helped.require(helped.codes == [0, 0] and helped.output.count("--seed") == 1, "--help")


if __name__ == "__main__":
    sys.exit(job.main(job.arguments(__doc__).parse_args(), errors, needs_deaths=False))
