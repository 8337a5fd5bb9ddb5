#!/usr/bin/env python3
"""completion.py MAKER PROGRAM NAME: the completions that MAKER writes of a Python program offer the options of --help and no others, files
behind the options that take some, and the names that NAME --list writes."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FILES = {"FILE", "DIR", "PATH", "OLD"}
STAND_IN = "#!/bin/sh\n[ \"$1\" = --list ] && printf 'store\\nstore_disk\\nsums\\n'\n"


def made(maker: str, shell: str, program: str, name: str) -> str:
    return subprocess.run([sys.executable, maker, shell, program, name], capture_output=True, text=True, check=True).stdout


def offered(script: str, folder: pathlib.Path, name: str, *words: str) -> list[str]:
    """What bash offers for the last word, in a folder where the program is a stand-in."""
    (folder / "script").write_text(script, encoding="utf-8")
    line = f"source ./script; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _{name.replace('-', '_')}; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-uc", line, "bash", f"./{name}", *words], cwd=folder, capture_output=True, text=True, check=True)
    assert not done.stderr, done.stderr
    return done.stdout.split()


def main() -> None:
    maker, program, name = sys.argv[1:]
    text = subprocess.run([sys.executable, program, "--help"], capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^  (--.*?)  ", text, re.M)
    values = {word: next(iter(line.split()[len(line.split(", ")):]), "") for line in lines for word in re.findall(r"--[\w-]+", line)}
    assert {"--version", "--help"} < values.keys() and len(values) > 5, values

    fish = made(maker, "fish", program, name)
    in_fish = dict(re.findall(rf"^complete -c {name} -l (\S+)(.*) -d '.+'$", fish, re.M))
    assert {f"--{option}" for option in in_fish} == values.keys(), f"the completion for fish has {sorted(in_fish)}"
    for option, value in values.items():
        assert in_fish[option[2:]] == (" -r -F" if value in FILES else " -x" if value else ""), f"{option}: {in_fish[option[2:]]}"

    if not shutil.which("bash"):
        print("SKIPPED: no bash")
        sys.exit(77)
    bash = made(maker, "bash", program, name)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        (folder / name).write_text(STAND_IN, encoding="utf-8")
        (folder / name).chmod(0o755)
        (folder / "storage.txt").touch()
        assert set(offered(bash, folder, name, "--")) == values.keys()
        for option, value in values.items():
            if value:
                assert offered(bash, folder, name, option, "storag") == (["storage.txt"] if value in FILES else []), option
        found = offered(bash, folder, name, "sto")
        assert found == ["store", "store_disk"] if "--list" in values else "storage.txt" in found, found


if __name__ == "__main__":
    main()
