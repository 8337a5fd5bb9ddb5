// The inner loops of parsimony. On x86 they are compiled twice: for any CPU, and for CPUs that count bits by an
// instruction and have vectors of a plane's size.
#include "msa/parsimony/fitch.hpp"

#include <bit>
#include <functional>
#include <numeric>

namespace regraft::msa {
namespace {

constexpr std::uint32_t num_words = Plane::num_words;

// Only what is inlined is compiled for the CPUs of its caller.
#define REGRAFT_INLINED __attribute__((always_inline))

/// The number of sites of a group that are not in `sites`.
REGRAFT_INLINED inline std::uint64_t count_others(std::uint64_t const* sites) {
    int count = 0;
    for (std::uint32_t w = 0; w < num_words; ++w) count += std::popcount(sites[w]);
    return Plane::num_sites - static_cast<std::uint64_t>(count);
}

#if defined(__x86_64__) && defined(__GNUC__)
bool const has_vectors = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");

template <class Loop>
__attribute__((target("avx2,popcnt"))) auto with_vectors(Loop loop) {
    return loop();
}
template <class Loop>
auto fastest(Loop loop) {
    return has_vectors ? with_vectors(loop) : loop();
}
#else
template <class Loop>
auto fastest(Loop loop) {
    return loop();
}
#endif

/// The number of sites of a group at which the sets have nothing in common.
REGRAFT_INLINED inline std::uint64_t count_disjoint(std::uint32_t num_states, FitchSets a, FitchSets b) {
    std::uint64_t common[num_words]{};
    for (std::uint32_t s = 0; s < num_states; ++s) {
        for (std::uint32_t w = 0; w < num_words; ++w) common[w] |= a[s].words[w] & b[s].words[w];
    }
    return count_others(common);
}

REGRAFT_INLINED inline bool combine_any(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b, Plane* out) {
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

REGRAFT_INLINED inline std::uint64_t insertion_cost_any(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b,
                                                        FitchSets subtree, std::uint64_t limit) {
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

}  // namespace

bool combine(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b, Plane* out) {
    return fastest([=]() REGRAFT_INLINED { return combine_any(groups, a, b, out); });
}

std::uint64_t count_disjoint(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b) {
    return fastest([=]() REGRAFT_INLINED {
        std::uint64_t count = 0;
        std::size_t at = 0;
        for (auto const num_states : groups) {
            count += count_disjoint(num_states, a + at, b + at);
            at += num_states;
        }
        return count;
    });
}

void add_disjoint(std::uint32_t num_states, FitchSets sets, FitchSets b, std::span<std::uint64_t> counts) {
    fastest([=]() REGRAFT_INLINED {
        for (std::size_t i = 0; i < counts.size(); ++i)
            counts[i] += count_disjoint(num_states, sets + i * num_states, b);
        return 0;
    });
}

std::uint64_t insertion_cost(std::span<std::uint32_t const> groups, FitchSets a, FitchSets b, FitchSets subtree,
                             std::uint64_t limit) {
    return fastest([=]() REGRAFT_INLINED { return insertion_cost_any(groups, a, b, subtree, limit); });
}

#undef REGRAFT_INLINED

}  // namespace regraft::msa
