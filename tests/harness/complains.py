#!/usr/bin/env python3
"""complains.py [--once] TEXT COMMAND...: passes if the command fails (exit code 1) and prints TEXT. For tests of the tests. --once: not twice,
and without MPI's report of where ranks were."""
import subprocess
import sys

once = sys.argv[1] == "--once"
text, *command = sys.argv[2 if once else 1:]
result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
print(result.stdout)
complained = result.returncode == 1 and text in result.stdout
if once:
    complained = complained and result.stdout.count(text) == 1 and "Process received signal" not in result.stdout
print(f"{'complained' if complained else 'did NOT complain'} as it should: {text} (exit code {result.returncode})")
sys.exit(0 if complained else 1)
