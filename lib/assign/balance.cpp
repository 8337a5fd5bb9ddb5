// Kobert, Flouri, Aberer, Stamatakis 2014: deals whole partitions in turn while they fit, then cuts the large ones so
// that each cut fills a PE. A quota class decides what fits and what is full: by sites, or by cost.
#include "regraft/assign/balance.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "assign/pe_work.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::assign {
namespace {

__extension__ using Wide = __int128;

/// Some sites of one partition.
struct Portion {
    std::uint64_t sites;
    std::uint64_t cost_per_site;
    std::uint64_t cost() const { return sites * cost_per_site; }
};

/// All sites cost 1, and every PE gets floor(N/p) or ceil(N/p) of them.
class EvenSites {
public:
    EvenSites(std::uint64_t num_sites, std::uint64_t num_pes)
        : limit_(num_sites / num_pes), num_larger_(num_sites % num_pes) {
        if (num_larger_ > 0) ++limit_;
    }

    bool fits(std::uint64_t load, Portion whole) const { return whole.sites <= room(load); }
    void begin_cutting(std::vector<std::uint64_t> const&, Portion, std::uint64_t) {}
    bool is_open(std::uint64_t load) const { return room(load) > 0; }
    bool fills(Portion rest, std::uint64_t load) const { return rest.sites >= room(load); }
    std::uint64_t sites_to_fill(std::uint64_t load, std::uint64_t) const { return room(load); }

    void gave(std::uint64_t load) {
        // When N mod p PEs have ceil(N/p) sites, the others get floor(N/p).
        if (num_larger_ > 0 && load == limit_ && --num_larger_ == 0) --limit_;
    }
    void filled(std::uint64_t) {}

private:
    std::uint64_t room(std::uint64_t load) const { return limit_ - std::min(limit_, load); }

    std::uint64_t limit_;       // sites of a full PE
    std::uint64_t num_larger_;  // number of PEs that still get ceil(N/p), if that is more than floor(N/p)
};

/// A whole partition fits if it leaves the PE less than one of its sites above the mean. After that the other PEs are
/// filled to one level. If the level falls inside a site, the site is rounded to the nearer PE, and the next PE to be
/// filled compensates for it; if it goes to the next PE, that PE works on the partition as well. So a PE is above the
/// level by less than half a site of one of its partitions and half a site of another.
class EvenCost {
public:
    EvenCost(std::uint64_t total, std::uint64_t num_pes) : total_(total), num_pes_(num_pes) {}

    bool fits(std::uint64_t load, Portion whole) const {
        return Wide{num_pes_} * (Wide{load} + whole.cost()) < total_ + Wide{num_pes_} * whole.cost_per_site;
    }

    /// Pours the rest like water over the loads: it raises the lowest of them to one level, which is not above the
    /// mean.
    void begin_cutting(std::vector<std::uint64_t> load, Portion smallest, std::uint64_t dearest_site) {
        std::sort(load.begin(), load.end());
        level_ = total_ - std::accumulate(load.begin(), load.end(), std::uint64_t{0});
        while (num_open_ < load.size() && Wide{num_open_} * load[num_open_] < level_) level_ += load[num_open_++];
        // If every partition is larger than any room even with half a site more room, sites are rounded to the nearest
        // PE. Otherwise all sites are rounded up.
        auto const margin = Wide{num_open_} * (Wide{smallest.cost()} + load.front()) - level_;
        rounds_down_ = Wide{num_open_} * dearest_site < 2 * margin;
    }

    bool is_open(std::uint64_t load) const { return Wide{num_open_} * load < level_; }
    bool fills(Portion rest, std::uint64_t load) const { return Wide{num_open_} * rest.cost() >= room(load); }
    std::uint64_t sites_to_fill(std::uint64_t load, std::uint64_t cost_per_site) const {
        auto const site = Wide{num_open_} * cost_per_site;
        auto const sites = room(load) / site;
        auto const across = room(load) % site;
        bool const is_nearer = rounds_down_ ? 2 * across >= site : across > 0;
        return static_cast<std::uint64_t>(sites + (is_nearer ? 1 : 0));
    }

