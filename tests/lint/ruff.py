#!/usr/bin/env python3
"""ruff.py ROOT: every Python file keeps to the rules in pyproject.toml. Skips (77) without a ruff of the version that set-up
chooses: other versions have other rules."""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/setup"))
import choose


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    ruff = choose.right_ruff(shutil.which("ruff"), str(root / "build/venv/bin/ruff"))
    if not ruff:
        print(f"SKIPPED: ruff {choose.RUFF} is wanted, and there is none: ./run setup tries to install it")
        return 77
    return subprocess.run([ruff, "check", "--no-cache", "--quiet", "--output-format", "concise", "."], cwd=root, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
