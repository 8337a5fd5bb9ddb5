// The functions of Call that every call of MPI runs. call.hpp includes them.
#pragma once

#include "regraft/core/contracts.hpp"
#include "shield/protocol/call.hpp"

namespace regraft::shield {

inline Call::Step Call::first_step(Ledger const& ledger, bool repair_called, bool root_lives) const {
    if (ledger.known() == ledger.returned()) {
        if (repair_called) return Step::repair;
        return root_lives ? Step::attempt : Step::skip;
    }
    if (ledger.find(ledger.returned() + 1)->kind != OutcomeKind::collecting) return Step::deliver;
    if (repair_called) return Step::repair;
    return traits_.role == Role::takes ? Step::take : Step::give;
}

inline void Call::look(Ledger const& ledger, bool repair_called, bool root_lives) {
    REGRAFT_EXPECTS(step_ == Step::look);
    step_ = first_step(ledger, repair_called, root_lives);
    bool const window_ends = ledger.unsynchronised() + 1 >= options_.window ||
                             ledger.unsynchronised_bytes() + traits_.bytes >= options_.window_bytes;
    bool const is_kept = traits_.forwardable || traits_.role != Role::none;
    confirms_ = !traits_.synchronises && window_ends;
    if (step_ == Step::attempt) confirms_ = confirms_ || !is_kept || options_.always_confirm;
}

inline void Call::advance(Ledger& ledger, bool ok) {
    switch (step_) {
        case Step::skip:
        case Step::attempt:
        case Step::confirm:
        case Step::give:
        case Step::take:
        case Step::acknowledge:
            if (ok) return succeed(ledger);
            step_ = Step::repair;
            return;
        case Step::repair:
            step_ = Step::look;
            return;
        case Step::deliver:
        case Step::pack:
            return finish(ledger);
        case Step::look:
        case Step::returned:
            REGRAFT_EXPECTS(!"this is no step to carry out");
    }
}

inline void Call::succeed(Ledger& ledger) {
    bool const gives = traits_.role == Role::gives;
    if (step_ == Step::confirm) {
        ledger.commit();
        finish(ledger);
    } else if (step_ == Step::acknowledge) {
        if (gives) arrive(ledger);
        finish(ledger);
    } else if (step_ == Step::give && !traits_.acknowledged) {
        ledger.find(ledger.returned() + 1)->kind = OutcomeKind::input;
        finish(ledger);
    } else if (step_ == Step::give) {
        step_ = Step::acknowledge;
    } else if (step_ == Step::take) {
        arrive(ledger);
        end_at_root(ledger);
    } else if (confirms_) {
        ledger.hold_tentatively();
        step_ = Step::confirm;
    } else if (step_ == Step::skip) {
        ledger.record(OutcomeKind::skipped);
        finish(ledger);
    } else if (traits_.role == Role::takes) {
        ledger.record(OutcomeKind::arrived);
        end_at_root(ledger);
    } else if (traits_.acknowledged) {
        step_ = Step::acknowledge;
    } else {
        ledger.record(gives ? OutcomeKind::input : OutcomeKind::data);
        step_ = Step::pack;
    }
}

/// Marks that the root lacks nothing of the operation; nothing of it is kept.
inline void Call::arrive(Ledger& ledger) {
    auto const number = ledger.returned() + 1;
    auto& outcome = ledger.known() < number ? ledger.record(OutcomeKind::arrived) : *ledger.find(number);
    outcome.kind = OutcomeKind::arrived;
    outcome.bytes.clear();
}

inline void Call::end_at_root(Ledger& ledger) {
    if (traits_.acknowledged) {
        step_ = Step::acknowledge;
    } else {
        finish(ledger);
    }
}

inline void Call::finish(Ledger& ledger) {
    auto const* const outcome = ledger.find(ledger.returned() + 1);
    REGRAFT_EXPECTS(outcome != nullptr);
    bool const synchronised =
        outcome->kind == OutcomeKind::local || (outcome->kind == OutcomeKind::data && traits_.synchronises);
    ledger.finish(synchronised, traits_.bytes);
    step_ = Step::returned;
}

}  // namespace regraft::shield
