// Families of large instances of the minimum-b-matching: what is left to send after failures, and instances that are
// hard for one algorithm or another. Left vertices are blocks, right vertices PEs.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "regraft/core/csr.hpp"
#include "regraft/core/random.hpp"

namespace regraft::test {

struct Instance {
    Csr<std::uint32_t> graph;
    std::uint32_t num_right = 0;
};

/// Families take of it what they can: chains has no choice of copies, and a little fewer blocks.
struct InstanceSize {
    std::uint32_t num_left = 0;
    /// At least 4, and more than copies.
    std::uint32_t num_right = 0;
    std::uint32_t copies = 3;
    std::uint64_t seed = 1;
};

/// A pseudo-random permutation of 0 .. n-1: a Feistel network on the next even number of bits, walked until it is back
/// below n (Black, Rogaway 2002). ReStore permutes block ids like that.
class FeistelPermutation {
public:
    FeistelPermutation(std::uint32_t n, std::uint64_t key) : n_(n) {
        while ((std::uint64_t{1} << (2 * half_bits_)) < n) ++half_bits_;
        for (auto& round_key : keys_) round_key = mix(key += 0x9e3779b97f4a7c15ULL);
    }

    /// The image of x < n.
    std::uint32_t operator()(std::uint32_t x) const {
        std::uint64_t const mask = (std::uint64_t{1} << half_bits_) - 1;
        std::uint64_t y = x;
        do {
            for (auto const key : keys_) {
                auto const right = y & mask;
                y = (right << half_bits_) |
                    ((y >> half_bits_) ^ (((right + key) * 0x9e3779b97f4a7c15ULL >> 40) & mask));
            }
        } while (y >= n_);
        return static_cast<std::uint32_t>(y);
    }

private:
    std::uint64_t n_;
    unsigned half_bits_ = 1;
    std::array<std::uint64_t, 4> keys_{};
};

/// Builds rows without repeated neighbours.
class InstanceBuilder {
public:
    explicit InstanceBuilder(InstanceSize size) : random(size.seed) {
        instance_.num_right = size.num_right;
        instance_.graph.offsets.reserve(std::size_t{size.num_left} + 1);
        instance_.graph.values.reserve(std::size_t{size.num_left} * size.copies);
    }

    /// Returns false if v is in the row already.
    bool add(std::uint32_t v) {
        auto& values = instance_.graph.values;
        auto const row = values.begin() + static_cast<std::ptrdiff_t>(instance_.graph.offsets.back());
        if (std::find(row, values.end(), v) != values.end()) return false;
        values.push_back(v);
        return true;
    }
    void add_unchecked(std::uint32_t v) { instance_.graph.push_value(v); }

    std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(random.below(n)); }
    std::size_t row_size() const { return instance_.graph.values.size() - instance_.graph.offsets.back(); }
    void end_row() { instance_.graph.end_row(); }
    Instance take() { return std::move(instance_); }

    Random random;

private:
    Instance instance_;
};

/// Draws one PE in a hundred, at least one.
inline std::vector<char> draw_dead(std::uint32_t num_right, Random& random) {
    std::vector<char> dead(num_right, 0);
    for (auto left = std::max(1U, num_right / 100); left > 0;) {
        auto& flag = dead[random.below(num_right)];
        if (flag == 0) --left;
        flag = 1;
    }
    return dead;
}

/// What happens to the copies of a dead PE.
enum class DeadCopies { gone, redrawn };

/// ReStore's placement: n/p permuted blocks per PE, copies p/r PEs apart. Each copy is permuted alike or on its own.
inline Instance cyclic_copies(InstanceSize size, std::uint32_t num_permutations, DeadCopies dead_copies) {
    InstanceBuilder build(size);
    auto const dead = draw_dead(size.num_right, build.random);
    std::vector<FeistelPermutation> permutations;
    for (std::uint32_t i = 0; i < num_permutations; ++i) permutations.emplace_back(size.num_left, size.seed * 77 + i);
    std::uint64_t const p = size.num_right;
    for (std::uint32_t x = 0; x < size.num_left; ++x) {
        std::uint32_t missing = 0;
        std::uint64_t home = 0;
        for (std::uint32_t copy = 0; copy < size.copies; ++copy) {
            if (copy < num_permutations) home = permutations[copy](x) * p / size.num_left;
            auto const v =
                static_cast<std::uint32_t>((home + (num_permutations == 1 ? copy * p / size.copies : 0)) % p);
            if (dead[v] != 0) {
                ++missing;
            } else {
                build.add(v);
            }
        }
        if (dead_copies == DeadCopies::redrawn) {
            while (missing > 0) {
                auto const v = build.below(p);
                if (dead[v] == 0 && build.add(v)) --missing;
            }
        }
        build.end_row();
    }
    return build.take();
}

/// ReStore's placement after failures. Few different rows.
inline Instance restore(InstanceSize size) {
    return cyclic_copies(size, 1, DeadCopies::gone);
}
/// Every copy is placed by a permutation of its own.
inline Instance independent(InstanceSize size) {
    return cyclic_copies(size, size.copies, DeadCopies::gone);
}
/// restore, after lost copies were made anew anywhere.
inline Instance redrawn(InstanceSize size) {
    return cyclic_copies(size, 1, DeadCopies::redrawn);
}

/// There are p/r groups that share no PE; blocks are dealt to the groups at random.
inline Instance mod_k(InstanceSize size) {
    InstanceBuilder build(size);
    auto const dead = draw_dead(size.num_right, build.random);
    auto const groups = std::max(1U, size.num_right / size.copies);
    for (std::uint32_t x = 0; x < size.num_left; ++x) {
        for (auto v = build.below(groups); v < size.num_right; v += groups) {
            if (dead[v] == 0) build.add_unchecked(v);
        }
        build.end_row();
    }
    return build.take();
}

