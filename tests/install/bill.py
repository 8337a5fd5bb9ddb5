#!/usr/bin/env python3
"""bill.py BILL SBOM BUILD: the bill of materials names all that the libraries and programs need, each with a licence; the same bytes at the
same SOURCE_DATE_EPOCH. A dependency without a licence is refused."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

bill, script, build = sys.argv[1:]
# Names that Meson and the bill have for the same, and what only tests, benchmarks and compilers need.
ALSO = {"libxxhash": "xxHash", "libzstd": "zstd", "libisal": "ISA-L", "boost": "Boost",
        "openmp": "OpenMP runtime", "libhwy": "Highway", "nlopt": "NLopt", "nlohmann_json": "JSON for Modern C++"}
MPI = {"mpic++", "mpi", "mpich"}  # its name in the bill depends on which one it is
NOT_SHIPPED = {"threads", "gtest", "gtest_main", "benchmark", "libbrotlienc", "libbrotlidec"}

document = json.loads(pathlib.Path(bill).read_text(encoding="utf-8"))
packages = {package["name"]: package for package in document["packages"]}
needed = {row["name"] for row in json.loads(subprocess.run(["meson", "introspect", "--dependencies", build], stdout=subprocess.PIPE, check=True).stdout)}
shipped = {ALSO.get(name, name) for name in needed - NOT_SHIPPED - MPI if not name.startswith("python")}
assert "zstd" in shipped and shipped <= set(packages), f"missing: {shipped - set(packages)}"
assert not needed & MPI or any("MPI" in name for name in packages)
assert all(package["licenseDeclared"] for package in packages.values())
ids = [package["SPDXID"] for package in packages.values()]
assert len(set(ids)) == len(ids)
related = {row["relatedSpdxElement"] for row in document["relationships"]}
assert related == set(ids), related

with tempfile.TemporaryDirectory() as folder:
    made = []
    for name in ("one", "other"):
        file = pathlib.Path(folder, name)
        subprocess.run([sys.executable, script, file, "1.2", "zstd=1.5"], env=os.environ | {"SOURCE_DATE_EPOCH": "86400"}, check=True)
        made.append(file.read_bytes())
    assert made[0] == made[1] and b"1970-01-02T00:00:00Z" in made[0]
    file = pathlib.Path(folder, "refused")
    refused = subprocess.run([sys.executable, script, file, "1.2", "zstd=1.5", "leftpad=1"], stderr=subprocess.PIPE, text=True, check=False)
    assert refused.returncode == 1 and "leftpad: expected an entry" in refused.stderr and not file.exists(), refused
