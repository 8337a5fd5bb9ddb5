#!/usr/bin/env python3
"""Reads an .rgm file: writes the text of its alignment, or says what is in each part of the file."""
import argparse
import pathlib
import signal
import sys

from bits import FormatError
from explain import explain, steps_of
from rgm_file import NATIVE, RgmFile


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader that has enough, such as head, ends this process
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path, help="an .rgm file")
    parser.add_argument("--explain", action="store_true", help="print the parts of the file: offset, size, and what each says")
    parser.add_argument("--steps", action="store_true", help="print what is read for each site of a file of kind native")
    options = parser.parse_args()
    try:
        file = RgmFile(options.file.read_bytes())
        if options.steps and (file.holds_text or file.kind != NATIVE):
            raise FormatError("its kind is not native, and --steps prints nothing else")
        lines = explain(file) if options.explain else steps_of(file) if options.steps else None
        output = file.text() if lines is None else "".join(line + "\n" for line in lines).encode()
    except (FormatError, OSError) as error:
        sys.stderr.write(f"rgm.py: {options.file}: {error}\n")
        sys.exit(2)
    sys.stdout.buffer.write(output)


if __name__ == "__main__":
    main()