    void gave(std::uint64_t) {}
    void filled(std::uint64_t load) { excess_ += Wide{num_open_} * load - level_; }

private:
    Wide room(std::uint64_t load) const { return std::max(Wide{0}, level_ - excess_ - Wide{num_open_} * load); }

    std::uint64_t total_;
    std::uint64_t num_pes_;
    bool rounds_down_ = false;
    // In units of 1/num_open_, so that they are whole numbers:
    Wide level_ = 0;
    Wide excess_ = 0;  // how far all PEs filled so far are above the level together: less than a site
    std::size_t num_open_ = 0;
};

template <class Quota>
class Balancer {
public:
    /// Without costs every site costs 1.
    Balancer(std::span<std::uint64_t const> partition_begin, std::span<std::uint64_t const> cost_per_site,
             std::span<PeId const> pes, Quota quota)
        : begin_(partition_begin), cost_per_site_(cost_per_site), pes_(pes), quota_(quota), load_(pes.size(), 0) {}

    std::vector<PeWork> deal() && {
        auto const order = partitions_by_cost();
        std::size_t done = 0;
        for (; done < order.size(); ++done) {
            auto const pe = done % pes_.size();
            if (!quota_.fits(load_[pe], whole(order[done]))) break;
            start(order[done]);
            give(pe, rest());
        }
        if (done == order.size()) return std::move(pieces_);
        auto const dearest = std::max_element(order.begin() + static_cast<std::ptrdiff_t>(done), order.end(),
                                              [&](auto a, auto b) { return cost_of(a) < cost_of(b); });
        quota_.begin_cutting(load_, whole(order[done]), cost_of(*dearest));
        split_pes(done % pes_.size());
        for (; done < order.size(); ++done) {
            start(order[done]);
            cut();
        }
        return std::move(pieces_);
    }

private:
    std::uint64_t cost_of(std::uint32_t q) const { return cost_per_site_.empty() ? 1 : cost_per_site_[q]; }
    Portion whole(std::uint32_t q) const { return {begin_[q + 1] - begin_[q], cost_of(q)}; }

    std::vector<std::uint32_t> partitions_by_cost() const {
        std::vector<std::uint32_t> order(begin_.size() - 1);
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return whole(a).cost() < whole(b).cost(); });
        return order;
    }

    /// The PEs before `next` got one more partition than the others, and no smaller ones: they are ahead.
    void split_pes(std::size_t next) {
        for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
            if (quota_.is_open(load_[pe])) (pe < next ? ahead_ : behind_).push_back(pe);
        }
    }

    void start(std::uint32_t q) { current_ = {{SiteId{begin_[q]}, SiteId{begin_[q + 1]}}, PartitionId{q}}; }
    std::uint64_t rest() const { return current_.sites.size(); }
    std::uint64_t cost() const { return cost_of(value(current_.partition)); }
    bool fills(std::vector<std::size_t> const& stack) const {
        return !stack.empty() && quota_.fills({rest(), cost()}, load_[stack.back()]);
    }

    /// Deals the current partition. It fills up a PE that is ahead, or else one that is behind. An end that is too
    /// short for either goes to one that is behind, if there is any, and that one is filled next: every partition that
    /// is cut is larger than the room of any PE. So a PE gets at most two pieces here.
    void cut() {
        while (rest() > 0) {
            if (fills(ahead_)) {
                fill(ahead_);
            } else if (fills(behind_)) {
                fill(behind_);
            } else {
                if (!behind_.empty()) {
                    ahead_.push_back(behind_.back());
                    behind_.pop_back();
                }
                REGRAFT_ASSERT(!ahead_.empty());
                give(ahead_.back(), rest());
            }
        }
    }

    void fill(std::vector<std::size_t>& stack) {
        auto const pe = stack.back();
        stack.pop_back();
        give(pe, quota_.sites_to_fill(load_[pe], cost()));
        quota_.filled(load_[pe]);
    }

    void give(std::size_t pe, std::uint64_t count) {
        if (count == 0) return;
        auto const first = current_.sites.first;
        current_.sites.first = advance(first, count);
        pieces_.push_back({pes_[pe], {{first, current_.sites.first}, current_.partition}});
        load_[pe] += Portion{count, cost()}.cost();
        quota_.gave(load_[pe]);
    }

    std::span<std::uint64_t const> begin_;
    std::span<std::uint64_t const> cost_per_site_;
    std::span<PeId const> pes_;
    Quota quota_;
    std::vector<std::uint64_t> load_;
    Work current_{};  // the rest of the current partition
    std::vector<std::size_t> ahead_;
    std::vector<std::size_t> behind_;
    std::vector<PeWork> pieces_;
};

