#!/bin/sh
# Expected: a call of MPI returns an error code if an error occurred in it (MPI 4.1, section 2.8), also after an error handler of the
# program was called and has returned. MPICH 4.0.3 does that.
# What happens: with MPICH 5.0.2 a receive that truncates its message returns MPI_SUCCESS after the handler. The handler is told of the error,
# and with MPI_ERRORS_RETURN the call returns it.
# Versions: MPICH 5.0.2 and 4.0.3 (PyPI). Date: 2026-11-28.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > handler.c <<'END'
#include <mpi.h>
#include <stdio.h>

static int told = MPI_SUCCESS;

static void handler(MPI_Comm* comm, int* code, ...) {
    (void)comm;
    told = *code;
}

static char const* name(int code) {
    int of = MPI_SUCCESS;
    MPI_Error_class(code, &of);
    return of == MPI_SUCCESS ? "success" : of == MPI_ERR_TRUNCATE ? "truncated" : "another error";
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Errhandler own;
    MPI_Comm_create_errhandler(handler, &own);
    int const sent[2] = {1, 2};
    int received = 0;
    for (int i = 0; i < 2; ++i) {
        MPI_Request request;
        MPI_Comm_set_errhandler(MPI_COMM_SELF, i == 0 ? MPI_ERRORS_RETURN : own);
        MPI_Isend(sent, 2, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
        int const code = MPI_Recv(&received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (i == 0) printf("MPI_ERRORS_RETURN: returned %s\n", name(code));
        if (i == 1) printf("own handler: returned %s, told %s\n", name(code), name(told));
    }
    MPI_Finalize();
}
END
for version in 5.0.2 4.0.3; do
    python3 -m venv "$version"
    "$version/bin/pip" install --quiet "mpich==$version"
    "$version/bin/mpichversion" | head -n 1
    "$version/bin/mpicc" handler.c -o "handler-$version"
    "$version/bin/mpiexec" -n 1 "./handler-$version" | tee "$version.txt"
    grep -q "MPI_ERRORS_RETURN: returned truncated" "$version.txt"
done
grep -q "own handler: returned success, told truncated" 5.0.2.txt
grep -q "own handler: returned truncated, told truncated" 4.0.3.txt
echo "as described"
