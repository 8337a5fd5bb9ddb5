#!/usr/bin/env python3
"""layers.py ROOT: the architecture as a test. Which module may include which, what a library must not do, how long a header may be."""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps/launch"))
from regraft_run import trust_jobs

# The layers: a module may include its own headers and those of the modules named here.
MAY_INCLUDE = {
    "core": set(),
    "msa": {"core"},
    "codec": {"core", "msa"},
    "placement": {"core"},
    "matching": {"core"},
    "schedule": {"core", "matching"},
    "assign": {"core", "matching"},
    "load": {"core", "placement", "schedule"},
    "repair": {"core", "placement", "matching", "schedule"},
    "erasure": {"core"},
    "disk": {"core"},
    "likelihood": {"core", "msa"},
    "ft": {"core"},
    "exchange": {"core", "schedule", "ft"},  # private: it has no public headers
    "launch": set(),  # in C, private
    "store": {"core", "placement", "matching", "schedule", "load", "repair", "erasure", "disk", "ft", "exchange"},
    "search": {"core", "msa", "likelihood", "ft"},
    "checkpoint": {"core", "placement", "matching", "erasure", "disk", "ft", "exchange", "store"},
    "c": {"core", "placement", "matching", "schedule", "assign", "erasure", "ft", "store", "checkpoint"},  # for callers in C: regraft.h, regraft_mpi.h
}
# The rooms of the shield, all of them private. Among themselves, a room may include those before it in this order.
SHIELD = ["protocol", "lanes", "engine", "session", "waits", "calls/collectives", "calls/messages", "calls/files", "calls/communicators", "calls/start"]
for number, room in enumerate(SHIELD):
    MAY_INCLUDE[f"shield/{room}"] = {"core", *(f"shield/{lower}" for lower in SHIELD[:number])} | ({"ft"} if number else set()) | ({"disk"} if room == "session" else set()) | (
        {"launch"} if room in ("session", "calls/start") else set())
