#!/usr/bin/env python3
"""sbom.py OUT VERSION [NAME=VERSION]...: writes a bill of materials (SPDX 2.3, JSON) of a build: regraft, and every package that is part of
its libraries and programs or that they load, each with its version and licence. The time in it is SOURCE_DATE_EPOCH if that is set, so that
the same build gives the same bytes.
"""
import dataclasses
import datetime
import json
import os
import pathlib
import re
import sys

HOLDER = "Organization: the regraft authors"


@dataclasses.dataclass
class Package:
    """What Meson does not know of a dependency."""

    licence: str  # SPDX
    home: str
    compiled_in: bool = False  # else it is a library that is loaded


PACKAGES = {
    "xxHash": Package("BSD-2-Clause", "https://xxhash.com", True),
    "zstd": Package("BSD-3-Clause OR GPL-2.0-only", "https://facebook.github.io/zstd"),
    "ISA-L": Package("BSD-3-Clause", "https://github.com/intel/isa-l"),
    "Boost": Package("BSL-1.0", "https://www.boost.org", True),
    "OpenMP runtime": Package("GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org"),
    "Highway": Package("Apache-2.0 OR BSD-3-Clause", "https://github.com/google/highway"),
    "NLopt": Package("MIT AND LGPL-2.1-or-later", "https://nlopt.readthedocs.io"),
    "JSON for Modern C++": Package("MIT", "https://json.nlohmann.me", True),
    "fmt": Package("MIT", "https://fmt.dev"),
    "CLI11": Package("BSD-3-Clause", "https://github.com/CLIUtils/CLI11", True),
    "zlib": Package("Zlib", "https://zlib.net"),
    "bzip2": Package("bzip2-1.0.6", "https://sourceware.org/bzip2"),
    "liblzma": Package("LicenseRef-public-domain", "https://tukaani.org/xz"),
    "Open MPI": Package("BSD-3-Clause-Open-MPI", "https://www.open-mpi.org"),
    "another MPI": Package("NOASSERTION", "NOASSERTION"),
    "pybind11": Package("BSD-3-Clause", "https://pybind11.readthedocs.io", True),
}


def described(name: str, version: str, licence: str, home: str) -> dict:
    found = {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "downloadLocation": home, "filesAnalyzed": False,
             "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION"}
    return found | ({"versionInfo": version} if version not in ("", "unknown") else {})


def document(version: str, dependencies: dict[str, str]) -> dict:
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = described("regraft", version, "MIT", "NOASSERTION") | {"supplier": HOLDER}
    packages, relations = [own], [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    for name, found_version in sorted(dependencies.items()):
        package = PACKAGES[name]
        packages.append(described(name, found_version, package.licence, package.home))
        relations.append((own["SPDXID"], "STATIC_LINK" if package.compiled_in else "DYNAMIC_LINK", packages[-1]["SPDXID"]))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"regraft-{version}",
        "documentNamespace": f"urn:regraft:{version}:{seconds}",
        "creationInfo": {"created": created, "creators": [HOLDER, "Tool: sbom.py"]},
        "packages": packages,
        "relationships": [{"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations],
        "hasExtractedLicensingInfos": [{"licenseId": "LicenseRef-public-domain", "extractedText": "liblzma is in the public domain."}],
    }


def main() -> None:
    out, version, *words = sys.argv[1:]
    dependencies = dict(word.split("=", 1) for word in words)
    if unknown := sorted(set(dependencies) - set(PACKAGES)):
        sys.exit(f"sbom.py: {', '.join(unknown)}: expected an entry in PACKAGES, with its licence")
    pathlib.Path(out).write_text(json.dumps(document(version, dependencies), indent=1) + "\n", encoding="utf-8")


main()
