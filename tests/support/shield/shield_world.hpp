// A model of MPI with process failures, as far as the shield's protocol uses it: small enough to be explored
// exhaustively.
//
// It models what an implementation may do, not what one does: a rank that has entered an operation may succeed as soon
// as what it waits for has been sent, and may fail as soon as a member is dead or the communicator revoked. News of
// both travel at their own pace, so it is possible that no rank ever hears of them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "shield/protocol/plan.hpp"
#include "support/shield/shield_explored.hpp"

namespace regraft::shield::test {

constexpr std::size_t max_ranks = 4;
using Rank = std::uint8_t;
using RankSet = std::uint8_t;  // a bit per rank
using CommIndex = std::uint8_t;

constexpr RankSet only(Rank rank) {
    return static_cast<RankSet>(1U << rank);
}
constexpr bool contains(RankSet set, Rank rank) {
    return (set & only(rank)) != 0;
}
constexpr bool within(RankSet part, RankSet whole) {
    return (part & ~whole) == 0;
}

/// The members for which a member waits in a collective operation.
enum class Shape : std::uint8_t {
    all_to_all,  // all
    from_root,   // the root, which waits for none
    to_root,     // none, but the root waits for all
};

struct Operation {
    std::uint32_t tag = 0;  // members whose n-th operations differ would take each other's messages
    Shape shape = Shape::all_to_all;
    Rank root = 0;
    bool makes_child = false;
    std::uint8_t payload = 0;                    // what the member that enters it sends
    std::array<std::uint8_t, max_ranks> sent{};  // what those members have sent that have entered
};

struct Comm {
    RankSet members = 0;
    std::uint8_t context = 0;  // a later one is higher
    bool revoked = false;
    bool dead_said_no = false;  // in the agreement that is going on, and no rank knows whether that counts
    std::uint8_t made_by = 0;   // for a child: the operation of the parent, as a slot
    CommIndex parent = 0;       // for a child
    std::uint8_t colour = 0;    // for a child
    std::array<std::uint8_t, max_ranks> entered{};  // how many operations
    std::array<RankSet, max_ranks> unheard{};       // deaths of which a member will never hear on it
    // Inputs under way, by giver and root: a bit per operation of the lane.
    std::array<std::array<std::uint16_t, max_ranks>, max_ranks> given{};
    std::array<std::array<std::uint16_t, max_ranks>, max_ranks> acknowledged{};  // the same
    std::vector<Operation> operations;
    std::shared_ptr<Census const> reports;  // what has been told on it so far
};

enum class Waiting : std::uint8_t { nothing, operation, agreement, shrink, message, give, take, acknowledgement };

struct Wait {
    Waiting in = Waiting::nothing;
    CommIndex comm = 0;
    std::uint8_t slot = 0;   // of the operation; for an input: its number
    bool says = false;       // in the agreement
    std::uint8_t topic = 0;  // of the agreement
    Rank partner = 0;        // the rank that sends the message; the one that takes, gives or acknowledges the input
};

/// Everything that is not in the processes.
struct World {
    static constexpr CommIndex everybody = 0;  // MPI_COMM_WORLD

    RankSet living = 0;
    std::vector<Comm> comms;
    std::array<Wait, max_ranks> waits{};
    std::array<std::array<std::uint8_t, max_ranks>, max_ranks> in_flight{};  // messages, by sender and receiver
    // An interrupted creation leaves the context of its parent here, and then creations from higher ones never end.
    std::array<std::uint8_t, max_ranks> lock{};
    std::uint8_t next_context = 0;

    CommIndex make(RankSet members) {
        Comm comm;
        comm.members = members;
        comm.context = next_context++;
        comms.push_back(std::move(comm));
        return static_cast<CommIndex>(comms.size() - 1);
    }

    void enter(Rank rank, CommIndex index, Operation operation) {
        auto& comm = comms[index];
        auto const slot = comm.entered[rank]++;
        if (slot == comm.operations.size()) comm.operations.push_back(operation);
        if (comm.operations[slot].tag != operation.tag) throw Violation("two members are in different operations");
        comm.operations[slot].sent[rank] = operation.payload;
        waits[rank] = {Waiting::operation, index, slot, false, 0, 0};
    }

    /// A bit per operation, by giver and root.
    std::uint16_t& given(CommIndex comm, Rank giver, Rank root) { return comms[comm].given[giver][root]; }

