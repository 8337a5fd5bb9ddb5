// Deals lost sites first to survivors that work on their partition, and the rest to others. Several ways are tried, and
// the one with the fewest new pairs wins.
#include "regraft/assign/reassign.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "assign/losses.hpp"
#include "assign/pe_work.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::assign {
namespace {

std::vector<std::uint64_t> loads(Assignment const& before, std::span<PeId const> survivors,
                                 std::span<std::uint64_t const> cost_per_site) {
    std::vector<std::uint64_t> result;
    result.reserve(survivors.size());
    for (auto const pe : survivors) {
        auto const row = before[value(pe)];
        result.push_back(cost_per_site.empty() ? num_sites(row) : cost(row, cost_per_site));
    }
    return result;
}

/// The costs up to which survivors are filled: the mean, and the mean times slack.
struct Limits {
    std::uint64_t fair;
    std::uint64_t slack;
};

Limits limits(std::uint64_t total, std::uint64_t num_survivors, double slack) {
    // This is room for all sites: a survivor above the fair share gets nothing, but leaves that much more to the
    // others.
    auto const fair = total / num_survivors + (total % num_survivors > 0 ? 1 : 0);
    auto const mean = static_cast<double>(total) / static_cast<double>(num_survivors);
    // A limit above all sites means no limit; the minimum also keeps the conversion in range.
    auto const limit = std::min(std::ceil(slack * mean), static_cast<double>(total));
    return {fair, std::max(fair, static_cast<std::uint64_t>(limit))};
}

/// Deals the rest by best fit if that takes fewer new pairs, otherwise evenly: room that is left is good for the next
/// failure.
Deal finish(Deal loose, Limits const& limit) {
    if (loose.is_done()) return loose;
    auto tight = loose;
    loose.to_others(limit.slack, Deal::Fit::loosest);
    if (loose.num_new_pairs() <= 1) return loose;
    tight.to_others(limit.slack, Deal::Fit::tightest);
    if (tight.num_new_pairs() < loose.num_new_pairs()) return tight;
    return loose;
}

struct Dealt {
    Deal deal;
    Method method;
};

Dealt deal_out(Deal const& start, Limits const& limit, Method method) {
    auto const greedy = [&] {
        auto deal = start;
        deal.to_workers_greedily(limit.fair);
        deal.to_workers_greedily(limit.slack);
        return Dealt{finish(std::move(deal), limit), Method::greedy};
    };
    auto const matching = [&] {
        auto deal = start;
        deal.to_workers_by_matching(limit.fair, limit.slack);
        return Dealt{finish(std::move(deal), limit), Method::matching};
    };
    if (method == Method::matching) return matching();
    auto first = greedy();
    if (method == Method::greedy || first.deal.num_new_pairs() == 0) return first;
    auto second = matching();
    // If equal, the matching leaves more room, and so fewer new pairs at the next failure (docs/mpi/reassignment.md).
    if (second.deal.num_new_pairs() <= first.deal.num_new_pairs()) return second;
    return first;
}

/// The survivors' rows of both, merged; other rows are empty.
Assignment merged(Assignment const& before, Csr<Work> const& gained, std::span<PeId const> survivors) {
    Assignment after;
    after.values.reserve(before.values.size() + gained.values.size());
    after.offsets.reserve(before.offsets.size());
    std::vector<Work> row;
    auto survivor = survivors.begin();
    for (std::uint32_t pe = 0; pe < before.size(); ++pe) {
        if (survivor != survivors.end() && *survivor == PeId{pe}) {
            ++survivor;
            if (gained[pe].empty()) {
                after.push_row(before[pe]);
                continue;
            }
            row.clear();
            std::merge(before[pe].begin(), before[pe].end(), gained[pe].begin(), gained[pe].end(),
                       std::back_inserter(row),
                       [](Work const& a, Work const& b) { return a.sites.first < b.sites.first; });
            for (auto const& work : row) append(after, work);
        }
        after.end_row();
    }
    return after;
}

/// The partitions in the rows of gained, without repetition and without those in before.
Csr<PartitionId> new_partitions(Assignment const& before, Csr<Work> const& gained) {
    Csr<PartitionId> result;
    for (std::size_t pe = 0; pe < gained.size(); ++pe) {
        auto const had = before[pe];
        auto old = had.begin();
        for (auto const& work : gained[pe]) {
            while (old != had.end() && old->partition < work.partition) ++old;
            bool const is_old = old != had.end() && old->partition == work.partition;
            bool const is_known =
                result.values.size() > result.offsets.back() && result.values.back() == work.partition;
            if (!is_old && !is_known) result.push_value(work.partition);
        }
        result.end_row();
    }
    return result;
}

}  // namespace

Reassignment reassign(Assignment const& before, std::span<PeId const> survivors, Options const& options) {
    REGRAFT_EXPECTS(!survivors.empty() && value(survivors.back()) < before.size());
    REGRAFT_EXPECTS(std::adjacent_find(survivors.begin(), survivors.end(), std::greater_equal<>{}) == survivors.end());
    REGRAFT_EXPECTS(options.slack >= 1.0);
    REGRAFT_EXPECTS(std::count(options.cost_per_site.begin(), options.cost_per_site.end(), 0U) == 0);
    auto const& costs = options.cost_per_site;
    auto const total = costs.empty() ? num_sites(before.values) : cost(before.values, costs);

    Deal const start(survivors, loads(before, survivors, costs), losses(before, survivors, costs));
    auto dealt = deal_out(start, limits(total, survivors.size(), options.slack), options.method);
    Reassignment result;
    result.gained = rows_of(dealt.deal.gained(), static_cast<std::uint32_t>(before.size()));
    result.after = merged(before, result.gained, survivors);
    result.new_partitions = new_partitions(before, result.gained);
    result.new_pairs = result.new_partitions.values.size();
    result.method = dealt.method;
    REGRAFT_ASSERT(result.new_pairs == dealt.deal.num_new_pairs());
    return result;
}

}  // namespace regraft::assign
