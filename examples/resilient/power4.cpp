// The largest eigenvalue of a matrix by power iteration. The rows are kept in the memory of the ranks.
// If ranks die, the others take over their rows and go on from the last commit. If all
// die, the next start of the job goes on from it.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

#include "regraft/assign/balance.hpp"
#include "regraft/assign/blocks.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/pairwise.hpp"
#include "regraft/store/replicated_store.hpp"
#include "regraft/store/values.hpp"

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

/// The same for a range of rows, one behind the other.
void read_rows(BlockRange range, std::span<std::byte> out) {
    for (auto id = range.first; id < range.last; id = advance(id, 1)) {
        auto const row = read_row(static_cast<int>(value(id)));
        std::memcpy(out.data() + (value(id) - value(range.first)) * sizeof row, &row, sizeof row);
    }
}

/// Every rank reads its part of the input and gives it to the store, which keeps each row on two ranks.
void submit_rows(ft::Communicator const& comm, store::ReplicatedStore& store) {
    auto const size = static_cast<std::uint32_t>(comm.size());
    auto const mine = even_part<BlockId>(n, comm.position(comm.self()), size);
    std::vector<std::byte> rows(mine.size() * sizeof(Row));
    read_rows(mine, rows);
    store.submit(placement::Pairwise(n, size, std::min(2U, size)), mine, rows, sizeof(Row));
}

/// The rows of this rank, from whatever ranks have them. Rows that no rank has any more are read again.
Rows load(store::ReplicatedStore& store, std::span<assign::Work const> work) {
    auto const wanted = assign::to_blocks(work);
    auto const loaded = store::load<Row>(store, wanted, {.reread = read_rows});

    Rows rows;
    auto row = loaded.begin();
    for (auto const& range : wanted)
        for (auto id = range.first; id < range.last; id = advance(id, 1)) rows[static_cast<int>(value(id))] = *row++;
    return rows;
}

/// Where a store or a snapshot keeps its bytes for the next start of this job: in the memory of the nodes.
store::Keep keep(char const* name) {
    auto const job = store::job_of_environment();
    if (job.empty()) throw InputError("REGRAFT_JOB is not set, expected the name of the job, as regraft-run sets it");
    return {"/dev/shm", job, name};
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
        store::ReplicatedStore store(comm, {.keep = keep("rows")});
        std::array const sites{std::uint64_t{0}, std::uint64_t{n}};               // every row is a site
        auto work = assign::balance(sites, comm.members(), comm.num_founders());  // which rank has which rows
        checkpoint::Snapshot snapshot(comm, {.pace = {.steps = 10}, .keep = keep("state")});
        State state;
        snapshot.add_common("state", state);

        auto const compute = [&] {
            if (store.version() == 0 && !store.reopen({.lost = store::ReopenOptions::Lost::left}))
                submit_rows(comm, store);
            auto const rows = load(store, work[value(comm.self())]);
            if (snapshot.generation() == 0 && !snapshot.reopen()) state = first_state();
            while (state.step < num_steps) {
                iterate(comm, state, rows);
                if (snapshot.due()) snapshot.commit();
            }
            print(comm, state.eigenvalue);
        };
        auto const recover = [&](ft::Failure const& failure) {
            if (comm.leads()) std::fprintf(stderr, "%zu died, %zu go on\n", failure.lost.size(), comm.size());
            work = assign::reassign(work, comm.members()).after;
            static_cast<void>(store.repair());
            if (snapshot.generation() > 0) static_cast<void>(snapshot.restore());
        };
        ft::resilient(comm, compute, recover);
        auto const discard = [&] {
            snapshot.discard();
            store.discard();
        };
        ft::resilient(comm, discard, [](ft::Failure const&) {});
    }
    MPI_Finalize();
} catch (InputError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
