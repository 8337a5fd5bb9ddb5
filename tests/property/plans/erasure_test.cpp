// Erasure-coded blocks in a world of PEs that consists of maps of bytes: every plan is carried out and compared.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "regraft/erasure/plan.hpp"

namespace regraft::erasure {
namespace {

using Bytes = std::vector<std::byte>;

BlockSizes random_sizes(Random& random) {
    auto const count = std::array<std::uint64_t, 6>{0, 1, 2, 7, 30, 150}[random.below(6)];
    if (random.below(3) == 0) return {count, random.below(40)};
    std::vector<std::uint64_t> begins{0};
    auto const most = 1 + random.below(60);
    for (std::uint64_t i = 0; i < count; ++i) {
        begins.push_back(begins.back() + (random.below(20) == 0 ? 10 * most : random.below(most)));
    }
    return BlockSizes(begins);
}

/// Deals all blocks, or all but some, to the slots in ranges of any order.
Csr<BlockRange> random_owners(std::uint64_t num_blocks, std::uint32_t slots, Random& random) {
    std::vector<std::vector<BlockRange>> rows(slots);
    auto const longest = 1 + random.below(2 * num_blocks / slots + 2);
    auto const gaps = random.below(3) == 0;
    for (std::uint64_t first = 0; first < num_blocks;) {
        auto const last = std::min(num_blocks, first + 1 + random.below(longest));
        if (!gaps || random.below(5) != 0) rows[random.below(slots)].push_back({BlockId{first}, BlockId{last}});
        first = last;
    }
    Csr<BlockRange> own;
    for (auto& row : rows) {
        shuffle(std::span(row), random);
        own.push_row(row);
    }
    return own;
}

std::byte byte_at(std::uint64_t place) {
    return static_cast<std::byte>(mix(place) & 0xff);
}

/// The content of every block, whichever PE has it.
struct World {
    Layout layout;
    Holdings holdings;
    std::map<PeId, std::map<Piece, Bytes>> memory;
    std::vector<std::vector<BlockRange>> own;

    World(Layout l, Csr<BlockRange> const& owners, std::vector<PeId> const& pes) : layout(l), holdings(l, pes) {
        auto const& code = layout.code();
        std::map<std::uint32_t, std::vector<Bytes>> data;
        for (std::uint32_t slot = 0; slot < layout.num_slots(); ++slot) {
            Bytes stream;
            for (auto const& range : owners[slot]) {
                auto const ranges_bytes = bytes_of(range);
                stream.insert(stream.end(), ranges_bytes.begin(), ranges_bytes.end());
            }
            EXPECT_EQ(stream.size(), layout.own_bytes(slot));
            std::uint64_t end = 0;
            for (std::uint32_t i = 0; i < code.data(); ++i) {
                auto const piece = layout.piece(slot, i);
                EXPECT_EQ(layout.slot(piece), slot);
                auto const bytes = layout.own_bytes(piece);
                EXPECT_EQ(bytes.begin, end);
                end = bytes.end;
                memory[pes[slot]][piece] = cut(stream, bytes);
            }
            EXPECT_EQ(end, stream.size());
        }
        for (std::uint32_t stripe = 0; stripe < layout.num_slots(); ++stripe) {
            std::vector<Bytes> pieces;
            for (std::uint32_t i = 0; i < code.data(); ++i) {
                pieces.push_back(memory[pes[layout.slot({stripe, i})]][{stripe, i}]);
            }
            for (std::uint32_t i = code.data(); i < code.pieces(); ++i) {
                Bytes parity(layout.bytes({stripe, i}));
                code.from_data(i).combine({std::vector<std::span<std::byte const>>(pieces.begin(), pieces.end())},
                                          parity);
                memory[pes[layout.slot({stripe, i})]][{stripe, i}] = parity;
            }
        }
    }

