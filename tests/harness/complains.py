#!/usr/bin/env python3
"""complains.py TEXT COMMAND...: passes if the command fails (exit code 1) and prints TEXT. For tests of the tests."""
import subprocess
import sys

text, *command = sys.argv[1:]
result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
print(result.stdout)
complained = result.returncode == 1 and text in result.stdout
print(f"{'complained' if complained else 'did NOT complain'} as it should: {text} (exit code {result.returncode})")
sys.exit(0 if complained else 1)
