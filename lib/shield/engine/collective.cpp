#include "shield/engine/collective.hpp"

#include <utility>

#include "regraft/core/contracts.hpp"
#include "shield/lanes/fail_points.hpp"

namespace regraft::shield {
namespace {

// What is not inlined below happens only after a death, or takes long anyway.

/// Collects the inputs at the root. Returns whether all have come.
[[gnu::noinline]] bool take(Shield& shield, Lane const& lane, Outcome const& outcome, AnyOperation& operation) {
    std::vector<std::size_t> sizes;
    for (auto const rank : lane.living) sizes.push_back(operation.bytes(rank));
    Taken const taken(shield, lane, outcome, sizes);
    if (taken.ok()) operation.combine(taken.inputs());
    return taken.ok();
}

/// Sends or awaits confirmations of receipt. all: members with small inputs get one too; this is so if a message did
/// not fit, because the sizes that the root knows are then wrong.
[[gnu::noinline]] bool acknowledge(Lane const& lane, int root, std::size_t most_kept, bool all,
                                   AnyOperation& operation) {
    auto const number = lane.ledger.returned() + 1;
    if (lane.self != root) return await_acknowledgement(lane, root, number);
    for (auto const rank : lane.living)
        if (rank != root && (all || operation.bytes(rank) > most_kept)) acknowledge(lane, rank, number);
    return true;
}

/// Whether a process that returns with this code, without any death, has taken part: messages have come, but they do
/// not fit. With any other code it has not, and the others wait for it.
[[gnu::noinline]] bool has_taken_part(int code) {
    int error_class = MPI_SUCCESS;
    PMPI_Error_class(code, &error_class);
    return error_class == MPI_ERR_TRUNCATE;
}

[[gnu::noinline]] bool send(Lane const& lane, Outcome const& outcome) {
    return give(lane, outcome);
}

[[gnu::noinline]] void repair(Shield& shield) {
    shield.repair();
    shield.act_on_due();
}

[[gnu::noinline]] void complete(Shield& shield, Lane const& lane) {
    shield.complete(lane);
}

}  // namespace

// Flattened, because calls of a tenth of a microsecond pay for each function on their way.
[[gnu::flatten]] int collective(Shield& shield, Lane& lane, Traits traits, int root, AnyOperation& operation) {
    reach(call_points.call, shield.self());
    reach(call_points.inside, shield.self());
    bool const is_collected = operation.is_to_root;
    REGRAFT_EXPECTS(is_collected == (traits.role != Role::none));
    if (!shield.is_complete(lane)) complete(shield, lane);
    Call call(traits, shield.options().commit);
    bool again = false;
    int wrong = MPI_SUCCESS;  // the code of an attempt that failed but counts
    for (;;) {
        switch (call.step()) {
            case Call::Step::look:
                call.look(lane.ledger, shield.repair_called(), root == no_root || lane.lives(root));
                break;
            case Call::Step::deliver: {
                auto const* const outcome = lane.ledger.find(lane.ledger.returned() + 1);
                bool const is_here = outcome->kind == OutcomeKind::local;
                shield.statistics().count(is_here ? &Statistics::committed : &Statistics::forwarded);
                if (!is_collected && outcome->kind == OutcomeKind::data) operation.unpack(outcome->bytes);
                if (!is_here) wrong = MPI_SUCCESS;
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
                bool const is_wrong = code != MPI_SUCCESS && !shield.is_death(code);
                if (is_wrong && !has_taken_part(code)) {
                    call.abandon(lane.ledger);
                    return code;
                }
                wrong = is_wrong ? code : MPI_SUCCESS;
                call.advance(lane.ledger, code == MPI_SUCCESS || is_wrong);
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
                call.advance(lane.ledger, send(lane, outcome));
                break;
            }
            case Call::Step::take:
                if (is_collected) {
                    auto const& outcome = *lane.ledger.find(lane.ledger.returned() + 1);
                    call.advance(lane.ledger, take(shield, lane, outcome, operation));
                }
                break;
            case Call::Step::acknowledge:
                if (is_collected) {
                    bool const all = wrong != MPI_SUCCESS;
                    auto const most_kept = shield.options().most_forwarded;
                    call.advance(lane.ledger, acknowledge(lane, root, most_kept, all, operation));
                }
                break;
            case Call::Step::confirm:
                reach(call_points.confirm, shield.self());
                call.advance(lane.ledger, PMPI_Barrier(lane.comm) == MPI_SUCCESS);
                break;
            case Call::Step::repair:
                repair(shield);
                call.advance(lane.ledger, true);
                break;
            case Call::Step::returned:
                return wrong;
        }
    }
}

}  // namespace regraft::shield
