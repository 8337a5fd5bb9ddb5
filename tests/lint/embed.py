#!/usr/bin/env python3
"""embed.py ROOT: what docs/install.md shows of a project that uses regraft is in the files of examples/embed, which ask for
this version, and fetch the same sources: a branch, as no version has a tag."""
import pathlib
import re
import sys

FILES = {"ini": "subprojects/regraft.wrap", "meson": "meson.build", "cmake": "CMakeLists.txt"}  # by the language of a block
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)
FETCHED = "file:///path/to/regraft", "main"  # the address, which users replace, and the branch


def complaints(page: str, files: dict[str, str], version: str) -> list[str]:
    """files: contents, by language."""
    bad = []
    shown = {language: text for language, text in BLOCK.findall(page) if language in files}
    for language, content in files.items():
        if language not in shown:
            bad.append(f"docs/install.md does not show {FILES[language]}")
        elif f"\n{shown[language]}" not in f"\n{content}":
            bad.append(f"docs/install.md shows other lines than examples/embed/{FILES[language]} has:\n{shown[language]}")
        bad += [f"examples/embed/{FILES[language]} asks for version {asked}: expected that of {version}"
                for asked in re.findall(r"find_package\(regraft ([\d.]+)", content) if not f"{version}.".startswith(f"{asked}.")]
        bad += [f"examples/embed/{FILES[language]} fetches {' '.join(fetched)}: expected {' '.join(FETCHED)}"
                for fetched in re.findall(r"(?:GIT_REPOSITORY |url = )(\S+)\s+(?:GIT_TAG|revision =) (\S+)", content) if fetched != FETCHED]
    return bad


def main() -> None:
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs/install.md").read_text(encoding="utf-8")
    files = {language: (root / "examples/embed" / name).read_text(encoding="utf-8") for language, name in FILES.items()}
    version = re.search(r"version: '(.*)'", (root / "meson.build").read_text(encoding="utf-8"))[1]
    bad = complaints(page, files, version)
    # A check that never complains is worth nothing.
    for language, content in files.items():
        assert complaints(page, files | {language: content.replace("regraft", "graft")}, version), language
    assert len(complaints(page, files, "10.0.0")) == 2 + len(bad)
    for tagged in ({"ini": files["ini"].replace("= main", "= v0.1.0")}, {"cmake": files["cmake"].replace("TAG main", "TAG v0.1.0")}):
        assert len(complaints(page.replace("main\n", "v0.1.0\n").replace("TAG main", "TAG v0.1.0"), files | tagged, version)) > len(bad)
    assert len(complaints("", files, version)) >= len(files)
    sys.exit("\n".join(bad) if bad else 0)


main()