    Bytes bytes_of(BlockRange blocks) const {
        Bytes bytes;
        for (auto at = layout.sizes().begin(blocks.first); at < layout.sizes().begin(blocks.last); ++at) {
            bytes.push_back(byte_at(at));
        }
        return bytes;
    }
    static Bytes cut(Bytes const& bytes, ByteRange range) {
        EXPECT_LE(range.end, bytes.size());
        return {bytes.begin() + static_cast<std::ptrdiff_t>(range.begin),
                bytes.begin() + static_cast<std::ptrdiff_t>(range.end)};
    }
    /// The bytes that a holder gives away; it must have them.
    Bytes give(PeId holder, Piece piece, ByteRange range) {
        auto const members = holdings.members();
        EXPECT_TRUE(std::binary_search(members.begin(), members.end(), holder));
        EXPECT_TRUE(memory.contains(holder) && memory[holder].contains(piece)) << piece.stripe << '/' << piece.index;
        return cut(memory[holder][piece], range);
    }
    Bytes rebuild(Rebuild const& task, std::span<Source const> sources) {
        std::vector<Bytes> bytes;
        std::vector<std::uint32_t> indices;
        for (auto const& source : sources) {
            indices.push_back(source.index);
            ByteRange const range{task.bytes.begin, task.bytes.begin + source.bytes};
            bytes.push_back(source.bytes == 0 ? Bytes{}
                                              : give(*source.holder, {task.piece.stripe, source.index}, range));
        }
        Bytes target(task.bytes.size());
        layout.code()
            .rebuild(indices, task.piece.index)
            .combine(std::vector<std::span<std::byte const>>(bytes.begin(), bytes.end()), target);
        return target;
    }

