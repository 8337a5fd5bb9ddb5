"""What pip calls to make the Python package (PEP 517): meson-python, for the wheel that needs no MPI. With the setting whole=yes it calls
`./run wheel`, for the wheel of all that is installed."""
import os
import pathlib
import subprocess
from collections.abc import Mapping
from typing import Any

import mesonpy
from mesonpy import build_editable, build_sdist, get_requires_for_build_editable, get_requires_for_build_sdist

ROOT = pathlib.Path(__file__).resolve().parents[2]
Settings = dict[str, Any]

__all__ = ["build_editable", "build_sdist", "build_wheel", "get_requires_for_build_editable", "get_requires_for_build_sdist",
           "get_requires_for_build_wheel"]


def is_whole(settings: "Settings | None") -> bool:
    word = (settings or {}).get("whole", "no")
    if word not in ("yes", "no"):
        raise SystemExit(f"whole: expected yes or no, not {word!r}")
    return word == "yes"


def without_pip(env: Mapping[str, str]) -> dict[str, str]:
    """The environment in which pip was called. With pip's Meson and packages, which are for this process, `./run` would set up anew."""
    path = [folder for folder in env.get("PATH", os.defpath).split(os.pathsep) if "pip-build-env-" not in folder]
    return {name: value for name, value in env.items() if name != "PYTHONPATH"} | {"PATH": os.pathsep.join(path)}


def get_requires_for_build_wheel(config_settings: "Settings | None" = None) -> list[str]:
    """What has to be installed before; `./run wheel` brings what it needs."""
    return [] if is_whole(config_settings) else mesonpy.get_requires_for_build_wheel(config_settings)


def build_wheel(wheel_directory: str, config_settings: "Settings | None" = None, metadata_directory: "str | None" = None) -> str:
    """Makes the wheel in this folder, and returns its name."""
    if not is_whole(config_settings):
        settings = {name: value for name, value in (config_settings or {}).items() if name != "whole"}
        return mesonpy.build_wheel(wheel_directory, settings, metadata_directory)
    command = [ROOT / "run", "wheel", wheel_directory]
    done = subprocess.run(command, env=without_pip(os.environ), stdout=subprocess.PIPE, text=True, check=True)
    return pathlib.Path(done.stdout.splitlines()[-1]).name
