#!/usr/bin/env python3
"""Man page and completions of regraft-shield know what --help knows, and are well-formed. documentation.py PROGRAM PAGE COMPLETIONS"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def main() -> int:
    program, page, completions = map(pathlib.Path, sys.argv[1:])
    text = subprocess.run([sys.executable, program, "--help"], capture_output=True, text=True, check=True).stdout
    assert max(map(len, text.splitlines())) <= 140, text
    options = set(re.findall(r"(?:^  |, )(--[\w-]+)", text, re.M))
    policies = dict(re.findall(r"^ {6}([A-Z_]+)=(\S+)", text, re.M))
    assert len(options) >= 5 and len(policies) >= 4, text
    plain = page.read_text(encoding="utf-8").replace("\\-", "-")
    fish = (completions / "regraft-shield.fish").read_text(encoding="utf-8")
    for word in [*options, *(f"{name}={values}" for name, values in policies.items())]:
        assert word in plain, f"{word} is not in the man page"
    for option in options:
        assert f"-l {option[2:]} " in fish, f"{option} is not in the completion for fish"
    if shutil.which("groff"):
        run = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-P-c", page], capture_output=True, check=True)
        assert not run.stderr and b"S\bSY\bYN\bNO" in run.stdout, run.stderr
    if not shutil.which("bash"):
        return 0
    with tempfile.TemporaryDirectory() as folder:
        installed = pathlib.Path(folder, "regraft-shield")
        installed.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{program}' \"$@\"\n", encoding="utf-8")
        installed.chmod(0o755)

        def complete(*words: str) -> set[str]:
            script = f"source '{completions}/regraft-shield.bash'; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _regraft_shield; printf '%s\\n' \"${{COMPREPLY[@]}}\""
            env = os.environ | {"PATH": folder + os.pathsep + os.environ["PATH"]}
            done = subprocess.run(["bash", "-c", script, "bash", "regraft-shield", *words], stdout=subprocess.PIPE, check=True, env=env)
            return set(done.stdout.decode().split())

        assert options <= complete("--"), f"bash does not offer {options - complete('--')}"
        assert complete("--policy", "") == {f"{name}=" for name in policies}
        for name, values in policies.items():
            offered = set() if values == "N" else set(values.split("|"))
            assert complete("--policy", name, "=") == offered, name
            assert complete("--policy", name, "=", values[0]) == {value for value in offered if value.startswith(values[0])}, name
        assert not complete("-n", "2", "--", "--to") & options, "options behind --"
        assert "regraft-shield" in complete("-n", "2", "regraft-sh")
    return 0


if __name__ == "__main__":
    sys.exit(main())
