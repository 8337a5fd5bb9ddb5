#!/usr/bin/env python3
"""exports.py ROOT LIBRARY...: a library shows what the public headers declare, all of what those for C declare, and nothing else."""
import pathlib
import re
import subprocess
import sys

WORD = re.compile(r"\w+")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
# What compilers make for a class or a function.
MADE_FOR = re.compile(r"^(?:vtable|VTT|typeinfo|typeinfo name|guard variable|construction vtable|non-virtual thunk|virtual thunk) (?:for|to) ")
# What our libraries show to each other.
SHARED = ["lib/c/status.hpp", "lib/likelihood/kernels/ieee_math.hpp"]
# Templates of other libraries, made for our types, and locks of OpenMP.
ELSEWHERE = ("std::", "__gnu_cxx::", "boost::", "hwy::", ".gomp_critical_user_")


def declarations(headers: list[pathlib.Path]) -> str:
    return "\n".join(COMMENT.sub("", header.read_text(encoding="utf-8")) for header in headers)


def without_deduced_type(symbol: str) -> str:
    """'decltype (f(x)) std::g(int)' -> 'std::g(int)'."""
    if not symbol.startswith("decltype"):
        return symbol
    depth = 0
    for place, letter in enumerate(symbol):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            return symbol[place + 1:].strip()
    return symbol


def qualified_name(symbol: str) -> str:
    """'void regraft::a::f<int>(int)' -> 'regraft::a::f'."""
    name = MADE_FOR.sub("", without_deduced_type(symbol))
    name = re.sub(r"\[abi:\w+\]|\(anonymous namespace\)", "", name).replace("operator()", "call operator").replace("operator<=>", "order operator")
    name = re.sub(r"operator(<<|<=|<|>=|>>|>|->)", "operator", name)
    while name != (shorter := re.sub(r"<[^<>]*>", "", name)):
        name = shorter
    before_arguments = name.partition("(")[0].strip()
    if "operator" in before_arguments:
        before_arguments = before_arguments.partition("operator")[0].removesuffix("call ").removesuffix("order ").strip() + "operator"
    return before_arguments.split(" ")[-1]


def undeclared(symbols: list[str], words: set[str]) -> list[str]:
    """The symbols of which some part is named in no public header."""
    bad = []
    for symbol in symbols:
        name = qualified_name(symbol)
        if not name.startswith(ELSEWHERE) and not all(part.lstrip("~") in words for part in name.split("::") if part and not part.startswith("operator")):
            bad.append(symbol)
    return bad


def functions_for_c(headers: list[pathlib.Path]) -> set[str]:
    return set(re.findall(r"^\w[\w *]*?\b(regraft_\w+)\(", declarations(headers), re.M))


def exported_by(library: str) -> list[str]:
    listing = subprocess.run(["nm", "-D", "--defined-only", "--demangle", library], check=True, capture_output=True, text=True).stdout
    return [line.split(" ", 2)[2] for line in listing.splitlines()]


def self_test() -> None:
    """Tests the checker, because one that never complains is worth nothing."""
    words = {"regraft", "store", "Store", "load", "regraft_hash"}
    good = ["regraft::store::Store::load(std::vector<int>)", "void regraft::store::load<int>(int)", "vtable for regraft::store::Store", "regraft_hash",
            "regraft::store::Store::~Store()", "std::vector<regraft::store::Entry>::push_back(int)",
            "decltype ((f)((g<int>)())) std::operator<=><int>(std::vector<int>)", "decltype(auto) std::visit<regraft::Entry>(int)", "regraft::store::operator<<(std::ostream&, int)"]
    bad = ["regraft::store::Entry::load(int)", "regraft::store::Store::Impl::load()", "vtable for regraft::store::Entry", "helper"]
    assert undeclared(good + bad, words) == bad, undeclared(good + bad, words)


def main(root: pathlib.Path, libraries: list[str]) -> int:
    self_test()
    include = root / "include"
    words = set(WORD.findall(declarations([*include.rglob("*.h"), *include.rglob("*.hpp"), *(root / header for header in SHARED)])))
    exported = {library: exported_by(library) for library in libraries}
    bad = [f"{pathlib.Path(library).name} shows {symbol}, which no public header declares"
           for library, symbols in exported.items() for symbol in undeclared(symbols, words)]
    everything = {symbol for symbols in exported.values() for symbol in symbols}
    headers = list((include / "regraft/c").glob("*.h")) + [include / "regraft.h"] + ([include / "regraft_mpi.h"] if any("mpi" in library for library in libraries) else [])
    bad += [f"{function} is declared, but no library shows it" for function in sorted(functions_for_c(headers) - everything)]
    print("\n".join(bad) or f"{len(everything)} symbols of {len(libraries)} libraries are those of the public headers")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2:]))
