#!/usr/bin/env python3
"""table.py [--standard FOLDER] COMPILER OF MPI, SOURCE OF THE SHIELD...: what the shield does with each function of mpi.h, and that what is
said of its policies in two places is the same. --standard: compares it with the standard's own list of functions, instead; pympistandard comes
from PyPI by pip into the folder, and stays there. Skipped where it cannot be had.
"""
import importlib.util
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = ""
SOURCES: list[str] = []


def load(path: str):
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def types_of(function) -> list[str]:
    return [re.sub(rf"\b{name}\b", "", text).replace(" ", "") for name, text in zip(function.names(), function.parameters)]


class Table(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.generate = load("lib/shield/calls/generate.py")
        cls.header = pathlib.Path(cls.generate.mpi_header(COMPILER)).read_text(encoding="utf-8")
        cls.functions = {function.name: function for function in cls.generate.functions(cls.header)}
        texts = [pathlib.Path(source).read_text(encoding="utf-8") for source in SOURCES]
        cls.by_hand = {name for text in texts for name in re.findall(r"^int (MPI_\w+)\(", text, re.M)}
        lines = (ROOT / "lib/shield/calls/local_calls.txt").read_text(encoding="utf-8").splitlines()
        cls.local = {word for line in lines if not line.startswith("#") for word in line.split()}
        cls.becomes = {name: cls.generate.what_becomes(function, cls.by_hand, cls.local) for name, function in cls.functions.items()}

    def test_no_function_is_missing(self):
        # This does not use the reader of the generator: it takes every name before a parenthesis, in what is declared for programs.
        code = re.sub(r"/\*.*?\*/|^#.*?(?<!\\)$", "", self.header, flags=re.S | re.M)
        named = set(re.findall(r"\b(MPI_[A-Z][A-Za-z0-9_]*[a-z0-9])\s*\(", code)) - {"MPI_THREAD"}
        types = {name for name in named if re.search(rf"typedef[^;]*\b{name}\s*\(", code)}
        self.assertEqual(named - types - set(self.functions), set())
        self.assertGreater(len(self.functions), 400)

    def test_what_is_refused_has_a_reason(self):
        for name, becomes in self.becomes.items():
            if becomes == "refused":
                self.assertTrue(self.functions[name].reason(), name)
        for pattern in self.generate.REASONS:
            self.assertTrue(any(re.fullmatch(pattern, name) for name in self.functions), f"{pattern} is the reason for nothing")

    def test_persistent_calls_are_generated_but_those_of_partitioned_messages(self):
        persistent = {name for name, function in self.functions.items() if name.endswith("_init") and function.of_type(r"MPI_Request\s*\*")}
        generated = {name for name, becomes in self.becomes.items() if becomes == "generated"}
        self.assertEqual(persistent - generated, {"MPI_Psend_init", "MPI_Precv_init"})
        self.assertEqual(generated - persistent, set())
        for name in generated:
            types = [parameter for parameter in types_of(self.functions[name]) if parameter != "MPI_Info"]
            self.assertEqual(types, types_of(self.functions[self.functions[name].starts()]), name)

    def test_what_is_local_is_listed_once_and_for_a_reason(self):
        self.assertEqual(self.local - set(self.functions), set())
        self.assertEqual(self.local & self.by_hand, set())
        for name in self.local:
            self.assertTrue(self.functions[name].objects(), f"{name} takes none of {', '.join(self.generate.GUARDED)}, so it is passed on anyway")

    @unittest.skipUnless("--standard" in sys.argv, "only on demand")
    def test_what_is_guarded_is_what_the_standard_says(self):
        import pympistandard
        pympistandard.use_api_version()
        kinds = {"COMMUNICATOR": "MPI_Comm", "WINDOW": "MPI_Win", "FILE": "MPI_File"}
        compared = 0
        for procedure in pympistandard.all_iso_c_procedures():
            function = self.functions.get(procedure.express.iso_c.name)
            if function is None:
                continue
            by_value = [kinds[parameter.kind.name] for parameter in procedure.express.iso_c.parameters
                        if parameter.kind.name in kinds and "*" not in str(parameter)]
            ours = [kind for kind in self.generate.GUARDED for _ in function.of_type(kind)]
            self.assertEqual(sorted(ours), sorted(by_value), function.name)
            compared += 1
        self.assertGreater(compared, 300)


class Policies(unittest.TestCase):
    def test_the_launcher_has_those_of_the_library(self):
        text = (ROOT / "lib/shield/session/policy.cpp").read_text(encoding="utf-8")
        declared = dict(re.findall(r'\{"(\w+)", "([^"]+)", \w+', text))
        self.assertEqual({name: values for name, (values, _) in load("apps/launch/shield.py").POLICIES.items()}, declared)
        self.assertGreaterEqual(len(declared), 10)

    def test_the_help_and_the_documentation_have_all_of_them(self):
        launcher = load("apps/launch/shield.py")
        page = (ROOT / "docs/shield/shield-reference.md").read_text(encoding="utf-8")
        for name, (values, meaning) in launcher.POLICIES.items():
            self.assertIn(f"{name}={values}", launcher.usage())
            row = next((line for line in page.splitlines() if line.startswith(f"| `{name}` |")), "")
            self.assertEqual(re.findall(r"`([^`]+)`", row.split("|")[2]) if row else [], values.split("|"), f"docs/shield/shield-reference.md, {name}")
            self.assertTrue(meaning)


def fetch(folder: pathlib.Path) -> None:
    packages = folder / "packages"
    pip = [folder / "bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--target", packages, "pympistandard"]
    for command in ([sys.executable, "-m", "venv", folder], pip) if not packages.exists() else ():
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200, check=False)
        if done.returncode:
            print(f"SKIPPED: no pympistandard: {(done.stdout.strip().splitlines() or ['failed'])[-1]}")
            sys.exit(77)
    sys.path.insert(0, str(packages))


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[0] == "--standard":
        fetch(pathlib.Path(words[1]))
        words = words[2:]
    COMPILER, *SOURCES = words
    unittest.main(argv=sys.argv[:1])
