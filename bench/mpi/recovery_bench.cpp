// From the death of a rank to work: when the last survivor has ended each phase of a recovery. Each death has a job of
// its own, on ranks of one host, which tools/bench/recovery_bench.py starts:
//
//   recovery_bench FILE VICTIM MEBIBYTES
//
// VICTIM writes the time into FILE, which all ranks map, and kills itself by SIGKILL. Every rank has so many MiB of
// numbers in a replicated store, which are summed in each step, and as much state in a snapshot. Rank 0, or the first
// one that lives, prints NAME NANOSECONDS: since the death, and of first_step and died since the system was started
// (CLOCK_MONOTONIC, one clock for all processes of the host). Before it prints, all ranks compare their numbers and
// their state with what they should be, and the sums of all steps with each other.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/exact_sum.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/store/replicated_store.hpp"

namespace {

using namespace regraft;

constexpr std::size_t doubles_per_block = 8;
constexpr std::size_t block_bytes = doubles_per_block * sizeof(double);
constexpr std::uint64_t commit_step = 2, death_step = 4, last_step = 7;

struct Arguments {
    std::string file;
    PeId victim{};
    std::uint64_t mebibytes = 0;  // of numbers, and of state, on each rank
};

std::int64_t now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// The time of the death, in memory that the ranks of a host share and that outlives the one that dies.
class TimeOfDeath {
public:
    explicit TimeOfDeath(std::string const& path) {
        int const file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
        if (file < 0 || ftruncate(file, sizeof(Time)) != 0) throw InputError(path + ": cannot be written");
        void* const memory = mmap(nullptr, sizeof(Time), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
        if (memory == MAP_FAILED) throw InputError(path + ": cannot be mapped");
        time_ = static_cast<Time*>(memory);  // the file was filled with zeros, which is how a new time begins
    }
    TimeOfDeath(TimeOfDeath const&) = delete;
    TimeOfDeath& operator=(TimeOfDeath const&) = delete;
    ~TimeOfDeath() { munmap(time_, sizeof(Time)); }

    std::int64_t get() const { return time_->load(); }
    [[noreturn]] void die_now() {
        time_->store(now());
        static_cast<void>(raise(SIGKILL));
        std::abort();
    }

private:
    using Time = std::atomic<std::int64_t>;
    static_assert(Time::is_always_lock_free);
    Time* time_ = nullptr;
};

/// The numbers of a block.
void make_block(BlockId id, std::span<double, doubles_per_block> out) {
    Random random(mix(value(id)));
    for (double& x : out) x = random.unit() - 0.5;
}

std::vector<double> make_blocks(BlockRange ids) {
    std::vector<double> numbers(ids.size() * doubles_per_block);
    for (std::uint64_t i = 0; i < ids.size(); ++i) {
        make_block(advance(ids.first, i), std::span(numbers).subspan(i * doubles_per_block).first<doubles_per_block>());
    }
    return numbers;
}

/// A site of the assignment is a block.
BlockRange blocks_of(assign::Work const& work) {
    return {BlockId{value(work.sites.first)}, BlockId{value(work.sites.last)}};
}

/// State that belonged to one founding rank. All of its values are the same, and the next step adds 1 to them.
struct State {
    PeId founder{};
    std::vector<double> values;

    double right(std::uint64_t steps) const { return 1000.0 * value(founder) + static_cast<double>(steps); }
    bool is_right(std::uint64_t steps) const {
        return std::all_of(values.begin(), values.end(), [&](double x) { return x == right(steps); });
    }
};

/// When this rank has ended each phase; 0: not yet.
struct Times {
    std::int64_t first_step = 0;  // the first in the job
    std::int64_t noticed = 0;
    std::int64_t shrunk = 0;
    std::int64_t planned = 0;
    std::int64_t loaded = 0;
    std::int64_t repaired = 0;
    std::int64_t restored = 0;
    std::int64_t worked = 0;  // the first step after the recovery
};

class Job {
public:
    Job(ft::Communicator& comm, Arguments const& arguments)
        : comm_(comm),
          arguments_(arguments),
          death_(arguments.file),
          blocks_per_pe_((arguments.mebibytes << 20) / block_bytes),
          store_(comm),
          snapshot_(comm) {
        std::array const sites{std::uint64_t{0}, num_blocks()};
        work_ = assign::balance(sites, comm.members(), comm.num_founders());
        own_state(comm.self()).values.assign((arguments.mebibytes << 20) / sizeof(double), 1000.0 * value(comm.self()));
        snapshot_.add_common("step", step_);
    }

    void compute() {
        if (store_.version() == 0) submit();
        while (step_ < last_step) {
            step();
            if (step_ == commit_step && snapshot_.generation() == 0) snapshot_.commit();
        }
        report();
    }

    void recover(ft::Failure const& failure) {
        times_ = {.first_step = times_.first_step, .shrunk = now()};
        times_.noticed = times_.shrunk - static_cast<std::int64_t>(failure.shrink_ms * 1e6);
        ++recoveries_;
        auto next = assign::reassign(work_, comm_.members());
        times_.planned = now();
        take_over(next.gained[value(comm_.self())]);
        work_ = std::move(next.after);
        times_.loaded = now();
        static_cast<void>(store_.repair());
        times_.repaired = now();
        auto const adopt = [this](std::string const& name) {
            own_state(PeId{static_cast<std::uint32_t>(std::stoul(name))});
        };
        static_cast<void>(snapshot_.restore({.adopt = adopt}));
        times_.restored = now();
    }

private:
    std::uint64_t num_blocks() const { return blocks_per_pe_ * comm_.num_founders(); }

