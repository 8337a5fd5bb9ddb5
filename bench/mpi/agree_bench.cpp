// The collectives of all survivors, whatever they compute: agree, and beside it a barrier of MPI and the reduction of a
// number. An MPI job; rank 0 reports. The agreement is a star, so its time grows with the members by what one costs at
// the root: regraft-plan recover predicts with that.
#include <mpi.h>

#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "job.hpp"
#include "regraft/ft/communicator.hpp"

namespace {

using namespace regraft;

constexpr int calls_per_batch = 100;

/// The most that any member took, in seconds.
double largest(ft::Communicator& comm, double seconds) {
    double most = 0;
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, comm.native());
    return most;
}

/// call() returns whether the answer was right.
template <class Call>
void measure(benchmark::State& state, ft::Communicator& comm, Call call) {
    bool right = true;
    for (auto _ : state) {
        MPI_Barrier(comm.native());
        double const begin = MPI_Wtime();
        for (int i = 0; i < calls_per_batch; ++i) right = call() && right;
        state.SetIterationTime(largest(comm, MPI_Wtime() - begin) / calls_per_batch);
    }
    if (largest(comm, right ? 0 : 1) != 0) state.SkipWithError("a wrong answer");
}

template <class Call>
void add(std::string const& what, ft::Communicator& comm, int batches, Call call) {
    benchmark::RegisterBenchmark((what + "/all/pes:" + std::to_string(comm.size())).c_str(),
                                 [&comm, call](benchmark::State& state) { measure(state, comm, call); })
        ->Iterations(batches)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto const pace = bench::initialize(argc, argv, rank);
    int const batches = pace == "smoke" ? 1 : pace == "short" ? 10 : 50;
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        auto const members = static_cast<double>(comm.size());
        add("agree", comm, batches, [&] { return comm.agree(true); });
        add("barrier", comm, batches, [&] { return MPI_Barrier(comm.native()) == MPI_SUCCESS; });
        add("allreduce", comm, batches, [&] {
            double sum = 1;
            MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm.native());
            return sum == members;
        });
        benchmark::AddCustomContext("clock", "real_time");
        bench::run(rank);
    }
    MPI_Finalize();
}
