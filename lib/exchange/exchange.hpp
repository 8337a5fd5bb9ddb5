// The private exchange layer: moves bytes between all pairs of members by blocking MPI_Alltoallv, the one transport
// that survives deaths on every Open MPI 5 measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::exchange {

/// Bytes to or from one rank: buffer[offset .. offset + size).
struct Segment {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

/// What one MPI call may move in and out of a rank; smaller only in tests.
struct Limits {
    std::uint64_t bytes_per_call = std::numeric_limits<int>::max();
};

/// Sends out[rank] of send_buffer to each rank of comm.native() and receives in[rank] into receive_buffer; in[i] on
/// rank j equals out[j] on rank i in size. Segments of any size: what MPI's int cannot count goes in several calls.
/// Collective, not uniform.
void all_to_all(ft::Communicator& comm, std::span<std::byte const> send_buffer, std::span<Segment const> out,
                std::span<std::byte> receive_buffer, std::span<Segment const> in, Limits limits = {});

/// Gathers every member's items on all members, one row per rank. Collective, not uniform.
Csr<std::uint64_t> all_gather(ft::Communicator& comm, std::span<std::uint64_t const> mine);

}  // namespace regraft::exchange
