// The program of a process under the shield in the modelled MPI: its collectives, and the communicators that it makes
// and frees.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "shield/protocol/call.hpp"
#include "shield/protocol/creation.hpp"
#include "support/shield/shield_actor.hpp"

namespace regraft::shield::test {

/// Carries out the program of a process.
class Programmed : private Actor {
public:
    using Actor::Actor;

    void step() {
        switch (self_.doing) {
            case Process::Doing::nothing:
                return begin();
            case Process::Doing::collective:
                return call_step();
            case Process::Doing::release:
                return release_step();
            case Process::Doing::receive:
                world_.waits[rank_] = {Waiting::message, 0, 0, false, 0, instruction().from};
                return;
            case Process::Doing::leave:
                return farewell_step();
            case Process::Doing::gone:
                return;
        }
    }

    void look(bool repair_called) {
        switch (self_.doing) {
            case Process::Doing::collective: {
                auto& lane = lane_of(instruction().on);
                auto const& members = world_.comms[lane.comm].members;
                bool const root_lives = instruction().root == max_ranks || contains(members, instruction().root);
                self_.call.look(lane.ledger, repair_called, root_lives);
                break;
            }
            case Process::Doing::release:
                self_.freeing.look(repair_called, lane_of(instruction().on).closed);
                break;
            default:
                self_.farewell.look(repair_called);
        }
    }

    /// What the process waited for has ended.
    void ended(Wait const& wait, bool ok) {
        switch (self_.doing) {
            case Process::Doing::collective: {
                auto& lane = lane_of(instruction().on);
                if (wait.in != Waiting::operation) return input_passed(lane, wait, ok);
                if (!self_.creation) {
                    self_.is_complete = self_.is_complete || (ok && self_.call.step() == Call::Step::attempt);
                    return self_.call.advance(lane.ledger, ok);
                }
                if (self_.creation->step() == Creation::Step::make) return made_child(lane, wait, ok);
                return met(lane, ok);
            }
            case Process::Doing::release:
                return self_.freeing.advance(ok);
            case Process::Doing::receive:
                return end_instruction();
            default:
                return self_.farewell.advance(ok);
        }
    }

private:
    void begin() {
        for (; self_.at < program_.size(); ++self_.at) {
            auto const& todo = instruction();
            if (todo.kind == Instruction::Kind::message) {
                if (todo.from == rank_) ++world_.in_flight[rank_][todo.to];
                if (todo.to != rank_) continue;
                self_.doing = Process::Doing::receive;
                return;
            }
            if (self_.handles[todo.on] == LaneId{}) continue;
            bool const frees = todo.kind == Instruction::Kind::release;
            self_.doing = frees ? Process::Doing::release : Process::Doing::collective;
            self_.freeing = {};
            auto traits = todo.traits;
            if (todo.is_collected) traits.role = todo.root == rank_ ? Role::takes : Role::gives;
            traits.acknowledged = todo.root == rank_ ? todo.large != 0 : contains(todo.large, rank_);
            self_.is_complete = false;
            self_.call = Call(traits, options_);
            return;
        }
        self_.doing = Process::Doing::leave;
    }
    void end_instruction() {
        ++self_.at;
        self_.doing = Process::Doing::nothing;
    }

    void call_step() {
        auto& lane = lane_of(instruction().on);
        auto const number = lane.ledger.returned() + 1;
        switch (self_.call.step()) {
            case Call::Step::look:
                self_.looks = true;
                return;
            case Call::Step::attempt:
                self_.attempted_on = lane.comm;
                self_.contributors = world_.comms[lane.comm].members;
                if (instruction().kind == Instruction::Kind::split) return make_child(lane);
                return enter(lane.comm,
                             {tag(number, attempting), instruction().shape, instruction().root, false, 0, {}});
            case Call::Step::confirm:
                return barrier(lane.comm, tag(number, confirming));
            case Call::Step::skip:
                self_.attempted_on = Process::skipped;
                return self_.call.advance(lane.ledger, true);
            case Call::Step::pack:  // the only byte says where it was done, or whose input it is
                lane.ledger.newest().root = PeId{instruction().root};
                lane.ledger.newest().bytes.assign(
                    1, std::byte{instruction().is_collected ? input(rank_, number) : self_.attempted_on});
                return self_.call.advance(lane.ledger, true);
            case Call::Step::give:
                lane.ledger.find(number)->bytes.assign(1, std::byte{input(rank_, number)});
                return await_input(Waiting::give, lane, static_cast<Rank>(value(lane.ledger.find(number)->root)));
            case Call::Step::take:
                return take(lane);
            case Call::Step::acknowledge:
                return acknowledge(lane);
            case Call::Step::deliver:
                return self_.call.advance(lane.ledger, true);
            case Call::Step::repair:
                self_.repair.emplace(/*voted=*/false);
                return;
            case Call::Step::returned:
                note(lane);
                return end_instruction();
        }
    }

