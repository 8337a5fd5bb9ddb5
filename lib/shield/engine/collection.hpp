// The late inputs of an operation to a root: processes that return from it after a repair send them by messages on the
// lane.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shield/engine/shield.hpp"

namespace regraft::shield {

/// The inputs of the members, by position in the lane.
using Inputs = std::vector<std::span<std::byte const>>;

/// Sends the bytes of an outcome that is collected elsewhere to its root. Returns whether nothing failed.
bool give(Lane const& lane, Outcome const& outcome);

/// The root confirms to a member that it has its input; the member waits for that, and returns whether it came.
void acknowledge(Lane const& lane, int rank, OperationNumber number);
bool await_acknowledgement(Lane const& lane, int root, OperationNumber number);

/// The inputs at the root. That of the root itself is empty.
class Taken {
public:
    /// Receives from all living members without an input in the outcome. sizes: the largest number of bytes that each
    /// gives, by position in the lane. The outcome must outlive this.
    Taken(Shield& shield, Lane const& lane, Outcome const& outcome, std::span<std::size_t const> sizes);
    /// Whether all inputs are here.
    bool ok() const { return ok_; }
    Inputs const& inputs() const { return inputs_; }

private:
    void receive(Lane const& lane, int position, std::size_t bytes);

    bool ok_ = true;
    std::vector<std::vector<std::byte>> late_;  // by position
    Inputs inputs_;
};

}  // namespace regraft::shield