    void kill(std::vector<PeId> const& victims) {
        std::vector<PeId> alive;
        for (auto pe : holdings.members()) {
            if (std::find(victims.begin(), victims.end(), pe) == victims.end()) alive.push_back(pe);
        }
        for (auto pe : victims) memory.erase(pe);
        holdings.retain(alive);
    }
    /// Damages a piece of some holder: no PE counts on it any more.
    void damage(Piece piece) {
        auto const holder = holdings.holder(piece);
        if (!holder) return;
        memory[*holder].erase(piece);
        holdings.drop(piece);
    }
    /// Loads and compares; returns what is lost.
    std::vector<BlockRange> load(Csr<BlockRange> const& wanted, std::uint64_t most_bytes) {
        auto const plan = plan_reads(holdings, wanted, most_bytes);
        for (std::size_t member = 0; member < wanted.size(); ++member) {
            std::vector<std::optional<std::byte>> expected;
            for (auto const& range : wanted[member]) {
                for (auto id = range.first; id < range.last; id = advance(id, 1)) {
                    bool const lost = std::any_of(plan.lost.begin(), plan.lost.end(),
                                                  [&](BlockRange gone) { return gone.contains(id); });
                    for (auto byte : bytes_of({id, advance(id, 1)})) {
                        expected.push_back(lost ? std::nullopt : std::optional(byte));
                    }
                }
            }
            std::vector<std::optional<std::byte>> out(expected.size());
            auto const deliver = [&](std::uint64_t place, Bytes const& bytes) {
                for (auto byte : bytes) {
                    ASSERT_LT(place, out.size());
                    EXPECT_FALSE(out[place]) << "twice";
                    out[place++] = byte;
                }
            };
            auto const receiver = holdings.members()[member];
            for (auto const& copy : plan.copies) {
                if (copy.receiver == receiver) deliver(copy.place, give(copy.sender, copy.piece, copy.bytes));
            }
            for (std::size_t i = 0; i < plan.rebuilt.rebuilds.size(); ++i) {
                auto const& task = plan.rebuilt.rebuilds[i];
                EXPECT_LE(task.bytes.size(), most_bytes);
                if (task.receiver == receiver) deliver(task.place, rebuild(task, plan.rebuilt.sources[i]));
                for (auto const& forward : plan.rebuilt.forwards[i]) {
                    if (forward.receiver == receiver) {
                        deliver(forward.place, rebuild(task, plan.rebuilt.sources[i]));
                    }
                }
            }
            EXPECT_EQ(out, expected);
        }
        return plan.lost;
    }
    Repair repair(std::span<std::uint32_t const> node_of, std::uint64_t most_bytes, Restore restore,
                  std::span<std::uint64_t const> room = {}) {
        auto const plan = plan_repair(holdings, node_of, most_bytes, restore, room);
        std::map<Piece, Bytes> made;
        std::map<Piece, PeId> target;
        std::uint64_t restored = 0;
        for (auto const& move : plan.moves) target[move.piece] = move.holder;
        for (std::size_t i = 0; i < plan.rebuilt.rebuilds.size(); ++i) {
            auto const& task = plan.rebuilt.rebuilds[i];
            EXPECT_EQ(task.receiver, target.at(task.piece));
            EXPECT_EQ(task.place, made[task.piece].size());
            auto const bytes = rebuild(task, plan.rebuilt.sources[i]);
            made[task.piece].insert(made[task.piece].end(), bytes.begin(), bytes.end());
            restored += bytes.size();
        }
        EXPECT_EQ(restored, plan.bytes_restored);
        for (auto piece : plan.given_up) holdings.give_up(piece);
        for (auto const& move : plan.moves) {
            holdings.move(move.piece, move.holder);
            memory[move.holder][move.piece] = made[move.piece];
        }
        return plan;
    }
};

std::vector<PeId> random_victims(std::span<PeId const> members, std::size_t count, Random& random) {
    std::vector<PeId> pes(members.begin(), members.end());
    shuffle(std::span(pes), random);
    pes.resize(count);
    return pes;
}

Csr<BlockRange> random_wishes(std::uint64_t num_blocks, std::size_t members, Random& random) {
    Csr<BlockRange> wanted;
    for (std::size_t member = 0; member < members; ++member) {
        std::uint64_t first = 0;
        while (random.below(4) != 0 && first < num_blocks) {
            first += random.below(num_blocks - first);
            auto const last = first + 1 + random.below(num_blocks - first);
            wanted.push_value({BlockId{first}, BlockId{last}});
            first = last;
        }
        std::reverse(wanted.values.begin() + static_cast<std::ptrdiff_t>(wanted.offsets.back()), wanted.values.end());
        wanted.end_row();
    }
    return wanted;
}

Csr<BlockRange> everything_on_first(std::uint64_t num_blocks, std::size_t members) {
    Csr<BlockRange> wanted;
    if (num_blocks != 0) wanted.push_value({BlockId{0}, BlockId{num_blocks}});
    for (std::size_t member = 0; member < members; ++member) wanted.end_row();
    return wanted;
}

std::uint64_t count(std::span<BlockRange const> ranges) {
    std::uint64_t sum = 0;
    for (auto const& range : ranges) sum += range.size();
    return sum;
}

struct Scene {
    World world;
    std::uint64_t owned;
};

Scene random_scene(Random& random, std::uint32_t spare) {
    Code const code(1 + static_cast<std::uint32_t>(random.below(5)), static_cast<std::uint32_t>(random.below(4)));
    auto const slots = code.pieces() + static_cast<std::uint32_t>(random.below(spare + 1));
    auto const sizes = random_sizes(random);
    auto const own = random_owners(sizes.num_blocks(), slots, random);
    std::vector<std::uint32_t> ring;
    if (random.below(2) == 0) {
        std::vector<std::uint32_t> node_of;
        for (std::uint32_t slot = 0; slot < slots; ++slot)
            node_of.push_back(static_cast<std::uint32_t>(random.below(4)));
        ring = ring_order(node_of);
    }
    std::vector<PeId> pes;
    for (std::uint32_t slot = 0; slot < slots; ++slot) pes.push_back(PeId{3 * slot + 1});
    return {World(Layout(code, sizes, own, ring), own, pes), count(own.values)};
}

TEST(ErasurePlans, SurviveAsManyDeathsAsThereAreParities) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto [world, owned] = random_scene(random, 6);
        auto const num_blocks = world.layout.sizes().num_blocks();
        std::uint64_t const most_bytes = 1 + random.below(100);
        auto const deaths = random.below(world.layout.code().parity() + 1);
        world.kill(
            random_victims(world.holdings.members(), std::min(deaths, world.holdings.members().size() - 1), random));
        auto const members = world.holdings.members().size();
        auto const lost = world.load(everything_on_first(num_blocks, members), most_bytes);
        EXPECT_EQ(count(lost), num_blocks - owned);  // blocks that no PE ever had
        world.load(random_wishes(num_blocks, members, random), most_bytes);
    }
}