    // --- operations to a root

    /// What a member gives in an operation: a byte that no other member gives, nor in another operation.
    static std::uint8_t input(Rank giver, OperationNumber number) {
        return static_cast<std::uint8_t>((number + 1) * max_ranks + giver);
    }
    void await_input(Waiting in, Process::Lane const& lane, Rank partner) {
        auto const number = static_cast<std::uint8_t>(lane.ledger.returned() + 1);
        world_.waits[rank_] = {in, lane.comm, number, false, 0, partner};
    }
    void take(Process::Lane& lane) {
        auto const members = world_.comms[lane.comm].members;
        auto const& outcome = *lane.ledger.find(lane.ledger.returned() + 1);
        if (self_.taken == 0) {
            self_.taken = only(rank_);
            if (mutant_ != Mutant::awaits_all) take_what_came_in_repair(outcome);
        }
        for (Rank r = 0; r < max_ranks; ++r)
            if (contains(members, r) && !contains(self_.taken, r)) return await_input(Waiting::take, lane, r);
        self_.contributors = std::exchange(self_.taken, RankSet{0});
        if (self_.contributors != members) throw Violation("the dead contribute");
        self_.is_complete = true;
        self_.call.advance(lane.ledger, true);
    }
    void take_what_came_in_repair(Outcome const& outcome) {
        for (std::size_t i = 0; i < outcome.inputs.size(); ++i) {
            auto const giver = static_cast<Rank>(value(outcome.inputs[i].giver));
            if (contains(self_.taken, giver)) throw Violation("an input is taken twice");
            if (std::to_integer<std::uint8_t>(outcome.bytes.at(i)) != input(giver, outcome.number))
                throw Violation("an input is not what was given");
            self_.taken |= only(giver);
        }
    }
    void acknowledge(Process::Lane& lane) {
        auto const root = instruction().root;
        auto& comm = world_.comms[lane.comm];
        if (root != rank_ && mutant_ != Mutant::awaits_no_acknowledgement)
            return await_input(Waiting::acknowledgement, lane, root);
        auto const bit = static_cast<std::uint16_t>(1U << (lane.ledger.returned() + 1));
        for (Rank r = 0; r < max_ranks && root == rank_; ++r)
            if (r != root && contains(comm.members & instruction().large, r)) comm.acknowledged[r][root] |= bit;
        self_.call.advance(lane.ledger, true);
    }
    void input_passed(Process::Lane& lane, Wait const& wait, bool ok) {
        auto const bit = static_cast<std::uint16_t>(1U << wait.slot);
        if (wait.in == Waiting::acknowledgement) return self_.call.advance(lane.ledger, ok);
        if (wait.in == Waiting::give) {
            if (ok && mutant_ != Mutant::gives_nothing) world_.given(wait.comm, rank_, wait.partner) |= bit;
            return self_.call.advance(lane.ledger, ok);
        }
        if (!ok) {
            self_.taken = 0;
            return self_.call.advance(lane.ledger, false);
        }
        world_.given(wait.comm, wait.partner, rank_) &= static_cast<std::uint16_t>(~bit);
        self_.taken |= only(wait.partner);
    }

    /// The operation returns: any other rank that has returned from it has the same outcome.
    void note(Process::Lane& lane) {
        auto const number = lane.ledger.returned();
        auto const* const outcome = lane.ledger.find(number);
        if (outcome == nullptr) throw Violation("an outcome was lost");
        std::uint8_t execution = self_.attempted_on;
        if (outcome->kind == OutcomeKind::skipped) execution = Process::skipped;
        if (outcome->kind == OutcomeKind::data) execution = std::to_integer<std::uint8_t>(outcome->bytes.at(0));
        bool const is_root = instruction().is_collected && instruction().root == rank_;
        if (instruction().is_collected) execution = 0;
        if (is_root && outcome->kind == OutcomeKind::arrived && !self_.is_complete)
            throw Violation("a root returns without its inputs");
        Process::Result const result{lane.id, number, execution, is_root ? self_.contributors : RankSet{0}};
        if (mutant_ == Mutant::forgets_early) lane.ledger.forget_returned();
        if (mutant_ == Mutant::forgets_inputs) forget_inputs(lane);
        if (lane.ledger.log().size() > options_.window) throw Violation("the log grows beyond the window");
        for (Rank r = 0; r < max_ranks; ++r) {
            if (!contains(world_.living, r)) continue;
            for (auto const& other : job_.processes[r].results) {
                bool const same = other.lane == result.lane && other.number == result.number;
                if (!same) continue;
                if (other.execution != result.execution) throw Violation("two outcomes of one operation");
                if (other.contributors != 0 && !contains(other.contributors, rank_))
                    throw Violation("a survivor returns without having contributed");
                if (is_root && !contains(result.contributors, r))
                    throw Violation("a survivor has returned without having contributed");
            }
        }
        self_.results.push_back(result);
        if (instruction().kind == Instruction::Kind::split) take_child(lane.id, result.number);
    }