std::vector<PeId> first_pes(std::uint32_t num_pes) {
    std::vector<PeId> pes(num_pes);
    for (std::uint32_t pe = 0; pe < num_pes; ++pe) pes[pe] = PeId{pe};
    return pes;
}

void expect_valid(std::span<std::uint64_t const> partition_begin, std::span<PeId const> pes,
                  std::uint32_t num_founding_pes) {
    REGRAFT_EXPECTS(!partition_begin.empty() && std::is_sorted(partition_begin.begin(), partition_begin.end()));
    REGRAFT_EXPECTS(!pes.empty() && value(pes.back()) < num_founding_pes);
    REGRAFT_EXPECTS(std::adjacent_find(pes.begin(), pes.end(), std::greater_equal<>{}) == pes.end());
}

/// The cost of all sites. Aborts if it is not below 2^63.
std::uint64_t total_cost(std::span<std::uint64_t const> partition_begin, std::span<std::uint64_t const> cost_per_site) {
    Wide total = 0;
    for (std::size_t q = 0; q < cost_per_site.size(); ++q) {
        total += Wide{partition_begin[q + 1] - partition_begin[q]} * cost_per_site[q];
        REGRAFT_EXPECTS(total < Wide{1} << 63);
    }
    return static_cast<std::uint64_t>(total);
}

}  // namespace

Assignment balance(std::span<std::uint64_t const> partition_begin, std::uint32_t num_pes) {
    return balance(partition_begin, first_pes(num_pes), num_pes);
}

Assignment balance(std::span<std::uint64_t const> partition_begin, std::span<PeId const> pes,
                   std::uint32_t num_founding_pes) {
    expect_valid(partition_begin, pes, num_founding_pes);
    EvenSites const quota(partition_begin.back() - partition_begin.front(), pes.size());
    return rows_of(Balancer(partition_begin, {}, pes, quota).deal(), num_founding_pes);
}

Assignment balance(std::span<std::uint64_t const> partition_begin, std::span<std::uint64_t const> cost_per_site,
                   std::uint32_t num_pes) {
    return balance(partition_begin, cost_per_site, first_pes(num_pes), num_pes);
}

Assignment balance(std::span<std::uint64_t const> partition_begin, std::span<std::uint64_t const> cost_per_site,
                   std::span<PeId const> pes, std::uint32_t num_founding_pes) {
    expect_valid(partition_begin, pes, num_founding_pes);
    REGRAFT_EXPECTS(cost_per_site.size() + 1 == partition_begin.size());
    REGRAFT_EXPECTS(std::count(cost_per_site.begin(), cost_per_site.end(), 0U) == 0);
    auto const total = total_cost(partition_begin, cost_per_site);
    // Whole sites have their own, tighter bound.
    if (std::adjacent_find(cost_per_site.begin(), cost_per_site.end(), std::not_equal_to<>{}) == cost_per_site.end()) {
        return balance(partition_begin, pes, num_founding_pes);
    }
    EvenCost const quota(total, pes.size());
    return rows_of(Balancer(partition_begin, cost_per_site, pes, quota).deal(), num_founding_pes);
}

}  // namespace regraft::assign