# Rooms in the order in which they build upon each other: each may include those before it. Files beside the rooms may include all.
ROOMS = {
    "lib/codec": ["entropy", "trees", "native", "sparse", "reference", "rgm", "pack"],
    "lib/likelihood": ["kernels", "models", "clvs", "partition"],
    "lib/msa": ["text", "sites", "partitions", "checks", "trees", "differences", "parsimony", "formats"],
    "lib/store": ["together", "kept", "blocks", "on_disk", "keeping", "erasure", "replicated"],
    "lib/search": ["likelihood", "models", "trees", "samples", "tasks"],
    "apps/msa": ["input", "parts", "edit"],
    "apps/phylo": ["files", "together", "trees", "options", "input", "columns", "report", "profile", "progress", "sites", "kinds", "job"],
    "apps/plan": ["input", "files", "recover", "loss", "simulate"],
}
# Rooms whose rooms know nothing of each other: each may include only its own files and those beside the rooms.
APART = ["lib/search/tasks"]
# Kinds of work of a search: only these places may name a task, or the purpose of an item.
KINDS = {
    r"\bas<(?:search::)?(?!Climb)\w+>\(|\bholds_alternative<|\bget_if<": ["lib/search/tasks", "lib/search/search.cpp", "include/regraft/search", "apps/phylo/kinds"],
    r"\bPurpose::\w+": ["apps/phylo/kinds", "apps/phylo/progress"],
    r"\bStage::\w+": ["lib/search/tasks/climb", "include/regraft/search/tasks/climb.hpp", "apps/phylo/kinds"],
}
# Private headers of others that a module may include: users do not need them, so they are no promise to users.
PRIVATE_OF_FT = {"ft/backend.hpp", "ft/renewal.hpp"}
MAY_ALSO_INCLUDE = {f"shield/{room}": PRIVATE_OF_FT for room in SHIELD} | {
    "load": {"core/seams.hpp"},
    "store": {"core/seams.hpp", "disk/system_calls.hpp"},
    "checkpoint": {"store/together/identity.hpp", "store/together/complaint.hpp", "store/on_disk/on_disk.hpp", "disk/system_calls.hpp"},
    "codec": {"msa/differences/letters_on_path.hpp"},
    "search": {"likelihood/kernels/ieee_math.hpp"},
}
# Headers that only some places may include; a place is a path or the folder it is in.
ONLY_IN = {
    "mpi.h": ["include/regraft/ft", "include/regraft/store", "include/regraft/checkpoint", "include/regraft/c", "include/regraft_mpi.h", "include/regraft_shield.h", "lib/ft", "lib/exchange", "lib/store",
              "lib/checkpoint", "lib/shield/lanes", "lib/shield/engine", "lib/shield/session", "lib/shield/waits", "lib/shield/calls", "apps/phylo"],
    "mpi-ext.h": ["lib/ft/ulfm.cpp", "lib/shield/calls/start/surroundings.cpp"],
    "zstd.h": ["lib/core", "apps/common/packings.cpp"],
    "zlib.h": ["apps/common"],
    "bzlib.h": ["apps/common"],
    "lzma.h": ["apps/common"],
    "boost/": ["include/regraft/matching/bgl.hpp", "lib/repair", "lib/placement", "lib/search/samples/tree_tests.cpp", "apps/phylo"],
    "libpll/": [],  # AGPL: an oracle of tests and a peer of benchmarks
    "hwy/": ["lib/likelihood/kernels"],
    "pll.h": [],  # it is libpll/pll.h
}
# What the library leaves to programs, and what would give other results elsewhere.
FORBIDDEN = {
    r"\bgetenv\b": "the library does not read the environment",
    r"\bstd::(cout|cerr|clog)\b|\bprintf *\(": "the library does not print",
    r"\bstd::(exit|quick_exit)\b": "the library does not exit",
    r"\bstd::shuffle\b|\bstd::uniform_\w+|\bstd::rand\b|\brandom_device\b": "its results differ between standard libraries",
}
# Collectives that move data. Those that may be called are tried at set-up, with deaths inside them.
COLLECTIVE = re.compile(r"\bMPI_(I?(?:all|barrier|bcast|exscan|gather|neighbor|reduce|scan|scatter)\w*) *\(", re.I)
MAY_ALL_THE_SAME = {
    "lib/core/contracts.cpp",  # says which contract was broken before it aborts
    "lib/ft/alone.cpp",  # asks whether a launcher has started it
    "lib/ft/settings.cpp",  # warns of settings with which jobs hang
    "lib/store/kept/folder.cpp",  # asks by which name the launcher calls the job
    "lib/ft/unchecked.cpp",  # asks whether regraft-run hears of an early exit
}
JUDGES = "apps/launch/judges/"  # they try an MPI, also the calls that nobody else may make
MAX_HEADER_LINES = 150
MAX_FILES = 25  # in a folder

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.M)
DECLARES = re.compile(r'^(namespace|extern "C") ', re.M)
SHOWN = re.compile(r'#pragma GCC visibility push\(default\)\n(?:#ifdef __cplusplus\nextern "C" |namespace ).*^#pragma GCC visibility pop\n\Z', re.M | re.S)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def room_of(file: str) -> str:
    """The module of 'ft/ulfm.cpp' is ft, and that of 'shield/calls/files/windows.cpp' is its folder; '' if it is in no folder."""
    folder = file.rpartition("/")[0]
    return folder if folder.startswith("shield/") else folder.split("/")[0]


def module_of(path: str) -> str:
    """'lib/ft/ulfm.cpp' and 'include/regraft/ft/reduce.hpp' belong to ft; programs and tests to none."""
    found = re.match(r"(?:include/regraft|lib)/(.*)", path)
    return room_of(found.group(1)) if found else ""


def rooms_of_public(files: list[str]) -> dict[str, str]:
    """The rooms of public headers, such as 'msa/tree.hpp': where the source of the same name is, or the room that the header's folder names."""
    sources = {f"{found[1]}/{found[3]}": found[2] for file in files if (found := re.match(r"lib/(\w+)/(\w+)/(?:\w+/)*(\w+)\.cpp$", file))}
    rooms = {}
    for file in files:
        if found := re.match(r"include/regraft/((\w+)/(?:(\w+)/)?(\w+)\.hpp)$", file):
            if room := found[3] or sources.get(f"{found[2]}/{found[4]}"):
                rooms[found[1]] = room
    return rooms


PUBLIC_ROOMS: dict[str, str] = {}  # main() fills it


