// The minimum-b problem for shares, in memory that is used again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "matching/relief.hpp"
#include "matching/share_holdings.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::matching {

/// What is known before any search.
struct ShareBound {
    std::uint64_t lower_bound = 0;
    std::vector<std::uint32_t> hall_set;  // all neighbours of what has units: they prove the bound
    std::vector<std::uint32_t> isolated;  // have units, but no neighbour
};
ShareBound bound_below(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units, std::uint32_t num_right);

class ShareSolver {
public:
    /// Improves share, a complete division, until no right vertex has more than b units, or b has been raised to what
    /// is least. Returns that b; if it was raised hall_set proves it, unsorted.
    std::uint64_t minimise(CsrView<std::uint32_t> graph, std::uint32_t num_right, std::uint64_t b,
                           std::span<std::uint64_t> share, std::vector<std::uint32_t>& hall_set) {
        room_.assign(num_right, static_cast<std::int64_t>(b));
        for (std::size_t e = 0; e < share.size(); ++e) room_[graph.values[e]] -= static_cast<std::int64_t>(share[e]);
        holdings_.list(graph, share, num_right);
        return raise_until_relieved(b, relief_, holdings_, room_, hall_set);
    }

private:
    ShareHoldings holdings_;
    Relief<ShareHoldings> relief_;
    std::vector<std::int64_t> room_;
};

}  // namespace regraft::matching
