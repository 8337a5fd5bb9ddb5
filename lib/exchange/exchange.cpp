#include "exchange/exchange.hpp"

#include <algorithm>
#include <array>

#include "exchange/slices.hpp"
#include "exchange/transports.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/random.hpp"

namespace regraft::exchange {
namespace {

ft::FailPhase exchange_phase("exchange", ft::Moment::during_next_call);

}  // namespace

Limits limits_of(ft::Transport transport) {
    Limits limits;
    if (transport == ft::Transport::collective) limits.direct_bytes = 128 << 10;
    return limits;
}

void all_to_all(ft::Communicator& comm, Outgoing out, Incoming in, ft::Transport transport,
                std::optional<std::span<Message const>> messages, std::optional<Limits> const& limits) {
    REGRAFT_EXPECTS(out.size() == comm.size() && in.size() == comm.size());
    comm.reach(exchange_phase.before);
    auto const self = comm.position(comm.self());
    copy_row(out[self], in[self]);
    auto const move = transport == ft::Transport::collective ? by_collectives : by_rounds;
    move(comm, exchange_phase.inside, out, in, messages, limits.value_or(limits_of(transport)));
    comm.reach(exchange_phase.after);
}

namespace {

// The beginning of every row, which has room for short rows as a whole.
constexpr std::size_t room = 14;
struct Head {
    std::uint64_t size;
    std::uint64_t checksum;  // covers the size and the whole row
    std::array<std::uint64_t, room> first;
};

std::uint64_t checksum(std::span<std::uint64_t const> row) {
    return hash(std::as_bytes(row)) ^ mix(row.size());
}

/// Gathers the whole rows; row i is that of member i. Uses only calls whose results are right whenever they succeed,
/// which those of MPI_Allgatherv are not (docs/mpi/failure-model.md).
Csr<std::uint64_t> gather_long_rows(ft::Communicator& comm, std::span<std::uint64_t const> mine,
                                    std::span<Head const> heads) {
    Csr<std::uint64_t> rows;
    std::uint64_t longest = 0;
    for (auto const& head : heads) {
        rows.offsets.push_back(rows.offsets.back() + head.size);
        longest = std::max(longest, head.size);
    }
    rows.values.resize(rows.offsets.back());
    constexpr std::uint64_t most_padding = 4;  // relative to the size of the rows; beyond that a message to each member
                                               // costs less
    if (longest * heads.size() <= most_padding * rows.values.size()) {
        std::vector<std::uint64_t> slot(mine.begin(), mine.end()), slots(longest * heads.size());
        slot.resize(longest);
        auto const count = checked_cast<int>(longest);
        comm.check(MPI_Allgather(slot.data(), count, MPI_UINT64_T, slots.data(), count, MPI_UINT64_T, comm.native()),
                   "MPI_Allgather");
        for (std::size_t i = 0; i < heads.size(); ++i)
            std::ranges::copy(std::span(slots).subspan(i * longest, heads[i].size), rows[i].begin());
        return rows;
    }
    std::vector<int> const sent(heads.size(), checked_cast<int>(mine.size())), same_place(heads.size(), 0);
    std::vector<int> received, places;
    for (std::size_t i = 0; i < heads.size(); ++i) {
        received.push_back(checked_cast<int>(heads[i].size));
        places.push_back(checked_cast<int>(rows.offsets[i]));
    }
    comm.check(MPI_Alltoallv(mine.data(), sent.data(), same_place.data(), MPI_UINT64_T, rows.values.data(),
                             received.data(), places.data(), MPI_UINT64_T, comm.native()),
               "MPI_Alltoallv");
    return rows;
}

}  // namespace

Csr<std::uint64_t> all_gather(ft::Communicator& comm, std::span<std::uint64_t const> mine) {
    Head head{mine.size(), checksum(mine), {}};
    std::copy_n(mine.begin(), std::min(room, mine.size()), head.first.begin());
    std::vector<Head> heads(comm.size());
    comm.check(MPI_Allgather(&head, sizeof head, MPI_BYTE, heads.data(), sizeof head, MPI_BYTE, comm.native()),
               "MPI_Allgather");
    Csr<std::uint64_t> rows;
    if (std::ranges::all_of(heads, [](Head const& h) { return h.size <= room; })) {
        for (auto const& h : heads) rows.push_row(std::span(h.first).first(h.size));
    } else {
        rows = gather_long_rows(comm, mine, heads);
    }
    for (std::size_t i = 0; i < heads.size(); ++i) {
        if (checksum(rows[i]) != heads[i].checksum) comm.declare_failure("a gather of rows, one of which is damaged");
    }
    return rows;
}

}  // namespace regraft::exchange
