// The inner loops of parsimony.
#include "msa/parsimony/fitch.hpp"

#include <bit>
#include <functional>
#include <numeric>

namespace regraft::msa {
namespace {

constexpr std::uint32_t num_words = Plane::num_words;

/// The number of sites of a group that are not in `sites`.
std::uint64_t count_others(std::uint64_t const* sites) {
    int count = 0;
    for (std::uint32_t w = 0; w < num_words; ++w) count += std::popcount(sites[w]);
    return Plane::num_sites - static_cast<std::uint64_t>(count);
}

}  // namespace

bool combine(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b, Plane* out) {
    std::uint64_t difference[num_words]{};
    for (auto const num_states : groups) {
        std::uint64_t common[num_words]{};
        for (std::uint32_t s = 0; s < num_states; ++s) {
            for (std::uint32_t w = 0; w < num_words; ++w) common[w] |= a[s].words[w] & b[s].words[w];
        }
        for (std::uint32_t s = 0; s < num_states; ++s) {
            for (std::uint32_t w = 0; w < num_words; ++w) {
                auto const x = a[s].words[w];
                auto const y = b[s].words[w];
                auto const set = (x & y) | ((x | y) & ~common[w]);
                difference[w] |= set ^ out[s].words[w];
                out[s].words[w] = set;
            }
        }
        a += num_states;
        b += num_states;
        out += num_states;
    }
    return std::accumulate(difference, difference + num_words, std::uint64_t{0}, std::bit_or{}) != 0;
}

std::uint64_t count_disjoint(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b, std::uint64_t limit) {
    std::uint64_t count = 0;
    for (auto const num_states : groups) {
        std::uint64_t common[num_words]{};
        for (std::uint32_t s = 0; s < num_states; ++s) {
            for (std::uint32_t w = 0; w < num_words; ++w) common[w] |= a[s].words[w] & b[s].words[w];
        }
        count += count_others(common);
        if (count >= limit) break;
        a += num_states;
        b += num_states;
    }
    return count;
}

std::uint64_t insertion_cost(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b, FitchSets subtree,
                             std::uint64_t limit) {
    std::uint64_t cost = 0;
    for (auto const num_states : groups) {
        // Whether the edge's set, which combine makes from a and b, has a state of the subtree's set.
        std::uint64_t common[num_words]{};
        std::uint64_t in_both[num_words]{};
        std::uint64_t in_either[num_words]{};
        for (std::uint32_t s = 0; s < num_states; ++s) {
            for (std::uint32_t w = 0; w < num_words; ++w) {
                auto const x = a[s].words[w];
                auto const y = b[s].words[w];
                auto const z = subtree[s].words[w];
                common[w] |= x & y;
                in_both[w] |= x & y & z;
                in_either[w] |= (x | y) & z;
            }
        }
        for (std::uint32_t w = 0; w < num_words; ++w) in_both[w] |= in_either[w] & ~common[w];
        cost += count_others(in_both);
        if (cost >= limit) break;
        a += num_states;
        b += num_states;
        subtree += num_states;
    }
    return cost;
}

}  // namespace regraft::msa
