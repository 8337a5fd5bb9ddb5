// What a process under the shield can do in the modelled MPI.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/shield/shield_process.hpp"

namespace regraft::shield::test {

/// One process of a job, with what both its program and its repairs need.
class Actor {
public:
    Actor(Job& job, Rank rank, Program const& program, CommitOptions options, Mutant mutant)
        : job_(job),
          world_(job.world),
          self_(job.processes[rank]),
          rank_(rank),
          program_(program),
          options_(options),
          mutant_(mutant) {}

protected:
    // The phases of what members do on a lane, in the tags of operations.
    enum Phase : std::uint32_t { attempting, confirming, meeting, freeing, forwarding, reporting, collecting };

    Instruction const& instruction() const { return program_[self_.at]; }
    static std::uint32_t tag(OperationNumber number, Phase phase) {
        return static_cast<std::uint32_t>(number) * 8 + phase;
    }
    Process::Lane* find(std::vector<Process::Lane>& lanes, LaneId id) const {
        auto const found = std::find_if(lanes.begin(), lanes.end(), [&](auto const& lane) { return lane.id == id; });
        return found == lanes.end() ? nullptr : &*found;
    }
    Process::Lane& lane_of(Handle handle) {
        auto* const lane = find(self_.lanes, self_.handles[handle]);
        if (lane == nullptr) throw Violation("a lane is missing");
        return *lane;
    }
    void adopt(Process::Lane lane) {
        auto const place =
            std::find_if(self_.lanes.begin(), self_.lanes.end(), [&](auto& l) { return l.id > lane.id; });
        self_.lanes.insert(place, std::move(lane));
    }
    void enter(CommIndex comm, Operation operation) { world_.enter(rank_, comm, operation); }
    void barrier(CommIndex comm, std::uint32_t tag) { enter(comm, {tag, Shape::all_to_all, 0, false, 0, {}}); }
    void agree(bool says, Repair::Step topic) {
        world_.waits[rank_] = {Waiting::agreement, self_.control, 0, says, static_cast<std::uint8_t>(topic), 0};
    }
    static void forget_inputs(Process::Lane& lane) {
        for (OperationNumber number = 1; number <= lane.ledger.returned(); ++number) {
            auto* const outcome = lane.ledger.find(number);
            if (outcome != nullptr && outcome->kind == OutcomeKind::input) outcome->kind = OutcomeKind::arrived;
        }
        lane.ledger.forget_returned();
    }

    Job& job_;
    World& world_;
    Process& self_;
    Rank rank_;
    Program const& program_;
    CommitOptions options_;
    Mutant mutant_;
};

}  // namespace regraft::shield::test
