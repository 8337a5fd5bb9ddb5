// Flow around a cylinder on a grid of ranks, with halos exchanged at each step and snapshots as often as pays. When
// ranks die, survivors go back to the last snapshot, share the blocks of the dead, and end with the same bits. With
// --keep the snapshots outlive the job: if all ranks die, its next start goes on from them.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "flow.hpp"
#include "halo.hpp"
#include "program.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/ft/derived.hpp"
#include "regraft/ft/resilient.hpp"
#include "vorticity.hpp"

using namespace regraft;

namespace {

using example::Block;
using example::Blocks;

/// The home of each block at first: the ranks as a grid, laid over the channel.
std::vector<PeId> first_homes(std::span<PeId const> ranks) {
    std::array rows_columns{0, 0};
    MPI_Dims_create(static_cast<int>(ranks.size()), 2, rows_columns.data());
    auto const rows = static_cast<std::uint32_t>(rows_columns[0]);
    auto const columns = static_cast<std::uint32_t>(rows_columns[1]);
    std::vector<PeId> homes;
    for (std::uint32_t number = 0; number < Block::count; ++number) {
        auto const row = number / Block::per_side * rows / Block::per_side;
        auto const column = number % Block::per_side * columns / Block::per_side;
        homes.push_back(ranks[row * columns + column]);
    }
    return homes;
}

/// A number that depends on all blocks, but not on where they are.
std::uint64_t result(ft::Communicator& comm, Blocks const& blocks) {
    std::uint64_t sum = 0;
    for (auto const& [number, block] : blocks) sum += mix(block.hash() ^ mix(number));
    comm.check(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, comm.native()), "MPI_Allreduce");
    return sum;
}

/// Thrown on all ranks alike, so that it ends the program and not one rank after the other.
class CannotWrite : public std::runtime_error, public ft::Uniform {
public:
    explicit CannotWrite(std::string const& file) : std::runtime_error(file + ": cannot be written") {}
};

struct Options : example::Options {
    std::string picture{};
    checkpoint::PaceOptions pace{};
    checkpoint::SnapshotOptions::Differential differential = checkpoint::SnapshotOptions::Differential::never;
};