    State& own_state(PeId founder) {
        auto& state = states_.emplace_back();
        state.founder = founder;
        snapshot_.add(std::to_string(value(founder)), state.values);
        return state;
    }

    void submit() {
        auto const size = static_cast<std::uint32_t>(comm_.size());
        auto const mine = blocks_of(work_[value(comm_.self())].front());
        numbers_ = make_blocks(mine);
        placement::Permuted const placement(num_blocks(), size, std::min(2U, size), {.range_blocks = 256});
        store_.submit(placement, mine, std::as_bytes(std::span(numbers_)), block_bytes);
    }

    /// Loads the blocks of the dead that this rank gains, behind those that it has.
    void take_over(std::span<assign::Work const> gained) {
        std::vector<BlockRange> wanted;
        for (auto const& piece : gained) wanted.push_back(blocks_of(piece));
        std::vector<double> loaded(assign::num_sites(gained) * doubles_per_block);
        static_cast<void>(store_.load(wanted, std::as_writable_bytes(std::span(loaded))));
        numbers_.insert(numbers_.end(), loaded.begin(), loaded.end());
    }

    /// Sums all numbers of all ranks, and changes the state.
    void step() {
        ExactSum sum;
        for (double const x : numbers_) sum.add(x);
        bool const whole = comm_.size() == comm_.num_founders();
        if (step_ == death_step && whole && comm_.self() == arguments_.victim) death_.die_now();
        ft::all_reduce(comm_, std::span(&sum, 1));
        if (step_ == 0) sum_ = sum.value();
        same_sums_ = same_sums_ && sum.value() == sum_;
        for (auto& state : states_) {
            for (double& x : state.values) x += 1;
        }
        ++step_;
        if (times_.first_step == 0) times_.first_step = now();
        if (recoveries_ > 0 && times_.worked == 0) times_.worked = now();
    }

    /// Whether the numbers of this rank are those of its work in some order, and all state is that of this step.
    bool is_right() {
        std::vector<double> want;
        for (auto const& piece : work_[value(comm_.self())]) {
            auto const made = make_blocks(blocks_of(piece));
            want.insert(want.end(), made.begin(), made.end());
        }
        auto have = numbers_;
        std::ranges::sort(have);
        std::ranges::sort(want);
        std::uint64_t states = states_.size();
        ft::all_reduce(comm_, std::span(&states, 1));
        bool const all_right =
            std::all_of(states_.begin(), states_.end(), [this](State const& state) { return state.is_right(step_); });
        return same_sums_ && all_right && states == comm_.num_founders() && have == want;
    }

    std::int64_t latest(std::int64_t mine) {
        comm_.check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_MAX, comm_.native()), "MPI_Allreduce");
        return mine;
    }

    void report() {
        bool const all_right = latest(is_right() ? 0 : 1) == 0;
        auto const died = death_.get();
        std::pair<char const*, std::int64_t> const phases[] = {
            {"noticed_first", -latest(-times_.noticed)}, {"noticed", latest(times_.noticed)},
            {"shrunk", latest(times_.shrunk)},           {"planned", latest(times_.planned)},
            {"loaded", latest(times_.loaded)},           {"repaired", latest(times_.repaired)},
            {"restored", latest(times_.restored)},       {"worked", latest(times_.worked)}};
        auto const first_step = latest(times_.first_step);
        if (!comm_.leads()) return;
        if (!all_right || recoveries_ == 0) {
            std::fprintf(stderr, "recovery_bench: %s\n", all_right ? "no rank died" : "wrong numbers after a recovery");
            std::abort();
        }
        for (auto const& [name, time] : phases) std::printf("%s %lld\n", name, static_cast<long long>(time - died));
        std::printf("first_step %lld\ndied %lld\n", static_cast<long long>(first_step), static_cast<long long>(died));
    }

    ft::Communicator& comm_;
    Arguments arguments_;
    TimeOfDeath death_;
    std::uint64_t blocks_per_pe_;
    store::ReplicatedStore store_;
    checkpoint::Snapshot snapshot_;
    assign::Assignment work_;
    std::vector<double> numbers_;
    std::deque<State> states_;  // in their places, which the snapshot knows
    std::uint64_t step_ = 0;
    double sum_ = 0;
    bool same_sums_ = true;
    int recoveries_ = 0;
    Times times_;
};

std::uint64_t number(char const* text, std::uint64_t least, std::uint64_t most) {
    std::string_view const view = text;
    std::uint64_t found = 0;
    auto const [end, error] = std::from_chars(view.data(), view.data() + view.size(), found);
    if (error != std::errc() || end != view.data() + view.size() || found < least || found > most) {
        throw InputError("expected a number from " + std::to_string(least) + " to " + std::to_string(most) + ", not '" +
                         text + "'");
    }
    return found;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 4) throw InputError("usage: recovery_bench FILE VICTIM MEBIBYTES");
    Arguments const arguments{argv[1], PeId{static_cast<std::uint32_t>(number(argv[2], 0, 1U << 20))},
                              number(argv[3], 1, 1U << 12)};
    MPI_Init(&argc, &argv);
    {
        ft::Communicator comm(MPI_COMM_WORLD);
        Job job(comm, arguments);
        ft::resilient(
            comm, [&] { job.compute(); }, [&](ft::Failure const& failure) { job.recover(failure); });
    }
    MPI_Finalize();
} catch (InputError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
