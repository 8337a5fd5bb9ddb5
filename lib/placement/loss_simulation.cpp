#include "regraft/placement/loss_simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "placement/binomial.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"

namespace regraft::placement {
namespace {

/// ln P(no group is lost until time t) if every slot fails at a uniformly random time in [0, 1]; chance.yes = t.
double log_survival(std::vector<GroupKind> const& groups, Chance chance) {
    auto sum = 0.0;
    for (auto const [size, count] : groups)
        sum += static_cast<double>(count) * std::log1p(-std::pow(chance.yes, static_cast<double>(size)));
    return sum;
}

/// The time at which the first group is lost, as log odds: the inverse of the distribution, by bisection.
double draw_loss_time(std::vector<GroupKind> const& groups, Random& random) {
    auto const log_rest = std::log(1 - random.unit());  // the argument is in (0, 1]
    auto low = -80.0;
    auto high = 36.0;  // beyond, a chance is 1 in all digits
    for (int step = 0; step < 64; ++step) {
        auto const middle = (low + high) / 2;
        (log_survival(groups, chance_of_log_odds(middle)) > log_rest ? low : high) = middle;
    }
    return high;
}

/// Draws the kind of the group that is lost at that time, in proportion to its share of the density.
std::size_t draw_lost_kind(std::vector<GroupKind> const& groups, Chance chance, Random& random) {
    std::vector<double> share;
    for (auto const [size, count] : groups) {
        auto const before_last = std::pow(chance.yes, static_cast<double>(size) - 1);
        share.push_back(static_cast<double>(count) * static_cast<double>(size) * before_last /
                        (1 - before_last * chance.yes));
    }
    auto rest = random.unit() * std::accumulate(share.begin(), share.end(), 0.0);
    std::size_t kind = 0;
    while (kind + 1 < share.size() && (rest -= share[kind]) >= 0) ++kind;
    return kind;
}

/// Draws how many slots of a number of groups have failed if none of the groups is lost: the numbers of groups that
/// lost 0, 1, ... slots, one after the other, each among the groups that are left.
std::uint64_t draw_failures(GroupKind kind, Chance chance, Random& random) {
    std::uint64_t failures = 0;
    auto groups = kind.count;
    auto rest = 1 - std::pow(chance.yes, static_cast<double>(kind.size));
    for (std::uint64_t dead = 0; dead + 1 < kind.size && groups > 0; ++dead) {
        auto const share = binomial_probability(kind.size, dead, chance).get();
        auto const part = share / rest;
        auto const chosen = part >= 1 ? groups : part <= 0 ? 0 : sample_binomial(groups, {part, 1 - part}, random);
        failures += dead * chosen;
        groups -= chosen;
        rest -= share;
    }
    return failures + groups * (kind.size - 1);
}

/// The sets of nodes that hold the runs of a placement, each ascending; sets may repeat.
Csr<std::uint32_t> node_sets(Any const& placement, std::span<std::uint32_t const> node_of_slot) {
    Csr<std::uint32_t> sets;
    auto const num_blocks = placement.shape().num_blocks;
    std::vector<std::uint32_t> nodes;
    for (BlockId block{0}; value(block) < num_blocks; block = placement.run(block).last) {
        nodes.clear();
        for (std::uint32_t copy = 0; copy < placement.num_copies(block); ++copy) {
            auto const slot = value(placement.holder(block, copy));
            nodes.push_back(node_of_slot.empty() ? slot : node_of_slot[slot]);
        }
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        sets.push_row(nodes);
    }
    return sets;
}

std::uint64_t hash_of(std::span<std::uint32_t const> nodes) {
    std::uint64_t hash = nodes.size();
    for (auto const node : nodes) hash = mix(hash + node + 1);
    return hash;
}

/// One row for each different set.
std::vector<std::uint32_t> distinct_rows(Csr<std::uint32_t> const& sets) {
    struct Key {
        std::uint64_t hash;
        std::uint32_t row;
    };
    std::vector<Key> keys(sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) keys[i] = {hash_of(sets[i]), checked_cast<std::uint32_t>(i)};
    std::sort(keys.begin(), keys.end(), [&](Key const& a, Key const& b) {
        if (a.hash != b.hash) return a.hash < b.hash;
        return std::ranges::lexicographical_compare(sets[a.row], sets[b.row]);
    });
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        auto const is_new =
            i == 0 || keys[i].hash != keys[i - 1].hash || !std::ranges::equal(sets[keys[i].row], sets[keys[i - 1].row]);
        if (is_new) rows.push_back(keys[i].row);
    }
    std::sort(rows.begin(), rows.end());  // neighbours in memory stay neighbours
    return rows;
}

/// The memory of a thread for its trials.
class Trial {
public:
    Trial(std::uint32_t num_nodes, std::span<std::uint32_t const> set_size, CsrView<std::uint32_t> sets_of_node)
        : num_nodes_(num_nodes),
          sets_of_node_(sets_of_node),
          living_(set_size.begin(), set_size.end()),
          dead_(num_nodes / 64 + 1) {}

