// The largest eigenvalue of a matrix by power iteration. If ranks die, the others notice it and begin again.
#include <mpi.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>

#include "regraft/core/errors.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"

using namespace regraft;

namespace {

constexpr int n = 500, num_steps = 100;
using Row = std::array<double, n>;
using Rows = std::map<int, Row>;  // by their numbers

/// What changes from step to step, the same on all ranks.
struct State {
    std::int64_t step = 0;
    double eigenvalue = 0;
    Row vector{};
};

State first_state() {
    State state;
    state.vector.fill(1);
    return state;
}

/// A row of the input; other programs would read a file here.
Row read_row(int i) {
    Row row;
    for (int j = 0; j < n; ++j) row[j] = 1.0 / (1 + std::abs(i - j));
    return row;
}

/// Multiplies the vector by the matrix and divides it by its length.
void iterate(ft::Communicator& comm, State& state, Rows const& rows) {
    Row next{};  // zero where other ranks have the rows
    ExactSum sum;
    for (auto const& [i, row] : rows) {
        next[i] = std::inner_product(row.begin(), row.end(), state.vector.begin(), 0.0);
        sum.add(next[i] * next[i]);
    }
    comm.check(MPI_Allreduce(MPI_IN_PLACE, next.data(), n, MPI_DOUBLE, MPI_SUM, comm.native()), "MPI_Allreduce");
    ft::all_reduce(comm, std::span(&sum, 1));
    state.eigenvalue = std::sqrt(sum.value());
    for (int i = 0; i < n; ++i) state.vector[i] = next[i] / state.eigenvalue;
    ++state.step;
}

/// Prints the result. If the leader dies before it has printed, the others notice that in the broadcast.
void print(ft::Communicator& comm, double eigenvalue) {
    if (comm.leads()) {
        std::printf("eigenvalue %.17g\n", eigenvalue);
        static_cast<void>(std::fflush(stdout));
    }
    ft::broadcast(comm, std::as_writable_bytes(std::span(&eigenvalue, 1)), comm.members().front());
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc > 1) ft::set_failure_plan(ft::parse_failure_plan(argv[1]));  // deaths, to try
    MPI_Init(&argc, &argv);
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        State state;

        auto const compute = [&] {
            auto const rank = static_cast<int>(comm.position(comm.self()));
            auto const size = static_cast<int>(comm.size());
            Rows rows;
            for (int i = n * rank / size; i < n * (rank + 1) / size; ++i) rows[i] = read_row(i);
            state = first_state();
            while (state.step < num_steps) iterate(comm, state, rows);
            print(comm, state.eigenvalue);
        };
        auto const recover = [&](ft::Failure const& failure) {
            if (comm.leads()) std::fprintf(stderr, "%zu died, %zu go on\n", failure.lost.size(), comm.size());
        };
        ft::resilient(comm, compute, recover);
    }
    MPI_Finalize();
} catch (InputError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
