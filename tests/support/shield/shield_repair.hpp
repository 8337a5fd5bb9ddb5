// The repairs of a process under the shield in the modelled MPI.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "shield/protocol/plan.hpp"
#include "shield/protocol/repair.hpp"
#include "support/shield/shield_actor.hpp"

namespace regraft::shield::test {

/// Carries out the repairs of a process.
class Repairing : private Actor {
public:
    using Actor::Actor;

    void step() {
        switch (self_.repair->step()) {
            case Repair::Step::revoke:
                world_.revoke(self_.control);
                revoke_lanes();
                return self_.repair->advance(true);
            case Repair::Step::vote:
                if (mutant_ == Mutant::no_vote) return self_.repair->advance(true);
                return agree(false, Repair::Step::vote);
            case Repair::Step::renew_control: {
                auto const from = mutant_ == Mutant::shrinks_control ? self_.control : World::everybody;
                world_.waits[rank_] = {Waiting::shrink, from, 0, false, 0, 0};
                return;
            }
            case Repair::Step::report:
                tell();
                return barrier(self_.control, tag(0, reporting));
            case Repair::Step::renew_lanes:
                return renew_next_lane();
            case Repair::Step::replay:
                return replay();
            case Repair::Step::revoke_lanes:
                if (mutant_ != Mutant::does_not_revoke_lanes_late) revoke_lanes();
                return self_.repair->advance(true);
            case Repair::Step::agree_reported:
            case Repair::Step::agree_replayed:
                if (mutant_ == Mutant::leaves_alone && self_.repair->step() == Repair::Step::agree_replayed)
                    return self_.repair->advance(self_.repair->so());
                return agree(self_.repair->so(), self_.repair->step());
            case Repair::Step::done:
                return end_repair();
        }
    }

    /// What the process waited for has ended.
    void ended(Wait const& wait, bool ok) {
        switch (self_.repair->step()) {
            case Repair::Step::renew_control:
                self_.control = self_.renewed;
                break;
            case Repair::Step::renew_lanes:
                self_.lanes[self_.lane_at++].comm = self_.renewed;
                return;
            case Repair::Step::replay:
                if (ok) {
                    auto& lane = self_.lanes[self_.lane_at];
                    auto const plan = census().plan(lane.id, pes(world_.comms[lane.comm].members));
                    auto const& resolution = plan.resolutions[self_.forward_at];
                    return learn(lane, resolution, bytes_of(resolution, world_.comms[lane.comm], wait.slot));
                }
                self_.lane_at = 0;
                break;
            default:
                break;
        }
        self_.repair->advance(ok);
    }

private:
    void revoke_lanes() {
        for (auto const& lane : self_.lanes) {
            if (!lane.closed && (mutant_ != Mutant::no_cascade || lane.id == LaneId{1})) world_.revoke(lane.comm);
        }
        for (auto const& child : self_.children)
            if (child.safe || mutant_ == Mutant::one_barrier_and_revoke) world_.revoke(child.comm);
    }

    void tell() {
        Census::Row row{PeId{rank_}, {}};
        for (auto const& lane : self_.lanes)
            if (!lane.closed) row.reports.push_back(report(lane.id, lane.ledger));
        for (auto const& child : self_.children)
            if (mutant_ != Mutant::no_reports_of_children) row.reports.push_back(report(child.id, child.ledger));
        auto& told = world_.comms[self_.control].reports;
        std::vector<Census::Row> rows;
        if (told != nullptr) rows.assign(told->rows().begin(), told->rows().end());
        auto const place = std::find_if(rows.begin(), rows.end(), [&](auto const& r) { return r.pe > row.pe; });
        rows.insert(place, std::move(row));
        told = std::make_shared<Census const>(std::move(rows));
    }
    Census const& census() const { return *world_.comms[self_.control].reports; }
    static std::vector<PeId> pes(RankSet set) {
        std::vector<PeId> result;
        for (Rank r = 0; r < max_ranks; ++r)
            if (contains(set, r)) result.push_back(PeId{r});
        return result;
    }

    void sort_out() {
        auto const& told = census();
        for (auto& child : std::exchange(self_.children, {})) {
            bool keep = told.is_known(child.parent, child.made_by);
            if (mutant_ == Mutant::child_kept_by_itself) keep = somebody_returned_with(child.id);
            if (keep && mutant_ != Mutant::children_not_kept) adopt(std::move(child));
        }
        if (mutant_ == Mutant::no_closing) return;
        for (auto& lane : self_.lanes) lane.closed = lane.closed || told.is_closed(lane.id, pes(lane.founders));
    }
    bool somebody_returned_with(LaneId id) const {
        for (Rank r = 0; r < max_ranks; ++r)
            if (contains(world_.living, r) && find(job_.processes[r].lanes, id) != nullptr) return true;
        return false;
    }

