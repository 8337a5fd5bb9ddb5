// One member alone knows that its sizes have changed, and dies before it can say so: no commit has some of the state of
// one moment and some of another.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::checkpoint {
namespace {

constexpr std::uint64_t last_moment = 12;

TEST(Snapshot, IsOfOneMomentIfOneWhoIsAgainstDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    Snapshot snapshot(comm);
    std::uint64_t moment = 0;
    std::map<std::string, std::vector<std::uint64_t>> states;  // all values of a state are the moment
    auto const add = [&](std::string const& name) { snapshot.add(name, states[name]); };
    auto const own = std::to_string(value(comm.self()));
    add(own);
    snapshot.add_common("moment", moment);

    ft::resilient(
        comm,
        [&] {
            while (moment < last_moment) {
                ++moment;
                for (auto& [name, values] : states) values.assign(100, moment);
                // So every second commit of the others looks as if nothing had changed.
                if (comm.self() == PeId{1} && moment % 3 == 0) states[own].resize(100 + moment, moment);
                snapshot.commit();
            }
        },
        [&](ft::Failure const&) {
            if (snapshot.generation() == 0) {
                moment = 0;
                return;
            }
            static_cast<void>(snapshot.restore({.adopt = add}));
            for (auto const& [name, values] : states) {
                EXPECT_EQ(std::ranges::count(values, moment), std::ssize(values)) << name << " at " << moment;
            }
        });
    EXPECT_EQ(moment, last_moment);
}

}  // namespace
}  // namespace regraft::checkpoint
