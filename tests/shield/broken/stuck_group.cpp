// A shield that is broken on purpose: rank 2 stays for ever in MPI's call that makes a communicator of a group, as
// others may when a member dies in it. Linked with --wrap in place of that call.
#include <mpi.h>

#include <cstdlib>
#include <string_view>

#include <unistd.h>

extern "C" int __real_PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made);
extern "C" int __wrap_PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    while (std::string_view(std::getenv("OMPI_COMM_WORLD_RANK")) == "2") pause();
    return __real_PMPI_Comm_create_group(comm, group, tag, made);
}
