// The ranks of mixed_test.py that are C++: the same collectives as there, in the same order.
#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"

namespace regraft {
namespace {

constexpr std::uint64_t rounds = 8;

TEST(MixedJob, EndsAlikeInBothLanguages) {
    ft::Communicator comm(MPI_COMM_WORLD);
    checkpoint::MiniCheckpoint done(comm);
    double const root = 1.0 / (1.0 + value(comm.self()));
    ft::resilient(
        comm,
        [&] {
            while (done.generation() < rounds) {
                ExactSum sum;
                sum.add(root * static_cast<double>(done.generation() + 1));
                ft::all_reduce(comm, std::span(&sum, 1));
                ExactSum expected;
                for (auto const pe : comm.members())
                    expected.add(1.0 / (1.0 + value(pe)) * static_cast<double>(done.generation() + 1));
                if (!comm.agree(sum.value() == expected.value())) FAIL() << "another sum than in Python";
                auto const number = static_cast<std::uint8_t>(done.generation());
                done.commit_identical(std::as_bytes(std::span(&number, 1)));
            }
        },
        [](ft::Failure const&) {});
}

}  // namespace
}  // namespace regraft
