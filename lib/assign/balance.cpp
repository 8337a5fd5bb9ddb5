// Kobert, Flouri, Aberer, Stamatakis 2014: whole partitions in turn while they fit, then the large ones cut so that
// each cut fills a PE.
#include "regraft/assign/balance.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "assign/pieces.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::assign {
namespace {

class Balancer {
public:
    Balancer(std::span<std::uint64_t const> partition_begin, std::span<PeId const> pes)
        : begin_(partition_begin), pes_(pes), load_(pes.size(), 0) {
        auto const num_sites = begin_.back() - begin_.front();
        limit_ = num_sites / pes.size();
        num_larger_ = num_sites % pes.size();
        if (num_larger_ > 0) ++limit_;
    }

    std::vector<Piece> deal() && {
        auto const order = partitions_by_size();
        std::size_t done = 0;
        for (; done < order.size(); ++done) {
            auto const pe = done % pes_.size();
            if (size_of(order[done]) > room(pe)) break;
            start(order[done]);
            give(pe, rest());
        }
        split_pes(done % pes_.size());
        for (; done < order.size(); ++done) {
            start(order[done]);
            cut();
        }
        return std::move(pieces_);
    }

private:
    std::uint64_t size_of(std::uint32_t q) const { return begin_[q + 1] - begin_[q]; }
    std::uint64_t room(std::size_t pe) const { return limit_ - std::min(limit_, load_[pe]); }

    std::vector<std::uint32_t> partitions_by_size() const {
        std::vector<std::uint32_t> order(begin_.size() - 1);
        std::iota(order.begin(), order.end(), 0U);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return size_of(a) < size_of(b); });
        return order;
    }

    /// The PEs before `next` got one partition more than the others, and no smaller ones: they are ahead.
    void split_pes(std::size_t next) {
        for (std::size_t pe = 0; pe < pes_.size(); ++pe) (pe < next ? ahead_ : behind_).push_back(pe);
    }

    void start(std::uint32_t q) { current_ = {{SiteId{begin_[q]}, SiteId{begin_[q + 1]}}, PartitionId{q}}; }
    std::uint64_t rest() const { return current_.sites.size(); }

    /// Deals the current partition. Fills up a PE that is ahead, else one that is behind. An end too short for either
    /// goes to one that is behind if there is any, which is then the next to be filled: every partition that is cut is
    /// larger than the room of any PE. So a PE takes at most two pieces here.
    void cut() {
        while (rest() > 0) {
            if (!ahead_.empty() && rest() >= room(ahead_.back())) {
                fill(ahead_);
            } else if (!behind_.empty() && rest() >= room(behind_.back())) {
                fill(behind_);
            } else {
                if (!behind_.empty()) {
                    ahead_.push_back(behind_.back());
                    behind_.pop_back();
                }
                give(ahead_.back(), rest());
            }
        }
    }

    void fill(std::vector<std::size_t>& stack) {
        auto const pe = stack.back();
        stack.pop_back();
        give(pe, room(pe));
    }

    void give(std::size_t pe, std::uint64_t count) {
        auto const first = current_.sites.first;
        current_.sites.first = advance(first, count);
        pieces_.push_back({pes_[pe], {{first, current_.sites.first}, current_.partition}});
        load_[pe] += count;
        // Once N mod p PEs have ceil(N/p) sites the others get floor(N/p).
        if (num_larger_ > 0 && count > 0 && load_[pe] == limit_ && --num_larger_ == 0) --limit_;
    }

    std::span<std::uint64_t const> begin_;
    std::span<PeId const> pes_;
    std::vector<std::uint64_t> load_;
    std::uint64_t limit_ = 0;       // sites of a full PE
    std::uint64_t num_larger_ = 0;  // how many more PEs get ceil(N/p), while that is more than floor(N/p)
    Work current_{};                // what is left of the current partition
    std::vector<std::size_t> ahead_;
    std::vector<std::size_t> behind_;
    std::vector<Piece> pieces_;
};

}  // namespace

Assignment balance(std::span<std::uint64_t const> partition_begin, std::uint32_t num_pes) {
    std::vector<PeId> pes(num_pes);
    for (std::uint32_t pe = 0; pe < num_pes; ++pe) pes[pe] = PeId{pe};
    return balance(partition_begin, pes, num_pes);
}

Assignment balance(std::span<std::uint64_t const> partition_begin, std::span<PeId const> pes,
                   std::uint32_t num_founding_pes) {
    REGRAFT_EXPECTS(!partition_begin.empty() && std::is_sorted(partition_begin.begin(), partition_begin.end()));
    REGRAFT_EXPECTS(!pes.empty() && value(pes.back()) < num_founding_pes);
    REGRAFT_EXPECTS(std::adjacent_find(pes.begin(), pes.end(), std::greater_equal<>{}) == pes.end());
    return rows_of(Balancer(partition_begin, pes).deal(), num_founding_pes);
}

}  // namespace regraft::assign
