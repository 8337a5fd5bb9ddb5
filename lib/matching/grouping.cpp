// Finds equal rows by hashing, with linear probing.
#include "matching/grouping.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "matching/holdings.hpp"
#include "regraft/core/random.hpp"

namespace regraft::matching {
namespace {

std::uint64_t hash(std::span<std::uint32_t const> row) {
    std::uint64_t h = row.size();
    for (auto const v : row) h = (std::rotl(h, 23) ^ v) * 0x9E3779B97F4A7C15ULL;
    return h ^ (h >> 32);
}

/// Whether two rows are equal. Rows are short, so this is faster than memcmp.
bool equal(std::span<std::uint32_t const> a, std::span<std::uint32_t const> b) {
    if (a.size() != b.size()) return false;
    std::uint32_t difference = 0;
    for (std::size_t i = 0; i < a.size() && difference == 0; ++i) difference = a[i] ^ b[i];
    return difference == 0;
}

class Collapser {
public:
    Collapser(CsrView<std::uint32_t> graph, Groups& groups) : graph_(graph), groups_(groups) {
        groups.graph.offsets.assign(1, 0);
        groups.graph.values.clear();
        groups.table.assign(smallest_table, none);
    }

    bool collapse(std::size_t max_groups) {
        groups_.group.resize(graph_.size());
        for (std::size_t first = 0; first < graph_.size(); first += batch) {
            collapse_batch(first, std::min(batch, graph_.size() - first));
            if (groups_.graph.size() > max_groups) return false;
            if (2 * (groups_.graph.size() + batch) > groups_.table.size()) grow();
        }
        return true;
    }

private:
    static constexpr std::size_t batch = 32;
    static constexpr std::size_t smallest_table = 1024;

    /// Prefetches what a batch needs before the first row is looked at: places of the table, then the rows that they
    /// refer to.
    void collapse_batch(std::size_t first, std::size_t count) {
        auto const& table = groups_.table;
        CsrView<std::uint32_t> const rows = groups_.graph;
        std::array<std::size_t, batch> place{};
        for (std::size_t i = 0; i < count; ++i) {
            place[i] = hash(graph_[first + i]) & (table.size() - 1);
            __builtin_prefetch(&table[place[i]]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (table[place[i]] != none) __builtin_prefetch(&rows.offsets[table[place[i]]]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (table[place[i]] != none) __builtin_prefetch(rows.values.data() + rows.offsets[table[place[i]]]);
        }
        for (std::size_t i = 0; i < count; ++i) groups_.group[first + i] = group_at(place[i], graph_[first + i]);
    }

    /// The group of the row whose search starts at this place of the table; a new group if there is none.
    std::uint32_t group_at(std::size_t place, std::span<std::uint32_t const> row) {
        auto const& table = groups_.table;
        for (; table[place] != none; place = (place + 1) & (table.size() - 1)) {
            auto const group = table[place];
            if (equal(CsrView<std::uint32_t>(groups_.graph)[group], row)) return group;
        }
        auto const group = static_cast<std::uint32_t>(groups_.graph.size());
        groups_.table[place] = group;
        groups_.graph.push_row(row);
        return group;
    }

    void grow() {
        groups_.table.assign(4 * groups_.table.size(), none);
        auto& table = groups_.table;
        for (std::uint32_t group = 0; group < groups_.graph.size(); ++group) {
            auto place = hash(CsrView<std::uint32_t>(groups_.graph)[group]) & (table.size() - 1);
            while (table[place] != none) place = (place + 1) & (table.size() - 1);
            table[place] = group;
        }
    }

    CsrView<std::uint32_t> graph_;
    Groups& groups_;
};

}  // namespace

/// The number of different rows is estimated from those that occur once and twice in the sample (Chao 1984). Frequent
/// rows do not tell how many rare ones there are.
bool looks_grouped(CsrView<std::uint32_t> graph, std::size_t max_groups, std::vector<std::uint64_t>& hashes) {
    constexpr std::size_t enough = 4096;
    if (graph.size() < enough) return false;
    Random random(graph.size());
    hashes.clear();
    // Not only the first rows, because neighbours are often alike.
    auto const stride = graph.size() / enough;
    for (std::size_t i = 0; i < enough; ++i) hashes.push_back(hash(graph[i * stride + random.below(stride)]));
    std::sort(hashes.begin(), hashes.end());
    double different = 0;
    double once = 0;
    double twice = 0;
    for (auto first = hashes.begin(); first != hashes.end();) {
        auto const last = std::upper_bound(first, hashes.end(), *first);
        ++different;
        if (last - first == 1) ++once;
        if (last - first == 2) ++twice;
        first = last;
    }
    return different + once * (once - 1) / (2 * (twice + 1)) <= static_cast<double>(max_groups);
}

bool collapse(CsrView<std::uint32_t> graph, std::size_t max_groups, Groups& groups) {
    return Collapser(graph, groups).collapse(max_groups);
}

}  // namespace regraft::matching