    std::uint32_t run(Random random) {
        while (!kill_batch(random)) {
        }
        auto const failures = static_cast<std::uint32_t>(killed_.size());
        // Undoing a trial is much less work than starting anew: few of many nodes died.
        for (auto const node : killed_) {
            dead_[node / 64] &= ~(std::uint64_t{1} << node % 64);
            for (auto const set : sets_of_node_[node]) ++living_[set];
        }
        killed_.clear();
        return failures;
    }

private:
    bool is_dead(std::uint32_t node) const { return (dead_[node / 64] >> node % 64 & 1) != 0; }

    /// Kills some of the living nodes, or until data is lost; returns whether it is. Nodes are drawn ahead so that
    /// memory can be prefetched: with millions of nodes nothing is in a cache.
    bool kill_batch(Random& random) {
        std::array<std::uint32_t, 16> candidates{};
        for (auto& node : candidates) {
            node = static_cast<std::uint32_t>(random.below(num_nodes_));
            __builtin_prefetch(&dead_[node / 64]);
            __builtin_prefetch(&sets_of_node_.offsets[node]);
        }
        for (auto const node : candidates)
            __builtin_prefetch(sets_of_node_.values.data() + sets_of_node_.offsets[node]);
        for (auto const node : candidates) {
            for (auto const set : sets_of_node_[node]) __builtin_prefetch(&living_[set]);
        }
        return std::ranges::any_of(candidates, [&](auto node) { return !is_dead(node) && kill(node); });
    }
    /// Kills a node; returns whether data is lost.
    bool kill(std::uint32_t node) {
        dead_[node / 64] |= std::uint64_t{1} << node % 64;
        killed_.push_back(node);
        auto lost = false;
        for (auto const set : sets_of_node_[node]) lost |= --living_[set] == 0;
        return lost;
    }

    std::uint32_t num_nodes_;
    CsrView<std::uint32_t> sets_of_node_;
    std::vector<std::uint32_t> living_;  // number of living nodes per set
    std::vector<std::uint64_t> dead_;    // a bit per node
    std::vector<std::uint32_t> killed_;
};

}  // namespace

std::uint64_t sample_failures_until_loss(LossModel const& model, Random& random) {
    // Every slot fails at a uniformly random time. Given when the first group is lost, and which one, all other groups
    // are independent of each other.
    auto groups = model.groups();
    auto const chance = chance_of_log_odds(draw_loss_time(groups, random));
    auto const lost = draw_lost_kind(groups, chance, random);
    auto failures = groups[lost].size;
    --groups[lost].count;
    for (auto const kind : groups) failures += draw_failures(kind, chance, random);
    return failures + (model.num_free() > 0 ? sample_binomial(model.num_free(), chance, random) : 0);
}

HolderSets::HolderSets(Any const& placement) : HolderSets(placement, {}) {}

HolderSets::HolderSets(Any const& placement, std::span<std::uint32_t const> node_of_slot)
    : num_nodes_(placement.shape().num_slots) {
    if (!node_of_slot.empty()) {
        REGRAFT_EXPECTS(node_of_slot.size() == placement.shape().num_slots);
        num_nodes_ = *std::max_element(node_of_slot.begin(), node_of_slot.end()) + 1;
    }
    auto const all = node_sets(placement, node_of_slot);
    auto const rows = distinct_rows(all);
    offsets_.assign(std::size_t{num_nodes_} + 1, 0);
    set_size_.reserve(rows.size());
    for (auto const row : rows) {
        set_size_.push_back(static_cast<std::uint32_t>(all[row].size()));
        for (auto const node : all[row]) ++offsets_[node + 1];
    }
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
    sets_.resize(offsets_.back());
    auto next = offsets_;
    for (std::uint32_t set = 0; set < rows.size(); ++set) {
        for (auto const node : all[rows[set]]) sets_[next[node]++] = set;
    }
}

std::optional<LossModel> HolderSets::model() const {
    if (size() == 0) return std::nullopt;
    for (std::size_t node = 0; node < num_nodes_; ++node) {
        if (offsets_[node + 1] - offsets_[node] > 1) return std::nullopt;
    }
    std::map<std::uint64_t, std::uint64_t> sizes;
    for (auto const set_size : set_size_) ++sizes[set_size];
    std::vector<GroupKind> groups;
    for (auto const& [set_size, count] : sizes) groups.push_back({set_size, count});
    return LossModel(num_nodes_, std::move(groups));
}

std::vector<std::uint32_t> HolderSets::simulate(std::uint64_t num_trials, std::uint64_t seed) const {
    REGRAFT_EXPECTS(size() > 0);
    std::vector<std::uint32_t> failures(num_trials);
    auto const last = checked_cast<std::int64_t>(num_trials);
#pragma omp parallel
    {
        Trial trial(num_nodes_, set_size_, {offsets_, sets_});
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < last; ++i) {
            auto const number = static_cast<std::uint64_t>(i);
            failures[number] = trial.run(Random(mix(mix(seed) + number)));
        }
    }
    return failures;
}

}  // namespace regraft::placement
