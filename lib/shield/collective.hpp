// A collective of the program, carried out so that all survivors see the same outcome of it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "shield/calls.hpp"
#include "shield/collection.hpp"
#include "shield/fail_points.hpp"
#include "shield/shield.hpp"

namespace regraft::shield {

constexpr int no_root = -1;

/// attempt(comm): the call on the lane, its return code. pack(bytes): appends the result, in place. unpack(bytes):
/// takes the result of others. skip(): what becomes of the result if the root is dead.
template <class Attempt, class Pack, class Unpack, class Skip>
struct Operation {
    Attempt attempt;
    Pack pack;
    Unpack unpack;
    Skip skip;
};
template <class... Parts>
Operation(Parts...) -> Operation<Parts...>;

/// An operation to a root whose inputs are small: Role::gives or Role::takes. pack(bytes): what this process gives.
/// combine(inputs): at the root, what its result is made of if its attempt has failed; its own input is the caller's.
template <class Attempt, class Pack, class Combine, class Skip>
struct OperationToRoot {
    Attempt attempt;
    Pack pack;
    Combine combine;
    Skip skip;
};
template <class... Parts>
OperationToRoot(Parts...) -> OperationToRoot<Parts...>;

inline constexpr auto nothing = [](auto&&...) {};

/// At the root that collects. Whether all inputs have come.
template <class Operation>
bool take(Shield& shield, Lane const& lane, Outcome const& outcome, Operation& operation) {
    std::vector<std::byte> own;
    operation.pack(own);
    Taken const taken(shield, lane, outcome, own.size());
    if (taken.ok()) operation.combine(taken.inputs());
    return taken.ok();
}

/// root: its rank, or no_root. MPI_SUCCESS, or the code with which an attempt failed although nobody died; then the
/// operation has no outcome. Collective over the members of the lane, uniform among survivors.
/// Flat: calls of a tenth of a microsecond pay for each function on their way.
template <class Operation>
[[gnu::flatten]] int collective(Shield& shield, Lane& lane, Traits traits, int root, Operation&& operation) {
    reach(call_points.call, shield.self());
    reach(call_points.inside, shield.self());
    constexpr bool is_collected = requires {
        operation.combine;
    };
    REGRAFT_EXPECTS(is_collected == (traits.role != Role::none));
    shield.complete(lane);
    Call call(traits, shield.options().commit);
    bool again = false;
    for (;;) {
        switch (call.step()) {
            case Call::Step::look:
                call.look(lane.ledger, shield.repair_called(), root == no_root || lane.lives(root));
                break;
            case Call::Step::deliver: {
                auto const* const outcome = lane.ledger.find(lane.ledger.returned() + 1);
                bool const is_here = outcome->kind == OutcomeKind::local;
                shield.statistics().count(is_here ? &Statistics::committed : &Statistics::forwarded);
                if constexpr (!is_collected)
                    if (outcome->kind == OutcomeKind::data) operation.unpack(std::span(outcome->bytes));
                if (outcome->kind == OutcomeKind::skipped) operation.skip();
                call.advance(lane.ledger, true);
                break;
            }
            case Call::Step::skip:
                operation.skip();
                call.advance(lane.ledger, true);
                break;
            case Call::Step::attempt: {
                if (std::exchange(again, true)) shield.statistics().count(&Statistics::repeated);
                int const code = operation.attempt(lane.comm);
                if (code != MPI_SUCCESS && !shield.is_death(code)) {
                    call.abandon(lane.ledger);
                    return code;
                }
                call.advance(lane.ledger, code == MPI_SUCCESS);
                break;
            }
            case Call::Step::pack:
                if (is_collected) lane.ledger.newest().root = lane.member(root);
                operation.pack(lane.ledger.newest().bytes);
                call.advance(lane.ledger, true);
                break;
            case Call::Step::give: {
                auto& outcome = *lane.ledger.find(lane.ledger.returned() + 1);
                operation.pack(outcome.bytes);
                call.advance(lane.ledger, give(lane, outcome));
                break;
            }
            case Call::Step::take:
                if constexpr (is_collected) {
                    auto const& outcome = *lane.ledger.find(lane.ledger.returned() + 1);
                    call.advance(lane.ledger, take(shield, lane, outcome, operation));
                }
                break;
            case Call::Step::confirm:
                reach(call_points.confirm, shield.self());
                call.advance(lane.ledger, PMPI_Barrier(lane.comm) == MPI_SUCCESS);
                break;
            case Call::Step::repair:
                shield.repair();
                shield.act_on_due();
                call.advance(lane.ledger, true);
                break;
            case Call::Step::returned:
                return MPI_SUCCESS;
        }
    }
}

}  // namespace regraft::shield
