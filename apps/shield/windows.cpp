// The end of windows. All else that concerns them is MPI's own, while all live.
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "ft/backend.hpp"
#include "shield/messages.hpp"

namespace regraft::shield {
namespace {

/// Whether one of those whose memory a window shows is known to be dead.
bool has_lost_members(MPI_Win window) {
    auto const* const world = lane_of(MPI_COMM_WORLD);
    if (world->is_whole() && !ft::backend::knows_of_deaths(MPI_COMM_WORLD)) return false;
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group members = MPI_GROUP_NULL;
    int size = 0;
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Win_get_group(window, &members);
    PMPI_Group_size(members, &size);
    std::vector<int> numbers(static_cast<std::size_t>(size)), ranks(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), 0);
    PMPI_Group_translate_ranks(members, size, numbers.data(), all, ranks.data());
    PMPI_Group_free(&members);
    PMPI_Group_free(&all);
    return std::any_of(ranks.begin(), ranks.end(), [&](int rank) { return rank >= 0 && can_not_send(*world, rank); });
}

}  // namespace
}  // namespace regraft::shield

using namespace regraft::shield;

extern "C" {

/// MPI waits for all members there. Without one of them the window is let go of, with what memory it has.
int MPI_Win_free(MPI_Win* window) {
    if (session().shield == nullptr || *window == MPI_WIN_NULL) return PMPI_Win_free(window);
    session().shield->help();
    int code = MPI_SUCCESS;
    bool lost = has_lost_members(*window);
    if (!lost) {
        code = PMPI_Win_free(window);
        lost = is_of_the_dead(code);
    }
    if (lost) *window = MPI_WIN_NULL;
    return lost ? MPI_SUCCESS : code;
}
}
