/* Files that are opened by a relative name, after which each rank goes into a directory of its own. */
#include <mpi.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { lines = 3, length = 7 };

int main(int argc, char** argv) {
    int rank, size;
    char name[32], line[length + 1];
    struct stat about;
    MPI_File all, gone;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_File_open(MPI_COMM_WORLD, "lines", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &all);
    MPI_File_open(MPI_COMM_WORLD, "gone", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &gone);
    snprintf(name, sizeof name, "rank%d", rank);
    if (mkdir(name, 0700) || chdir(name)) return 1;
    snprintf(line, sizeof line, "rank %d\n", rank);
    for (int i = 0; i < lines; ++i) MPI_File_write_shared(all, line, length, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&gone);
    MPI_File_close(&all);
    if (rank == 0 && !stat("../lines", &about)) printf("%d of %d bytes\n", (int)about.st_size, size * lines * length);
    MPI_Finalize();
    return 0;
}
