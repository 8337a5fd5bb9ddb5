// The lanes on which something nonblocking is under way.
#pragma once

#include <cstdint>
#include <vector>

#include "shield/lanes/deaths.hpp"
#include "shield/lanes/lane.hpp"
#include "shield/protocol/patience.hpp"

namespace regraft::shield {

class BusyLanes {
public:
    bool empty() const { return lanes_.empty(); }
    /// Starts a nonblocking operation. Returns MPI_SUCCESS, or the code of a first attempt that failed without a death.
    int start(Deaths& deaths, Lane& lane, Nonblocking operation);
    /// Looks once at all that is under way. Returns whether it needs a repair: a death has interrupted something, or
    /// this process seems to wait for others that wait for it.
    bool progress(Deaths& deaths);
    /// Is called when a lane is freed.
    void forget(Lane const& lane);

    // In a repair:

    /// The lanes were revoked: waits for what is under way.
    void end_attempts(Deaths& deaths);
    /// Attempts what is not settled again. Returns the number of these operations.
    std::uint64_t restart(Deaths& deaths);
    /// See Patience::learn().
    void learn(std::chrono::milliseconds until_all_came, std::chrono::milliseconds rest) {
        patience_.learn(until_all_came, rest);
    }

private:
    bool is_starving();

    std::vector<Lane*> lanes_;
    Patience patience_;
};

}  // namespace regraft::shield
