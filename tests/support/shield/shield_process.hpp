// The state of a process under the shield in the modelled MPI, and the small program that it carries out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "shield/protocol/call.hpp"
#include "shield/protocol/creation.hpp"
#include "shield/protocol/plan.hpp"
#include "shield/protocol/repair.hpp"
#include "support/shield/shield_world.hpp"

namespace regraft::shield::test {

/// A communicator of the program.
using Handle = std::uint8_t;
constexpr std::size_t max_handles = 3;

/// What all processes do alike, except those that are not in it.
struct Instruction {
    enum class Kind : std::uint8_t { collective, split, release, message };
    static constexpr std::uint8_t no_colour = 255;

    Kind kind = Kind::collective;
    Handle on = 0;
    Traits traits;
    bool is_collected = false;  // to a root, and inputs are kept for it, or acknowledged
    RankSet large = 0;          // ranks whose inputs are large
    Shape shape = Shape::all_to_all;
    Rank root = max_ranks;  // none
    Rank from = 0;          // of the message
    Rank to = 0;
    std::array<std::uint8_t, max_ranks> colours{};
    Handle into = 0;  // of the split
};
using Program = std::vector<Instruction>;

/// What the protocol must not be without: with each of them, exploration has to find a violation.
enum class Mutant : std::uint8_t {
    none,
    no_poll,                     // a rank that waits for a message does not look whether a repair was called
    no_forward,                  // outcomes are not forwarded: a rank that lacks one does it again
    no_cascade,                  // a repair revokes the lane of the world alone
    no_commit,                   // what is held tentatively is always done again
    one_barrier,                 // creations are confirmed, but do not meet before: their children are never safe
    one_barrier_and_revoke,      // the same, and children are revoked all the same
    child_kept_by_itself,        // a child is kept if a rank has returned with it
    children_not_kept,           // children are always discarded
    shrinks_control,             // the next control communicator is made from the last
    no_vote,                     // ranks that have come to the end are not told of a repair
    leaves_alone,                // a repair ends without an agreement
    no_reports_of_children,      // only confirmed lanes are reported
    no_closing,                  // a lane that others have freed is renewed
    forgets_early,               // an outcome is dropped when its operation returns
    does_not_revoke_lanes_late,  // a rank that fails in the replay does not wake the others
    gives_nothing,               // a rank that returns late from a collected operation sends nothing to its root
    forgets_inputs,              // a rank that has given an input to a root does not keep it
    forgets_inputs_in_repair,    // or only until the next repair, although the root still collects
    takes_twice,                 // a root that collects keeps what earlier rounds of the repair have brought as well
    keeps_inputs_of_dead,        // or only that of who has died since
    awaits_all,                  // it waits for messages of those, too, who have given in the repair
    awaits_no_acknowledgement,   // who has given a large input returns, though the root may not have it
    no_arrival,                  // who lacks an operation whose root has returned does it again
};

/// The state of one process, a value.
struct Process {
    struct Lane {
        LaneId id{};
        Ledger ledger;
        CommIndex comm = 0;
        RankSet founders = 0;
        LaneId parent{};
        OperationNumber made_by = 0;
        bool safe = false;
        bool closed = false;
    };
    /// An operation that has returned, and which execution of it.
    struct Result {
        LaneId lane{};
        OperationNumber number = 0;
        std::uint8_t execution = 0;
        RankSet contributors = 0;  // at the root of a collected operation
        friend bool operator==(Result const&, Result const&) = default;
    };
    enum class Doing : std::uint8_t { nothing, collective, release, receive, leave, gone };

    static constexpr std::uint8_t skipped = 255;  // an execution

    std::uint8_t at = 0;  // instruction
    Doing doing = Doing::nothing;
    bool looks = false;              // what it does next depends on whether it sees that a repair was called
    std::optional<bool> woken_with;  // the result of an agreement or renewal, with which it has not gone on yet
    CommIndex renewed = 0;           // by the renewal
    CommIndex control = 0;
    std::array<LaneId, max_handles> handles{};
    std::vector<Lane> lanes;     // by id
    std::vector<Lane> children;  // which await their confirmation
    std::vector<Result> results;

    Call call{Traits{}};
    std::optional<Creation> creation;
    Release freeing;
    Farewell farewell;
    std::optional<Repair> repair;
    CommIndex attempted_on = 0;
    RankSet contributors = 0;     // to the result, if this is the root
    bool is_complete = false;     // the root has all inputs
    RankSet taken = 0;            // whose inputs the root has that collects; 0: it has not begun
    std::uint8_t lane_at = 0;     // of the repair
    std::uint8_t forward_at = 0;  // of the replay
    bool hears = true;            // of the deaths there were, on the child that it makes
};

/// All processes and the world.
struct Job {
    World world;
    std::array<Process, max_ranks> processes;
    std::uint8_t deaths_left = 0;
};

}  // namespace regraft::shield::test
