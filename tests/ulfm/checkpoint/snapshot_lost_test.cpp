// When all members that had an entity die, all survivors are told, and what is left is whole.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::checkpoint {
namespace {

ft::FailPoint death("test:death");

std::string name_of(PeId pe, int i) {
    return "block " + std::to_string(value(pe)) + "." + std::to_string(i);
}

std::vector<std::uint32_t> content(std::string const& name) {
    std::vector<std::uint32_t> values(10 + name.back() - '0');
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = 1000 * i + static_cast<std::uint32_t>(name[6]);
    return values;
}

/// Three blocks on each of the PEs, which have committed them; then all PEs of a row die at once.
class Blocks {
public:
    Blocks(ft::Communicator& comm, SnapshotOptions options) : snapshot(comm, std::move(options)) {
        for (int i = 0; i < 3; ++i) {
            add(name_of(comm.self(), i));
            states[name_of(comm.self(), i)] = content(name_of(comm.self(), i));
        }
    }
    void add(std::string const& name) { snapshot.add(name, states[name]); }
    bool right() const {
        return std::ranges::all_of(states, [](auto const& state) { return state.second == content(state.first); });
    }
    RestoreOptions options() {
        return {.adopt = [this](std::string const& name) { add(name); }};
    }

    std::map<std::string, std::vector<std::uint32_t>> states;
    Snapshot snapshot;
};

/// PEs h and h + p / 2 have each other's state.
std::vector<std::string> names_of_lost(std::span<PeId const> members, std::uint32_t founders) {
    std::vector<std::string> names;
    for (std::uint32_t pe = 0; pe < founders; ++pe) {
        auto const lives = [&](std::uint32_t other) { return std::ranges::count(members, PeId{other}) != 0; };
        if (lives(pe) || lives((pe + founders / 2) % founders)) continue;
        for (int i = 0; i < 3; ++i) names.push_back(name_of(PeId{pe}, i));
    }
    return names;
}

enum class What { thrown, left, reread, reread_in_vain };

TEST(Snapshot, SaysWhatIsLostWithAllWhoHadIt) {
    ft::Communicator comm(MPI_COMM_WORLD);
    // All ways to ask for what is lost, of snapshots that were all committed before.
    std::vector<What> const kinds{What::thrown, What::left, What::reread, What::reread_in_vain};
    std::vector<std::unique_ptr<Blocks>> all;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        all.push_back(std::make_unique<Blocks>(comm, SnapshotOptions{}));
        all.back()->snapshot.commit();
    }
    bool died = false;
    ft::resilient(
        comm,
        [&] {
            if (!died) comm.reach(death);
            comm.agree();
            int one = 1, sum = 0;
            comm.check(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm.native()), "MPI_Allreduce");
        },
        [&](ft::Failure const&) { died = true; });
    auto const lost = names_of_lost(comm.members(), comm.num_founders());
    ASSERT_FALSE(lost.empty());

    for (std::size_t k = 0; k < kinds.size(); ++k) {
        auto& blocks = *all[k];
        for (auto& [name, state] : blocks.states) state = {7};
        auto options = blocks.options();
        auto const reread = [&](CommittedEntity const& entity, std::span<std::byte> out) {
            auto const bytes = content(entity.name);
            ASSERT_EQ(out.size(), bytes.size() * 4);
            std::ranges::copy(std::as_bytes(std::span(bytes)), out.begin());
        };
        if (kinds[k] == What::thrown) {
            for (int twice = 0; twice < 2; ++twice) {
                try {
                    static_cast<void>(blocks.snapshot.restore(options));
                    FAIL() << "nothing was thrown";
                } catch (EntitiesLost const& error) {
                    EXPECT_EQ(error.names(), lost);
                    EXPECT_NE(std::string(error.what()).find("'" + lost.front() + "'"), std::string::npos);
                }
                EXPECT_EQ(blocks.states.begin()->second, std::vector<std::uint32_t>{7}) << "nothing has changed";
            }
            options.reread = [](CommittedEntity const& entity, std::span<std::byte>) {
                throw std::runtime_error("no file for " + entity.name);
            };
            try {
                static_cast<void>(blocks.snapshot.restore(options));
                FAIL() << "nothing was thrown";
            } catch (EntitiesLost const& error) {
                std::string const what = error.what();  // on all alike, also on those that have read nothing
                EXPECT_NE(what.find("could not be read again (no file for block"), std::string::npos) << what;
                EXPECT_TRUE(comm.agree_equal(hash(std::as_bytes(std::span(what)))));
            }
            options.reread = reread;  // and all goes well
        } else if (kinds[k] == What::left) {
            options.lost = RestoreOptions::Lost::left;
        } else if (kinds[k] == What::reread) {
            options.reread = reread;
        } else {
            options.lost = RestoreOptions::Lost::left;
            options.reread = [](CommittedEntity const&, std::span<std::byte>) { throw std::runtime_error("no file"); };
        }
        auto const report = blocks.snapshot.restore(options);
        bool const found = kinds[k] == What::thrown || kinds[k] == What::reread;
        EXPECT_EQ(report.lost, found ? std::vector<std::string>{} : lost);
        EXPECT_TRUE(blocks.right());
        auto const dead = comm.num_founders() - comm.size();
        EXPECT_EQ(report.adopted.size(), 3 * dead - report.lost.size());
        // What was read again is held by its new home alone, and so was committed once more.
        EXPECT_EQ(blocks.snapshot.generation(), found ? 2u : 1u);
        blocks.snapshot.commit();
        for (auto& [name, state] : blocks.states) state.clear();
        static_cast<void>(blocks.snapshot.restore());
        EXPECT_TRUE(blocks.right());
        EXPECT_EQ(blocks.snapshot.committed().size(), 3 * comm.num_founders() - report.lost.size());
    }
}

}  // namespace
}  // namespace regraft::checkpoint
