#!/usr/bin/env python3
"""headers_alone.py ROOT STAMP CXX [MPICXX]: every public header compiles when it is included first, and those of pure modules
without MPI on the include path. As C++17 each says first that C++20 is needed. The build shows that already for headers that a source of the library includes first.
MPICXX: compiler wrapper for the modules on MPI; without it these are left out.
STAMP remembers what compiled, so that only a changed header costs time."""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

ON_MPI = {"ft", "store", "checkpoint", "search"}
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)


def first_includes(root: pathlib.Path) -> set[str]:
    """What sources of the library include first."""
    found = (INCLUDE.search(source.read_text(encoding="utf-8")) for source in (root / "lib").rglob("*.cpp"))
    return {include[1] for include in found if include}


def compiles(root: pathlib.Path, compiler: str, header: pathlib.Path) -> str:
    """What the compiler says; empty if it compiles."""
    name = header.relative_to(root / "include").as_posix()
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-x", "c++", "-I", str(root / "include"), "-"]
    # Twice: the second time must be harmless.
    result = subprocess.run(command, input=f'#include "{name}"\n' * 2, capture_output=True, text=True, check=False)
    return f"{name} does not compile alone:\n{result.stderr}" if result.returncode or result.stderr else ""


def says_what_it_needs(root: pathlib.Path, compiler: str, header: pathlib.Path) -> str:
    """What a compiler for C++17 says first if that is not what is missing; empty if it is."""
    name = header.relative_to(root / "include").as_posix()
    command = [compiler, "-std=c++17", "-fsyntax-only", "-x", "c++", "-I", str(root / "include"), "-"]
    result = subprocess.run(command, input=f'#include "{name}"\n', capture_output=True, text=True, check=False)
    first = re.search(r"error: (.*)", result.stderr)
    return "" if first and "regraft needs C++20" in first[1] else f"{name} as C++17: expected that C++20 is asked for first\n{result.stderr[:500]}"


def main() -> int:
    root, stamp = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    cxx, mpicxx = sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else ""
    built = first_includes(root)
    public = sorted((root / "include").rglob("*.hpp"))
    headers = [header for header in public if header.relative_to(root / "include").as_posix() not in built]
    contents = hashlib.sha256("".join(sys.argv).encode())
    for header in public:
        contents.update(str(header).encode() + header.read_bytes())
    if stamp.exists() and stamp.read_text(encoding="ascii") == contents.hexdigest():
        print(f"{len(headers)} headers: nothing changed since they compiled")
        return 0

    def compiler_of(header: pathlib.Path) -> str:
        return mpicxx if ON_MPI & set(header.relative_to(root / "include").parts) else cxx

    jobs, all_jobs = ([(compiler_of(header), header) for header in some] for some in (headers, public))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        bad = [message for message in pool.map(lambda job: compiles(root, *job) if job[0] else "", jobs) if message]
        bad += [message for message in pool.map(lambda job: says_what_it_needs(root, *job) if job[0] else "", all_jobs) if message]
    print("\n".join(bad) or f"{len(headers)} headers compile alone; the library's own sources include {len(built)} headers first")
    if not bad:
        stamp.write_text(contents.hexdigest(), encoding="ascii")
    return 1 if bad or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
