#include "regraft/placement/directory.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/placement/permuted.hpp"
#include "support/plans/placement_checks.hpp"

namespace regraft::placement {
namespace {

using Pes = std::vector<PeId>;
using Ranges = std::vector<BlockRange>;

/// Runs of some blocks. Run i and its copies lie at a place that a hash gives, the copies at some distance. Holders are
/// not ascending.
class Scattered {
public:
    Scattered(Shape shape, std::uint64_t run_blocks, std::uint64_t seed)
        : shape_(shape), run_blocks_(run_blocks), seed_(seed) {}

    Shape shape() const { return shape_; }
    std::uint32_t num_copies(BlockId block) const {
        auto const more = mix(seed_ + value(block) / run_blocks_) >> 32 & 1;  // some have one more than asked for
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(shape_.num_slots, shape_.replicas + more));
    }
    Slot holder(BlockId block, std::uint32_t copy) const {
        auto const first = mix(seed_ ^ value(block) / run_blocks_) % shape_.num_slots;
        auto const place = first + shape_.num_slots - copy;
        return Slot{static_cast<std::uint32_t>(place % shape_.num_slots)};
    }
    BlockRange run(BlockId block) const {
        auto const first = value(block) / run_blocks_ * run_blocks_;
        return {BlockId{first}, BlockId{std::min(first + run_blocks_, shape_.num_blocks)}};
    }
    Ranges held(Slot slot) const {
        Ranges ranges;
        for (BlockId at{0}; value(at) < shape_.num_blocks; at = run(at).last) {
            for (std::uint32_t copy = 0; copy < num_copies(at); ++copy) {
                if (holder(at, copy) == slot) ranges.push_back(run(at));
            }
        }
        return ranges;
    }

private:
    Shape shape_;
    std::uint64_t run_blocks_;
    std::uint64_t seed_;
};

/// The same directory, block by block.
struct Model {
    std::vector<std::set<PeId>> holders;

    Ranges where(auto says) const {
        Ranges ranges;
        for (std::uint64_t b = 0; b < holders.size(); ++b) {
            if (!says(holders[b])) continue;
            if (ranges.empty() || ranges.back().last != BlockId{b}) ranges.push_back({BlockId{b}, BlockId{b}});
            ranges.back().last = BlockId{b + 1};
        }
        return ranges;
    }
};

Any random_placement(Random& random) {
    auto const slots = static_cast<std::uint32_t>(1 + random.below(7));
    auto const replicas = static_cast<std::uint32_t>(1 + random.below(slots));
    auto const num_blocks = random.below(30);
    if (random.below(3) == 0) return ModK(num_blocks, slots, replicas);
    if (random.below(3) == 0) return Permuted(num_blocks, slots, replicas, {1 + random.below(3), random.bits()});
    return Scattered({num_blocks, slots, replicas}, 1 + random.below(6), random.bits());
}

Pes random_pes(std::uint32_t count, Random& random) {
    std::set<PeId> pes;
    while (pes.size() < count) pes.insert(PeId{static_cast<std::uint32_t>(random.below(2 * count))});
    return {pes.begin(), pes.end()};
}

Model model_of(Any const& placement, Pes const& pe_of_slot) {
    Model model;
    for (std::uint64_t b = 0; b < placement.shape().num_blocks; ++b) {
        model.holders.emplace_back();
        for (auto const slot : test::holders(placement, BlockId{b}))
            model.holders.back().insert(pe_of_slot[value(slot)]);
    }
    return model;
}

BlockRange random_range(std::uint64_t num_blocks, Random& random) {
    auto const a = random.below(num_blocks + 1);
    auto const b = random.below(num_blocks + 1);
    return {BlockId{std::min(a, b)}, BlockId{std::max(a, b)}};
}

/// The blocks with few holders are visited with these, and for the others the numbers of holders are right.
void expect_short_runs(Directory const& directory, Model const& model, std::uint32_t copies) {
    std::vector<int> visited(model.holders.size(), 0);
    auto const others = directory.visit_short_of(copies, [&](Run const& run) {
        for (auto b = value(run.blocks.first); b < value(run.blocks.last); ++b) {
            ++visited[b];
            ASSERT_TRUE(
                std::equal(run.holders.begin(), run.holders.end(), model.holders[b].begin(), model.holders[b].end()));
        }
    });
    CopyCounts expected;
    for (std::size_t b = 0; b < visited.size(); ++b) {
        auto const here = static_cast<std::uint32_t>(model.holders[b].size());
        ASSERT_EQ(visited[b], here < copies ? 1 : 0);
        if (here < copies || here == 0) continue;
        expected.fewest = expected.most == 0 ? here : std::min(expected.fewest, here);
        expected.most = std::max(expected.most, here);
    }
    ASSERT_EQ(others.fewest, expected.fewest);
    ASSERT_EQ(others.most, expected.most);
}

void expect_same(Directory const& directory, Model const& model, Pes const& pe_of_slot, Random& random) {
    auto const range = random_range(directory.num_blocks(), random);
    auto at = range.first;
    std::optional<Pes> before;
    directory.visit(range, [&](Run const& run) {
        ASSERT_EQ(run.blocks.first, at);
        ASSERT_LT(at, run.blocks.last);
        Pes const here(run.holders.begin(), run.holders.end());
        ASSERT_NE(before, here);  // so runs do not depend on how the holders came about
        before = here;
        for (; at != run.blocks.last; at = advance(at, 1)) {
            auto const& holders = model.holders.at(value(at));
            ASSERT_EQ(Pes(run.holders.begin(), run.holders.end()), Pes(holders.begin(), holders.end()));
        }
    });
    ASSERT_EQ(at, range.last);
    for (auto const pe : pe_of_slot) {
        ASSERT_EQ(directory.held(pe), model.where([&](auto const& holders) { return holders.contains(pe); }));
    }
    for (std::uint32_t copies = 0; copies <= directory.replicas() + 2; ++copies) {
        ASSERT_EQ(directory.short_of(copies),
                  model.where([&](auto const& holders) { return holders.size() < copies; }));
        ASSERT_NO_FATAL_FAILURE(expect_short_runs(directory, model, copies));
    }
    std::vector<std::uint64_t> counts;
    for (auto const pe : pe_of_slot) {
        counts.push_back(static_cast<std::uint64_t>(std::count_if(
            model.holders.begin(), model.holders.end(), [&](auto const& holders) { return holders.contains(pe); })));
    }
    ASSERT_EQ(directory.num_held(pe_of_slot), counts);
}

TEST(DirectoryProperty, TestPlacementsAreSound) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_TRUE(test::is_sound(Scattered({23, 6, 3}, 4, seed)));
}

