#!/usr/bin/env python3
"""refused.py ROOT CONCEPT FILE CXX...: FILE compiles, and with -DMISTAKE it does not, for the reason that CONCEPT is not fulfilled."""
import re
import subprocess
import sys

root, concept, file, *compiler = sys.argv[1:]
command = [*compiler, "-std=c++20", "-fsyntax-only", "-I", f"{root}/include", "-I", f"{root}/lib", file]
good = subprocess.run(command, capture_output=True, text=True, check=False)
bad = subprocess.run([*command, "-DMISTAKE"], capture_output=True, text=True, check=False)
print(good.stderr, bad.stderr)
if good.returncode:
    sys.exit("expected that it compiles without the mistake")
if not bad.returncode or not re.search(rf"(satisfaction of|satisfy) \W?{concept}\b", bad.stderr):
    sys.exit(f"expected that the mistake is refused by the concept {concept}")
