// The late inputs of an operation to a root: those who return from it after a repair give them by messages on the lane.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "shield/shield.hpp"

namespace regraft::shield {

/// What the members give, by position in the lane.
using Inputs = std::vector<std::span<std::byte const>>;

/// The bytes of an outcome that is collected elsewhere go to its root. Whether nothing failed.
bool give(Lane const& lane, Outcome const& outcome);

/// At the root. That of its own is empty.
class Taken {
public:
    /// Receives from whoever lives and is not in the outcome, from each this many bytes. The outcome must outlive this.
    Taken(Shield& shield, Lane const& lane, Outcome const& outcome, std::size_t bytes);
    /// Whether all inputs are here.
    bool ok() const { return ok_; }
    Inputs const& inputs() const { return inputs_; }

private:
    void receive(Lane const& lane, int position, std::size_t bytes);

    bool ok_ = true;
    std::vector<std::byte> late_;
    Inputs inputs_;
};

}  // namespace regraft::shield