// Deaths and repairs down to k + m members: as many deaths as there are parities are survived after every repair.
TEST(ErasurePlans, RepairsRestoreWhatIsSurvived) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto [world, owned] = random_scene(random, 8);
        auto const& code = world.layout.code();
        auto const num_blocks = world.layout.sizes().num_blocks();
        while (code.parity() > 0 && world.holdings.members().size() > code.pieces()) {
            auto const spare = world.holdings.members().size() - code.pieces();
            auto const deaths = 1 + random.below(std::min<std::uint64_t>(code.parity(), spare));
            world.kill(random_victims(world.holdings.members(), deaths, random));
            auto const plan = world.repair({}, 1 + random.below(100), Restore::everything);
            EXPECT_EQ(count(plan.lost), num_blocks - owned);
            EXPECT_EQ(safety(world.holdings, {}).members, code.parity());
            EXPECT_EQ(plan_repair(world.holdings, {}, 1).moves.size(), 0u);
            auto const members = world.holdings.members().size();
            EXPECT_EQ(count(world.load(everything_on_first(num_blocks, members), 50)), num_blocks - owned);
            std::set<std::pair<Piece, PeId>> held;
            for (auto pe : world.holdings.members()) {
                for (auto piece : world.holdings.held(pe)) {
                    EXPECT_EQ(world.holdings.holder(piece), pe);
                    EXPECT_TRUE(world.memory[pe].contains(piece));
                    held.insert({piece, pe});
                }
            }
        }
    }
}

// Too many deaths: what is lost stays lost, the rest is right and safe again after the repair.
TEST(ErasurePlans, KeepWhatIsLeftAfterTooManyDeaths) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto [world, owned] = random_scene(random, 6);
        auto const& code = world.layout.code();
        auto const num_blocks = world.layout.sizes().num_blocks();
        auto const wish = [&] { return everything_on_first(num_blocks, world.holdings.members().size()); };
        std::uint64_t lost = num_blocks - owned;
        while (world.holdings.members().size() > 1) {
            auto const members = world.holdings.members().size();
            auto const deaths = 1 + random.below(std::min<std::uint64_t>(members - 1, code.parity() + 2));
            world.kill(random_victims(world.holdings.members(), deaths, random));
            auto const now = count(world.load(wish(), 64));
            EXPECT_GE(now, lost);
            lost = now;
            auto const plan = world.repair({}, 1 + random.below(100), Restore::everything);
            EXPECT_EQ(count(plan.lost), lost);
            EXPECT_EQ(count(world.load(wish(), 64)), lost);
            auto const alive = world.holdings.members().size();
            auto const most_on_one = static_cast<std::uint32_t>((code.pieces() + alive - 1) / alive + 1);
            EXPECT_GE(safety(world.holdings, {}).members, code.parity() / most_on_one);
            if (alive <= code.pieces() || code.parity() == 0) continue;
            auto survivors = world;  // of another death
            survivors.kill(random_victims(world.holdings.members(), 1, random));
            EXPECT_EQ(count(survivors.load(everything_on_first(num_blocks, alive - 1), 64)), lost);
        }
    }
}

TEST(ErasurePlans, DataAloneCanBeRestored) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto [world, owned] = random_scene(random, 4);
        auto const& code = world.layout.code();
        world.kill(
            random_victims(world.holdings.members(), std::min<std::size_t>(code.parity(), code.pieces() - 1), random));
        world.repair({}, 64, Restore::data);
        for (std::uint32_t stripe = 0; stripe < world.layout.num_slots(); ++stripe) {
            for (std::uint32_t i = 0; i < code.data(); ++i) {
                EXPECT_TRUE(world.holdings.holder({stripe, i}) || world.layout.bytes({stripe, i}) == 0);
            }
        }
    }
}

