#include "regraft/ft/collectives.hpp"

#include <algorithm>
#include <vector>

#include "regraft/core/checked_cast.hpp"

namespace regraft::ft {
namespace {

FailPhase broadcast_phase("broadcast", Moment::during_next_call);
FailPhase gather_phase("gather", Moment::during_next_call);

}  // namespace

void broadcast(Communicator& comm, std::span<std::byte> data, PeId root) {
    constexpr std::size_t most_at_once = 1 << 30;  // fits into an int
    auto const rank = checked_cast<int>(comm.position(root));
    comm.reach(broadcast_phase.before);
    do {
        auto const part = data.first(std::min(data.size(), most_at_once));
        data = data.subspan(part.size());
        comm.reach(broadcast_phase.inside);
        comm.check(MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_BYTE, rank, comm.native()), "MPI_Bcast");
    } while (!data.empty());
    comm.reach(broadcast_phase.after);
}

Csr<std::byte> gather(Communicator& comm, std::span<std::byte const> mine, PeId root) {
    auto const rank = checked_cast<int>(comm.position(root));
    auto const size = checked_cast<int>(mine.size());
    bool const receives = comm.self() == root;
    std::vector<int> sizes(receives ? comm.size() : 0), places;
    comm.reach(gather_phase.before);
    comm.check(MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, rank, comm.native()), "MPI_Gather");
    Csr<std::byte> rows;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        places.push_back(checked_cast<int>(rows.offsets.back()));
        rows.offsets.resize(value(comm.members()[i]) + std::size_t{1}, rows.offsets.back());
        rows.offsets.push_back(rows.offsets.back() + static_cast<std::uint64_t>(sizes[i]));
    }
    if (receives) rows.offsets.resize(comm.num_founders() + std::size_t{1}, rows.offsets.back());
    rows.values.resize(rows.offsets.back());
    comm.reach(gather_phase.inside);
    comm.check(MPI_Gatherv(mine.data(), size, MPI_BYTE, rows.values.data(), sizes.data(), places.data(), MPI_BYTE, rank,
                           comm.native()),
               "MPI_Gatherv");
    comm.reach(gather_phase.after);
    return rows;
}

void wait_all(Communicator& comm, std::span<MPI_Request> requests) {
    auto const count = checked_cast<int>(requests.size());
    std::vector<MPI_Status> statuses(requests.size());
    int const code = MPI_Waitall(count, requests.data(), statuses.data());
    try {
        comm.check(code, statuses, "MPI_Waitall");
    } catch (ProcessFailure const&) {
        // All communicators are revoked now, so everything that is under way ends.
        static_cast<void>(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
        throw;
    }
}

}  // namespace regraft::ft
