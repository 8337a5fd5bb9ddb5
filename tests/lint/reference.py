#!/usr/bin/env python3
"""reference.py ROOT: docs/reference.md names every public header, and every public name is documented: of the headers, as Doxygen sees
them, and of the Python package. Without Doxygen of the version that set-up installs, only the page and the Python package are checked, and
the test is skipped (77)."""
import ast
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tools/docs"))
import reference  # noqa: E402

UNDOCUMENTED = """// A header in which two names have no comment.
#pragma once

namespace regraft {

/// A struct that has one.
struct Shown {
    int told = 0;  // a comment behind a member
    int untold = 0;
    friend bool operator==(Shown const&, Shown const&) = default;
};

void untold_function();

}  // namespace regraft
"""


HEADER = re.compile(r"\bregraft(?:_\w+)?(?:/\w+)*\.(?:hpp|h)\b")


def differences(page: str, headers: set[str]) -> list[str]:
    """headers: their paths below include. What is missing on the page that says which header to open, and what it names in vain."""
    named = set(HEADER.findall(page))
    return [f"{header} is not named" for header in sorted(headers - named)] + [f"{header} is not there" for header in sorted(named - headers)]


def undocumented(source: str) -> list[str]:
    """The public names of a Python module without a docstring or a comment that begins with #:."""
    lines = source.splitlines()
    found = []

    def visit(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                is_overload = any(isinstance(decorator, ast.Name) and decorator.id == "overload" for decorator in node.decorator_list)
                if not node.name.startswith("_") and not is_overload:
                    if not ast.get_docstring(node):
                        found.append(prefix + node.name)
                    if isinstance(node, ast.ClassDef):
                        visit(node.body, f"{node.name}.")
            elif prefix and isinstance(node, ast.AnnAssign) and not node.target.id.startswith("_"):
                if not lines[node.lineno - 2].strip().startswith("#:"):
                    found.append(prefix + node.target.id)

    visit(ast.parse(source).body, "")
    return found


def untold_of_others(source: str) -> list[str]:
    """The public functions of a Python module, but for properties, whose docstring does not say whether they are collective."""
    tree = ast.parse(source)
    bodies = [("", tree.body)] + [(f"{node.name}.", node.body) for node in tree.body if isinstance(node, ast.ClassDef)]
    return [prefix + node.name for prefix, body in bodies for node in body if isinstance(node, ast.FunctionDef)
            if not node.name.startswith("_") and not node.decorator_list and "ollective" not in (ast.get_docstring(node) or "")]


def warnings(doxygen: str, **settings: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        return reference.run_doxygen(doxygen, pathlib.Path(folder), **settings)


def self_test(doxygen: str) -> None:
    """Tests the checker, because one that never complains is worth nothing."""
    page = "| you want to | open |\n| plan | regraft.h, which includes regraft/c/a.h, and regraft/core/b.hpp |\n"
    assert not differences(page, {"regraft.h", "regraft/c/a.h", "regraft/core/b.hpp"})
    assert differences(page, {"regraft.h", "regraft/c/a.h", "regraft/core/c.hpp"}) == ["regraft/core/c.hpp is not named", "regraft/core/b.hpp is not there"]
    module = 'class A:\n    """Told."""\n    #: Told.\n    x: int\n    y: int\n\n    def f(self): ...\n\n\ndef g(): ...\n'
    assert undocumented(module) == ["A.y", "A.f", "g"], undocumented(module)
    told = 'class A:\n    def f(self):\n        """Collective."""\n\n    def g(self):\n        """Told."""\n\n    @property\n    def h(self): ...\n'
    assert untold_of_others(told) == ["A.g"], untold_of_others(told)
    assert reference.with_docstrings("#: Told\n#: twice.\nx = 1\n").endswith("x = 1\n'Told twice.'\n")
    if doxygen:
        with tempfile.TemporaryDirectory() as folder:
            header = pathlib.Path(folder, "shown.hpp")
            header.write_text(UNDOCUMENTED, encoding="utf-8")
            said = warnings(doxygen, INPUT=str(header), USE_MDFILE_AS_MAINPAGE="")
        assert said.count("\n") == 2 and "untold (variable)" in said and "untold_function() (function)" in said, said


def main() -> int:
    doxygen = shutil.which("doxygen") or ""
    is_known = bool(doxygen) and reference.doxygen_version(doxygen) == reference.DOXYGEN
    self_test(doxygen if is_known else "")
    headers = {path.relative_to(ROOT / "include").as_posix() for path in (ROOT / "include").rglob("*.h*")}
    bad = [f"docs/reference.md: {what}" for what in differences((ROOT / "docs/reference.md").read_text(encoding="utf-8"), headers)]
    package = ROOT / "bindings/python/regraft"
    for path in sorted(package.glob("[a-z]*.py")):
        bad += [f"{path.relative_to(ROOT)}: {name} is not documented" for name in undocumented(path.read_text(encoding="utf-8"))]
    exported = re.findall(r'"(\w+)"', (package / "mpi/__init__.py").read_text(encoding="utf-8").split("__all__")[1])
    for path in sorted(package.glob("mpi/*.py")):
        source = path.read_text(encoding="utf-8")
        said = [(name, "is not documented") for name in undocumented(source)]
        said += [(name, "does not say whether it is collective") for name in untold_of_others(source)]
        bad += [f"{path.relative_to(ROOT)}: {name} {what}" for name, what in said if name.split(".")[0] in (*exported, "_Store")]
    if is_known:
        bad += warnings(doxygen).splitlines()
    if bad:
        print("\n".join(bad))
        return 1
    if not is_known:
        print(f"SKIPPED: Doxygen {reference.DOXYGEN} is wanted, and there is {'another' if doxygen else 'none'}: ./run docs installs that of Debian")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
