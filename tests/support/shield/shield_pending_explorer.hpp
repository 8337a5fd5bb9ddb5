// Explores all that can happen to the nonblocking operations of one lane: every order of events, every death at every
// moment. Repairs are one event; what happens inside of one is explored by shield_explorer.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "shield/protocol/plan.hpp"
#include "support/shield/shield_explored.hpp"

namespace regraft::shield::test::pending {

constexpr LaneId the_lane{1};

/// A rank that succeeds without the root, or without one of the members, has a wrong result.
struct Operation {
    std::optional<int> root;
};

struct Scenario {
    int ranks = 3;
    int deaths = 1;
    std::vector<Operation> operations;
    bool calls_without_death = false;  // a rank may call for a repair though all live
    bool lies = false;                 // operations succeed, with anything, when a member is dead that is not through
};

enum class Mutant {
    none,
    confirms_nothing,     // an operation is over when it has succeeded here
    knows_only_itself,    // a repair knows only what this rank has settled, and not the others
    trusts_survivors,     // it suffices that all survivors have succeeded, though a rank was lost
    keeps_successes,      // successes of attempts before a repair count
    one_stage,            // a round has one stage
    tells_itself_only,    // rounds carry no minimum
    restarts_backwards,   // operations are started again in another order than that of their numbers
    forgets_what_is_new,  // a repair settles nothing, and no rank attempts anything again
};

class Explorer {
public:
    explicit Explorer(Scenario scenario, Mutant mutant = Mutant::none)
        : scenario_(std::move(scenario)), mutant_(mutant) {}

    Findings run() {
        State state;
        state.processes.resize(static_cast<std::size_t>(scenario_.ranks));
        for (int rank = 0; rank < scenario_.ranks; ++rank) state.members.push_back(rank);
        visit(state);
        findings_.states = seen_.size();
        return findings_;
    }

private:
    /// An operation at one process.
    struct Attempt {
        OperationNumber number = 0;
        bool over = false;
    };
    struct Process {
        bool lives = true;
        bool interrupted = false;
        PendingLedger ledger;
        std::vector<Attempt> attempts;  // of the present lane, in the order of their start
        std::optional<Round> round;
        std::vector<int> results;   // by operation, of its last success: the number of the lane, or wrong
        std::vector<int> returned;  // by operation
    };
    struct Message {
        int from, to;
        OperationNumber least;
    };
    struct State {
        std::vector<Process> processes;
        std::vector<int> members;
        std::deque<Message> messages;
        int lane = 0;  // counts repairs
        int deaths = 0;
        bool called = false;  // for a repair
    };
    static constexpr int wrong = -1;
    static constexpr int none = -2;

    Process& at(State& state, int rank) const { return state.processes[static_cast<std::size_t>(rank)]; }

    void fail(std::string const& what) {
        if (findings_.violation.empty()) findings_.violation = what;
    }

    static int position(State const& state, int rank) {
        return static_cast<int>(std::find(state.members.begin(), state.members.end(), rank) - state.members.begin());
    }

    // --- events; each returns whether it was possible

    void enter(State& state, int rank, OperationNumber number) {
        auto& process = at(state, rank);
        auto const slot = process.attempts.size();
        for (auto const other : state.members) {
            auto const& attempts = at(state, other).attempts;
            if (other != rank && slot < attempts.size() && attempts[slot].number != number)
                fail("two members are in different operations");
        }
        process.attempts.push_back({number});
    }

    bool start(State& state, int rank) {
        auto& process = at(state, rank);
        if (process.ledger.counts().started == scenario_.operations.size()) return false;
        auto const number = process.ledger.start();
        process.results.resize(number, none);
        enter(state, rank, number);
        return true;
    }

    bool has_entered(State& state, int rank, OperationNumber number) const {
        auto const& attempts = at(state, rank).attempts;
        return std::any_of(attempts.begin(), attempts.end(), [&](Attempt const& a) { return a.number == number; });
    }

    bool is_through(State& state, int rank, OperationNumber number) const {
        auto const& attempts = at(state, rank).attempts;
        return std::any_of(attempts.begin(), attempts.end(),
                           [&](Attempt const& a) { return a.number == number && a.over; });
    }

