#include "shield/engine/collection.hpp"

#include <algorithm>

#include "shield/lanes/fail_points.hpp"

namespace regraft::shield {
namespace {

// Tags of messages on the lane, which come in the order of its operations.
constexpr int input_tag = 0xc01;
constexpr int acknowledgement_tag = 0xc02;

/// Large inputs are sent in pieces of this size, followed by the rest, which may be empty.
constexpr std::size_t most_at_once = std::size_t{1} << 30U;

}  // namespace

bool give(Lane const& lane, Outcome const& outcome) {
    reach(call_points.give, lane.member(lane.self));
    auto const bytes = std::span(outcome.bytes);
    std::size_t sent = 0;
    for (bool is_over = false; !is_over;) {
        auto const piece = bytes.subspan(sent, std::min(most_at_once, bytes.size() - sent));
        int const code = PMPI_Send(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, lane.position(outcome.root),
                                   input_tag, lane.comm);
        if (code != MPI_SUCCESS) return false;
        sent += piece.size();
        is_over = piece.size() < most_at_once;
    }
    return true;
}

/// A dead rank needs no confirmation, and one that is called to a repair gets it there.
void acknowledge(Lane const& lane, int rank, OperationNumber number) {
    static_cast<void>(PMPI_Send(&number, 1, MPI_UINT64_T, lane.position(rank), acknowledgement_tag, lane.comm));
}

bool await_acknowledgement(Lane const& lane, int root, OperationNumber number) {
    // If the program's sizes do not fit, confirmations may have come that were not awaited.
    for (OperationNumber acknowledged = 0; acknowledged != number;) {
        int const code = PMPI_Recv(&acknowledged, 1, MPI_UINT64_T, lane.position(root), acknowledgement_tag, lane.comm,
                                   MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS) return false;
    }
    return true;
}

Taken::Taken(Shield& shield, Lane const& lane, Outcome const& outcome, std::span<std::size_t const> sizes)
    : late_(sizes.size()), inputs_(sizes.size()) {
    reach(call_points.take, shield.self());
    std::vector<bool> is_here(sizes.size());
    is_here[static_cast<std::size_t>(lane.position(lane.self))] = true;
    std::size_t begin = 0;
    for (auto const& input : outcome.inputs) {
        auto const giver = static_cast<std::size_t>(lane.position(input.giver));
        is_here[giver] = true;
        inputs_[giver] = std::span(outcome.bytes).subspan(begin, input.bytes);
        begin += input.bytes;
    }
    for (std::size_t i = 0; i < inputs_.size() && ok_; ++i) {
        if (is_here[i]) continue;
        receive(lane, static_cast<int>(i), sizes[i]);
        shield.statistics().count(&Statistics::collected);
    }
}

void Taken::receive(Lane const& lane, int position, std::size_t bytes) {
    auto& late = late_[static_cast<std::size_t>(position)];
    late.resize(bytes);
    std::size_t received = 0;
    for (bool is_over = false; !is_over;) {
        auto const piece = std::span(late).subspan(received, std::min(most_at_once, bytes - received));
        MPI_Status status;
        ok_ = PMPI_Recv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, position, input_tag, lane.comm,
                        &status) == MPI_SUCCESS;
        if (!ok_) return;
        int count = 0;
        PMPI_Get_count(&status, MPI_BYTE, &count);
        received += static_cast<std::size_t>(count);
        is_over = static_cast<std::size_t>(count) < most_at_once;
    }
    inputs_[static_cast<std::size_t>(position)] = std::span(late).first(received);
}

}  // namespace regraft::shield
