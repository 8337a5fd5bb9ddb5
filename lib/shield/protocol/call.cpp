#include "shield/protocol/call.hpp"

#include "regraft/core/contracts.hpp"
#include "shield/protocol/creation.hpp"
#include "shield/protocol/repair.hpp"

namespace regraft::shield {

void Call::abandon(Ledger& ledger) {
    ledger.retract();
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
            // Each process votes once on a control communicator. A later round has a new one, in whose agreements no
            // process waits.
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
            step_ = Step::agree_reported;  // a process that is still in it notices the death itself, because a member
                                           // died
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