TEST(DirectoryProperty, AgreesWithASetPerBlock) {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        auto const placement = random_placement(random);
        auto const pe_of_slot = random_pes(placement.shape().num_slots, random);
        auto members = pe_of_slot;
        Directory directory(placement, pe_of_slot);
        auto model = model_of(placement, pe_of_slot);
        ASSERT_NO_FATAL_FAILURE(expect_same(directory, model, pe_of_slot, random));
        for (int change = 0; change < 25; ++change) {
            auto const blocks = random_range(directory.num_blocks(), random);
            auto const what = random.below(8);
            if (what == 0 && !members.empty()) {
                auto const victim = members[random.below(members.size())];
                std::erase(members, victim);
                directory.retain(members);
                for (auto& holders : model.holders) holders.erase(victim);
            } else if (what < 5 && !members.empty()) {
                auto const holder = members[random.below(members.size())];
                directory.add(blocks, holder);
                for (auto b = value(blocks.first); b < value(blocks.last); ++b) model.holders[b].insert(holder);
            } else {
                auto const holder = pe_of_slot[random.below(pe_of_slot.size())];
                directory.remove(blocks, holder);
                for (auto b = value(blocks.first); b < value(blocks.last); ++b) model.holders[b].erase(holder);
            }
            ASSERT_NO_FATAL_FAILURE(expect_same(directory, model, pe_of_slot, random));
        }
    }
}

/// A change that was undone takes no run of its own, and changes that were made piece by piece are one run.
TEST(DirectoryProperty, JoinsWhatIsTheSameAgain) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        Random random(seed);
        Directory directory(ModK(50, 2, 1), {PeId{0}, PeId{1}});  // blocks 0..24 on PE 0, 25..49 on PE 1
        std::vector<std::uint64_t> order(25);
        for (std::uint64_t b = 0; b < 25; ++b) order[b] = b;
        auto const runs = [&] {
            int count = 0;
            directory.visit({BlockId{0}, BlockId{50}}, [&](placement::Run const&) { ++count; });
            return count;
        };
        shuffle(std::span(order), random);
        for (auto const b : order) directory.add({BlockId{b}, BlockId{b + 1}}, PeId{1});
        ASSERT_EQ(runs(), 2);
        shuffle(std::span(order), random);
        for (std::size_t i = 0; i < 12; ++i) directory.remove({BlockId{order[i]}, BlockId{order[i] + 1}}, PeId{1});
        directory.remove({BlockId{0}, BlockId{25}}, PeId{1});
        ASSERT_EQ(runs(), 2);
    }
}

}  // namespace
}  // namespace regraft::placement
