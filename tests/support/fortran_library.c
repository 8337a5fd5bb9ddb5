/* Stands for MPI's own library of calls from Fortran: like that library, it takes handles that are numbers, and calls
 * MPI by its profiling interface. */
#include <mpi.h>

void mpi_init_(int* code) {
    *code = PMPI_Init(NULL, NULL);
}

void mpi_init_thread_(int const* required, int* provided, int* code) {
    *code = PMPI_Init_thread(NULL, NULL, *required, provided);
}

void mpi_abort_(int const* comm, int const* number, int* code) {
    *code = PMPI_Abort(PMPI_Comm_f2c(*comm), *number);
}

void mpi_barrier_(int const* comm, int* code) {
    *code = PMPI_Barrier(PMPI_Comm_f2c(*comm));
}

void mpi_finalize_(int* code) {
    *code = PMPI_Finalize();
}

void mpi_comm_rank_(int const* comm, int* rank, int* code) {
    *code = PMPI_Comm_rank(PMPI_Comm_f2c(*comm), rank);
}

void mpi_comm_size_(int const* comm, int* size, int* code) {
    *code = PMPI_Comm_size(PMPI_Comm_f2c(*comm), size);
}

void mpi_comm_split_(int const* comm, int const* colour, int const* key, int* made, int* code) {
    MPI_Comm result;
    *code = PMPI_Comm_split(PMPI_Comm_f2c(*comm), *colour, *key, &result);
    if (*code == MPI_SUCCESS) *made = PMPI_Comm_c2f(result);
}

void mpi_allreduce_(void const* send, void* receive, int const* count, int const* type, int const* op, int const* comm,
                    int* code) {
    *code = PMPI_Allreduce(send, receive, *count, PMPI_Type_f2c(*type), PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm));
}

void mpi_irecv_(void* data, int const* count, int const* type, int const* from, int const* tag, int const* comm,
                int* request, int* code) {
    MPI_Request result;
    *code = PMPI_Irecv(data, *count, PMPI_Type_f2c(*type), *from, *tag, PMPI_Comm_f2c(*comm), &result);
    *request = PMPI_Request_c2f(result);
}

void mpi_send_(void const* data, int const* count, int const* type, int const* to, int const* tag, int const* comm,
               int* code) {
    *code = PMPI_Send(data, *count, PMPI_Type_f2c(*type), *to, *tag, PMPI_Comm_f2c(*comm));
}

void mpi_wait_(int* request, int* status, int* code) {
    MPI_Status result;
    MPI_Request handle = PMPI_Request_f2c(*request);
    *code = PMPI_Wait(&handle, &result);
    *request = PMPI_Request_c2f(handle);
    PMPI_Status_c2f(&result, status);
}

/* The numbers in mpif.h. */
void mpi_numbers_(int* world, int* integer, int* sum) {
    *world = PMPI_Comm_c2f(MPI_COMM_WORLD);
    *integer = PMPI_Type_c2f(MPI_INT);
    *sum = PMPI_Op_c2f(MPI_SUM);
}