def climbs(path: str, headers: list[str]) -> list[str]:
    """Includes of a file in a room that go from a lower room to a higher one or to the files beside the rooms. A public header is in the room
    that implements it."""
    found = re.match(r"((?:apps|lib)/(\w+))/(\w+)/", path)
    public = re.match(r"include/regraft/((\w+)/.*)", path)
    if public and f"lib/{public[2]}" in ROOMS and public[1] in PUBLIC_ROOMS:
        place, module, room = f"lib/{public[2]}", public[2], PUBLIC_ROOMS[public[1]]
    elif found and found[1] in ROOMS:
        place, module, room = found[1], found[2], found[3]
    else:
        return []
    rooms = ROOMS[place]
    if room not in rooms:
        return [f"the room {room} is not in the table of rooms of {place}"]
    bad = []
    for header in headers:
        own = header.removeprefix("regraft/")
        if header.startswith("regraft/") and not own.startswith(f"{module}/"):
            continue
        other = PUBLIC_ROOMS.get(own, "") if header.startswith("regraft/") else header.removeprefix(f"{module}/").partition("/")[0]
        if "/" not in header and header.endswith(".hpp") or other in rooms and rooms.index(other) > rooms.index(room):
            bad.append(f"{room} may not include {header}, which is above it")
    return bad


def neighbours(path: str, headers: list[str]) -> list[str]:
    """Includes of a file in a room that reach into a room beside it."""
    bad = []
    for place in APART:
        within = path.removeprefix(place + "/") if path.startswith(place + "/") else ""
        if "/" not in within:
            continue
        for header in headers:
            other = header.removeprefix(place.removeprefix("lib/") + "/")
            if other != header and "/" in other and other.split("/")[0] != within.split("/")[0]:
                bad.append(f"{within.split('/')[0]} may not include {header}, which is in the room beside it")
    return bad


def strays(path: str, code: str) -> list[str]:
    """Names of kinds of work outside of their rooms."""
    if not path.startswith(("lib/search/", "include/regraft/search/", "apps/phylo/")):
        return []
    return [f"{found.group(0)}: what is said of one kind of work belongs to {', '.join(places)} (HACKING.md)" for pattern, places in KINDS.items()
            if not any(path == place or path.startswith(place + "/") for place in places) and (found := re.search(pattern, code))]


def is_in_program(path: str) -> bool:
    """Whether it is a part of the shield that acts for its program: it reads the environment, prints, and calls what its program calls."""
    return path.startswith(("lib/shield/session/", "lib/shield/waits/", "lib/shield/calls/"))


def complaints(path: str, text: str) -> list[str]:
    """path: relative to the root."""
    bad = []
    module = module_of(path)
    if module and module not in MAY_INCLUDE:
        return [f"module {module} is not in the table of layers"]
    for header in INCLUDE.findall(text):
        other = room_of(header.removeprefix("regraft/"))
        if module and other in MAY_INCLUDE and "/" in header:
            if other != module and other not in MAY_INCLUDE[module]:
                bad.append(f"{module} may not include {other} ({header})")
            elif other != module and not header.startswith(("regraft/", "shield/")) and other not in ("exchange", "launch") and header not in MAY_ALSO_INCLUDE.get(module, ()):
                bad.append(f"{header} is private to {other}")
        if path.startswith("include/") and module and not header.startswith("regraft/") and other in MAY_INCLUDE and "/" in header:
            bad.append(f"a public header includes the private {header}")
        for start, places in ONLY_IN.items():
            library = path.startswith(("include/", "lib/", "apps/")) and not path.startswith(JUDGES)  # tests and benchmarks may look at everything
            if library and (header == start or start.endswith("/") and header.startswith(start)):
                if not any(path == place or path.startswith(place + "/") for place in places):
                    bad.append(f"{header} is only for {', '.join(places) or 'nobody'}")
    if module and path not in MAY_ALL_THE_SAME and not is_in_program(path):
        code = COMMENT.sub("", text)
        for pattern, reason in FORBIDDEN.items():
            if found := re.search(pattern, code):
                bad.append(f"{found.group(0)}: {reason}")
    if path.startswith(("include/", "lib/", "apps/")) and not is_in_program(path) and not path.startswith(JUDGES):
        called = {name for name in COLLECTIVE.findall(COMMENT.sub("", text)) if not name.startswith("Reduce_local")}
        bad += [f"MPI_{name} is not among the calls that are known to be right when a rank dies: apps/launch/regraft_run/trust_jobs.py"
                for name in sorted(called - set(trust_jobs.NEEDED))]
    if path.startswith(("include/", "lib/")) and path.endswith((".hpp", ".h")) and (lines := text.count("\n")) > MAX_HEADER_LINES:
        bad.append(f"{lines} lines: more than {MAX_HEADER_LINES} is two modules")
    bad += climbs(path, INCLUDE.findall(text)) + neighbours(path, INCLUDE.findall(text)) + strays(path, COMMENT.sub("", text))
    if path.startswith("include/") and "#pragma once" not in text:
        bad.append("no #pragma once")
    if path.startswith("include/") and DECLARES.search(text) and not SHOWN.search(text):
        bad.append("not all between #pragma GCC visibility push(default) and pop, so the libraries hide what is declared here")
    return bad


