// Explores all that can happen to a job under the shield: every order of events, every death at every moment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "support/shield/shield_driver.hpp"
#include "support/shield/shield_explored.hpp"

namespace regraft::shield::test {

struct Scenario {
    Program program;
    std::uint8_t ranks = 3;
    std::uint8_t deaths = 1;                 // at most
    RankSet mortal = (1U << max_ranks) - 1;  // ranks that may die
    /// Handle 0 is all ranks; the members of these have them as handle 1, 2.
    std::vector<RankSet> groups{};
    CommitOptions options{};
    /// The control communicator is younger than the lanes, as after repairs.
    bool control_is_young = false;
};

class Explorer : public regraft::test::Exploration<Explorer> {
public:
    explicit Explorer(Scenario scenario, Mutant mutant = Mutant::none)
        : scenario_(std::move(scenario)), mutant_(mutant) {}

private:
    friend class regraft::test::Exploration<Explorer>;
    struct Move {
        enum class Kind : std::uint8_t {
            go_on,
            die,
            succeed,
            succeed_unheard,
            fail,
            agree,
            agree_without_dead,
            renew,
            look_blind,
            look,
            receive,
            receive_nothing,
            poll
        };
        Kind kind;
        std::uint8_t who;  // a rank, or the communicator of agree and renew
    };

    Driver driver(Job& job, Rank rank) const { return {job, rank, scenario_.program, scenario_.options, mutant_}; }

    Job start() const {
        Job job;
        auto& world = job.world;
        auto const all = static_cast<RankSet>((1U << scenario_.ranks) - 1);
        world.living = all;
        job.deaths_left = scenario_.deaths;
        world.make(all);  // MPI_COMM_WORLD
        CommIndex control = scenario_.control_is_young ? CommIndex{0} : world.make(all);
        std::vector<RankSet> groups{all};
        groups.insert(groups.end(), scenario_.groups.begin(), scenario_.groups.end());
        for (std::size_t handle = 0; handle < groups.size(); ++handle) {
            auto const comm = world.make(groups[handle]);
            LaneId const id{handle + 1};
            for (Rank r = 0; r < scenario_.ranks; ++r) {
                if (!contains(groups[handle], r)) continue;
                job.processes[r].handles[handle] = id;
                job.processes[r].lanes.push_back({id, {}, comm, groups[handle], {}, 0, true});
            }
        }
        if (scenario_.control_is_young) control = world.make(all);
        for (Rank r = 0; r < scenario_.ranks; ++r) {
            job.processes[r].control = control;
            driver(job, r).run();
        }
        tidy(job);
        return job;
    }

    /// The events that can happen next. Where a process can only go on, nothing else needs to be tried before: going on
    /// makes more possible for the others, and nothing impossible.
    std::vector<Move> moves(Job const& job) const {
        std::vector<Move> result;
        for (Rank r = 0; r < scenario_.ranks; ++r) {
            if (!contains(job.world.living, r) || !job.processes[r].woken_with) continue;
            result.push_back({Move::Kind::go_on, r});
            if (may_die(job, r)) result.push_back({Move::Kind::die, r});
            return result;
        }
        for (Rank r = 0; r < scenario_.ranks; ++r)
            if (contains(job.world.living, r)) add_moves_of(job, r, result);
        for (std::size_t i = 0; i < job.world.comms.size(); ++i) add_meetings(job, static_cast<CommIndex>(i), result);
        if (result.empty()) return result;  // no rank gets on, so no death may be awaited
        for (Rank r = 0; r < scenario_.ranks; ++r)
            if (may_die(job, r)) result.push_back({Move::Kind::die, r});
        return result;
    }

    bool may_die(Job const& job, Rank r) const {
        return job.deaths_left > 0 && contains(job.world.living & scenario_.mortal, r) && !is_gone(job, r);
    }

    static bool is_gone(Job const& job, Rank r) { return job.processes[r].doing == Process::Doing::gone; }

    void add_moves_of(Job const& job, Rank r, std::vector<Move>& result) const {
        auto const& world = job.world;
        auto const& process = job.processes[r];
        bool const called = world.comms[process.control].revoked;
        if (process.looks) {
            result.push_back({Move::Kind::look_blind, r});
            if (called) result.push_back({Move::Kind::look, r});
            return;
        }
        auto const in = world.waits[r].in;
        if (in == Waiting::operation || in == Waiting::give || in == Waiting::take || in == Waiting::acknowledgement) {
            if (world.may_succeed(r)) result.push_back({Move::Kind::succeed, r});
            if (world.may_succeed(r) && world.may_stay_unheard(r)) result.push_back({Move::Kind::succeed_unheard, r});
            if (world.may_fail(r)) result.push_back({Move::Kind::fail, r});
        }
        if (in == Waiting::message) {
            auto const from = world.waits[r].partner;
            bool const arrived = world.in_flight[from][r] > 0;
            if (arrived) result.push_back({Move::Kind::receive, r});
            if (!arrived && !contains(world.living, from)) result.push_back({Move::Kind::receive_nothing, r});
            if (called && mutant_ != Mutant::no_poll) result.push_back({Move::Kind::poll, r});
        }
    }

