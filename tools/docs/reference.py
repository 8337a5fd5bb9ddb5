#!/usr/bin/env python3
"""Makes the reference of the public interface: reference.py BUILD. BUILD/docs/html has the names in C++ and C, by Doxygen from the headers,
and BUILD/docs/python the Python package, by pdoc from its docstrings.

pdoc comes from PyPI into BUILD/docs/venv. Without network its page says so. Nothing is compiled: what the package has from its extension
is there as the stub of the extension declares it.
"""
import ast
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The warnings of other versions differ. With these, warnings are errors; others make the pages all the same.
DOXYGEN = "1.9.4"
PDOC = "pdoc==16.*"
NO_MPI = """import types


class Named:
    def __repr__(self):
        return "MPI.SUM"


def load():
    return types.SimpleNamespace(SUM=Named())
"""
NO_PDOC = "<!DOCTYPE html><title>regraft</title><p>pdoc could not be installed. In Python, <code>help(regraft)</code> shows the same text."


def doxygen_version(doxygen: str) -> str:
    return subprocess.run([doxygen, "--version"], capture_output=True, text=True, check=True).stdout.split()[0]


def run_doxygen(doxygen: str, output: pathlib.Path, **settings: str) -> str:
    """Writes the pages to output/html and returns the warnings. settings: what differs from docs/Doxyfile."""
    output.mkdir(parents=True, exist_ok=True)
    settings = {"OUTPUT_DIRECTORY": str(output), **settings}
    text = (ROOT / "docs/Doxyfile").read_text(encoding="utf-8") + "".join(f"{name} = {value}\n" for name, value in settings.items())
    result = subprocess.run([doxygen, "-"], cwd=ROOT, input=text, capture_output=True, text=True, check=False)
    return result.stderr or ("" if result.returncode == 0 else f"Doxygen ended with {result.returncode}")


def with_docstrings(source: str) -> str:
    """The source of a Python module with its comments that begin with #: as docstrings behind the names: pdoc shows only these."""
    lines = source.splitlines()
    named = [node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Assign, ast.AnnAssign))]
    for node in sorted(named, key=lambda node: node.lineno, reverse=True):
        first = node.lineno - 1
        while first > 0 and lines[first - 1].strip().startswith("#:"):
            first -= 1
        if comment := " ".join(line.strip().removeprefix("#:").strip() for line in lines[first:node.lineno - 1]):
            lines.insert(node.end_lineno, " " * node.col_offset + repr(comment))
    return "\n".join(lines) + "\n"


def copy_package(folder: pathlib.Path) -> None:
    """Makes a copy of the Python package for pdoc. Its extension is what the stub declares, so nothing has to be compiled."""
    package = ROOT / "bindings/python/regraft"
    for path in package.rglob("*.py"):
        copy = folder / path.relative_to(package)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(with_docstrings(path.read_text(encoding="utf-8")), encoding="utf-8")
    version = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))
    stub = (ROOT / "bindings/python/regraft/_core.pyi").read_text(encoding="utf-8")
    text = f"from __future__ import annotations\n{stub}\n__version__ = {version[1] if version else ''!r}\n"
    (folder / "_core.py").write_text(text, encoding="utf-8")
    stub = (ROOT / "bindings/python/regraft/_mpi.pyi").read_text(encoding="utf-8")
    (folder / "_mpi.py").write_text(with_docstrings(f"from __future__ import annotations\n{stub}\n"), encoding="utf-8")
    (folder / "_mpi_library.py").write_text(NO_MPI, encoding="utf-8")


def write_python_pages(output: pathlib.Path) -> None:
    """Runs in an interpreter that has pdoc and NumPy."""
    import numpy.typing
    import pdoc
    import pdoc.render

    def named(name: str) -> type:
        return type(name, (), {"__module__": "builtins"})

    class NDArray:
        def __class_getitem__(cls, item: type) -> type:
            return named(f"NDArray[{getattr(item, '__name__', item)}]")

    # NumPy's own have long definitions instead of names.
    numpy.typing.NDArray = NDArray
    numpy.typing.ArrayLike = named("ArrayLike")
    pdoc.render.configure(show_source=False)
    with tempfile.TemporaryDirectory() as folder:
        copy_package(pathlib.Path(folder, "regraft"))
        sys.path.insert(0, folder)
        pdoc.pdoc("regraft", "regraft.mpi", output_directory=output)


def make_python_pages(build: pathlib.Path, output: pathlib.Path) -> str:
    """Returns why there are none; '' if all went well."""
    python = build / "docs/venv/bin/python"
    output.mkdir(parents=True, exist_ok=True)
    commands = [] if python.exists() else [[sys.executable, "-m", "venv", "--system-site-packages", str(build / "docs/venv")]]
    commands += [[str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet", "--retries", "1", PDOC],
                 [str(python), __file__, "--python-pages", str(output)]]
    for command in commands:
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            (output / "regraft.html").write_text(NO_PDOC, encoding="utf-8")
            return (result.stderr.strip().splitlines() or ["no reason given"])[-1]
    return ""


def main() -> int:
    if sys.argv[1] == "--python-pages":
        write_python_pages(pathlib.Path(sys.argv[2]))
        return 0
    docs = pathlib.Path(sys.argv[1]).resolve() / "docs"
    doxygen = shutil.which("doxygen")
    if not doxygen:
        print("There is no doxygen, which makes the pages from the headers.", file=sys.stderr)
        return 1
    for pages in ["html", "python"]:  # of names that are gone
        shutil.rmtree(docs / pages, ignore_errors=True)
    is_known = doxygen_version(doxygen) == DOXYGEN
    warnings = run_doxygen(doxygen, docs, **({} if is_known else {"WARN_AS_ERROR": "NO"}))
    print(warnings, end="", file=sys.stderr)
    if is_known and warnings:
        return 1
    print(f"C++ and C:  {docs}/html/index.html")
    reason = make_python_pages(docs.parent, docs / "python")
    print(f"no pages of Python: {reason}" if reason else f"Python:     {docs}/python/regraft.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