def heaps(files: list[str]) -> list[str]:
    """Folders with more files than a reader takes in; paths relative to the root."""
    folders = collections.Counter(file.rpartition("/")[0] for file in files)
    return [f"{folder}: {number} files, more than {MAX_FILES} are a heap" for folder, number in sorted(folders.items()) if number > MAX_FILES]


def self_test() -> None:
    """Tests the checker, because one that never complains is worth nothing."""
    for path, text in {
        "lib/msa/a.cpp": '#include "regraft/store/replicated_store.hpp"',
        "include/regraft/core/a.hpp": "#pragma once\n#include <mpi.h>",
        "lib/store/a.cpp": "#include <mpi-ext.h>",
        "lib/store/b.cpp": '#include "ft/backend.hpp"',
        "include/regraft/store/a.hpp": '#pragma once\n#include "exchange/exchange.hpp"',
        "apps/plan/a.cpp": "#include <libpll/pll.h>",
        "lib/exchange/a.cpp": "MPI_Allgatherv(out, 1, type, in, counts, starts, type, comm);",
        "lib/core/a.cpp": 'auto x = std::getenv("HOME");',
        "include/regraft/core/b.hpp": "#pragma once\n" + "\n" * MAX_HEADER_LINES,
        "include/regraft/core/c.hpp": "int x;",
        "include/regraft/core/d.hpp": "#pragma once\nnamespace regraft::core {\nint f();\n}\n",
        "lib/shield/engine/a.cpp": '#include "shield/session/session.hpp"',
        "lib/shield/protocol/a.cpp": "#include <mpi.h>",
        "lib/shield/calls/files/a.cpp": '#include "shield/calls/start/surroundings.hpp"',
        "lib/shield/elsewhere/a.cpp": "",
        "apps/phylo/input/a.cpp": '#include "job/job.hpp"',
        "apps/phylo/attic/a.cpp": "",
        "apps/plan/recover/a.cpp": '#include "commands.hpp"',
        "lib/likelihood/models/a.cpp": '#include "likelihood/clvs/tips.hpp"',
        "lib/likelihood/attic/a.cpp": "",
        "lib/search/trees/a.cpp": '#include "search/tasks/rounds.hpp"',
        "lib/search/tasks/tests/a.cpp": '#include "search/tasks/climb/steps.hpp"',
        "lib/search/samples/a.cpp": "if (std::holds_alternative<Choice>(task)) return;",
        "apps/phylo/job/a.cpp": "if (item.purpose == Purpose::start) return;",
        "lib/likelihood/clvs/a.cpp": "#include <hwy/highway.h>",
    }.items():
        assert complaints(path, text), f"nothing found wrong with {path}"
    assert heaps([f"lib/core/{number}.cpp" for number in range(MAX_FILES + 1)])
    assert not complaints("lib/store/c.cpp", '#include "exchange/exchange.hpp"\n#include <mpi.h>\n// std::cout in a comment\n')


def main(root: pathlib.Path) -> int:
    self_test()
    files = [path for folder in ["include", "lib", "apps", "examples", "bench"] for path in sorted([*(root / folder).rglob("*.?pp"), *(root / folder).rglob("*.h")])]
    PUBLIC_ROOMS.update(rooms_of_public([path.relative_to(root).as_posix() for path in files]))
    bad = [f"{path.relative_to(root)}: {complaint}"
           for path in files for complaint in complaints(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))]
    all_files = [path for folder in ["include", "lib", "apps", "tests", "tools", "docs"] for path in (root / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    bad += heaps([path.relative_to(root).as_posix() for path in all_files])
    print("\n".join(bad) or f"{len(files)} files keep to the layers")
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
