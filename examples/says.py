#!/usr/bin/env python3
"""says.py TEXT COMMAND...: passes if the command succeeds and prints a line TEXT."""
import subprocess
import sys

text, *command = sys.argv[1:]
result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
print(result.stdout)
sys.exit(0 if result.returncode == 0 and text in result.stdout.splitlines() else 1)