// c pieces of a stripe are on one node at most: floor(m / c) nodes may die, and again after a repair that finds places
// on other nodes.
TEST(ErasurePlans, SurviveNodes) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Code const code(1 + static_cast<std::uint32_t>(random.below(4)),
                        1 + static_cast<std::uint32_t>(random.below(4)));
        auto const slots = code.pieces() + static_cast<std::uint32_t>(random.below(20));
        auto const nodes = 2 + random.below(12);
        std::vector<std::uint32_t> node_of;
        std::vector<std::size_t> slots_on(nodes);
        std::vector<PeId> pes;
        for (std::uint32_t slot = 0; slot < slots; ++slot) {
            node_of.push_back(static_cast<std::uint32_t>(random.below(nodes)));
            ++slots_on[node_of.back()];
            pes.push_back(PeId{slot});
        }
        auto const in_a_row = slots / *std::max_element(slots_on.begin(), slots_on.end());
        auto const most_on_node = (code.pieces() + in_a_row - 1) / in_a_row;
        BlockSizes const sizes(40 * slots, 3);
        auto const own = random_owners(sizes.num_blocks(), slots, random);
        auto const not_owned = sizes.num_blocks() - count(own.values);
        World world(Layout(code, sizes, own, ring_order(node_of)), own, pes);
        EXPECT_GE(safety(world.holdings, node_of).nodes, code.parity() / most_on_node);

        std::vector<std::uint32_t> dying(nodes);
        std::iota(dying.begin(), dying.end(), 0);
        shuffle(std::span(dying), random);
        dying.resize(std::min<std::size_t>(nodes, code.parity() / most_on_node));
        std::vector<PeId> victims;
        for (auto pe : pes) {
            if (std::find(dying.begin(), dying.end(), node_of[value(pe)]) != dying.end()) victims.push_back(pe);
        }
        if (victims.size() == slots) continue;
        world.kill(victims);
        auto const wanted = everything_on_first(sizes.num_blocks(), slots - victims.size());
        EXPECT_EQ(count(world.load(wanted, 100)), not_owned);
        std::vector<std::uint32_t> living;
        for (auto pe : world.holdings.members()) living.push_back(node_of[value(pe)]);
        world.repair(living, 100, Restore::everything);
        EXPECT_EQ(count(world.load(wanted, 100)), not_owned);
        std::set<std::uint32_t> const left(living.begin(), living.end());
        EXPECT_TRUE(safety(world.holdings, living).nodes >= code.parity() / most_on_node ||
                    left.size() < code.pieces());
    }
}

/// Whether some `deaths` of the nodes lose a block that is not lost yet; `node_of` of the members.
bool some_deaths_lose(World const& world, std::span<std::uint32_t const> node_of, std::uint32_t deaths) {
    auto const everything = [&](Holdings const& holdings) {
        auto const wanted = everything_on_first(world.layout.sizes().num_blocks(), holdings.members().size());
        auto const lost = plan_reads(holdings, wanted, 1000).lost;
        std::uint64_t bytes = 0;
        for (auto const& range : lost) bytes += world.layout.sizes().bytes(range);
        return bytes;
    };
    auto const before = everything(world.holdings);
    std::set<std::uint32_t> const distinct(node_of.begin(), node_of.end());
    std::vector<std::uint32_t> const nodes(distinct.begin(), distinct.end());
    std::vector<char> dying(nodes.size(), 0);
    std::fill_n(dying.begin(), std::min<std::size_t>(deaths, nodes.size()), 1);
    do {
        std::vector<PeId> alive;
        for (std::size_t i = 0; i < node_of.size(); ++i) {
            auto const node = std::lower_bound(nodes.begin(), nodes.end(), node_of[i]) - nodes.begin();
            if (dying[static_cast<std::size_t>(node)] == 0) alive.push_back(world.holdings.members()[i]);
        }
        auto holdings = world.holdings;
        holdings.retain(alive);
        if (alive.empty() ? before != world.layout.sizes().bytes() : everything(holdings) != before) return true;
    } while (std::prev_permutation(dying.begin(), dying.end()));
    return false;
}

// Members die, pieces are damaged, repairs move pieces or find no room: as many deaths are survived as was said.
TEST(ErasurePlans, KnowHowManyDeathsAreSurvived) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto [world, owned] = random_scene(random, 3);
        auto const& code = world.layout.code();
        for (int step = 0; step < 3; ++step) {
            std::vector<std::uint32_t> node_of, each;
            for (auto pe : world.holdings.members()) {
                node_of.push_back(value(pe) / 7);
                each.push_back(value(pe));
            }
            auto const safe = safety(world.holdings, node_of);
            EXPECT_FALSE(some_deaths_lose(world, each, safe.members));
            EXPECT_FALSE(some_deaths_lose(world, node_of, safe.nodes));
            EXPECT_EQ(safety(world.holdings, {}).members, safe.members);
            if (safe.members < code.parity()) {
                EXPECT_TRUE(some_deaths_lose(world, each, safe.members + 1));
            }
            if (safe.nodes < code.parity()) {
                EXPECT_TRUE(some_deaths_lose(world, node_of, safe.nodes + 1));
            }
            auto const stripe = static_cast<std::uint32_t>(random.below(world.layout.num_slots()));
            world.damage({stripe, static_cast<std::uint32_t>(random.below(code.pieces()))});
            if (random.below(2) == 0) world.repair({}, 50, Restore::everything);
            if (world.holdings.members().size() > 2 && random.below(2) == 0) {
                world.kill(random_victims(world.holdings.members(), 1, random));
            }
        }
    }
}

