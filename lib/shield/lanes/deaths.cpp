#include "shield/lanes/deaths.hpp"
#include <mpi.h>

#include "ft/backend.hpp"

namespace regraft::shield {

bool Deaths::explain(int code) {
    constexpr int most_vague_errors = 500;
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(code, &error_class);
    if (ft::backend::is_process_failure(error_class)) return true;
    bool const vague = error_class == MPI_ERR_OTHER || error_class == MPI_ERR_INTERN || error_class == MPI_ERR_UNKNOWN;
    return vague && ++vague_errors_ <= most_vague_errors;
}

}  // namespace regraft::shield
