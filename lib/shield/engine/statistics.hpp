// What the shield counts, and what it remembers of repairs.
#pragma once

#include <cstdint>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::shield {

/// Statistics of this process.
struct Statistics {
    std::uint64_t repairs = 0;
    std::uint64_t rounds = 0;
    std::uint64_t forwarded = 0;  // calls whose outcome came from others
    std::uint64_t collected = 0;  // inputs that came to this root in repairs and by messages
    std::uint64_t committed = 0;  // calls that a repair has confirmed
    std::uint64_t repeated = 0;   // attempts after the first of a call
    std::uint64_t restarted = 0;  // nonblocking operations that were attempted again
    double repair_ms = 0;
    std::uint64_t events = 0;  // number of increments of any of them

    void count(std::uint64_t Statistics::*what, std::uint64_t more = 1) {
        this->*what += more;
        ++events;
    }
};

struct PastRepair {
    std::uint64_t number = 0;  // from 1
    double begin = 0;          // time by MPI_Wtime
    double ms = 0;
    double vote_ms = 0;  // part of ms until all had come, as far as this process has waited for them
    std::uint32_t rounds = 0;
    bool was_called = false;  // by another process, before this one noticed the death
    std::vector<PeId> dead;   // processes that it has left behind, ascending
};

}  // namespace regraft::shield
