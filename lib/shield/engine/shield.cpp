#include "shield/engine/shield.hpp"

#include <chrono>
#include <csignal>
#include <memory>
#include <utility>

#include "shield/engine/repairing.hpp"
#include "shield/lanes/fail_points.hpp"
#include "shield/lanes/hidden.hpp"

namespace regraft::shield {
namespace {

constexpr LaneId world_id{1};

}  // namespace

Shield::Shield(ShieldOptions options) {
    it_.options = options;
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    auto world = std::make_unique<Lane>();
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &world->handler);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, options.on_error);
    it_.survivors = Survivors::of_world();
    std::vector<PeId> const founders(living().begin(), living().end());
    it_.living_world = {duplicate_hidden(MPI_COMM_WORLD), founders};
    world->id = world_id;
    world->face = MPI_COMM_WORLD;
    world->comm = duplicate_hidden(MPI_COMM_WORLD);
    world->founders = founders;
    world->self = static_cast<int>(value(self()));
    world->set_all_living();
    it_.lanes.add(std::move(world));
    static_cast<void>(agree(MPI_COMM_WORLD, true));  // the duplicates are not used before all have left MPI_Comm_dup
}

void Shield::forget(Lane const& lane) {
    it_.busy.forget(lane);
    it_.lanes.forget(lane);
}

void Shield::repair(bool voted) {
    remember(Repairing(it_).run(voted));
}

void Shield::remember(PastRepair past) {
    auto& statistics = it_.statistics;
    statistics.count(&Statistics::repairs);
    statistics.count(&Statistics::rounds, past.rounds);
    statistics.repair_ms += past.ms;
    auto const whole_ms = [](double ms) { return std::chrono::milliseconds(static_cast<std::int64_t>(ms)); };
    it_.busy.learn(whole_ms(past.vote_ms), whole_ms(past.ms - past.vote_ms));
    past.number = statistics.repairs;
    constexpr std::size_t most_remembered = 1000;
    if (!past.dead.empty() || repairs_.size() < most_remembered) repairs_.push_back(std::move(past));
}

void Shield::go_on() {
    // Not while something is deferred: a process that was told that this one knows what is due may wait for it there.
    if (!it_.busy.empty() && deferred_.empty() && it_.busy.progress(it_.deaths)) it_.survivors.call_repair();
}

int Shield::start(Lane& lane, Nonblocking operation) {
    reach(call_points.call, self());
    reach(call_points.inside, self());
    if (repair_called()) repair();  // no rounds yet: perhaps more operations are started, to be confirmed together
    return it_.busy.start(it_.deaths, lane, std::move(operation));
}

int Shield::defer(Lane& lane, std::function<void()> action) {
    auto& deferred = deferred_.add(lane, std::move(action));
    int const code = start(lane, {PMPI_Ibarrier, [&deferred](int) { deferred.is_due = true; }});
    deferred.after = lane.pending.counts().started;
    if (code != MPI_SUCCESS) deferred_.remove(deferred);
    return code;
}

void Shield::finish() {
    Farewell farewell;
    while (farewell.step() != Farewell::Step::gone) {
        switch (farewell.step()) {
            case Farewell::Step::look:
                farewell.look(repair_called());
                break;
            case Farewell::Step::agree:
                farewell.advance(it_.survivors.agree(true));
                break;
            default:
                repair(farewell.voted());
                farewell.advance(true);
        }
    }
    // No collective may have met some deaths: survivors find them out on a communicator of the living.
    static_cast<void>(it_.survivors.confirm(true));
}

}  // namespace regraft::shield
