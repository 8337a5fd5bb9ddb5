#include "regraft/checkpoint/dealing.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/matching/weighted.hpp"

namespace regraft::checkpoint {
namespace {

std::uint32_t position_of(PeId pe, std::span<Survivor const> survivors) {
    auto const found = std::lower_bound(survivors.begin(), survivors.end(), pe,
                                        [](Survivor const& survivor, PeId other) { return survivor.pe < other; });
    REGRAFT_EXPECTS(found != survivors.end() && found->pe == pe);
    return static_cast<std::uint32_t>(found - survivors.begin());
}

/// Survivors ordered by the bytes that they have so far.
class Loads {
public:
    explicit Loads(std::span<Survivor const> survivors) {
        for (auto const& survivor : survivors) bytes_.push_back(survivor.bytes);
        for (std::uint32_t i = 0; i < bytes_.size(); ++i) order_.emplace(bytes_[i], i);
    }
    void add(std::uint32_t position, std::uint64_t bytes) {
        order_.erase({bytes_[position], position});
        bytes_[position] += bytes;
        order_.emplace(bytes_[position], position);
    }
    std::uint64_t of(std::uint32_t position) const { return bytes_[position]; }
    std::uint32_t least() const { return order_.begin()->second; }

private:
    std::vector<std::uint64_t> bytes_;
    std::set<std::pair<std::uint64_t, std::uint32_t>> order_;
};

/// Deals the orphans named by `which`, heaviest first, each to the least loaded survivor.
void deal_evenly(std::span<Orphan const> orphans, std::span<Survivor const> survivors, std::vector<std::size_t> which,
                 Loads& loads, std::vector<PeId>& homes) {
    std::stable_sort(which.begin(), which.end(),
                     [&](std::size_t a, std::size_t b) { return orphans[a].bytes > orphans[b].bytes; });
    for (auto const i : which) {
        auto chosen = loads.least();
        for (auto const holder : orphans[i].holders) {
            auto const position = position_of(holder, survivors);
            if (loads.of(position) == loads.of(chosen)) {
                chosen = position;
                break;
            }
        }
        loads.add(chosen, orphans[i].bytes);
        homes[i] = survivors[chosen].pe;
    }
}

}  // namespace

std::vector<PeId> to_holders(std::span<Orphan const> orphans, std::span<Survivor const> survivors) {
    // Survivors without a copy get nothing here, so a job of very many survivors costs no more than a small one.
    std::vector<std::uint32_t> takers;  // positions
    for (auto const& orphan : orphans) {
        for (auto const holder : orphan.holders) takers.push_back(position_of(holder, survivors));
    }
    std::sort(takers.begin(), takers.end());
    takers.erase(std::unique(takers.begin(), takers.end()), takers.end());

    // Left vertices: the orphans, and what each taker already has, whose only neighbour is that taker.
    Csr<std::uint32_t> graph;
    std::vector<std::uint64_t> weights;
    for (auto const& orphan : orphans) {
        for (auto const holder : orphan.holders) {
            auto const taker = std::lower_bound(takers.begin(), takers.end(), position_of(holder, survivors));
            graph.push_value(static_cast<std::uint32_t>(taker - takers.begin()));
        }
        graph.end_row();
        weights.push_back(orphan.bytes);
    }
    for (std::uint32_t i = 0; i < takers.size(); ++i) {
        graph.push_value(i);
        graph.end_row();
        weights.push_back(survivors[takers[i]].bytes);
    }
    auto const matching = matching::min_b_matching(graph, weights, static_cast<std::uint32_t>(takers.size()));

    std::vector<PeId> homes(orphans.size());
    std::vector<std::size_t> held_by_nobody;
    for (std::size_t i = 0; i < orphans.size(); ++i) {
        if (orphans[i].holders.empty()) {
            held_by_nobody.push_back(i);
        } else {
            homes[i] = survivors[takers[matching.right_of[i]]].pe;
        }
    }
    if (held_by_nobody.empty()) return homes;
    Loads loads(survivors);
    for (std::size_t i = 0; i < orphans.size(); ++i) {
        if (!orphans[i].holders.empty()) loads.add(takers[matching.right_of[i]], orphans[i].bytes);
    }
    deal_evenly(orphans, survivors, std::move(held_by_nobody), loads, homes);
    return homes;
}

std::vector<PeId> balanced(std::span<Orphan const> orphans, std::span<Survivor const> survivors) {
    std::vector<PeId> homes(orphans.size());
    std::vector<std::size_t> all(orphans.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    Loads loads(survivors);
    deal_evenly(orphans, survivors, std::move(all), loads, homes);
    return homes;
}

}  // namespace regraft::checkpoint
