#include "shield/lanes/hidden.hpp"

#include <utility>

#include "ft/backend.hpp"
#include "ft/renewal.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::shield {

MPI_Comm duplicate_hidden(MPI_Comm comm) {
    MPI_Comm result = MPI_COMM_NULL;
    if (PMPI_Comm_dup(comm, &result) != MPI_SUCCESS) throw DeathInStart();
    PMPI_Comm_set_errhandler(result, MPI_ERRORS_RETURN);
    return result;
}

bool agree(MPI_Comm comm, bool says) {
    int bits = says ? 1 : 0;
    ft::backend::agree(comm, &bits);
    return bits != 0;
}

Renewed renewed(MPI_Comm damaged, PeId self, std::span<PeId const> before) {
    for (int attempt = 0; attempt < ft::most_renewals; ++attempt) {
        MPI_Comm next = ft::backend::shrink(damaged, damaged == MPI_COMM_WORLD, {});
        if (auto members = ft::introduce(damaged, next, self, before)) return {next, std::move(*members)};
        if (next != MPI_COMM_NULL) PMPI_Comm_free(&next);
    }
    REGRAFT_EXPECTS(!"MPIX_Comm_shrink succeeds sooner or later");
    return {};
}

}  // namespace regraft::shield
