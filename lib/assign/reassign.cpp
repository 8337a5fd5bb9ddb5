#include "regraft/assign/reassign.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "assign/pieces.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::assign {
namespace {

/// A survivor, by its position among the survivors.
using Index = std::size_t;

/// The sites that one partition lost, handed out from the front.
struct Loss {
    PartitionId partition{};
    std::vector<SiteRange> pieces;  // descending, so that the next one is at the back
    std::uint64_t num_sites = 0;
    std::vector<Index> workers;  // survivors that work on the partition
};

std::vector<Loss> losses(Assignment const& before, std::span<PeId const> survivors) {
    std::vector<Work> lost;
    for (std::uint32_t pe = 0; pe < before.size(); ++pe) {
        if (std::binary_search(survivors.begin(), survivors.end(), PeId{pe})) continue;
        lost.insert(lost.end(), before[pe].begin(), before[pe].end());
    }
    std::sort(lost.begin(), lost.end(), [](Work const& a, Work const& b) {
        return std::tuple(a.partition, b.sites.first) < std::tuple(b.partition, a.sites.first);
    });
    std::vector<Loss> result;
    for (auto const& work : lost) {
        if (result.empty() || result.back().partition != work.partition) result.push_back({work.partition, {}, 0, {}});
        result.back().pieces.push_back(work.sites);
        result.back().num_sites += work.sites.size();
    }
    return result;
}

class Dealer {
public:
    Dealer(Assignment const& before, std::span<PeId const> survivors)
        : survivors_(survivors), losses_(losses(before, survivors)) {
        for (auto const pe : survivors) load_.push_back(num_sites(before[value(pe)]));
        find_workers(before);
    }

    /// To survivors that work on the partition already, the least loaded first, each up to the limit.
    void deal_to_workers(std::uint64_t limit) {
        for (auto& loss : losses_) {
            std::sort(loss.workers.begin(), loss.workers.end(),
                      [&](Index a, Index b) { return std::tuple(load_[a], a) < std::tuple(load_[b], b); });
            for (auto const worker : loss.workers) give(loss, worker, limit);
        }
    }

    /// The largest remainder to the least loaded: each step empties a remainder or fills a survivor. Afterwards nothing
    /// is left. Returns the number of steps, which all start a survivor on a partition that is new to it: its workers
    /// are full.
    std::uint64_t deal_to_others(std::uint64_t limit) {
        std::stable_sort(losses_.begin(), losses_.end(),
                         [](Loss const& a, Loss const& b) { return a.num_sites > b.num_sites; });
        using Entry = std::tuple<std::uint64_t, Index>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> by_load;
        for (Index i = 0; i < survivors_.size(); ++i) by_load.emplace(load_[i], i);
        std::uint64_t new_pairs = 0;
        for (auto& loss : losses_) {
            while (loss.num_sites > 0) {
                auto const [load, i] = by_load.top();
                REGRAFT_ASSERT(load < limit);
                by_load.pop();
                give(loss, i, limit);
                by_load.emplace(load_[i], i);
                ++new_pairs;
            }
        }
        return new_pairs;
    }

    std::vector<Piece> gained() && { return std::move(gained_); }

private:
    /// Partitions with the fewest workers come first: they have the least choice.
    void find_workers(Assignment const& before) {
        for (Index i = 0; i < survivors_.size(); ++i) {
            for (auto const& work : before[value(survivors_[i])]) {
                auto const found = std::lower_bound(losses_.begin(), losses_.end(), work.partition,
                                                    [](Loss const& loss, PartitionId q) { return loss.partition < q; });
                if (found == losses_.end() || found->partition != work.partition) continue;
                if (found->workers.empty() || found->workers.back() != i) found->workers.push_back(i);
            }
        }
        std::stable_sort(losses_.begin(), losses_.end(),
                         [](Loss const& a, Loss const& b) { return a.workers.size() < b.workers.size(); });
    }

    /// Gives the survivor as much of the loss as it may have.
    void give(Loss& loss, Index survivor, std::uint64_t limit) {
        while (loss.num_sites > 0 && load_[survivor] < limit) {
            auto& sites = loss.pieces.back();
            auto const count = std::min(sites.size(), limit - load_[survivor]);
            auto const cut = advance(sites.first, count);
            gained_.push_back({survivors_[survivor], {{sites.first, cut}, loss.partition}});
            load_[survivor] += count;
            loss.num_sites -= count;
            sites.first = cut;
            if (sites.empty()) loss.pieces.pop_back();
        }
    }

    std::span<PeId const> survivors_;
    std::vector<Loss> losses_;
    std::vector<std::uint64_t> load_;
    std::vector<Piece> gained_;
};

std::uint64_t slack_limit(std::uint64_t fair, std::uint64_t sites, std::size_t num_survivors, double slack) {
    auto const mean = static_cast<double>(sites) / static_cast<double>(num_survivors);
    // More than all sites is no limit; also keeps the conversion in range.
    auto const limit = std::min(std::ceil(slack * mean), static_cast<double>(sites));
    return std::max(fair, static_cast<std::uint64_t>(limit));
}

}  // namespace

Reassignment reassign(Assignment const& before, std::span<PeId const> survivors, Options options) {
    REGRAFT_EXPECTS(!survivors.empty() && value(survivors.back()) < before.size());
    REGRAFT_EXPECTS(std::adjacent_find(survivors.begin(), survivors.end(), std::greater_equal<>{}) == survivors.end());
    REGRAFT_EXPECTS(options.slack >= 1.0);
    auto const sites = num_sites(before.values);
    // Room for all: a survivor above the fair share takes nothing, but leaves that much more to the others.
    auto const fair = (sites + survivors.size() - 1) / survivors.size();
    auto const limit = slack_limit(fair, sites, survivors.size(), options.slack);

    Dealer dealer(before, survivors);
    dealer.deal_to_workers(fair);
    dealer.deal_to_workers(limit);
    Reassignment result;
    result.new_pairs = dealer.deal_to_others(limit);

    auto gained = std::move(dealer).gained();
    auto all = gained;
    for (auto const pe : survivors) {
        for (auto const& work : before[value(pe)]) all.push_back({pe, work});
    }
    auto const num_rows = static_cast<std::uint32_t>(before.size());
    result.gained = rows_of(std::move(gained), num_rows);
    result.after = rows_of(std::move(all), num_rows);
    return result;
}

}  // namespace regraft::assign