/// PE i holds a block with a probability in proportion to 1 / (i + 1).
inline Instance zipf(InstanceSize size) {
    InstanceBuilder build(size);
    std::vector<double> up_to(size.num_right);
    double sum = 0;
    for (std::uint32_t i = 0; i < size.num_right; ++i) up_to[i] = sum += 1.0 / (i + 1.0);
    // The index at which to look first for the i-th of equally many parts of the sum (Chen, Asau 1974).
    std::vector<std::uint32_t> guide(size.num_right);
    for (std::uint32_t i = 0, v = 0; i < size.num_right; ++i) {
        while (up_to[v] < sum * i / size.num_right) ++v;
        guide[i] = v;
    }
    auto const draw = [&] {
        auto const u = build.random.unit();
        auto v = guide[static_cast<std::size_t>(u * size.num_right)];
        while (v + 1 < size.num_right && up_to[v] < u * sum) ++v;
        return v;
    };
    for (std::uint32_t x = 0; x < size.num_left; ++x) {
        for (int tries = 0; tries < 50 && build.row_size() < size.copies; ++tries) build.add(draw());
        build.end_row();
    }
    return build.take();
}

/// One PE in a hundred is hot: half of the blocks are on hot PEs only, the others with one copy.
inline Instance hot(InstanceSize size) {
    InstanceBuilder build(size);
    auto const num_hot = std::max(size.copies, size.num_right / 100);
    for (std::uint32_t x = 0; x < size.num_left; ++x) {
        bool const only_hot = build.below(2) == 0;
        build.add(build.below(num_hot));
        while (build.row_size() < size.copies) build.add(build.below(only_hot ? num_hot : size.num_right));
        build.end_row();
    }
    return build.take();
}

/// Blocks are on PEs {i, i + 1}, evenly, and p/4 more on {0, 1}: what is too much travels down the whole chain.
inline Instance chain(InstanceSize size) {
    InstanceBuilder build(size);
    auto const surplus = std::min(size.num_right, size.num_left) / 4;
    auto const even = size.num_left - surplus;
    for (std::uint32_t x = 0; x < size.num_left; ++x) {
        auto const i = x < even ? static_cast<std::uint32_t>(std::uint64_t{x} * (size.num_right - 1) / even) : 0;
        build.add_unchecked(i);
        build.add_unchecked(i + 1);
        build.end_row();
    }
    return build.take();
}

/// Chains of 3, 4, 5, ... PEs, with as many blocks as PEs, the last one on the first two: augmenting paths of all
/// lengths.
inline Instance chains(InstanceSize size) {
    InstanceBuilder build(size);
    std::uint32_t first = 0;
    for (std::uint32_t steps = 2; first + steps < std::min(size.num_left, size.num_right); ++steps) {
        for (std::uint32_t i = 0; i <= steps; ++i) {
            auto const v = first + i % steps;
            build.add_unchecked(v);
            build.add_unchecked(v + 1);
            build.end_row();
        }
        first += steps + 1;
    }
    return build.take();
}

/// Blocks are on PEs {i, i + 1} of a ring, i drawn at random.
inline Instance cyclepair(InstanceSize size) {
    InstanceBuilder build(size);
    for (std::uint32_t x = 0; x < size.num_left; ++x) {
        auto const i = build.below(size.num_right);
        build.add_unchecked(i);
        build.add_unchecked(i + 1 < size.num_right ? i + 1 : 0);
        build.end_row();
    }
    return build.take();
}

/// Every block is on half of the PEs, chosen at random.
inline Instance dense(InstanceSize size) {
    InstanceBuilder build(size);
    std::vector<std::uint32_t> all(size.num_right);
    std::iota(all.begin(), all.end(), 0U);
    for (std::uint32_t x = 0; x < size.num_left; ++x) {
        for (std::uint32_t i = 0; i < size.num_right / 2; ++i) {
            std::swap(all[i], all[i + build.below(size.num_right - i)]);
            build.add_unchecked(all[i]);
        }
        build.end_row();
    }
    return build.take();
}

/// PEs are on a square grid without ends; every block is on a random one and one or two of its four neighbours: a PE
/// that has too much is far from room when little is left.
inline Instance grid(InstanceSize size) {
    InstanceBuilder build(size);
    auto const width = std::max<std::uint32_t>(2, static_cast<std::uint32_t>(std::sqrt(size.num_right)));
    for (std::uint32_t x = 0; x < size.num_left; ++x) {
        auto const pe = build.below(size.num_right);
        std::array<std::uint32_t, 4> const around{(pe + 1) % size.num_right, (pe + size.num_right - 1) % size.num_right,
                                                  (pe + width) % size.num_right,
                                                  (pe + size.num_right - width) % size.num_right};
        auto const neighbour = build.below(4);
        build.add_unchecked(pe);
        build.add(around[neighbour]);
        if (build.below(2) == 0) build.add(around[(neighbour + 1 + build.below(3)) % 4]);
        build.end_row();
    }
    return build.take();
}

struct InstanceFamily {
    std::string_view name;
    Instance (*make)(InstanceSize);
};

inline constexpr std::array<InstanceFamily, 11> instance_families{{
    {"restore", restore},
    {"independent", independent},
    {"redrawn", redrawn},
    {"mod_k", mod_k},
    {"zipf", zipf},
    {"hot", hot},
    {"chain", chain},
    {"chains", chains},
    {"cyclepair", cyclepair},
    {"dense", dense},
    {"grid", grid},
}};

}  // namespace regraft::test
