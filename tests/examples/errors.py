#!/usr/bin/env python3
"""An example program whose command line is wrong says so once, with exit code 2 on all ranks, and does nothing; --help works. It names
the option also if a folder turns out to have no room."""
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
NO_ROOM = {"--keep /proc": "--keep /proc: /proc/regraft-errors/"}  # nobody can make a folder there


def errors(program: job.Program, args) -> None:
    helped = program.run(2, ["--help"])
    helped.require(helped.codes == [0, 0] and helped.output.count("--seed") == 1, "--help")
    for options, said in (WRONG | (NO_ROOM if "--keep" in helped.output else {})).items():
        result = program.run(3, options.split(), {"REGRAFT_JOB": "errors"})
        result.require(result.codes == [2, 2, 2] and not result.cut_short, f"'{options}': expected exit code 2")
        result.require(result.output.count(said) == 1, f"'{options}': expected once: {said}")
        result.require("result" not in result.output, f"'{options}': expected no result")
        if "--keep" in options:
            result.require("name another folder" in result.output, "expected what to do")


if __name__ == "__main__":
    sys.exit(job.main(job.arguments(__doc__).parse_args(), errors, needs_deaths=False))