void stencil(ft::Communicator& comm, Options const& options) {
    example::Channel const channel{options.size, options.seed};
    std::optional<ft::Derived> halo_comm;  // made again by the library after each death
    std::optional<checkpoint::Snapshot> snapshot;
    std::vector<PeId> homes;  // of all blocks
    Blocks blocks;
    std::uint64_t step = 0;
    std::uint64_t again = 0;  // steps that deaths have undone
    double snapshots_ms = 0;
    double recoveries_ms = 0;

    auto const add = [&](std::uint32_t number) {
        auto& block = blocks.try_emplace(number, channel, number).first->second;
        snapshot->add(std::to_string(number), block.state());
    };
    auto const commit = [&] {
        auto const report = snapshot->commit();
        snapshots_ms += report.create_ms + report.exchange_ms;
    };
    auto const adopt = [&](std::string const& name) { add(static_cast<std::uint32_t>(std::stoul(name))); };
    auto const find_homes = [&] {
        for (auto const& block : snapshot->committed()) homes[std::stoul(block.name)] = block.home;
        // Blocks that this rank had begun to adopt when another rank died may have gone to a third one.
        std::erase_if(blocks, [&](auto const& block) { return homes[block.first] != comm.self(); });
    };
    /// Goes on from the snapshot that the job before has kept on the nodes. Returns whether there is one.
    auto const reopen = [&] {
        try {
            if (!snapshot->reopen({.adopt = adopt})) return false;
        } catch (store::DataLost const& lost) {  // on all alike
            if (comm.leads()) std::printf("%s: back to the beginning\n", lost.what());
            return false;
        }
        find_homes();
        if (comm.leads()) std::printf("on from step %llu\n", static_cast<unsigned long long>(step));
        return true;
    };
    auto const start = [&] {
        step = 0;
        blocks.clear();
        snapshot.emplace(comm, checkpoint::SnapshotOptions{.redundancy = checkpoint::on_other_nodes(comm),
                                                           .differential = options.differential,
                                                           .pace = options.pace,
                                                           .keep = example::keep(options, "flow")});
        snapshot->add_common("step", step);
        homes = first_homes(comm.members());
        if (!options.keep.empty() && reopen()) return;
        for (std::uint32_t number = 0; number < Block::count; ++number) {
            if (homes[number] == comm.self()) add(number);
        }
        commit();
    };
    auto const compute = [&] {
        if (!halo_comm) halo_comm.emplace(comm, [](MPI_Comm from, MPI_Comm* made) { return MPI_Comm_dup(from, made); });
        if (!snapshot || snapshot->generation() == 0) start();
        example::Halo halo(comm, halo_comm->native(), homes);
        auto const first = step;
        auto const begin = std::chrono::steady_clock::now();
        while (step < options.steps) {
            halo.exchange(blocks);
            for (auto& [number, block] : blocks) block.step();
            ++step;
            if (snapshot->due()) commit();
        }
        example::print_steps(comm, step - first, milliseconds_since(begin));
        if (comm.leads())
            std::printf("%llu snapshots in %.1f ms; %llu steps again, recoveries in %.1f ms\n",
                        static_cast<unsigned long long>(snapshot->generation()), snapshots_ms,
                        static_cast<unsigned long long>(again), recoveries_ms);
        if (!options.picture.empty()) {
            auto const cells = example::velocities(comm, channel, blocks);
            bool const done = !comm.leads() || example::write_file(options.picture, example::draw(channel, cells));
            if (!comm.agree(done)) throw CannotWrite(options.picture);
        }
        example::print_result(comm, result(comm, blocks));
    };
    auto const recover = [&](ft::Failure const& failure) {
        auto const begin = std::chrono::steady_clock::now();
        auto const reached = step;
        example::print_recovery(comm, failure);
        if (!snapshot || snapshot->generation() == 0) return;
        try {
            auto const report = snapshot->restore({.adopt = adopt, .deal = checkpoint::balanced});
            find_homes();
            if (comm.leads())
                std::printf("%zu blocks have new homes; back to step %llu\n", report.adopted.size(),
                            static_cast<unsigned long long>(step));
            again += reached - step;
            recoveries_ms += failure.silence_ms + failure.shrink_ms + milliseconds_since(begin);
        } catch (checkpoint::EntitiesLost const& lost) {  // on all alike
            if (comm.leads()) std::printf("%s: back to the beginning\n", lost.what());
            snapshot.reset();
        }
    };
    ft::resilient(comm, compute, recover);
    ft::resilient(
        comm, [&] { snapshot->discard(); }, [](ft::Failure const&) {});
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("stencil: flow around a cylinder, on ranks that may die");
    Options options{{.steps = 200, .size = 64}};
    example::add_options(app, options, "in time", "height of the channel in cells; it is twice as long");
    app.get_option("--size")->check(CLI::Range(16, 10'000));
    example::add_keep(app, options);
    app.add_option("--picture", options.picture, "PNG file for the vorticity at the end");
    app.add_option("--interval", options.pace.steps, "steps from snapshot to snapshot; 0: by Young's formula")
        ->capture_default_str();
    app.add_option("--mtbf", options.pace.mtbf_hours, "mean time between two deaths, in hours")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    using Differential = checkpoint::SnapshotOptions::Differential;
    std::map<std::string, Differential> const modes{
        {"never", Differential::never}, {"automatic", Differential::automatic}, {"always", Differential::always}};
    app.add_option("--differential", options.differential, "whether snapshots send only what has changed")
        ->transform(CLI::CheckedTransformer(modes));
    return example::run(argc, argv, app, options, [&](ft::Communicator& comm) { stencil(comm, options); });
}
