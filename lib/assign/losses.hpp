// The sites that died with some PEs, by partition, and the ways to deal them to the survivors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "assign/pe_work.hpp"
#include "regraft/assign/assignment.hpp"

namespace regraft::assign {

/// A survivor, by its position among the survivors.
using Index = std::size_t;

/// The sites that one partition lost, handed out from the front.
struct Loss {
    PartitionId partition{};
    std::uint64_t cost_per_site = 1;
    std::uint64_t num_sites = 0;
    std::vector<SiteRange> pieces;  // descending, so that the next one is at the back
    std::vector<Index> workers;     // survivors that work on the partition, ascending

    std::uint64_t cost() const { return num_sites * cost_per_site; }
};

/// Everything that the PEs that are not survivors had. Partitions with the fewest workers come first, because they have
/// the least choice. An empty cost_per_site means 1 for all. O(pieces log pieces).
std::vector<Loss> losses(Assignment const& before, std::span<PeId const> survivors,
                         std::span<std::uint64_t const> cost_per_site);

/// The state while lost sites are dealt to survivors until none is left. Copies are independent.
class Deal {
public:
    /// load: the cost of what each survivor has.
    Deal(std::span<PeId const> survivors, std::vector<std::uint64_t> load, std::vector<Loss> losses)
        : survivors_(survivors), load_(std::move(load)), losses_(std::move(losses)) {}

    /// Deals sites to survivors that work on their partition already, the least loaded first, each until its load is
    /// limit or more.
    void to_workers_greedily(std::uint64_t limit);

    /// Deals as many sites as possible to survivors that work on their partition already, up to the limit. Survivors
    /// are filled beyond the mean, `fair`, only if needed. If sites cost more than 1, the result is up to a site per
    /// worker and loss below the maximum.
    void to_workers_by_matching(std::uint64_t fair, std::uint64_t limit);

    /// Which survivor gets a rest that fits as a whole into the room of several.
    enum class Fit { loosest, tightest };

    /// Deals what is left, the largest rest first. A rest that fits nowhere as a whole fills the survivors with the
    /// most room. Precondition: workers are at the limit wherever something is left of their partition; everything fits
    /// within the limit. Each step ends a rest or fills a survivor, and starts the survivor on a partition that is new
    /// to it.
    void to_others(std::uint64_t limit, Fit fit);

    bool is_done() const { return next_rest() == losses_.end(); }
    /// The number of steps of to_others.
    std::uint64_t num_new_pairs() const { return num_new_pairs_; }
    /// The pieces that were dealt, in any order.
    std::vector<PeWork> const& gained() const { return gained_; }

private:
    std::vector<Loss>::const_iterator next_rest() const;
    std::uint64_t room(Index survivor, std::uint64_t limit) const;
    std::uint64_t sites_to_limit(Loss const& loss, Index survivor, std::uint64_t limit) const;
    void give(Loss& loss, Index survivor, std::uint64_t max_sites);

    std::span<PeId const> survivors_;
    std::vector<std::uint64_t> load_;
    std::vector<Loss> losses_;
    std::vector<PeWork> gained_;
    std::uint64_t num_new_pairs_ = 0;
};

}  // namespace regraft::assign
