// The late inputs of an operation to a root: those who return from it after a repair give them by messages on the lane.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shield/engine/shield.hpp"

namespace regraft::shield {

/// What the members give, by position in the lane.
using Inputs = std::vector<std::span<std::byte const>>;

/// The bytes of an outcome that is collected elsewhere go to its root. Whether nothing failed.
bool give(Lane const& lane, Outcome const& outcome);

/// The root has the input of a member in the operation: whether it could be told, and whether it was.
void acknowledge(Lane const& lane, int rank, OperationNumber number);
bool await_acknowledgement(Lane const& lane, int root, OperationNumber number);

/// At the root. That of its own is empty.
class Taken {
public:
    /// Receives from whoever lives and is not in the outcome. sizes: the most bytes that each gives, by position in the
    /// lane. The outcome must outlive this.
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
