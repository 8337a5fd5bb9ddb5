"""Options and results of benchmarks that are written in Python. The results are as Google Benchmark writes them, for compact.py."""
import argparse
import datetime
import json
import os
import pathlib


def options(description: str, program: str, short: str, smoke: str = "the least that there is") -> argparse.ArgumentParser:
    """A parser of --program and --out, and of --short and --smoke, which set `pace` to short or smoke in place of full. The arguments
    are the help texts."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True, help=program)
    parser.add_argument("--out", type=pathlib.Path, required=True, help="raw JSON of what was measured")
    pace = parser.add_mutually_exclusive_group()
    pace.add_argument("--short", dest="pace", action="store_const", const="short", default="full", help=f"a quick look: {short}")
    pace.add_argument("--smoke", dest="pace", action="store_const", const="smoke", help=f"for a test: {smoke}")
    return parser


def record(name: str, time_unit: str, **measured) -> dict:
    """The record of one run. measured: real_time and cpu_time in that unit, and counters by their names; or the error."""
    return {"name": name, "time_unit": time_unit, **measured}


def write(file: pathlib.Path, context: dict, records: list[dict]) -> None:
    now = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    context = {"date": now, "num_cpus": os.cpu_count(), **context}
    file.write_text(json.dumps({"context": context, "benchmarks": records}, indent=1) + "\n", encoding="utf-8")