    static void add_meetings(Job const& job, CommIndex index, std::vector<Move>& result) {
        auto const& world = job.world;
        auto const& comm = world.comms[index];
        if ((comm.members & world.living) == 0) return;
        if (world.all_wait(Waiting::agreement, index)) {
            result.push_back({Move::Kind::agree, index});
            if (comm.dead_said_no) result.push_back({Move::Kind::agree_without_dead, index});
        }
        if (world.can_shrink(index)) result.push_back({Move::Kind::renew, index});
    }

    void apply(Job& job, Move move) const {
        make(job, move);
        tidy(job);
        if (job.world.comms.size() > most_comms) throw Violation("repairs do not end");
    }

    void make(Job& job, Move move) const {
        auto& world = job.world;
        auto const rank = move.who;
        switch (move.kind) {
            case Move::Kind::go_on:
                return driver(job, rank).wake(*std::exchange(job.processes[rank].woken_with, std::nullopt));
            case Move::Kind::die:
                --job.deaths_left;
                world.die(rank);
                job.processes[rank] = {};
                return;
            case Move::Kind::succeed_unheard:
                job.processes[rank].hears = false;
                [[fallthrough]];
            case Move::Kind::succeed:
                return driver(job, rank).wake(true);
            case Move::Kind::fail:
                return driver(job, rank).wake(false);
            case Move::Kind::agree:
            case Move::Kind::agree_without_dead:
                return agree(job, move.who, move.kind == Move::Kind::agree);
            case Move::Kind::renew:
                return renew(job, move.who);
            case Move::Kind::look_blind:
            case Move::Kind::look:
                return driver(job, rank).look(move.kind == Move::Kind::look);
            case Move::Kind::receive:
                --world.in_flight[world.waits[rank].partner][rank];
                return driver(job, rank).wake(true);
            case Move::Kind::receive_nothing:
                return driver(job, rank).wake(true);
            case Move::Kind::poll:
                return driver(job, rank).join_repair();
        }
    }

    void agree(Job& job, CommIndex index, bool with_dead) const {
        auto& world = job.world;
        auto& comm = world.comms[index];
        bool yes = !(std::exchange(comm.dead_said_no, false) && with_dead);
        std::uint8_t topics = 0;
        RankSet const there = comm.members & world.living;
        for (Rank r = 0; r < scenario_.ranks; ++r) {
            if (!contains(there, r)) continue;
            yes = yes && world.waits[r].says;
            topics |= static_cast<std::uint8_t>(1U << (world.waits[r].topic % 8));
        }
        if (std::popcount(topics) != 1) throw Violation("an agreement on different questions");
        wake_all(job, there, yes);
    }

    void renew(Job& job, CommIndex index) const {
        auto& world = job.world;
        RankSet const there = world.comms[index].members & world.living;
        auto const next = world.make(there);
        for (Rank r = 0; r < scenario_.ranks; ++r) {
            if (!contains(there, r)) continue;
            job.processes[r].renewed = next;
            world.lock[r] = 0;
        }
        wake_all(job, there, true);
    }

    void wake_all(Job& job, RankSet there, bool with) const {
        for (Rank r = 0; r < scenario_.ranks; ++r) {
            if (!contains(there, r)) continue;
            job.world.waits[r] = {};
            job.processes[r].woken_with = with;
        }
    }

