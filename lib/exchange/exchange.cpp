#include "exchange/exchange.hpp"

#include <algorithm>
#include <array>

#include "exchange/slices.hpp"
#include "exchange/transports.hpp"
#include "regraft/core/checked_cast.hpp"

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

Csr<std::uint64_t> all_gather(ft::Communicator& comm, std::span<std::uint64_t const> mine) {
    // Short rows go with their length; only if somebody has a longer one, a second call follows.
    constexpr std::size_t room = 15;
    using Head = std::array<std::uint64_t, room + 1>;
    Head head{mine.size()};
    std::copy_n(mine.begin(), std::min(room, mine.size()), head.begin() + 1);
    std::vector<Head> heads(comm.size());
    comm.check(MPI_Allgather(&head, sizeof head, MPI_BYTE, heads.data(), sizeof head, MPI_BYTE, comm.native()),
               "MPI_Allgather");
    Csr<std::uint64_t> rows;
    bool const all_short = std::all_of(heads.begin(), heads.end(), [](Head const& h) { return h[0] <= room; });
    if (all_short) {
        for (auto const& h : heads) rows.push_row(std::span(h).subspan(1, h[0]));
        return rows;
    }
    std::vector<int> counts, begins;
    for (auto const& h : heads) {
        counts.push_back(checked_cast<int>(h[0]));
        begins.push_back(checked_cast<int>(rows.offsets.back()));
        rows.offsets.push_back(rows.offsets.back() + h[0]);
    }
    rows.values.resize(rows.offsets.back());
    comm.check(MPI_Allgatherv(mine.data(), checked_cast<int>(mine.size()), MPI_UINT64_T, rows.values.data(),
                              counts.data(), begins.data(), MPI_UINT64_T, comm.native()),
               "MPI_Allgatherv");
    return rows;
}

}  // namespace regraft::exchange
