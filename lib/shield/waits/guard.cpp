#include "shield/waits/guard.hpp"

#include <string>

#include "ft/backend.hpp"
#include "shield/waits/messages.hpp"

namespace regraft::shield {
namespace {

constexpr auto died_inside = "a rank has died during this call, and the shield cannot repeat it";

std::string died_before(char const* reason) {
    return std::string("a rank has died, and the shield passes this call on only while all ranks live: ") + reason;
}

bool anybody_died() {
    auto const& shield = session().shield;
    if (shield == nullptr) return false;
    shield->help();
    return !lane_of(MPI_COMM_WORLD)->is_whole() || ft::backend::knows_of_deaths(MPI_COMM_WORLD);
}

bool is_shielded_death(int code) {
    return session().shield != nullptr && is_of_the_dead(code);
}

int tell(MPI_Win window, int code) {
    if (code != MPI_SUCCESS) PMPI_Win_call_errhandler(window, code);
    return code;
}

int tell(MPI_File file, int code) {
    if (code != MPI_SUCCESS) PMPI_File_call_errhandler(file, code);
    return code;
}

}  // namespace

int guard(char const* call, char const* reason, MPI_Comm comm) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr) return MPI_SUCCESS;
    session().shield->help();
    if (lane->is_whole() && !ft::backend::knows_of_deaths(lane->face)) return MPI_SUCCESS;
    return unsupported(call, lane, MPI_ERR_PROC_FAILED, died_before(reason));
}

int guard(char const* call, char const* reason, MPI_Comm comm, MPI_Comm other) {
    int const code = guard(call, reason, comm);
    return code != MPI_SUCCESS ? code : guard(call, reason, other);
}

int guard(char const* call, char const* reason, MPI_Win window) {
    if (!anybody_died()) return MPI_SUCCESS;
    return tell(window, unsupported(call, nullptr, MPI_ERR_PROC_FAILED, died_before(reason)));
}

int guard(char const* call, char const* reason, MPI_File file) {
    if (!anybody_died()) return MPI_SUCCESS;
    return tell(file, unsupported(call, nullptr, MPI_ERR_PROC_FAILED, died_before(reason)));
}

int outcome_of(char const* call, MPI_Comm comm, int code) {
    auto* const lane = lane_of(comm);
    if (lane == nullptr || code == MPI_SUCCESS) return code;
    if (is_of_the_dead(code)) {
        int const refused = unsupported(call, lane, code, died_inside);
        if (refused != MPI_SUCCESS) return refused;
    }
    return complain(*lane, code);
}

int outcome_of(char const* call, MPI_Comm comm, MPI_Comm, int code) {
    return outcome_of(call, comm, code);
}

// Windows and files have called the program's handler themselves.
int outcome_of(char const* call, MPI_Win, int code) {
    if (is_shielded_death(code)) static_cast<void>(unsupported(call, nullptr, code, died_inside));
    return code;
}

int outcome_of(char const* call, MPI_File, int code) {
    if (is_shielded_death(code)) static_cast<void>(unsupported(call, nullptr, code, died_inside));
    return code;
}

void meet(MPI_Comm comm) {
    if (lane_of(comm) != nullptr) MPI_Barrier(comm);
}

int inherit(MPI_Comm parent, MPI_Comm const* made, int code) {
    auto const* const lane = lane_of(parent);
    bool const is_made = code == MPI_SUCCESS && *made != MPI_COMM_NULL;
    return lane != nullptr && is_made ? PMPI_Comm_set_errhandler(*made, lane->handler) : code;
}

}  // namespace regraft::shield
