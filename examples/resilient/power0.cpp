// The largest eigenvalue of a matrix by power iteration, in plain MPI. Every rank has some rows of the matrix, and all
// have the whole vector.
#include <mpi.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>

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
void iterate(State& state, Rows const& rows) {
    Row next{};  // zero where other ranks have the rows
    double sum = 0;
    for (auto const& [i, row] : rows) {
        next[i] = std::inner_product(row.begin(), row.end(), state.vector.begin(), 0.0);
        sum += next[i] * next[i];
    }
    MPI_Allreduce(MPI_IN_PLACE, next.data(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    state.eigenvalue = std::sqrt(sum);
    for (int i = 0; i < n; ++i) state.vector[i] = next[i] / state.eigenvalue;
    ++state.step;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    Rows rows;
    for (int i = n * rank / size; i < n * (rank + 1) / size; ++i) rows[i] = read_row(i);
    State state = first_state();
    while (state.step < num_steps) iterate(state, rows);
    if (rank == 0) std::printf("eigenvalue %.12g\n", state.eigenvalue);
    MPI_Finalize();
}