    bool succeed(State& state, int rank, std::size_t slot, bool lies) {
        auto& process = at(state, rank);
        if (slot >= process.attempts.size() || process.attempts[slot].over) return false;
        auto const number = process.attempts[slot].number;
        auto const root = scenario_.operations[number - 1].root;
        bool possible = true;
        bool lost = false;
        for (auto const member : state.members) {
            bool const needed = !root || *root == member;
            possible = possible && (!needed || has_entered(state, member, number));
            lost = lost || (!at(state, member).lives && !is_through(state, member, number));
        }
        // A root that is dead: there is nothing to wait for.
        if (root && std::find(state.members.begin(), state.members.end(), *root) == state.members.end())
            possible = true;
        if (lies ? !scenario_.lies || !lost : !possible) return false;
        process.attempts[slot].over = true;
        process.results[number - 1] = lies ? wrong : state.lane;
        if (!is_counted(process, number)) process.ledger.succeed(number);
        if (mutant_ == Mutant::confirms_nothing) settle(process, process.ledger.counts().succeeded);
        return true;
    }

    /// Whether it had succeeded in an earlier attempt, which only a mutant remembers.
    bool is_counted(Process const& process, OperationNumber number) const {
        return mutant_ == Mutant::keeps_successes && number <= process.ledger.counts().succeeded;
    }

    void settle(Process& process, OperationNumber last) {
        if (last > process.ledger.counts().succeeded)
            return fail("an operation is over that has not succeeded everywhere");
        process.ledger.settle(last);
        while (process.returned.size() < last) process.returned.push_back(process.results[process.returned.size()]);
    }

    void tell(State& state, int rank) {
        auto& round = *at(state, rank).round;
        if (round.is_over()) return;
        auto const to = state.members[static_cast<std::size_t>(round.to())];
        auto const least = mutant_ == Mutant::tells_itself_only ? scenario_.operations.size() : round.least();
        state.messages.push_back({rank, to, least});
    }

    void end_round(Process& process) {
        settle(process,
               mutant_ == Mutant::tells_itself_only ? process.ledger.counts().succeeded : process.round->least());
        process.round.reset();
    }

    bool begin_round(State& state, int rank) {
        auto& process = at(state, rank);
        if (process.round || !process.ledger.has_news()) return false;
        process.round.emplace(position(state, rank), static_cast<int>(state.members.size()),
                              process.ledger.counts().succeeded);
        tell(state, rank);
        if (process.round->is_over()) end_round(process);
        return true;
    }

    bool hear(State& state, int rank) {
        auto& process = at(state, rank);
        if (!process.round) return false;
        auto const from = state.members[static_cast<std::size_t>(process.round->from())];
        auto const message = std::find_if(state.messages.begin(), state.messages.end(),
                                          [&](Message const& m) { return m.from == from && m.to == rank; });
        if (message == state.messages.end()) return false;
        process.round->hear(message->least);
        state.messages.erase(message);
        tell(state, rank);
        if (process.round->is_over() || mutant_ == Mutant::one_stage) end_round(process);
        return true;
    }

    /// It hears of a death or of a call for a repair.
    bool interrupt(State& state, int rank) {
        auto& process = at(state, rank);
        bool const death = std::any_of(state.members.begin(), state.members.end(),
                                       [&](int member) { return !at(state, member).lives; });
        bool const call = scenario_.calls_without_death && state.lane == 0 && process.ledger.has_news();
        if (process.interrupted || !(death || call || state.called)) return false;
        if (process.ledger.is_settled() && !state.called) return false;  // nothing that would tell it
        process.interrupted = state.called = true;
        return true;
    }

    bool die(State& state, int rank) {
        if (state.deaths == scenario_.deaths) return false;
        at(state, rank).lives = false;
        at(state, rank).round.reset();
        ++state.deaths;
        return true;
    }

    /// All have come; some rank, if any, dies when it has told what it knows.
    bool repair(State& state, std::optional<int> dies) {
        std::vector<Census::Row> rows;
        auto const before = state.members.size();
        for (int rank = 0; rank < scenario_.ranks; ++rank) {
            auto const& process = at(state, rank);
            if (!process.lives) continue;
            if (!process.interrupted) return false;
            rows.push_back({PeId{static_cast<std::uint32_t>(rank)},
                            {LaneReport{the_lane, 0, false, {}, process.ledger.counts()}}});
        }
        if (rows.empty() || (dies && !die(state, *dies))) return false;
        Census const census(std::move(rows));
        std::vector<PeId> members;
        std::erase_if(state.members, [&](int rank) { return !at(state, rank).lives; });
        for (auto const rank : state.members) members.push_back(PeId{static_cast<std::uint32_t>(rank)});
        bool const nobody_was_lost = state.members.size() == before || mutant_ == Mutant::trusts_survivors;
        auto const last = census.settled(the_lane, members, nobody_was_lost);
        state.messages.clear();
        state.called = false;
        ++state.lane;
        for (auto const rank : state.members) at(state, rank).attempts.clear();
        for (auto const rank : state.members) {
            auto& process = at(state, rank);
            settle(process, mutant_ == Mutant::knows_only_itself ? process.ledger.counts().settled : last);
            process.interrupted = false;
            process.round.reset();
            if (mutant_ != Mutant::keeps_successes) process.ledger.restart();
            restart(state, rank);
        }
        return true;
    }

