// k-means (Lloyd 1982) of points that lie in the memory of the ranks, the application of ReStore (Huebner et al. 2022).
// When a rank dies, the survivors take over its points, and the centres come out the same, bit for bit. With --keep, so
// they do if all ranks die: the next start of the job finds points and centres in the memory of the nodes.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "program.hpp"
#include "regraft/assign/balance.hpp"
#include "regraft/assign/blocks.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/checkpoint/snapshot.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/nodes.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/ft/resilient.hpp"
#include "regraft/placement/node_aware.hpp"
#include "regraft/placement/permuted.hpp"
#include "regraft/store/replicated_store.hpp"

using namespace regraft;

namespace {

constexpr std::size_t dims = 32;
constexpr std::size_t num_centres = 20;
using Point = std::array<double, dims>;
using Centres = std::array<Point, num_centres>;

/// What changes from step to step, the same on all ranks.
struct State {
    std::uint64_t step = 0;
    Centres centres{};
};

/// The points themselves; other programs would read a file here. Coordinates in (-1, 1), near one of some places.
void make_points(std::uint64_t seed, BlockRange ids, std::span<std::byte> bytes) {
    for (auto id = ids.first; id < ids.last; id = advance(id, 1)) {
        Random random(mix(seed) + value(id));
        Random place(mix(seed + 1) + random.below(num_centres));
        Point point;
        for (double& x : point) x = place.unit() - 0.5 + 0.4 * (random.unit() + random.unit() - 1);
        example::put(bytes, value(id) - value(ids.first), point);
    }
}

/// Loads points from wherever they are; those that no rank has any more are made again.
std::vector<Point> load(store::ReplicatedStore& store, std::vector<BlockRange> const& wanted, std::uint64_t seed) {
    std::uint64_t count = 0;
    for (auto const& range : wanted) count += range.size();
    std::vector<Point> points(count);
    auto const reread = [seed](BlockRange ids, std::span<std::byte> bytes) { make_points(seed, ids, bytes); };
    auto const report = store.load(wanted, std::as_writable_bytes(std::span(points)), {.reread = reread});
    for (auto const& lost : report.lost)
        std::fprintf(stderr, "lost, and made again: %llu points\n", static_cast<unsigned long long>(lost.size()));
    return points;
}

/// Points all over the input.
Centres first_centres(example::Options const& options) {
    Centres centres;
    for (std::uint64_t i = 0; i < num_centres; ++i) {
        BlockId const id{i * options.size / num_centres};
        make_points(options.seed, {id, advance(id, 1)}, std::as_writable_bytes(std::span(&centres[i], 1)));
    }
    return centres;
}

std::size_t nearest(Centres const& centres, Point const& point) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < num_centres; ++c) {
        double distance = 0;
        for (std::size_t i = 0; i < dims; ++i) distance += (point[i] - centres[c][i]) * (point[i] - centres[c][i]);
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}

/// The means of the points that are nearest to each centre, over all ranks. As the sums are exact it does not matter
/// which rank adds which points, nor in what order.
Centres means(ft::Communicator& comm, Centres const& centres, std::vector<Point> const& mine,
              std::uint64_t num_points) {
    constexpr std::size_t row = dims + 1;  // the last counts the points
    auto const scale = FixedScale::of(1, num_points);
    std::vector<FixedSum> sums(num_centres * row);
    for (auto const& point : mine) {
        auto* const sum = &sums[nearest(centres, point) * row];
        for (std::size_t i = 0; i < dims; ++i) sum[i].add(point[i], 1, scale);
        sum[dims].add(1, 1, scale);
    }
    ft::all_reduce(comm, sums);

    Centres next = centres;  // a centre without points stays where it is
    for (std::size_t c = 0; c < num_centres; ++c) {
        double const count = sums[c * row + dims].value(scale);
        for (std::size_t i = 0; i < dims && count > 0; ++i) next[c][i] = sums[c * row + i].value(scale) / count;
    }
    return next;
}

struct Options : example::Options {
    bool unprotected = false;
};

void kmeans(ft::Communicator& comm, Options const& options) {
    store::ReplicatedStore store(comm, {.keep = example::keep(options, "points")});
    checkpoint::Snapshot snapshot(comm, {.keep = example::keep(options, "centres")});
    assign::Assignment work;    // which rank computes on which points
    std::vector<Point> points;  // those of this rank, in any order
    bool has_points = false;    // the same on all ranks
    State state;
    snapshot.add_common("state", state);

    auto const submit = [&](BlockRange mine) {
        points.resize(mine.size());
        make_points(options.seed, mine, std::as_writable_bytes(std::span(points)));
        if (options.unprotected) return;
        auto const size = static_cast<std::uint32_t>(comm.size());
        placement::Permuted const placement(options.size, size, std::min(3U, size));
        store.submit(placement::over_nodes(placement, ft::node_ids(comm)), mine, std::as_bytes(std::span(points)),
                     sizeof(Point));
    };
    auto const get_points = [&] {
        std::array const sites{std::uint64_t{0}, options.size};
        work = assign::balance(sites, comm.members(), comm.num_founders());
        auto const blocks = assign::to_blocks(work[value(comm.self())]);
        auto const mine = blocks.empty() ? BlockRange{} : blocks.front();
        using enum store::ReopenOptions::Lost;
        if (store.version() > 0 || (!options.keep.empty() && store.reopen({.lost = left}))) {
            points = load(store, {mine}, options.seed);
        } else {
            submit(mine);
        }
        has_points = true;
    };
    auto const take_over = [&] {
        auto next = assign::reassign(work, comm.members());
        auto const wanted = assign::to_blocks(next.gained[value(comm.self())]);
        auto const gained = load(store, wanted, options.seed);  // on all survivors, or on none
        points.insert(points.end(), gained.begin(), gained.end());
        work = std::move(next.after);
    };
    auto const compute = [&] {
        if (!has_points) get_points();
        auto const begin = std::chrono::steady_clock::now();
        if (snapshot.generation() == 0 && (options.keep.empty() || !snapshot.reopen()))
            state = {0, first_centres(options)};
        auto const first = state.step;
        while (state.step < options.steps) {
            state = {state.step + 1, means(comm, state.centres, points, options.size)};
            if (!options.unprotected) snapshot.commit();
        }
        example::print_steps(comm, state.step - first, milliseconds_since(begin));
        example::print_result(comm, hash(std::as_bytes(std::span(&state, 1))));
    };
    auto const recover = [&](ft::Failure const& failure) {
        if (snapshot.generation() > 0) static_cast<void>(snapshot.restore());
        if (store.version() == 0) has_points = false;  // no rank has copies: begin again
        if (store.version() == 0) return example::print_recovery(comm, failure);
        if (has_points) take_over();
        auto const repaired = store.repair();
        example::print_recovery(comm, failure, repaired.bytes_copied);
    };
    ft::resilient(comm, compute, recover);
    auto const discard = [&] {
        snapshot.discard();
        store.discard();
    };
    ft::resilient(comm, discard, [](ft::Failure const&) {});
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("kmeans: clusters of points, on ranks that may die");
    Options options{{.steps = 20, .size = 20'000}};
    example::add_options(app, options, "of Lloyd's algorithm", "number of points");
    example::add_keep(app, options);
    app.add_flag("--unprotected", options.unprotected, "without copies and commits: after a death all begins again")
        ->excludes("--keep");
    return example::run(argc, argv, app, options, [&](ft::Communicator& comm) { kmeans(comm, options); });
}
