// Differential commits while ranks die: every commit is of one moment, also if a member whose sizes have changed dies
// before it can say so, and what comes back is what was committed.
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft::checkpoint {
namespace {

constexpr std::uint64_t last_moment = 16;
constexpr std::uint64_t num_values = 500;

/// The values of one member's state at a moment. A few change each time.
std::vector<std::uint64_t> values_at(std::uint64_t founder, std::uint64_t moment, std::size_t size) {
    std::vector<std::uint64_t> values(size, founder);
    for (std::uint64_t m = 1; m <= moment; ++m) {
        for (int change = 0; change < 3; ++change) {
            values[mix(100 * m + static_cast<std::uint64_t>(change) + 10'000 * founder) % num_values] =
                mix(m + founder);
        }
    }
    return values;
}

TEST(Differential, CommitsAreOfOneMomentWhoeverDies) {
    ft::Communicator comm(MPI_COMM_WORLD);
    SnapshotOptions options{.differential = SnapshotOptions::Differential::always, .chunk_bytes = 64};
    options.pace.steps = 1;
    options.integrity = comm.size() % 2 == 0 ? store::Integrity::unchecked : store::Integrity::checked;
    Snapshot snapshot(comm, options);
    std::uint64_t moment = 0;
    std::map<std::string, std::vector<std::uint64_t>> states;  // of the founder with this number
    auto const add = [&](std::string const& name) { snapshot.add(name, states[name]); };
    auto const own = std::to_string(value(comm.self()));
    states[own] = values_at(value(comm.self()), 0, num_values);
    add(own);
    snapshot.add_common("moment", moment);

    auto const check = [&] {
        for (auto const& [name, values] : states) {
            ASSERT_GE(values.size(), num_values);
            EXPECT_EQ(values, values_at(std::stoull(name), moment, values.size())) << name << " at " << moment;
        }
    };
    ft::resilient(
        comm,
        [&] {
            while (moment < last_moment) {
                ++moment;
                for (auto& [name, values] : states) {
                    // The others take it for a commit with the sizes of the one before.
                    auto const grown = name == "1" && moment % 5 == 0 ? values.size() + 9 : values.size();
                    values = values_at(std::stoull(name), moment, grown);
                }
                auto const report = snapshot.commit();
                EXPECT_LE(report.changed_bytes.value_or(0), 64 * 4 * snapshot.committed().size());
            }
        },
        [&](ft::Failure const&) {
            if (snapshot.generation() == 0) {
                moment = 0;
                for (auto& [name, values] : states) values = values_at(std::stoull(name), 0, num_values);
                return;
            }
            static_cast<void>(snapshot.restore({.adopt = add}));
            check();
        });
    EXPECT_EQ(moment, last_moment);
    check();
}

}  // namespace
}  // namespace regraft::checkpoint
