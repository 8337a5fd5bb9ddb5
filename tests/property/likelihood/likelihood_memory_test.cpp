// Likelihoods take as much memory as was predicted. Operators new and delete of our own count what is taken.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include <gtest/gtest.h>
#include <malloc.h>

#include "support/likelihood/likelihood_cases.hpp"

namespace {

std::atomic<std::size_t> bytes_in_use{0};
std::atomic<std::size_t> most_bytes_in_use{0};

void* counted(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    auto const now = bytes_in_use += malloc_usable_size(memory);
    most_bytes_in_use = std::max<std::size_t>(most_bytes_in_use, now);
    return memory;
}
void uncount(void* memory) {
    bytes_in_use -= malloc_usable_size(memory);
    std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) {
    return counted(std::malloc(size));
}
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    try {
        return operator new(size);
    } catch (std::bad_alloc const&) {
        return nullptr;
    }
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    auto const step = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* memory) noexcept {
    uncount(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    uncount(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    uncount(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    uncount(memory);
}

namespace regraft::test {
namespace {

using likelihood::Partition;
using likelihood::Repeats;

/// The most memory that a partition takes while everything is asked of it.
std::size_t taken(LikelihoodCase const& c, likelihood::PartitionOptions const& options) {
    auto const before = bytes_in_use.load();
    most_bytes_in_use = before;
    auto p = partition(c, options);
    std::size_t place = 0;
    for (auto const h : c.tree.edges()) {
        static_cast<void>(loglh_sum(p, h));
        std::array<FixedSum, 3> sums;
        p.focus(h, place);
        p.add_derivatives(0.1, sums, place);
        place = (place + 1) % options.most_in_focus;
    }
    return most_bytes_in_use - before;
}

std::uint64_t estimated(LikelihoodCase const& c, likelihood::PartitionOptions const& options) {
    return Partition::bytes(c.tree.num_tips(), c.sites.weights.size(), c.num_states(),
                            static_cast<std::uint32_t>(c.mixture.categories.size()), options);
}

/// Columns that are as alike as those of real alignments.
LikelihoodCase case_of(std::uint32_t num_states, std::size_t num_patterns) {
    auto c = random_case({.num_tips = 60,
                          .num_states = num_states,
                          .num_categories = 4,
                          .num_patterns = num_patterns,
                          .invariant = true},
                         num_states);
    for (auto& row : c.sites.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = row[i * i % (i % 3 == 0 ? 7 : row.size())];
    }
    return c;
}

TEST(LikelihoodMemory, IsAtMostAndAboutWhatIsEstimated) {
    constexpr std::size_t small_things = 100'000;  // per half-edge, and what answers consist of
    for (std::uint32_t const num_states : {4U, 20U}) {
        auto const c = case_of(num_states, 6000 / num_states);
        auto const least = Partition::least_slots(c.tree.num_tips());
        auto const enough = Partition::least_slots(c.tree.num_tips(), Repeats::everywhere);
        for (auto const repeats : {Repeats::off, Repeats::automatic, Repeats::everywhere}) {
            for (std::size_t const num_slots : {std::size_t{0}, least, least + 9, enough}) {
                likelihood::PartitionOptions const options{.num_slots = num_slots, .repeats = repeats};
                SCOPED_TRACE(testing::Message() << num_states << " states, " << num_slots << " slots, repeats "
                                                << static_cast<int>(repeats));
                auto const bytes = taken(c, options);
                EXPECT_LE(bytes, estimated(c, options) + small_things);
                EXPECT_GE(bytes, estimated(c, options) / 4 * 3);
            }
        }
    }
}

TEST(LikelihoodMemory, GrowsWithTheSlots) {
    auto const c = case_of(4, 1500);
    auto const least = Partition::least_slots(c.tree.num_tips());
    EXPECT_LT(taken(c, {.num_slots = least}), taken(c, {.num_slots = 2 * least}));
    EXPECT_LT(2 * taken(c, {.num_slots = least}), taken(c, {.num_slots = std::size_t{3} * (c.tree.num_tips() - 2)}));
}

}  // namespace
}  // namespace regraft::test
