"""Where the laboratory finds what it starts: beside itself in a checkout, or in the installation that it belongs to."""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1] if (HERE.parents[1] / "apps/launch/launch.py").is_file() else None


def installation() -> dict[str, str]:
    """What Meson has written about the installation; folders are relative to its prefix. Empty in a checkout."""
    file = HERE / "installed.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


INSTALLED = installation()
PREFIX = HERE.parents[len(pathlib.Path(INSTALLED["datadir"]).parts) + 1] if INSTALLED else HERE


def folder(name: str) -> pathlib.Path:
    """A folder of the installation: bindir, libdir, libexecdir or datadir."""
    return PREFIX / INSTALLED[name]


def launcher(name: str = "regraft-run") -> list[str]:
    """The begin of the command line of regraft-run, or of regraft-shield."""
    if CHECKOUT:
        return [sys.executable, str(CHECKOUT / "apps/launch" / {"regraft-run": "launch.py", "regraft-shield": "shield.py"}[name])]
    return [sys.executable, str(folder("bindir") / name)]


# The modules of the launchers, regraft_run.
sys.path.append(str(CHECKOUT / "apps/launch" if CHECKOUT else folder("datadir") / "regraft"))