// Whatever is damaged: a stripe with k pieces left is read, and after a repair it is whole again.
TEST(ErasurePlans, DamagedPiecesFollowFromOthers) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto [world, owned] = random_scene(random, 5);
        auto const& code = world.layout.code();
        auto const num_blocks = world.layout.sizes().num_blocks();
        auto const members = world.holdings.members().size();
        for (std::uint32_t stripe = 0; stripe < world.layout.num_slots(); ++stripe) {
            std::vector<std::uint32_t> pieces(code.pieces());
            std::iota(pieces.begin(), pieces.end(), 0);
            shuffle(std::span(pieces), random);
            pieces.resize(random.below(code.parity() + 1));
            for (auto index : pieces) world.damage({stripe, index});
        }
        world.load(random_wishes(num_blocks, members, random), 1 + random.below(100));
        EXPECT_EQ(count(world.load(everything_on_first(num_blocks, members), 64)), num_blocks - owned);
        world.repair({}, 64, Restore::everything);
        EXPECT_EQ(safety(world.holdings, {}).members, code.parity());
        EXPECT_EQ(count(world.load(everything_on_first(num_blocks, members), 64)), num_blocks - owned);
    }
}

// Repairs with room for some of the pieces: no PE gets more than it has room for, and no piece is missing for which
// a PE had room.
TEST(ErasurePlans, KeepToTheRoom) {
    std::uint64_t unplaced = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto [world, owned] = random_scene(random, 6);
        auto const& code = world.layout.code();
        auto const num_blocks = world.layout.sizes().num_blocks();
        auto const deaths = std::min<std::size_t>(random.below(code.parity() + 1), code.pieces() - 1);
        world.kill(random_victims(world.holdings.members(), deaths, random));
        auto const members = world.holdings.members().size();
        std::vector<std::uint64_t> room;
        auto const most = random.below(2) * random.below(400);
        for (std::size_t i = 0; i < members; ++i) room.push_back(random.below(most + 1));
        auto const before = world.holdings.bytes_held();
        auto const plan = world.repair({}, 1 + random.below(100), Restore::everything, room);
        auto const after = world.holdings.bytes_held();
        for (std::size_t i = 0; i < members; ++i) EXPECT_LE(after[i], before[i] + room[i]);
        for (auto const& piece : plan.unplaced) {
            auto const bytes = world.holdings.bytes(piece);
            EXPECT_FALSE(world.holdings.holder(piece));
            for (std::size_t i = 0; i < members; ++i) EXPECT_LT(before[i] + room[i], after[i] + bytes) << "had room";
        }
        unplaced += plan.unplaced.size();
        EXPECT_EQ(count(world.load(everything_on_first(num_blocks, members), 50)), num_blocks - owned);
        EXPECT_TRUE(world.repair({}, 50, Restore::everything).unplaced.empty());  // with room for all
        EXPECT_TRUE(plan_repair(world.holdings, {}, 50).moves.empty());
    }
    EXPECT_GT(unplaced, 100u);
}

TEST(ErasurePlans, CountWhatMembersHold) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto [world, owned] = random_scene(random, 6);
        while (world.holdings.members().size() > 1) {
            auto const held = world.holdings.bytes_held();
            ASSERT_EQ(held.size(), world.holdings.members().size());
            for (std::size_t i = 0; i < held.size(); ++i) {
                std::uint64_t bytes = 0;
                for (auto const& piece : world.holdings.held(world.holdings.members()[i])) {
                    bytes += world.holdings.bytes(piece);
                }
                EXPECT_EQ(held[i], bytes);
            }
            world.kill(random_victims(world.holdings.members(), 1, random));
            if (random.below(2) == 0) world.repair({}, 50, Restore::everything);
        }
    }
}

