#!/usr/bin/env python3
"""What pip is given: meson-python's wheel, or with whole=yes that of ./run wheel. Both are stood in for."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

BACKEND = pathlib.Path(__file__).resolve().parents[3] / "tools/package/backend.py"
RUN = """#!/bin/sh
test "$1" = wheel && test -z "$PYTHONPATH" && test "$PATH" = /usr/bin:/bin || exit 3
echo "what is said before"
echo "$2/regraft-9-py3-none-any.whl"
"""
MESONPY = """
def build_wheel(folder, settings, metadata):
    return f"small {sorted(settings.items())}"
def get_requires_for_build_wheel(settings):
    return ["ninja"]
build_editable = build_sdist = get_requires_for_build_editable = get_requires_for_build_sdist = None
"""
ASKED = {
    "backend.build_wheel('out')": "small []",
    "backend.build_wheel('out', {'whole': 'no', 'setup-args': '-Da=b'})": "small [('setup-args', '-Da=b')]",
    "backend.build_wheel('out', {'whole': 'yes'})": "regraft-9-py3-none-any.whl",
    "backend.get_requires_for_build_wheel()": "['ninja']",
    "backend.get_requires_for_build_wheel({'whole': 'yes'})": "[]",
    "backend.build_wheel('out', {'whole': 'ja'})": "",
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        tools = pathlib.Path(folder, "tools/package")
        tools.mkdir(parents=True)
        shutil.copy(BACKEND, tools)
        (tools / "mesonpy.py").write_text(MESONPY, encoding="ascii")
        run = pathlib.Path(folder, "run")
        run.write_text(RUN, encoding="ascii")
        run.chmod(0o755)
        for question, answer in ASKED.items():
            done = subprocess.run([sys.executable, "-c", f"import backend; print({question})"], env={"PYTHONPATH": str(tools), "PATH": "/tmp/pip-build-env-x/bin:/usr/bin:/bin"},
                                  capture_output=True, text=True, check=False)
            print(question, "->", done.stdout.strip() or done.stderr.strip())
            if done.stdout.strip() != answer or (done.returncode == 0) == (answer == ""):
                sys.exit(f"expected {answer!r}\n{done.stderr}")


main()