    /// Forgets what cannot matter any more, so that fewer states differ.
    void tidy(Job& job) const {
        auto const living = [&](Rank r) { return contains(job.world.living, r); };
        std::uint64_t used = 1;
        for (Rank r = 0; r < scenario_.ranks; ++r) {
            if (!living(r) || is_gone(job, r)) continue;
            auto const& process = job.processes[r];
            used |= std::uint64_t{1} << process.control | std::uint64_t{1} << job.world.waits[r].comm;
            if (process.woken_with) used |= std::uint64_t{1} << process.renewed;
            for (auto const* lanes : {&process.lanes, &process.children})
                for (auto const& lane : *lanes) used |= std::uint64_t{1} << lane.comm;
        }
        for (std::size_t i = 0; i < job.world.comms.size(); ++i)
            if ((used >> i & 1) == 0) job.world.comms[i] = {};
        for (Rank r = 0; r < scenario_.ranks; ++r) {
            std::erase_if(job.processes[r].results, [&](auto const& result) {
                if (Driver::was_split_off(result.lane)) return false;  // its maker does not know its name
                for (Rank other = 0; other < scenario_.ranks; ++other) {
                    for (auto const& lane : job.processes[other].lanes)
                        if (living(other) && lane.id == result.lane && lane.ledger.returned() < result.number)
                            return false;
                    for (auto const& lane : job.processes[other].children)
                        if (living(other) && lane.id == result.lane) return false;
                }
                return true;
            });
        }
    }

    bool is_over(Job const& job) const {
        for (Rank r = 0; r < scenario_.ranks; ++r) {
            if (contains(job.world.living, r) && !is_gone(job, r)) return false;
        }
        return true;
    }

    std::string describe(Job const& job, Move move) const {
        static constexpr char const* names[] = {"goes on",
                                                "dies",
                                                "succeeds",
                                                "succeeds without hearing of a death",
                                                "fails",
                                                "agreement",
                                                "agreement without what the dead said",
                                                "renewal",
                                                "looks and sees nothing",
                                                "looks and sees the call to a repair",
                                                "receives",
                                                "receives nothing from the dead",
                                                "polls"};
        std::string text = names[static_cast<std::size_t>(move.kind)];
        bool const meeting = move.kind == Move::Kind::agree || move.kind == Move::Kind::agree_without_dead ||
                             move.kind == Move::Kind::renew;
        if (meeting) return text + " on communicator " + std::to_string(move.who);
        auto const& process = job.processes[move.who];
        auto result = "rank " + std::to_string(move.who) + " " + text + " at instruction " + std::to_string(process.at);
        if (process.repair)
            result += ", repair step " + std::to_string(static_cast<int>(process.repair->step()));
        else
            result += ", call step " + std::to_string(static_cast<int>(process.call.step()));
        return result;
    }

    static void describe(Ledger const& ledger, ByteWriter& out) {
        out.put(ledger.returned());
        out.put(ledger.known());
        out.put(ledger.is_tentative());
        out.put(ledger.unsynchronised());
        out.put(ledger.log().size());
        for (auto const& outcome : ledger.log()) {
            out.put(outcome.number);
            out.put(outcome.kind);
            out.put(outcome.root);
            out.put_all(std::span(outcome.bytes));
            out.put_all(std::span(outcome.inputs));
        }
    }
    static void describe(std::vector<Process::Lane> const& lanes, ByteWriter& out) {
        out.put(lanes.size());
        for (auto const& lane : lanes) {
            describe(lane.ledger, out);
            out.put(lane.id);
            out.put(lane.comm);
            out.put(lane.founders);
            out.put(lane.safe);
            out.put(lane.closed);
        }
    }
    static void describe(Process const& process, ByteWriter& out) {
        out.put(process.at);
        out.put(process.doing);
        out.put(process.looks);
        out.put(process.woken_with ? 1 + int{*process.woken_with} : 0);
        out.put(process.renewed);
        out.put(process.control);
        out.put(process.handles);
        describe(process.lanes, out);
        describe(process.children, out);
        out.put(process.call.step());
        out.put(process.creation ? 1 + static_cast<int>(process.creation->step()) : 0);
        out.put(process.freeing.step());
        out.put(process.farewell.step());
        out.put(process.farewell.voted());
        out.put(process.repair ? 2 * static_cast<int>(process.repair->step()) + process.repair->so() : -1);
        out.put(process.attempted_on);
        out.put(process.contributors);
        out.put(process.taken);
        out.put(process.is_complete);
        out.put(process.lane_at);
        out.put(process.forward_at);
        out.put(process.hears);
        out.put(process.results.size());
        for (auto const& result : process.results) {
            out.put(result.lane);
            out.put(result.number);
            out.put(result.execution);
            out.put(result.contributors);
        }
    }
    static std::uint64_t fingerprint(Job const& job) {
        ByteWriter out;
        job.world.describe(out);
        out.put(job.deaths_left);
        for (auto const& process : job.processes) describe(process, out);
        return hash(out.bytes());
    }

    static constexpr std::size_t most_comms = 60;

    Scenario scenario_;
    Mutant mutant_;
};

}  // namespace regraft::shield::test
