// The frame of all benchmarks that are MPI jobs: one rank reports, all measure.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "regraft/ft/communicator.hpp"

namespace regraft::bench {

/// Initialises Google Benchmark on a rank of MPI_COMM_WORLD, and returns the pace: "short" or "smoke", if an option
/// says so, else "full". Only rank 0 writes a result.
inline std::string initialize(int argc, char** argv, int rank) {
    std::string pace = "full";
    std::vector<char*> arguments;
    for (int i = 0; i < argc; ++i) {
        std::string_view const argument = argv[i];
        if (argument == "--short" || argument == "--smoke") {
            pace = argument.substr(2);
        } else if (rank == 0 || !argument.starts_with("--benchmark_out")) {
            arguments.push_back(argv[i]);
        }
    }
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    return pace;
}

/// Runs all benchmarks that were registered. Collective as far as they are; only rank 0 prints.
inline void run(int rank) {
    class Silent : public benchmark::BenchmarkReporter {
    public:
        bool ReportContext(Context const&) override { return true; }
        void ReportRuns(std::vector<Run> const&) override {}
    };
    if (rank == 0) {
        benchmark::RunSpecifiedBenchmarks();
    } else {
        Silent silent;
        benchmark::RunSpecifiedBenchmarks(&silent);
    }
}

/// The body of main: `add` registers the benchmarks with a communicator of all ranks, and then they run. A rank whose
/// death is simulated leaves them.
inline int job(int argc, char** argv, std::function<void(std::string const& pace, ft::Communicator&)> const& add) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto const pace = initialize(argc, argv, rank);
    try {
        ft::Communicator comm(MPI_COMM_WORLD);
        add(pace, comm);
        run(rank);
    } catch (ft::Departed const&) {
    }
    MPI_Finalize();
    return 0;
}

/// The largest number that any member passes. Collective.
inline double largest(ft::Communicator& comm, double mine) {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, comm.native());
    return mine;
}

/// The longest time that a member takes, in seconds. Collective.
inline double timed(ft::Communicator& comm, std::function<void()> const& body) {
    MPI_Barrier(comm.native());
    auto const begin = MPI_Wtime();
    body();
    return largest(comm, MPI_Wtime() - begin);
}

/// The value at `part` of the way from the least to the largest, by nearest rank; 0 of none.
inline double quantile(std::vector<double> values, double part) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(static_cast<double>(values.size() - 1) * part + 0.5)];
}

inline double median(std::vector<double> const& values) {
    return quantile(values, 0.5);
}

}  // namespace regraft::bench
