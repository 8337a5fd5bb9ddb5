#!/usr/bin/env python3
"""manual.py MAKER PROGRAM NAME: the man page that MAKER writes of a Python program, as groff shows it, has every word of --help, as
often as --help has it, and no others but its headings."""
import collections
import re
import shutil
import subprocess
import sys

HEADINGS = {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"}


def shown(page: str) -> list[str]:
    """The lines of a page, without those at its head and foot. Warnings of groff are errors."""
    # A line is as long as the page, so that no word is divided.
    groff = ["groff", "-man", "-Tutf8", "-ww", "-rHY=0", "-rLL=2000n", "-P-cbou"]
    done = subprocess.run(groff, input=page, capture_output=True, text=True, check=True)
    if done.stderr:
        sys.exit(f"groff: {done.stderr}")
    return [line for line in done.stdout.splitlines() if line.strip()][1:-1]


def difference(page: str, text: str, name: str) -> collections.Counter[str]:
    """How many times more, or fewer if negative, a word is on the page than in --help."""
    words = collections.Counter(word.replace("−", "-").replace("‐", "-") for line in shown(page) for word in line.split())
    purpose = text.strip().partition("\n")[0]
    words.subtract([*HEADINGS, *f"{name} - {purpose.rstrip('.')}".split()])
    words.subtract(text.strip().partition("\n")[2].split())
    return collections.Counter({word: count for word, count in words.items() if count})


def main() -> None:
    maker, program, name = sys.argv[1:]
    if not shutil.which("groff"):
        print("SKIPPED: no groff")
        sys.exit(77)
    text = subprocess.run([sys.executable, program, "--help"], capture_output=True, text=True, check=True).stdout
    page = subprocess.run([sys.executable, maker, program, name], capture_output=True, text=True, check=True).stdout
    if bad := difference(page, text, name):
        sys.exit(f"the man page of {name} has other words than --help: {dict(bad)}")
    # A check that never complains is worth nothing.
    broken = re.sub(r"^\.B .*version.*\n", "", page, flags=re.M)
    if broken == page or not difference(broken, text, name):
        sys.exit("an option that is missing is not noticed")
    if empty := re.findall(r"^\.B (.*)\n(?=\n|\.)", page.partition(".SH OPTIONS")[2], re.M):
        sys.exit(f"no meaning: {empty}")


if __name__ == "__main__":
    main()