    // --- communicators

    std::uint8_t colour() const { return instruction().colours[rank_]; }
    RankSet same_colour(RankSet members) const {
        RankSet result = 0;
        for (Rank r = 0; r < max_ranks; ++r) {
            bool const same = contains(members, r) && instruction().colours[r] == colour();
            if (same) result |= only(r);
        }
        return result;
    }
    LaneId child_id(LaneId parent, OperationNumber number) const {
        return LaneId{static_cast<std::uint64_t>(parent) * 1000 + number * 10 + colour()};
    }

    void make_child(Process::Lane& lane) {
        auto const number = lane.ledger.returned() + 1;
        self_.creation.emplace();
        enter(lane.comm, {tag(number, attempting), Shape::all_to_all, 0, true, 0, {}});
    }
    void made_child(Process::Lane& lane, Wait const& wait, bool ok) {
        auto const number = lane.ledger.returned() + 1;
        if (!ok) {
            auto const context = world_.comms[lane.comm].context;
            auto& lock = world_.lock[rank_];
            lock = lock == 0 ? context : std::min(lock, context);
        } else if (colour() != Instruction::no_colour) {
            auto const members = same_colour(world_.comms[lane.comm].members);
            auto const comm = world_.child(lane.comm, wait.slot, colour(), members);
            if (!self_.hears) world_.comms[comm].unheard[rank_] = static_cast<RankSet>(members & ~world_.living);
            self_.children.push_back({child_id(lane.id, number), {}, comm, members, lane.id, number});
        }
        self_.hears = true;
        self_.creation->advance(ok);
        bool const meets = mutant_ != Mutant::one_barrier && mutant_ != Mutant::one_barrier_and_revoke;
        if (ok && meets) return barrier(lane.comm, tag(number, meeting));
        self_.creation.reset();
        self_.call.advance(lane.ledger, ok);
    }
    void met(Process::Lane& lane, bool ok) {
        self_.creation->advance(ok);
        for (auto& child : self_.children) child.safe = self_.creation->is_safe();
        self_.creation.reset();
        self_.call.advance(lane.ledger, ok);
    }
    /// The split returns: its child, or in a repair before, was confirmed.
    void take_child(LaneId parent, OperationNumber number) {
        self_.handles[instruction().into] = {};
        if (colour() == Instruction::no_colour) return;
        auto const id = child_id(parent, number);
        if (auto* const child = find(self_.children, id)) {
            adopt(*child);
            self_.children.clear();
        }
        if (find(self_.lanes, id) == nullptr) throw Violation("a creation returns without what it made");
        self_.handles[instruction().into] = id;
    }

    void release_step() {
        auto& lane = lane_of(instruction().on);
        switch (self_.freeing.step()) {
            case Release::Step::look:
                self_.looks = true;
                return;
            case Release::Step::meet:
                return barrier(lane.comm, tag(lane.ledger.returned() + 1, freeing));
            case Release::Step::repair:
                self_.repair.emplace(/*voted=*/false);
                return;
            case Release::Step::released:
                std::erase_if(self_.lanes, [&](auto const& l) { return l.id == self_.handles[instruction().on]; });
                self_.handles[instruction().on] = {};
                return end_instruction();
        }
    }

    void farewell_step() {
        switch (self_.farewell.step()) {
            case Farewell::Step::look:
                self_.looks = true;
                return;
            case Farewell::Step::agree:
                return agree(true, Repair::Step::vote);
            case Farewell::Step::repair:
                self_.repair.emplace(self_.farewell.voted());
                return;
            case Farewell::Step::gone:
                self_.doing = Process::Doing::gone;
                return;
        }
    }
};

}  // namespace regraft::shield::test
