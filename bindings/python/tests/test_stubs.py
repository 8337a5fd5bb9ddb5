"""The stub of the extension has all its functions, and no others."""
import ast
import pathlib

import regraft
from regraft import _core


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_stub_names_what_there_is():
    stub = ast.parse((pathlib.Path(regraft.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
    there = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert public(there) == public(vars(_core))
    for name, node in there.items():
        if isinstance(node, ast.ClassDef) and name != "InputError":
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            assert public(methods) == public(vars(getattr(_core, name))), name


def test_modules_export_what_they_document():
    for module in (regraft.matching, regraft.schedule, regraft.placement, regraft.loss, regraft.msa, regraft.archive, regraft.erasure):
        assert module.__doc__ and ">>>" in module.__doc__
        assert all(getattr(module, name, None) is not None for name in module.__all__)


def test_version_is_that_of_the_library():
    assert regraft.__version__.count(".") == 2
