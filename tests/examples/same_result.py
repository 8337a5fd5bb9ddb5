#!/usr/bin/env python3
"""An example program prints the same result in all jobs: same_result.py --exe PROGRAM ... JOB JOB...

A JOB is RANKS or RANKS=PLAN, and exactly those ranks must die that the plan names.
"""
import sys

import job


def same_result(program: job.Program, args) -> None:
    expected = ""
    for text in args.jobs:
        ranks, _, plan = text.partition("=")
        result = program.survive(int(ranks), args.options, plan)
        result.require(result.killed() == job.victims(plan), f"{text}: expected the deaths of {sorted(job.victims(plan))}")
        expected = expected or result.hash()
        result.require(result.hash() == expected, f"{text}: another result than {expected}")
        print(f"{text}: {result.hash()}", flush=True)


if __name__ == "__main__":
    parser = job.arguments(__doc__)
    parser.add_argument("jobs", nargs="+", metavar="JOB")
    parsed = parser.parse_args()
    sys.exit(job.main(parsed, same_result, needs_deaths=any("=" in text for text in parsed.jobs)))
