// Solves the minimum-b problem for shares, in memory that is used again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "matching/minimise.hpp"
#include "matching/share_holdings.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::matching {

/// The preconditions of min_b_shares.
void expect_rows(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units, std::size_t num_right);

/// Bounds that are known before any search.
struct ShareBound {
    std::uint64_t lower_bound = 0;
    std::vector<std::uint32_t> hall_set;  // all neighbours of left vertices with units: they prove the bound
    std::vector<std::uint32_t> isolated;  // left vertices with units, but without neighbours
};
ShareBound bound_below(CsrView<std::uint32_t> graph, std::span<std::uint64_t const> units, std::uint32_t num_right);

class ShareSolver {
public:
    /// Improves share, a complete division, until no right vertex has more units than the optimum, or than what is
    /// proven, which starts at `proven`. If that rises, hall_set proves it, unsorted.
    Bounds minimise(CsrView<std::uint32_t> graph, std::uint32_t num_right, std::uint64_t proven,
                    std::span<std::uint64_t> share, std::vector<std::uint32_t>& hall_set) {
        load_.assign(num_right, 0);
        for (std::size_t e = 0; e < share.size(); ++e) load_[graph.values[e]] += share[e];
        auto const busiest = std::max_element(load_.begin(), load_.end());
        if (busiest == load_.end() || *busiest <= proven) return {proven, busiest == load_.end() ? 0 : *busiest};
        holdings_.list(graph, share, num_right);
        return matching::minimise({proven, *busiest}, relief_, holdings_, std::span(load_), hall_set);
    }

private:
    ShareHoldings holdings_;
    Relief<ShareHoldings, std::uint64_t> relief_;
    std::vector<std::uint64_t> load_;
};

}  // namespace regraft::matching
