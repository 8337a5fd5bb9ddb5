#!/usr/bin/env python3
"""count_tests.py LOG: reads Meson's testlog.json, says why tests were skipped and which failed, and ends with the line
'N passed, N failed, N skipped'. The exit code is 1 if a test failed or none ran."""
import json
import pathlib
import sys

PASSED = {"OK", "EXPECTEDFAIL"}


def main() -> int:
    log = pathlib.Path(sys.argv[1])
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    tests = [json.loads(line) for line in lines]
    skipped = [test for test in tests if test["result"] == "SKIP"]
    failed = [test for test in tests if test["result"] not in PASSED | {"SKIP"}]
    for test in skipped:
        said = test.get("stdout", "").strip().splitlines()
        reason = next((line for line in said if "SKIP" in line), said[-1] if said else "no reason given")
        print(f"skipped {test['name']}: {reason.removeprefix('SKIPPED: ')}")
    for test in failed:
        print(f"failed {test['name']}: {test['result']}")
    print(f"{len(tests) - len(failed) - len(skipped)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