    bool may_succeed(Rank rank) const {
        auto const& comm = comms[waits[rank].comm];
        auto const slot = waits[rank].slot;
        if (waits[rank].in == Waiting::give) return true;
        if (waits[rank].in == Waiting::acknowledgement)
            return (comm.acknowledged[rank][waits[rank].partner] >> slot & 1U) != 0;
        if (waits[rank].in == Waiting::take) return (comm.given[waits[rank].partner][rank] >> slot & 1U) != 0;
        auto const& operation = comm.operations[slot];
        RankSet arrived = 0;
        for (Rank r = 0; r < max_ranks; ++r) arrived |= comm.entered[r] > slot ? only(r) : RankSet{0};
        if (operation.shape == Shape::from_root) return contains(arrived, operation.root);
        if (operation.shape == Shape::to_root && rank != operation.root) return true;
        return within(comm.members, arrived);
    }
    bool may_fail(Rank rank) const {
        auto const& comm = comms[waits[rank].comm];
        if (waits[rank].in != Waiting::operation) return comm.revoked || !contains(living, waits[rank].partner);
        return comm.revoked || (comm.members & ~living & ~comm.unheard[rank]) != 0;
    }
    /// A rank dies while the child is made, so that this member never hears of it there.
    bool may_stay_unheard(Rank rank) const {
        auto const& comm = comms[waits[rank].comm];
        return waits[rank].in == Waiting::operation && comm.operations[waits[rank].slot].makes_child &&
               (comm.members & ~living) != 0;
    }

    /// The child, on the first member that has it; the others have the same.
    CommIndex child(CommIndex parent, std::uint8_t slot, std::uint8_t colour, RankSet members) {
        for (std::size_t i = 0; i < comms.size(); ++i) {
            bool const same = comms[i].parent == parent && comms[i].made_by == slot && comms[i].colour == colour;
            if (same && parent != everybody) return static_cast<CommIndex>(i);
        }
        auto const index = make(members);
        comms[index].parent = parent;
        comms[index].made_by = slot;
        comms[index].colour = colour;
        return index;
    }

    void revoke(CommIndex index) {
        auto& comm = comms[index];
        comm.revoked = true;
        for (Rank r = 0; r < max_ranks; ++r) {
            auto const& wait = waits[r];
            if (!contains(living & comm.members, r) || wait.in != Waiting::operation || comm.parent == everybody)
                continue;
            if (wait.comm == comm.parent && wait.slot == comm.made_by)
                throw Violation("a communicator is revoked while a member is inside of the call that makes it");
        }
    }

    /// Whether all living members are in this on this communicator.
    bool all_wait(Waiting in, CommIndex index) const {
        for (Rank r = 0; r < max_ranks; ++r) {
            bool const there = waits[r].in == in && waits[r].comm == index;
            if (contains(comms[index].members & living, r) && !there) return false;
        }
        return true;
    }

    bool can_shrink(CommIndex index) const {
        if (!all_wait(Waiting::shrink, index)) return false;
        for (Rank r = 0; r < max_ranks; ++r) {
            bool const locked = lock[r] != 0 && lock[r] < comms[index].context;
            if (contains(comms[index].members & living, r) && locked) return false;
        }
        return true;
    }

    void die(Rank rank) {
        auto const& wait = waits[rank];
        if (wait.in == Waiting::agreement && !wait.says) comms[wait.comm].dead_said_no = true;
        living &= static_cast<RankSet>(~only(rank));
        waits[rank] = {};
        lock[rank] = 0;
    }

    void describe(ByteWriter& out) const {
        out.put(living);
        out.put(in_flight);
        out.put(lock);
        out.put(next_context);
        for (auto const& wait : waits) {
            out.put(wait.in);
            out.put(wait.comm);
            out.put(wait.slot);
            out.put(wait.says);
            out.put(wait.topic);
            out.put(wait.partner);
        }
        out.put(comms.size());
        for (auto const& comm : comms) {
            out.put(comm.members);
            out.put(comm.context);
            out.put(comm.revoked);
            out.put(comm.dead_said_no);
            out.put(comm.entered);
            out.put(comm.unheard);
            out.put(comm.given);
            out.put(comm.acknowledged);
            out.put(comm.operations.size());
            for (auto const& operation : comm.operations) {
                out.put(operation.tag);
                out.put(operation.sent);
            }
            out.put(comm.reports != nullptr);
            if (comm.reports == nullptr) continue;
            for (auto const& row : comm.reports->rows()) {
                out.put(row.pe);
                for (auto const& report : row.reports) {
                    out.put(report.lane);
                    out.put(report.known);
                    out.put(report.tentative);
                    for (auto const& outcome : report.log) {
                        out.put(outcome.number);
                        out.put(outcome.kind);
                        out.put(outcome.bytes);
                        out.put(outcome.root);
                    }
                }
            }
        }
    }
};

}  // namespace regraft::shield::test
