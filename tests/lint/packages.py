#!/usr/bin/env python3
"""packages.py ROOT: the recipes for Debian, Spack and conda have the version of meson.build, ask for every library that it looks for and for
nothing else, and use options and an Open MPI that exist."""
import contextlib
import pathlib
import re
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/setup"))
import choose

# What meson.build looks for, and the names of the package in Debian, Spack and conda.
LIBRARIES = {
    "libxxhash": ("libxxhash-dev", "xxhash", "xxhash"),
    "libzstd": ("libzstd-dev", "zstd", "zstd"),
    "boost": ("libboost-dev", "boost", "libboost-headers"),
    "libisal": ("libisal-dev", "isa-l", "isa-l"),
    "libhwy": ("libhwy-dev", "highway", "libhwy"),
    "nlopt": ("libnlopt-dev", "nlopt", "nlopt"),
    "fmt": ("libfmt-dev", "fmt", "fmt"),
    "CLI11": ("libcli11-dev", "cli11", "cli11"),
    "nlohmann_json": ("nlohmann-json3-dev", "nlohmann-json", "nlohmann_json"),
    "zlib": ("zlib1g-dev", "zlib-api", "zlib"),
    "bz2": ("libbz2-dev", "bzip2", "bzip2"),
    "liblzma": ("liblzma-dev", "xz", "liblzma-devel"),
    "benchmark": ("libbenchmark-dev", "benchmark", "benchmark"),
    "mpi": ("libopenmpi-dev", "mpi", "openmpi"),
    "pybind11": ("python3-pybind11", "py-pybind11", "pybind11"),
    "numpy": ("python3-numpy", "py-numpy", "numpy"),
}
# Other names of the same, what a compiler or the C library has, and peers of benchmarks that are not installed.
NOT_PACKAGED = {"isal", "mpich", "openmp", "threads", "dl", "m", "pll", "libbrotlienc", "libbrotlidec"}
# What builds and starts it.
TOOLS = [
    {"debhelper-compat", "dh-python", "meson", "ninja-build", "pkg-config", "python3-dev", "openmpi-bin"},
    {"c", "cxx", "meson", "pkgconfig", "python", "openmpi"},
    {"meson", "ninja", "pkg-config", "python"},
]
NAMES = ("debian/control", "packaging/spack/packages/regraft/package.py", "packaging/conda/meta.yaml")


def wanted_by_meson(files: list[str]) -> set[str]:
    """The libraries that the build looks for, without those of its own."""
    found = {"pybind11", "numpy"}  # by a question to Python
    for text in files:
        found |= set(re.findall(r"\b(?:dependency|find_library)\('([^']+)'", text))
    return {name for name in found if not name.startswith("regraft")} - NOT_PACKAGED


def of_debian(text: str) -> dict[str, str]:
    """The packages that a build needs, with what is asked of their versions."""
    field = re.search(r"^Build-Depends: (.*?)\n\S", text, re.M | re.S)[1]
    return dict(re.fullmatch(r"(\S+)\s*(?:\((.*)\))?", word.strip()).groups(default="") for word in field.split(","))


def of_conda(text: str) -> dict[str, str]:
    """The same; {{ compiler(...) }} is left out."""
    section = re.search(r"^requirements:\n(.*?)^\S", text, re.M | re.S)[1]
    build = section.partition("\n  run:")[0]
    return {name: version.strip() for name, version in re.findall(r"^ +- ([\w-]+)([^#\n]*)", build, re.M)}


class Spack:
    """Stands for Spack: it runs a recipe and takes down what it says."""

    def __init__(self, text: str):
        self.versions: list[str] = []
        self.needs: dict[str, str] = {}
        self.variants: set[str] = set()
        self.asked: set[str] = set()
        package, build_systems = types.ModuleType("spack.package"), types.ModuleType("spack_repo.builtin.build_systems.meson")
        package.version = lambda number, **_: self.versions.append(number)
        package.depends_on = lambda spec, **more: self.depend(spec, more.get("when", ""))
        package.variant = lambda name, when="", **_: (self.variants.add(name), self.ask(when))
        package.when = lambda spec: (self.ask(spec), contextlib.nullcontext())[1]
        package.conflicts = package.license = lambda *_, **__: None
        build_systems.MesonPackage = object
        modules = {"spack": types.ModuleType("spack"), "spack.package": package, "spack_repo": types.ModuleType("spack_repo"),
                   "spack_repo.builtin": types.ModuleType("builtin"), "spack_repo.builtin.build_systems": types.ModuleType("build_systems"),
                   "spack_repo.builtin.build_systems.meson": build_systems}
        recipe = types.ModuleType("recipe")
        sys.modules.update(modules)
        try:
            exec(compile(text, NAMES[1], "exec"), recipe.__dict__)
        finally:
            for name in modules:
                del sys.modules[name]
        self.recipe = recipe.Regraft()

    def depend(self, spec: str, when: str) -> None:
        name, _, number = spec.partition("@")
        self.needs[name] = number
        self.ask(when)

    def ask(self, spec: str) -> None:
        self.asked |= set(re.findall(r"[+~](\w+)", spec))

    def arguments(self, variants: set[str]) -> list[str]:
        self.recipe.spec = types.SimpleNamespace(satisfies=lambda spec: spec.lstrip("+") in variants)
        return self.recipe.meson_args()


