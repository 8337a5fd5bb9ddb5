#include "exchange/exchange.hpp"

#include <algorithm>
#include <numeric>

#include "regraft/core/checked_cast.hpp"

namespace regraft::exchange {
namespace {

ft::FailPhase exchange_phase("exchange", ft::Moment::during_next_call);

std::uint64_t largest(std::span<Segment const> segments) {
    std::uint64_t size = 0;
    for (auto const& segment : segments) size = std::max(size, segment.size);
    return size;
}

/// Counts and displacements of one MPI_Alltoallv. Displacements are ints too, so each call gets a base of its own.
struct Window {
    std::vector<std::byte> staging;
    std::vector<int> counts, offsets;
};

/// The pieces [call * chunk, (call + 1) * chunk) of all segments, to lie one behind the other in the staging buffer.
Window window(std::span<Segment const> segments, std::uint64_t call, std::uint64_t chunk) {
    Window w;
    std::uint64_t total = 0;
    for (auto const& segment : segments) {
        auto const begin = std::min(segment.size, call * chunk);
        auto const size = std::min(segment.size - begin, chunk);
        w.counts.push_back(checked_cast<int>(size));
        w.offsets.push_back(checked_cast<int>(total));
        total += size;
    }
    w.staging.resize(total);
    return w;
}

}  // namespace

void all_to_all(ft::Communicator& comm, std::span<std::byte const> send_buffer, std::span<Segment const> out,
                std::span<std::byte> receive_buffer, std::span<Segment const> in, Limits limits) {
    REGRAFT_EXPECTS(out.size() == comm.size() && in.size() == comm.size());
    comm.reach(exchange_phase.before);
    // With at most `chunk` bytes per pair, no call moves more than the limit into or out of a rank.
    auto const chunk = std::max<std::uint64_t>(1, limits.bytes_per_call / comm.size());
    auto calls = (std::max(largest(out), largest(in)) + chunk - 1) / chunk;
    comm.check(MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_UINT64_T, MPI_MAX, comm.native()), "MPI_Allreduce");
    for (std::uint64_t call = 0; call < calls; ++call) {
        auto sent = window(out, call, chunk);
        auto received = window(in, call, chunk);
        for (std::size_t rank = 0; rank < out.size(); ++rank) {
            auto const from = send_buffer.begin() +
                              static_cast<std::ptrdiff_t>(out[rank].offset + std::min(out[rank].size, call * chunk));
            std::copy_n(from, sent.counts[rank], sent.staging.begin() + sent.offsets[rank]);
        }
        comm.reach(exchange_phase.inside);
        comm.check(MPI_Alltoallv(sent.staging.data(), sent.counts.data(), sent.offsets.data(), MPI_BYTE,
                                 received.staging.data(), received.counts.data(), received.offsets.data(), MPI_BYTE,
                                 comm.native()),
                   "MPI_Alltoallv");
        for (std::size_t rank = 0; rank < in.size(); ++rank) {
            auto const to = receive_buffer.begin() +
                            static_cast<std::ptrdiff_t>(in[rank].offset + std::min(in[rank].size, call * chunk));
            std::copy_n(received.staging.begin() + received.offsets[rank], received.counts[rank], to);
        }
    }
    comm.reach(exchange_phase.after);
}

Csr<std::uint64_t> all_gather(ft::Communicator& comm, std::span<std::uint64_t const> mine) {
    std::vector<int> counts(comm.size());
    int const count = checked_cast<int>(mine.size());
    comm.check(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm.native()), "MPI_Allgather");
    Csr<std::uint64_t> rows;
    std::vector<int> begins;
    for (int size : counts) {
        begins.push_back(checked_cast<int>(rows.offsets.back()));
        rows.offsets.push_back(rows.offsets.back() + static_cast<std::uint64_t>(size));
    }
    rows.values.resize(rows.offsets.back());
    comm.check(MPI_Allgatherv(mine.data(), count, MPI_UINT64_T, rows.values.data(), counts.data(), begins.data(),
                              MPI_UINT64_T, comm.native()),
               "MPI_Allgatherv");
    return rows;
}

}  // namespace regraft::exchange
