// Adds up a million numbers in ten steps. If the whole job is killed, the next one goes on from the memory of the
// nodes: no file system, no step twice, the same sum. To try it: regraft-run --restarts 1 -n 4 restart
#include <mpi.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

using namespace regraft;

namespace {

constexpr std::uint64_t num_numbers = 1'000'000, num_steps = 10;

/// Every rank makes its part of the input; other programs would read a file here.
void submit_input(ft::Communicator const& comm, store::ReplicatedStore& store) {
    auto const size = static_cast<std::uint32_t>(comm.size());
    auto const mine = even_part<BlockId>(num_numbers, comm.position(comm.self()), size);
    std::vector<double> numbers;
    for (auto id = value(mine.first); id < value(mine.last); ++id) numbers.push_back(1 / (1 + static_cast<double>(id)));
    store.submit(placement::ModK(num_numbers, size, std::min(2U, size)), mine, std::as_bytes(std::span(numbers)),
                 sizeof(double));
}

/// The sum of a tenth of the numbers, of which every rank loads and adds its part.
ExactSum sum_of(ft::Communicator& comm, store::ReplicatedStore& store, std::uint64_t step) {
    auto const tenth = even_part<BlockId>(num_numbers, step, num_steps);
    auto const part = even_part<BlockId>(tenth.size(), comm.position(comm.self()), comm.size());
    BlockRange const mine{advance(tenth.first, value(part.first)), advance(tenth.first, value(part.last))};
    std::vector<double> numbers(mine.size());
    static_cast<void>(store.load(std::span(&mine, 1), std::as_writable_bytes(std::span(numbers))));
    ExactSum sum;  // exact: the same bits on any number of ranks
    for (double const x : numbers) sum.add(x);
    ft::all_reduce(comm, std::span(&sum, 1));
    return sum;
}

bool is_first_start() {
    char const* const restart = std::getenv("REGRAFT_RESTART");
    return restart == nullptr || std::string(restart) == "0";
}

}  // namespace

int main(int argc, char** argv) {
    auto const job = store::job_of_environment();
    if (job.empty()) {
        std::fprintf(
            stderr,
            "restart: REGRAFT_JOB is not set, expected the name of the job, as regraft-run --restarts sets it\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        store::ReplicatedStore store(comm, {.keep = store::Keep{"/dev/shm", job, "input"}});
        checkpoint::Snapshot snapshot(comm, {.keep = store::Keep{"/dev/shm", job, "steps"}});
        std::uint64_t step = 0;
        double total = 0;
        snapshot.add_common("step", step);
        snapshot.add_common("total", total);
        bool reopened = false;

        ft::resilient(
            comm,
            [&] {
                if (store.version() == 0) reopened = store.reopen().has_value();
                if (store.version() == 0) submit_input(comm, store);
                if (snapshot.generation() == 0) static_cast<void>(snapshot.reopen());
                auto const first = step;
                while (step < num_steps) {
                    total += sum_of(comm, store, step).value();
                    ++step;
                    snapshot.commit();
                    if (step == 5 && is_first_start()) raise(SIGKILL);  // all ranks do, as if the power had failed
                }
                if (comm.leads()) {
                    std::printf("%.17g; the input was %s, and steps %llu to %llu were computed\n", total,
                                reopened ? "on the nodes" : "made", static_cast<unsigned long long>(first + 1),
                                static_cast<unsigned long long>(num_steps));
                }
            },
            [&](ft::Failure const&) {
                if (store.version() > 0) static_cast<void>(store.repair());
                if (snapshot.generation() > 0) static_cast<void>(snapshot.restore());
            });
        snapshot.discard();
        store.discard();
    }
    MPI_Finalize();
}
