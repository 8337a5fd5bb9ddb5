#include "shield/session.hpp"

#include <cstdio>
#include <cstdlib>

namespace regraft::shield {

Session the_session;

int complain(Lane& lane, int code) {
    if (code == MPI_SUCCESS) return code;
    PMPI_Comm_set_errhandler(lane.face, lane.handler);
    PMPI_Comm_call_errhandler(lane.face, code);
    PMPI_Comm_set_errhandler(lane.face, MPI_ERRORS_RETURN);
    return code;
}

void refuse(char const* call, std::string const& why) {
    constexpr int refused = 4;
    std::fprintf(stderr, "regraft-shield: rank %u: %s: %s\n", value(session().shield->self()), call, why.c_str());
    std::fflush(nullptr);
    std::_Exit(refused);
}

void without_root(char const* call, int root, bool needs_its_data) {
    auto const& policy = session().policy;
    auto const who = "its root, rank " + std::to_string(root) + ", is dead; ";
    if (needs_its_data && policy.needs_root)
        refuse(call, who + "REGRAFT_SHIELD_ROOT_DEAD_FROM=hole goes on without its data");
    if (!needs_its_data && !policy.skips_dead_root) refuse(call, who + "REGRAFT_SHIELD_ROOT_DEAD_TO=skip goes on");
    ++session().counts.skipped_roots;
}

}  // namespace regraft::shield
