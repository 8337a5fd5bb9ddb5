// An entity that has moved since the commit, and deaths on the way back: wherever it ends up, its program adopts what
// it does not have, and is told of what it has no more, once.
#include <mpi.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::checkpoint {
namespace {

ft::FailPoint death("test:death");
std::string const wanderer = "wanderer";

/// A program that keeps books of its own: it adopts nothing that it has.
class Program {
public:
    Program(ft::Communicator& comm, RestoreOptions::Redundancy redundancy)
        : comm_(comm), redundancy_(redundancy), snapshot_(comm) {
        take("own " + std::to_string(value(comm.self())));
        if (comm.leads()) take(wanderer);
        for (auto& [name, state] : states_) state = {1, 2, 3};
        snapshot_.commit();
        if (comm.leads()) {
            snapshot_.remove(wanderer);
            states_.erase(wanderer);
        }
        if (comm.self() == comm.members().back()) take(wanderer);
    }

    void restore() {
        for (auto& [name, state] : states_) state.assign(9, 9);
        auto const report = snapshot_.restore(
            {.adopt = [this](std::string const& name) { take(name); }, .deal = to_the_last, .redundancy = redundancy_});
        for (auto const& name : report.removed) {
            EXPECT_EQ(states_.erase(name), 1U) << name;
        }
        if (report.removed.empty()) return;
        EXPECT_EQ(comm_.self(), comm_.members().back());
        EXPECT_TRUE(std::ranges::binary_search(comm_.members(), PeId{0})) << "the home of the wanderer lives";
    }

    bool right() const {
        bool const has_wanderer = states_.contains(wanderer);
        bool const should = comm_.self() == (comm_.members().front() == PeId{0} ? PeId{0} : comm_.members().back());
        auto const as_committed = [](auto const& entry) { return entry.second == std::vector{1, 2, 3}; };
        return has_wanderer == should && std::ranges::all_of(states_, as_committed);
    }

private:
    static std::vector<PeId> to_the_last(std::span<Orphan const> orphans, std::span<Survivor const> survivors) {
        return std::vector<PeId>(orphans.size(), survivors.back().pe);
    }

    void take(std::string const& name) {
        if (states_.contains(name)) throw std::logic_error(name + " is here already");
        snapshot_.add(name, states_[name]);
    }

    ft::Communicator& comm_;
    RestoreOptions::Redundancy redundancy_;
    std::map<std::string, std::vector<int>> states_;
    Snapshot snapshot_;
};

TEST(Snapshot, GivesUpWhatHasMovedOnlyWhenTheRestoreHasSucceeded) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Program repaired(comm, RestoreOptions::Redundancy::repaired), again(comm, RestoreOptions::Redundancy::committed);
    bool restored = false;
    ft::resilient(
        comm,
        [&] {
            if (!restored) comm.reach(death);
            int one = 1, sum = 0;
            comm.check(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm.native()), "MPI_Allreduce");
        },
        [&](ft::Failure const&) {
            repaired.restore();
            again.restore();
            restored = true;
        });
    ASSERT_TRUE(restored);
    EXPECT_TRUE(repaired.right());
    EXPECT_TRUE(again.right());
}

}  // namespace
}  // namespace regraft::checkpoint