    Process::Lane* next_open_lane() {
        while (self_.lane_at < self_.lanes.size() && self_.lanes[self_.lane_at].closed) ++self_.lane_at;
        return self_.lane_at < self_.lanes.size() ? &self_.lanes[self_.lane_at] : nullptr;
    }
    void renew_next_lane() {
        if (self_.lane_at == 0) sort_out();
        if (auto const* const lane = next_open_lane()) {
            world_.waits[rank_] = {Waiting::shrink, lane->comm, 0, false, 0, 0};
            return;
        }
        self_.lane_at = self_.forward_at = 0;
        self_.repair->advance(true);
    }

    /// One step of the replay: what is tentative on a lane is committed or retracted, or an outcome is sent on its way.
    void replay() {
        auto* const lane = next_open_lane();
        if (lane == nullptr) {
            self_.lane_at = 0;
            return self_.repair->advance(true);
        }
        auto const plan = census().plan(lane->id, pes(world_.comms[lane->comm].members));
        if (self_.forward_at == 0) {
            if (mutant_ != Mutant::no_commit && lane->ledger.known() < plan.newest) lane->ledger.commit();
            lane->ledger.retract();
        }
        if (self_.forward_at == plan.resolutions.size() || mutant_ == Mutant::no_forward) {
            ++self_.lane_at;
            self_.forward_at = 0;
            return;
        }
        auto const& resolution = plan.resolutions[self_.forward_at];
        auto const& told = resolution.outcome;
        if (!resolution.source) throw Violation("an outcome is needed that nobody kept");
        bool const forwards = told.kind == OutcomeKind::data && told.bytes != 0;
        if (!forwards && resolution.inputs.empty()) return learn(*lane, resolution, {});
        auto const root = static_cast<Rank>(value(forwards ? *resolution.source : told.root));
        auto const* const kept = lane->ledger.find(told.number);
        bool const sends = forwards ? root == rank_ : kept != nullptr && kept->kind == OutcomeKind::input;
        enter(lane->comm, {tag(told.number, forwards ? forwarding : collecting),
                           forwards ? Shape::from_root : Shape::to_root,
                           root,
                           false,
                           sends ? std::to_integer<std::uint8_t>(kept->bytes.at(0)) : std::uint8_t{0},
                           {}});
    }
    /// What a resolution has brought to this member.
    std::vector<std::byte> bytes_of(Resolution const& resolution, Comm const& comm, std::uint8_t slot) const {
        auto const sent = [&](PeId pe) { return std::byte{comm.operations[slot].sent[value(pe)]}; };
        std::vector<std::byte> bytes;
        if (resolution.outcome.kind == OutcomeKind::data) bytes.push_back(sent(*resolution.source));
        if (resolution.outcome.root != PeId{rank_}) return bytes;
        for (auto const& input : resolution.inputs) bytes.push_back(sent(input.giver));
        return bytes;
    }
    void learn(Process::Lane& lane, Resolution resolution, std::vector<std::byte> bytes) {
        ++self_.forward_at;
        if (mutant_ == Mutant::no_arrival && resolution.outcome.kind == OutcomeKind::arrived) return;
        auto const* const before = lane.ledger.find(resolution.outcome.number);
        bool const collects = before != nullptr && resolution.outcome.kind == OutcomeKind::collecting;
        for (std::size_t i = 0; collects && i < before->inputs.size(); ++i) {
            bool const is_dead = !contains(world_.living, static_cast<Rank>(value(before->inputs[i].giver)));
            if (mutant_ != Mutant::takes_twice && !(mutant_ == Mutant::keeps_inputs_of_dead && is_dead)) continue;
            resolution.inputs.push_back(before->inputs[i]);
            bytes.push_back(before->bytes[i]);
        }
        apply(lane.ledger, resolution, PeId{rank_}, std::move(bytes));
    }

    void end_repair() {
        for (auto& lane : self_.lanes) {
            if (mutant_ == Mutant::forgets_inputs_in_repair) forget_inputs(lane);
            lane.ledger.forget_returned();
        }
        self_.repair.reset();
        switch (self_.doing) {
            case Process::Doing::collective:
                if (self_.call.step() == Call::Step::repair) self_.call.advance(lane_of(instruction().on).ledger, true);
                break;
            case Process::Doing::release:
                self_.freeing.advance(true);
                break;
            case Process::Doing::leave:
                self_.farewell.advance(true);
                break;
            default:
                break;  // it waits for its message again
        }
    }
};

}  // namespace regraft::shield::test
