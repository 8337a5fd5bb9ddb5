#include "ft/renewal.hpp"

#include <algorithm>
#include <cstdint>

#include "ft/backend.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"

namespace regraft::ft {

// The agreements are on the damaged communicator. They also make sure that the new one is not used before all have left
// the call that made it. Ids travel in a message, because translating the ranks of groups is O(ranks^2).
std::optional<std::vector<PeId>> introduce(MPI_Comm damaged, MPI_Comm next, PeId self, std::span<PeId const> before) {
    MPI_Comm const meeting = backend::deaths_are_real() ? damaged : next;  // otherwise damaged has members that have
                                                                           // left
    int size = 0;
    if (next != MPI_COMM_NULL) MPI_Comm_size(next, &size);
    // A communicator that is being made when a death is announced never learns of it, and waits for the dead for ever.
    bool const good = next != MPI_COMM_NULL && !backend::knows_of_deaths(next);
    if (!backend::agree_equal(meeting, good, checked_cast<std::uint64_t>(size))) return {};
    MPI_Comm_set_errhandler(next, MPI_ERRORS_RETURN);
    auto const mine = value(self);
    std::vector<PeId> members(static_cast<std::size_t>(size));
    static_assert(sizeof(PeId) == sizeof mine);
    bool const met = MPI_Allgather(&mine, 1, MPI_UINT32_T, members.data(), 1, MPI_UINT32_T, next) == MPI_SUCCESS &&
                     std::includes(before.begin(), before.end(), members.begin(), members.end());
    if (!met) backend::revoke(next);  // others may wait in the call for this PE
    if (!backend::agree_equal(meeting, met, hash(std::as_bytes(std::span(members))))) return {};
    return members;
}

}  // namespace regraft::ft