// Of 10 slots one dies and another wants all of its blocks: with 4 + 2, each of its pieces follows from 4 of 5, so the
// five are asked in turns.
TEST(ErasurePlans, AskAllSurvivorsAlike) {
    Csr<BlockRange> own;
    for (std::uint64_t slot = 0; slot < 10; ++slot) {
        own.push_row(std::vector{BlockRange{BlockId{slot * 100}, BlockId{slot * 100 + 100}}});
    }
    std::vector<PeId> pes;
    for (std::uint32_t slot = 0; slot < 10; ++slot) pes.push_back(PeId{slot});
    World world(Layout(Code(4, 2), BlockSizes(1000, 40), own), own, pes);
    world.kill({PeId{0}});
    Csr<BlockRange> wanted;
    for (std::uint32_t member = 0; member < 9; ++member) {
        if (member == 4) wanted.push_value({BlockId{0}, BlockId{100}});
        wanted.end_row();
    }
    auto const plan = plan_reads(world.holdings, wanted, 40);
    std::map<PeId, std::uint64_t> sent;
    for (auto const& source : plan.rebuilt.sources.values) {
        if (source.holder != PeId{5}) sent[*source.holder] += source.bytes;
    }
    std::uint64_t most = 0;
    std::uint64_t all = 0;
    for (auto const& [pe, bytes] : sent) {
        most = std::max(most, bytes);
        all += bytes;
    }
    EXPECT_LE(most, all / sent.size() * 3 / 2);
}

// When all PEs want the blocks of a dead one, they are rebuilt once, by all in turns.
TEST(ErasurePlans, RebuildOnceWhatSeveralWant) {
    Csr<BlockRange> own;
    for (std::uint64_t slot = 0; slot < 5; ++slot) {
        own.push_row(std::vector{BlockRange{BlockId{slot * 100}, BlockId{slot * 100 + 100}}});
    }
    std::vector<PeId> const pes{PeId{0}, PeId{1}, PeId{2}, PeId{3}, PeId{4}};
    World world(Layout(Code(2, 1), BlockSizes(500, 8), own), own, pes);
    world.kill({PeId{2}});
    Csr<BlockRange> wanted;
    for (std::uint64_t member = 0; member < 4; ++member) {
        wanted.push_row(std::vector{BlockRange{BlockId{member}, BlockId{500 - member}}});
    }
    EXPECT_TRUE(world.load(wanted, 40).empty());
    auto const plan = plan_reads(world.holdings, wanted, 40);
    std::map<PeId, std::uint64_t> rebuilt;
    for (auto const& task : plan.rebuilt.rebuilds) rebuilt[task.receiver] += task.bytes.size();
    ASSERT_EQ(rebuilt.size(), 4u);
    for (auto const& [pe, bytes] : rebuilt) EXPECT_EQ(bytes, 200u);
}

/// The number of consecutive slots, anywhere on the ring, that are on different nodes.
std::size_t different_in_a_row(std::span<std::uint32_t const> ring, std::span<std::uint32_t const> node_of) {
    std::size_t least = ring.size();
    for (std::size_t i = 0; i < ring.size(); ++i) {
        for (std::size_t step = 1; step < ring.size(); ++step) {
            if (node_of[ring[i]] == node_of[ring[(i + step) % ring.size()]]) least = std::min(least, step);
        }
    }
    return least;
}

TEST(RingOrder, KeepsNodesAsFarApartAsPossible) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const slots = random.below(25);
        auto const nodes = 1 + random.below(8);
        std::vector<std::uint32_t> node_of;
        for (std::uint64_t slot = 0; slot < slots; ++slot) {
            node_of.push_back(static_cast<std::uint32_t>(random.below(nodes) * random.below(nodes)));
        }
        auto const ring = ring_order(node_of);
        auto sorted = ring;
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::uint32_t> all(slots);
        std::iota(all.begin(), all.end(), 0);
        EXPECT_EQ(sorted, all);
        std::size_t largest = 1;
        for (auto node : node_of) {
            largest = std::max<std::size_t>(largest,
                                            static_cast<std::size_t>(std::count(node_of.begin(), node_of.end(), node)));
        }
        EXPECT_GE(different_in_a_row(ring, node_of), slots / largest);
    }
}

}  // namespace
}  // namespace regraft::erasure