def options_of(texts: dict[str, str]) -> set[str]:
    return set(re.findall(r"^option\('(\w+)'", texts["meson.options"], re.M))


def complaints(texts: dict[str, str], build_files: list[str]) -> list[str]:
    bad = []
    version = re.search(r"version: '(.*)'", texts["meson.build"])[1]
    spack = Spack(texts[NAMES[1]])
    versions = {"debian/changelog": re.match(r"regraft \(([^)-]+)", texts["debian/changelog"])[1], NAMES[1]: spack.versions[-1],
                NAMES[2]: re.search(r'set version = "(.*)"', texts[NAMES[2]])[1]}
    bad += [f"{name} has version {found}, meson.build {version}" for name, found in versions.items() if found != version]
    if f"regraft-{version}.tar.xz" not in texts[NAMES[1]]:
        bad.append(f"{NAMES[1]} fetches another tarball than regraft-{version}.tar.xz")

    wanted = wanted_by_meson(build_files)
    bad += [f"tests/lint/packages.py does not know the packages of {name}" for name in sorted(wanted - LIBRARIES.keys())]
    bad += [f"tests/lint/packages.py knows {name}, which no build looks for" for name in sorted(LIBRARIES.keys() - wanted)]
    for which, listed in enumerate([of_debian(texts[NAMES[0]]), spack.needs, of_conda(texts[NAMES[2]])]):
        expected = {LIBRARIES[name][which] for name in wanted & LIBRARIES.keys()} | TOOLS[which]
        bad += [f"{NAMES[which]} lacks {name}" for name in sorted(expected - listed.keys())]
        bad += [f"{NAMES[which]} has {name}, which no build needs" for name in sorted(listed.keys() - expected)]

    least = re.search(r"meson_version: '>=([\d.]+)'", texts["meson.build"])[1]
    asked = {NAMES[0]: of_debian(texts[NAMES[0]]).get("meson"), NAMES[1]: spack.needs.get("meson"), NAMES[2]: of_conda(texts[NAMES[2]]).get("meson")}
    bad += [f"{name} asks for Meson {found}, meson.build for {least}" for name, found in asked.items()
            if not found or re.sub(r"[>= :]", "", found) != least]
    ours = choose.PRIVATE_MPI.partition("==")[2]
    for name, found in {NAMES[1]: spack.needs.get("openmpi"), NAMES[2]: of_conda(texts[NAMES[2]]).get("openmpi")}.items():
        if found != ours:
            bad.append(f"{name} takes Open MPI {found}, ./run setup {ours}")

    bad += [f"{NAMES[1]} asks for the variant {name}, which it lacks" for name in sorted(spack.asked - spack.variants)]
    every = spack.arguments(spack.variants)
    given = {*every, *re.findall(r"-D\S+", texts["packaging/conda/build.sh"]), *re.findall(r"-D\S+", texts["debian/rules"])}
    bad += [f"a recipe gives {option}, but meson.options has no such option" for option in sorted(given)
            if "." not in option and re.match(r"-D(\w+)", option)[1] not in options_of(texts)]  # Meson's own have a dot
    if "-Dtests=disabled" not in every or sum(option.endswith("=disabled") for option in every) != 1:
        bad.append(f"{NAMES[1]}: expected that all variants together disable the tests alone, not {every}")
    return bad


def main() -> None:
    root = pathlib.Path(sys.argv[1])
    names = [*NAMES, "meson.build", "meson.options", "debian/changelog", "debian/rules", "packaging/conda/build.sh"]
    texts = {name: (root / name).read_text(encoding="utf-8") for name in names}
    places = [root / "meson.build", *(file for folder in ("lib", "apps", "bench", "bindings") for file in (root / folder).rglob("meson.build"))]
    build_files = [file.read_text(encoding="utf-8") for file in places]
    bad = complaints(texts, build_files)
    # A check that never complains is worth nothing.
    changes = [("meson.build", "version: '0", "version: '9"), ("debian/control", "libzstd-dev, ", ""), (NAMES[1], 'depends_on("zstd")', ""),
               (NAMES[2], "- zstd\n", "- zstdx\n"), (NAMES[1], "openmpi@5", "openmpi@4"), (NAMES[2], "openmpi 5.0.9\n    - xx", "openmpi 4\n    - xx"),
               (NAMES[1], 'when="+ulfm"', 'when="+ulfmx"'), ("meson.options", "option('phylo'", "option('phylox'"), (NAMES[1], 'feature("tests", False)', "")]
    for name, old, new in changes:
        assert old in texts[name], f"{name} has no '{old}'"
        assert len(complaints(texts | {name: texts[name].replace(old, new)}, build_files)) > len(bad), f"'{new}' in {name} is not noticed"
    assert len(complaints(texts, [*build_files, "dependency('unheard')"])) > len(bad)
    sys.exit("\n".join(bad) if bad else 0)


if __name__ == "__main__":
    main()
