#include "shield/collection.hpp"

#include "regraft/core/checked_cast.hpp"
#include "shield/fail_points.hpp"

namespace regraft::shield {
namespace {

constexpr int input_tag = 0xc01;  // of messages on the lane, in the order of its operations

}  // namespace

bool give(Lane const& lane, Outcome const& outcome) {
    reach(call_points.give, lane.member(lane.self));
    return PMPI_Send(outcome.bytes.data(), checked_cast<int>(outcome.bytes.size()), MPI_BYTE,
                     lane.position(outcome.root), input_tag, lane.comm) == MPI_SUCCESS;
}

Taken::Taken(Shield& shield, Lane const& lane, Outcome const& outcome, std::size_t bytes)
    : late_(bytes * lane.living.size()), inputs_(lane.living.size()) {
    reach(call_points.take, shield.self());
    std::vector<bool> is_here(lane.living.size());
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
        receive(lane, static_cast<int>(i), bytes);
        shield.statistics().count(&Statistics::collected);
    }
}

void Taken::receive(Lane const& lane, int position, std::size_t bytes) {
    auto const place = std::span(late_).subspan(bytes * static_cast<std::size_t>(position), bytes);
    MPI_Status status;
    ok_ = PMPI_Recv(place.data(), checked_cast<int>(bytes), MPI_BYTE, position, input_tag, lane.comm, &status) ==
          MPI_SUCCESS;
    int received = 0;
    if (ok_) PMPI_Get_count(&status, MPI_BYTE, &received);
    inputs_[static_cast<std::size_t>(position)] = place.first(static_cast<std::size_t>(received));
}

}  // namespace regraft::shield