    void restart(State& state, int rank) {
        auto const counts = at(state, rank).ledger.counts();
        if (mutant_ == Mutant::forgets_what_is_new) return;
        bool const backwards = mutant_ == Mutant::restarts_backwards;
        auto const count = counts.started - counts.settled;
        for (OperationNumber i = 1; i <= count; ++i)
            enter(state, rank, backwards ? counts.started + 1 - i : counts.settled + i);
    }

    // --- exploration

    static constexpr int first_success = 7;  // of the numbers of events

    /// What process `rank` does, by number; repairs are of all.
    bool carry_out(State& state, int rank, int event) {
        auto const operations = static_cast<int>(scenario_.operations.size());
        auto const& process = at(state, rank);
        if (event == 0) return die_and_check(state, rank);
        if (event == 1) return rank == 0 && repair(state, {});
        if (event == 2) return process.lives && repair(state, rank);
        if (!process.lives || process.interrupted) return false;
        if (event == 3) return start(state, rank);
        if (event == 4) return begin_round(state, rank);
        if (event == 5) return hear(state, rank);
        if (event == 6) return interrupt(state, rank);
        auto const slot = event - first_success;
        return succeed(state, rank, static_cast<std::size_t>(slot % operations), slot >= operations);
    }
    bool die_and_check(State& state, int rank) { return at(state, rank).lives && die(state, rank); }

    void visit(State const& state) {
        if (!findings_.violation.empty() || !seen_.insert(describe(state)).second) return;
        check(state);
        bool stays = true;
        auto const events = first_success + 2 * static_cast<int>(scenario_.operations.size());
        for (int rank = 0; rank < scenario_.ranks; ++rank) {
            for (int event = 0; event < events && findings_.violation.empty(); ++event) {
                State next = state;
                if (!carry_out(next, rank, event)) continue;
                stays = stays && (event == 0 || event == 2);  // without another death
                visit(next);
                if (!findings_.violation.empty())
                    findings_.story.insert(findings_.story.begin(), describe(rank, event));
            }
        }
        if (stays) check_end(state);
    }

    std::string describe(int rank, int event) const {
        static constexpr char const* names[] = {"dies",           "all repair", "dies while all repair", "starts",
                                                "begins a round", "hears",      "is interrupted"};
        auto text = "rank " + std::to_string(rank) + " ";
        if (event == 1) return names[event];  // of nobody in particular
        if (event < first_success) return text + names[event];
        auto const operations = static_cast<int>(scenario_.operations.size());
        auto const slot = event - first_success;
        text += "succeeds in attempt " + std::to_string(slot % operations);
        return slot < operations ? text : text + ", with anything";
    }

    void check(State const& state) {
        for (std::size_t i = 0; i < scenario_.operations.size(); ++i) {
            int seen = none;
            for (auto const& process : state.processes) {
                if (!process.lives || process.returned.size() <= i) continue;
                if (process.returned[i] == wrong) fail("a wrong result is returned");
                if (seen != none && process.returned[i] != seen) fail("two outcomes of one operation");
                seen = process.returned[i];
            }
        }
    }

    void check_end(State const& state) {
        ++findings_.ends;
        for (auto const& process : state.processes)
            if (process.lives && process.returned.size() != scenario_.operations.size())
                fail("survivors wait for ever");
    }

    static std::string describe(State const& state) {
        ByteWriter out;
        out.put(state.lane);
        out.put(state.deaths);
        out.put(state.called);
        out.put(state.members.size());
        for (auto const& process : state.processes) {
            auto const counts = process.ledger.counts();
            out.put(process.lives);
            out.put(process.interrupted);
            out.put(counts.started);
            out.put(counts.succeeded);
            out.put(counts.settled);
            out.put(process.attempts.size());
            for (auto const& attempt : process.attempts) {
                out.put(attempt.number);
                out.put(attempt.over);
            }
            out.put(process.round.has_value());
            if (process.round) {
                out.put(process.round->least());
                out.put(process.round->is_over() ? -1 : process.round->to());
            }
            for (auto const result : process.results) out.put(result);
            for (auto const result : process.returned) out.put(result);
        }
        for (auto const& message : state.messages) {
            out.put(message.from);
            out.put(message.to);
            out.put(message.least);
        }
        auto const bytes = out.bytes();
        return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
    }

    Scenario scenario_;
    Mutant mutant_;
    Findings findings_;
    std::unordered_set<std::string> seen_;
};

}  // namespace regraft::shield::test::pending
