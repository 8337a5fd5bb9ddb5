#!/usr/bin/env python3
"""Runs the tests of the Python package with another NumPy, in an environment of its own with packages from PyPI.

other_numpy.py VERSION FITS ENVIRONMENT ARGUMENT-OF-PYTEST...

FITS: if the package was built for NumPy 1 alone ("NumPy 1 alone"), it must refuse to be imported with NumPy 2. Without network, or if PyPI
has no such NumPy for this Python, the test is skipped.
"""
import pathlib
import subprocess
import sys

SKIPPED = 77


def main(version: str, fits: str, environment: pathlib.Path, tests: list[str]) -> int | str:
    python, ready = environment / "bin/python", environment / "ready"  # kept: packages are fetched once
    packages = [f"numpy=={version}.*", "pytest"]
    if not ready.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", environment], check=True)
        command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--only-binary", ":all:", "--retries", "1", *packages]
        if subprocess.run(command, check=False).returncode:
            print("SKIPPED: pip cannot install", *packages)
            return SKIPPED
        ready.touch()
    if fits == "fits" or version.startswith("1."):
        return subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests], check=False).returncode
    refused = subprocess.run([python, "-c", "import regraft"], capture_output=True, text=True, check=False).stderr
    return 0 if "ImportError: this build of regraft does not fit NumPy 2" in refused else f"not refused: {refused}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]))
