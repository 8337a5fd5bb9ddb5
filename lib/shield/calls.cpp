#include "shield/calls.hpp"

#include "regraft/core/contracts.hpp"

namespace regraft::shield {

Call::Step Call::first_step(Ledger const& ledger, bool repair_called, bool root_lives) const {
    if (ledger.known() == ledger.returned()) {
        if (repair_called) return Step::repair;
        return root_lives ? Step::attempt : Step::skip;
    }
    if (ledger.find(ledger.returned() + 1)->kind != OutcomeKind::collecting) return Step::deliver;
    if (repair_called) return Step::repair;
    return traits_.role == Role::takes ? Step::take : Step::give;
}

void Call::look(Ledger const& ledger, bool repair_called, bool root_lives) {
    REGRAFT_EXPECTS(step_ == Step::look);
    step_ = first_step(ledger, repair_called, root_lives);
    bool const window_ends = ledger.unsynchronised() + 1 >= options_.window ||
                             ledger.unsynchronised_bytes() + traits_.bytes >= options_.window_bytes;
    bool const is_kept = traits_.forwardable || traits_.role != Role::none;
    confirms_ = !traits_.synchronises && window_ends;
    if (step_ == Step::attempt) confirms_ = confirms_ || !is_kept || options_.always_confirm;
}

void Call::advance(Ledger& ledger, bool ok) {
    switch (step_) {
        case Step::skip:
        case Step::attempt:
        case Step::confirm:
        case Step::give:
        case Step::take:
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

void Call::succeed(Ledger& ledger) {
    if (step_ == Step::confirm) {
        ledger.settle(/*commit=*/true);
        finish(ledger);
    } else if (step_ == Step::give || step_ == Step::take) {
        ledger.find(ledger.returned() + 1)->kind = step_ == Step::give ? OutcomeKind::input : OutcomeKind::arrived;
        finish(ledger);
    } else if (confirms_) {
        ledger.hold_tentatively();
        step_ = Step::confirm;
    } else if (step_ == Step::skip) {
        ledger.record(OutcomeKind::skipped);
        finish(ledger);
    } else if (traits_.role == Role::takes) {
        ledger.record(OutcomeKind::arrived);
        finish(ledger);
    } else {
        ledger.record(traits_.role == Role::gives ? OutcomeKind::input : OutcomeKind::data);
        step_ = Step::pack;
    }
}

void Call::finish(Ledger& ledger) {
    auto const* const outcome = ledger.find(ledger.returned() + 1);
    REGRAFT_EXPECTS(outcome != nullptr);
    bool const synchronised =
        outcome->kind == OutcomeKind::local || (outcome->kind == OutcomeKind::data && traits_.synchronises);
    ledger.finish(synchronised, traits_.bytes);
    step_ = Step::returned;
}

void Call::abandon(Ledger& ledger) {
    ledger.settle(/*commit=*/false);
    step_ = Step::returned;
}

void Creation::advance(bool ok) {
    REGRAFT_EXPECTS(step_ == Step::make || step_ == Step::meet);
    if (!ok) {
        step_ = Step::failed;
    } else {
        step_ = step_ == Step::make ? Step::meet : Step::made;
    }
}

void Release::look(bool repair_called, bool closed) {
    REGRAFT_EXPECTS(step_ == Step::look);
    step_ = closed ? Step::released : repair_called ? Step::repair : Step::meet;
}

void Release::advance(bool ok) {
    REGRAFT_EXPECTS(step_ == Step::meet || step_ == Step::repair);
    if (step_ == Step::repair) {
        step_ = Step::look;
    } else {
        step_ = ok ? Step::released : Step::repair;
    }
}

void Farewell::look(bool repair_called) {
    REGRAFT_EXPECTS(step_ == Step::look);
    voted_ = false;
    step_ = repair_called ? Step::repair : Step::agree;
}

void Farewell::advance(bool ok) {
    REGRAFT_EXPECTS(step_ == Step::agree || step_ == Step::repair);
    if (step_ == Step::repair) {
        step_ = Step::look;
    } else {
        voted_ = !ok;
        step_ = ok ? Step::gone : Step::repair;
    }
}

void Repair::advance(bool ok) {
    switch (step_) {
        case Step::revoke:
            // Each process votes once on a control communicator, and a later round has a new one, on which nobody
            // waits.
            step_ = voted_ ? Step::renew_control : Step::vote;
            voted_ = true;
            return;
        case Step::vote:
            step_ = Step::renew_control;
            return;
        case Step::renew_control:
            step_ = Step::report;
            return;
        case Step::report:
            so_ = ok;
            step_ = Step::agree_reported;  // those still in it hear of the death themselves: it is a member's
            return;
        case Step::renew_lanes:
            step_ = Step::replay;
            return;
        case Step::replay:
            so_ = ok;
            step_ = ok ? Step::agree_replayed : Step::revoke_lanes;
            return;
        case Step::revoke_lanes:
            step_ = Step::agree_replayed;
            return;
        case Step::agree_reported:
        case Step::agree_replayed:
            if (ok) {
                step_ = step_ == Step::agree_reported ? Step::renew_lanes : Step::done;
            } else {
                ++rounds_;
                step_ = Step::revoke;
            }
            return;
        case Step::done:
            REGRAFT_EXPECTS(!"the repair is over");
    }
}

}  // namespace regraft::shield
