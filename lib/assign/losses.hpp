// What died with some PEs, by partition, and the hand that deals it to the survivors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "assign/pieces.hpp"
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

/// What every PE that is not among the survivors had; partitions with the fewest workers first: they have the least
/// choice. An empty cost_per_site is 1 for all. O(pieces log pieces).
std::vector<Loss> losses(Assignment const& before, std::span<PeId const> survivors,
                         std::span<std::uint64_t const> cost_per_site);

/// A game in which lost sites are dealt to survivors until none is left. Copies are independent.
class Deal {
public:
    /// load: the cost of what each survivor has.
    Deal(std::span<PeId const> survivors, std::vector<std::uint64_t> load, std::vector<Loss> losses)
        : survivors_(survivors), load_(std::move(load)), losses_(std::move(losses)) {}

    /// To survivors that work on the partition already, the least loaded first, each until its load is limit or more.
    void to_workers_greedily(std::uint64_t limit);

    /// To survivors that work on the partition already, up to the limit, as much as possible; above the mean, `fair`,
    /// goes only who must. Up to a site per worker and loss less if sites cost more than 1.
    void to_workers_by_matching(std::uint64_t fair, std::uint64_t limit);

    /// Who gets a rest that fits whole into the room of several survivors.
    enum class Fit { loosest, tightest };

    /// What is left, the largest rest first; what fits nowhere whole fills the survivors with the most room.
    /// Precondition: workers are at the limit wherever something is left of their partition; all fits within the limit.
    /// Each step ends a rest or fills a survivor, and starts the survivor on a partition new to it.
    void to_others(std::uint64_t limit, Fit fit);

    bool is_done() const { return next_rest() == losses_.end(); }
    /// Steps of to_others.
    std::uint64_t num_new_pairs() const { return num_new_pairs_; }
    /// What was dealt, in any order.
    std::vector<Piece> const& gained() const { return gained_; }

private:
    std::vector<Loss>::const_iterator next_rest() const;
    std::uint64_t room(Index survivor, std::uint64_t limit) const;
    std::uint64_t sites_to_limit(Loss const& loss, Index survivor, std::uint64_t limit) const;
    void give(Loss& loss, Index survivor, std::uint64_t max_sites);

    std::span<PeId const> survivors_;
    std::vector<std::uint64_t> load_;
    std::vector<Loss> losses_;
    std::vector<Piece> gained_;
    std::uint64_t num_new_pairs_ = 0;
};

}  // namespace regraft::assign
