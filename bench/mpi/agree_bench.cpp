// The collectives of all survivors, whatever they compute: agree, and beside it a barrier of MPI and the reduction of a
// number. An MPI job; rank 0 reports. The agreement is a star, so its time grows with the members by what one costs at
// the root: regraft-plan recover predicts with that.
#include <mpi.h>

#include <string>

#include <benchmark/benchmark.h>

#include "job.hpp"

namespace {

using namespace regraft;

constexpr int calls_per_batch = 100;

/// call() returns whether the answer was right.
template <class Call>
void measure(benchmark::State& state, ft::Communicator& comm, Call call) {
    bool right = true;
    for (auto _ : state) {
        auto const seconds = bench::timed(comm, [&] {
            for (int i = 0; i < calls_per_batch; ++i) right = call() && right;
        });
        state.SetIterationTime(seconds / calls_per_batch);
    }
    if (bench::largest(comm, right ? 0 : 1) != 0) state.SkipWithError("a wrong answer");
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
    return bench::job(argc, argv, [](std::string const& pace, ft::Communicator& comm) {
        int const batches = pace == "smoke" ? 1 : pace == "short" ? 10 : 50;
        auto const members = static_cast<double>(comm.size());
        add("agree", comm, batches, [&comm] { return comm.agree(true); });
        add("barrier", comm, batches, [&comm] { return MPI_Barrier(comm.native()) == MPI_SUCCESS; });
        add("allreduce", comm, batches, [&comm, members] {
            double sum = 1;
            MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, comm.native());
            return sum == members;
        });
        benchmark::AddCustomContext("clock", "real_time");
    });
}
