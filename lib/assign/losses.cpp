// Three ways to deal lost sites: greedily or by a maximum flow to survivors that work on their partition, and by first
// or best fit to the others.
#include "assign/losses.hpp"

#include <algorithm>
#include <compare>
#include <iterator>
#include <ranges>
#include <set>
#include <tuple>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/matching/shares.hpp"

namespace regraft::assign {
namespace {

/// The losses without workers, ascending by partition.
std::vector<Loss> lost_sites(Assignment const& before, std::span<PeId const> survivors,
                             std::span<std::uint64_t const> cost_per_site) {
    std::vector<Work> lost;
    auto survivor = survivors.begin();
    for (std::uint32_t pe = 0; pe < before.size(); ++pe) {
        if (survivor != survivors.end() && *survivor == PeId{pe}) {
            ++survivor;
        } else {
            lost.insert(lost.end(), before[pe].begin(), before[pe].end());
        }
    }
    std::sort(lost.begin(), lost.end(), [](Work const& a, Work const& b) {
        return std::tuple(a.partition, b.sites.first) < std::tuple(b.partition, a.sites.first);
    });
    std::vector<Loss> result;
    for (auto const& work : lost) {
        if (result.empty() || result.back().partition != work.partition) {
            auto const cost = cost_per_site.empty() ? 1 : cost_per_site[value(work.partition)];
            result.push_back({work.partition, cost, 0, {}, {}});
        }
        result.back().pieces.push_back(work.sites);
        result.back().num_sites += work.sites.size();
    }
    return result;
}

/// Number of limits between the mean and the largest one that a matching tries.
constexpr std::uint64_t num_levels = 4;

}  // namespace

std::vector<Loss> losses(Assignment const& before, std::span<PeId const> survivors,
                         std::span<std::uint64_t const> cost_per_site) {
    auto result = lost_sites(before, survivors, cost_per_site);
    if (result.empty()) return result;
    // A row ascends by site, and so by partition: look only between the first and the last partition that lost sites.
    for (Index i = 0; i < survivors.size(); ++i) {
        for (auto const& work : before[value(survivors[i])]) {
            if (work.partition < result.front().partition || work.partition > result.back().partition) continue;
            auto const found = std::lower_bound(result.begin(), result.end(), work.partition,
                                                [](Loss const& loss, PartitionId q) { return loss.partition < q; });
            if (found->partition != work.partition) continue;
            if (found->workers.empty() || found->workers.back() != i) found->workers.push_back(i);
        }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](Loss const& a, Loss const& b) { return a.workers.size() < b.workers.size(); });
    return result;
}

void Deal::to_workers_greedily(std::uint64_t limit) {
    for (auto& loss : losses_) {
        if (loss.num_sites == 0) continue;
        struct Worker {
            std::uint64_t load;
            Index index;
            auto operator<=>(Worker const&) const = default;
        };
        auto below = loss.workers | std::views::filter([&](Index worker) { return load_[worker] < limit; }) |
                     std::views::transform([&](Index worker) {
                         return Worker{load_[worker], worker};
                     });
        // Each takes a site or more, so no more workers can get any. Of many workers, few get what few dead had.
        std::vector<Worker> least(std::min<std::uint64_t>(loss.num_sites, loss.workers.size()));
        auto const end = std::ranges::partial_sort_copy(below, least).out;
        for (auto worker = least.begin(); worker != end; ++worker)
            give(loss, worker->index, sites_to_limit(loss, worker->index, limit));
    }
}

void Deal::to_workers_by_matching(std::uint64_t fair, std::uint64_t limit) {
    // All sites of a partition are alike, so the network has a vertex per partition instead of one per site.
    Csr<std::uint32_t> graph;
    std::vector<std::uint64_t> units;
    std::uint64_t all = 0;
    for (auto const& loss : losses_) {
        for (auto const worker : loss.workers) graph.push_value(checked_cast<std::uint32_t>(worker));
        graph.end_row();
        units.push_back(loss.cost());
        if (!loss.workers.empty()) all += loss.cost();
    }
    std::vector<std::uint64_t> capacity(load_.size());
    for (Index i = 0; i < load_.size(); ++i) capacity[i] = room(i, fair);
    auto best = matching::max_b_shares(graph, units, capacity);
    // Partitions with workers outside of the Hall set are already served there. More room helps only partitions whose
    // workers are all in the set. The limit rises level by level, so that few survivors reach it, and at the highest
    // level the result is maximal.
    for (std::uint64_t level = 1; level <= num_levels && best.total < all && limit > fair; ++level) {
        auto const bound = limit - (limit - fair) / num_levels * (num_levels - level);
        for (auto const i : best.hall_set) capacity[i] = room(i, bound);
        best = matching::max_b_shares(graph, units, capacity);
    }
    auto share = best.share.begin();
    for (auto& loss : losses_) {
        for (auto const worker : loss.workers) give(loss, worker, *share++ / loss.cost_per_site);
    }
    // Shares that are not whole sites leave some room.
    to_workers_greedily(limit);
}

void Deal::to_others(std::uint64_t limit, Fit fit) {
    std::stable_sort(losses_.begin(), losses_.end(), [](Loss const& a, Loss const& b) { return a.cost() > b.cost(); });
    if (is_done()) return;
    struct Taker {
        std::uint64_t room;
        Index survivor;
        auto operator<=>(Taker const&) const = default;
    };
    std::vector<Taker> takers;
    for (Index i = 0; i < load_.size(); ++i) {
        if (load_[i] < limit) takers.push_back({room(i, limit), i});
    }
    std::sort(takers.begin(), takers.end());
    std::set<Taker> by_room(takers.begin(), takers.end());
    for (auto& loss : losses_) {
        while (loss.num_sites > 0) {
            REGRAFT_ASSERT(!by_room.empty());
            auto chosen = by_room.end();
            // Filling up may end less than a site above the limit, so one unit of room is enough for the last site.
            if (fit == Fit::tightest) chosen = by_room.lower_bound({loss.cost() - loss.cost_per_site + 1, 0});
            if (chosen == by_room.end()) chosen = std::prev(chosen);
            auto const i = chosen->survivor;
            by_room.erase(chosen);
            give(loss, i, sites_to_limit(loss, i, limit));
            if (load_[i] < limit) by_room.insert({room(i, limit), i});
            ++num_new_pairs_;
        }
    }
}

std::vector<Loss>::const_iterator Deal::next_rest() const {
    return std::find_if(losses_.begin(), losses_.end(), [](Loss const& loss) { return loss.num_sites > 0; });
}

std::uint64_t Deal::room(Index survivor, std::uint64_t limit) const {
    return limit - std::min(limit, load_[survivor]);
}

std::uint64_t Deal::sites_to_limit(Loss const& loss, Index survivor, std::uint64_t limit) const {
    auto const left = room(survivor, limit);
    return left / loss.cost_per_site + (left % loss.cost_per_site > 0 ? 1 : 0);
}

void Deal::give(Loss& loss, Index survivor, std::uint64_t max_sites) {
    while (loss.num_sites > 0 && max_sites > 0) {
        auto& sites = loss.pieces.back();
        auto const count = std::min(sites.size(), max_sites);
        auto const cut = advance(sites.first, count);
        gained_.push_back({survivors_[survivor], {{sites.first, cut}, loss.partition}});
        load_[survivor] += count * loss.cost_per_site;
        loss.num_sites -= count;
        max_sites -= count;
        sites.first = cut;
        if (sites.empty()) loss.pieces.pop_back();
    }
}

}  // namespace regraft::assign
