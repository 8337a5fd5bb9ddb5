// A process under the shield in the modelled MPI: carries out the steps of the protocol's state machines, and those of
// a small program.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
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

/// Moves one process of a job.
class Driver {
public:
    Driver(Job& job, Rank rank, Program const& program, CommitOptions options, Mutant mutant)
        : job_(job),
          world_(job.world),
          self_(job.processes[rank]),
          rank_(rank),
          program_(program),
          options_(options),
          mutant_(mutant) {}

    /// Goes on until it waits, looks or is gone.
    void run() {
        while (!self_.looks && world_.waits[rank_].in == Waiting::nothing && self_.doing != Process::Doing::gone) {
            if (self_.repair) {
                repair_step();
            } else {
                program_step();
            }
        }
    }

    /// Whether a lane was not there at the beginning.
    static bool was_split_off(LaneId lane) { return static_cast<std::uint64_t>(lane) > max_handles; }

    void look(bool repair_called) {
        self_.looks = false;
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
        run();
    }

    /// The operation, agreement, renewal or receipt in which it waits has ended.
    void wake(bool ok) {
        auto const wait = std::exchange(world_.waits[rank_], Wait{});
        if (self_.repair) {
            repair_ended(wait, ok);
        } else {
            program_ended(wait, ok);
        }
        run();
    }

    void join_repair() {
        world_.waits[rank_] = {};
        self_.repair.emplace(/*voted=*/false);
        run();
    }

private:
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

    // --- the program

    void program_step() {
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

    static void forget_inputs(Process::Lane& lane) {
        for (OperationNumber number = 1; number <= lane.ledger.returned(); ++number) {
            auto* const outcome = lane.ledger.find(number);
            if (outcome != nullptr && outcome->kind == OutcomeKind::input) outcome->kind = OutcomeKind::arrived;
        }
        lane.ledger.forget_returned();
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

    void program_ended(Wait const& wait, bool ok) {
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

    // --- the repair

    void repair_step() {
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

    void repair_ended(Wait const& wait, bool ok) {
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

    Job& job_;
    World& world_;
    Process& self_;
    Rank rank_;
    Program const& program_;
    CommitOptions options_;
    Mutant mutant_;
};

}  // namespace regraft::shield::test
