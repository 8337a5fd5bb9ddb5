// Explores all that can happen to commits and updates: every order of events, every death at every moment. A recovery
// is one event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "support/explored.hpp"
#include "support/store/commit_model.hpp"

namespace regraft::test::commits {

class Explorer : public Exploration<Explorer> {
public:
    explicit Explorer(Scenario scenario, Mutant mutant = Mutant::none)
        : scenario_(std::move(scenario)), mutant_(mutant) {}

private:
    friend class Exploration<Explorer>;
    struct Move {
        enum class Kind : std::uint8_t {
            go_on,
            die,
            succeed,
            fail,
            alarm,
            agree,
            agree_without_dead,  // what members have voted that died in the agreement does not count
            recover
        };
        Kind kind;
        std::size_t who = 0;
    };

    Actor actor(Job& job, std::size_t self) const { return {job, self, scenario_, mutant_}; }

    /// Everything was committed once, among all.
    Job start() const {
        Job job;
        job.living = job.communicator = static_cast<Set>((1U << scenario_.members) - 1);
        job.deaths_left = scenario_.deaths;
        job.alarms_left = scenario_.alarms;
        for (std::size_t row = 0; row < scenario_.members; ++row) {
            job.right[row].fill(holders_of(row, job.communicator, scenario_.replicas));
        }
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            auto& member = job.members[i];
            for (auto& row : member.spare) row.fill(torn);
            member.dealt_among = job.communicator;
            member.stale.fill(all_chunks);
            member.holders = job.right;
        }
        for (std::size_t i = 0; i < scenario_.members; ++i) actor(job, i).begin_call();
        return job;
    }

    template <class Rule>
    bool all_waiting(Job const& job, Rule rule) const {
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            auto const& member = job.members[i];
            if (contains(job.living, i) && member.step != Step::done && !rule(member)) return false;
        }
        return true;
    }
    bool is_over(Job const& job) const {
        return all_waiting(job, [](Member const&) { return false; });
    }

    /// The events that can happen next. What a member does after an agreement is in no other's way, so it comes first.
    std::vector<Move> moves(Job& job) const {
        using Kind = Move::Kind;
        std::vector<Move> result;
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            if (!contains(job.living, i) || job.members[i].woken == Member::Woken::no) continue;
            result.push_back({Kind::go_on, i});
            if (job.deaths_left > 0) result.push_back({Kind::die, i});
            return result;
        }
        bool const dead_in_it = (job.communicator & ~job.living) != 0;
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            auto const& member = job.members[i];
            if (!contains(job.living, i) || member.step >= Step::failed) continue;
            if (actor(job, i).may_succeed()) result.push_back({Kind::succeed, i});
            if (dead_in_it || (job.revoked && !is_agreement(member.step))) result.push_back({Kind::fail, i});
            if (job.alarms_left > 0 && !is_agreement(member.step)) result.push_back({Kind::alarm, i});
        }
        if (!is_over(job)) {
            auto const votes = [](Member const& each) { return is_agreement(each.step) || each.step == Step::failed; };
            if (all_waiting(job, votes)) {
                result.push_back({Kind::agree});
                if (job.dead_refused || job.dead_failed) result.push_back({Kind::agree_without_dead});
            }
            if (all_waiting(job, [](Member const& each) { return each.step == Step::recovering; })) {
                result.push_back({Kind::recover});
            }
        }
        if (result.empty()) return result;  // no member gets on, so no death may be awaited
        for (std::size_t i = 0; i < scenario_.members && job.deaths_left > 0; ++i) {
            if (contains(job.living, i) && job.members[i].step != Step::done) result.push_back({Kind::die, i});
        }
        return result;
    }

    void apply(Job& job, Move move) const {
        using Kind = Move::Kind;
        auto& member = job.members[move.who];
        switch (move.kind) {
            case Kind::go_on: {
                bool const agreed = std::exchange(member.woken, Member::Woken::no) == Member::Woken::agreed;
                actor(job, move.who).go_on(agreed);
                break;
            }
            case Kind::die:
                die(job, move.who);
                break;
            case Kind::succeed:
                actor(job, move.who).succeed();
                break;
            case Kind::alarm:
                --job.alarms_left;
                [[fallthrough]];
            case Kind::fail:
                actor(job, move.who).fail();
                break;
            case Kind::agree:
            case Kind::agree_without_dead:
                agree(job, move.kind == Kind::agree);
                break;
            case Kind::recover:
                recover(job);
                break;
        }
        note_regained(job);
        expect_readable(job);
        if (is_over(job)) expect_same(job);
    }

    /// What it has sent stays sent.
    static void die(Job& job, std::size_t i) {
        auto const& member = job.members[i];
        --job.deaths_left;
        job.living &= static_cast<Set>(~only(i));
        job.dead_failed = job.dead_failed || member.step == Step::failed;
        bool const voted = is_agreement(member.step) && member.woken == Member::Woken::no;
        job.dead_refused = job.dead_refused || (voted && !member.in_favour);
    }

    void agree(Job& job, bool with_dead) const {
        bool failure = std::exchange(job.dead_failed, false) && with_dead;
        bool yes = !(std::exchange(job.dead_refused, false) && with_dead);
        auto const visit_living = [&](auto visit) {
            for (std::size_t i = 0; i < scenario_.members; ++i) {
                if (contains(job.living, i) && job.members[i].step != Step::done) visit(job.members[i]);
            }
        };
        visit_living([&](Member& each) {
            failure = failure || each.step == Step::failed;
            yes = yes && each.in_favour;
        });
        visit_living([&](Member& each) {
            if (failure) {
                each.step = Step::recovering;
            } else {
                each.woken = yes ? Member::Woken::agreed : Member::Woken::refused;
            }
        });
    }

    /// Survivors have the same version, and go on from it. If all holders of a row have died, the program would begin
    /// again: the exploration ends there.
    void recover(Job& job) const {
        expect_same(job);
        job.communicator = job.living;
        job.revoked = job.dead_failed = job.dead_refused = false;
        bool const lost = is_lost(job);
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            if (!contains(job.living, i)) continue;
            if (lost) job.members[i].step = Step::done;
        }
        if (lost) return;
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            if (contains(job.living, i)) job.members[i].entered = 0;
        }
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            if (contains(job.living, i)) actor(job, i).recover();
        }
    }

    bool is_update() const { return scenario_.calls.front().kind == Call::Kind::update; }

    bool is_lost(Job const& job) const {
        if (is_update()) return false;
        auto const dealt = job.members[next_living(0, job.living)].dealt_among;
        for (std::size_t row = 0; row < scenario_.members; ++row) {
            if ((holders_of(row, dealt, scenario_.replicas) & job.living) == 0) return true;
        }
        return false;
    }

    // --- what must hold

    /// When the first member adopts a version, lost blocks of it are with the members that gave them.
    void note_regained(Job& job) const {
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            auto const& member = job.members[i];
            if (!is_update() || !contains(job.living, i) || member.version <= job.newest) continue;
            job.newest = member.version;
            auto const& given = Actor::changed(scenario_, member, member.version - 1U);
            for (std::size_t row = 0; row < scenario_.members; ++row) {
                for (std::size_t chunk = 0; chunk < num_chunks; ++chunk) {
                    auto& right = job.right[row][chunk];
                    bool const is_lost = (right & job.communicator) == 0;
                    if (is_lost && contains(given[row], chunk)) right = only(next_living(row, job.communicator));
                }
            }
        }
    }

    /// A member can read the version that counts for it, at any moment.
    void expect_readable(Job const& job) const {
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            auto const& member = job.members[i];
            if (!contains(job.living, i)) continue;
            for (std::size_t row = 0; row < scenario_.members; ++row) {
                for (std::size_t chunk = 0; chunk < num_chunks; ++chunk) {
                    bool const right =
                        member.current[row][chunk] == Actor::bytes_of(scenario_, member, member.version, row, chunk);
                    if (!right && Actor::holds(member, i, row, chunk, scenario_)) {
                        throw Violation("the version that counts has other bytes");
                    }
                }
            }
        }
    }

    /// All survivors have the same version, and what it lacks is rightly lost.
    void expect_same(Job const& job) const {
        auto const& first = job.members[next_living(0, job.living)];
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            auto const& member = job.members[i];
            if (!contains(job.living, i)) continue;
            if (member.version != first.version) throw Violation("survivors have different versions");
            if (!is_update()) continue;
            for (std::size_t row = 0; row < scenario_.members; ++row) {
                for (std::size_t chunk = 0; chunk < num_chunks; ++chunk) {
                    auto const living = [&](Holders const& holders) { return holders[row][chunk] & job.living; };
                    if (living(member.holders) != living(first.holders)) {
                        throw Violation("survivors disagree on holders");
                    }
                    if (living(member.holders) == 0 && living(job.right) != 0) {
                        throw Violation("a block is lost whose holder lives");
                    }
                }
            }
        }
    }

    // --- states

    static std::string describe(Job const& job, Move move) {
        static constexpr char const* events[] = {
            "goes on", "dies", "succeeds", "fails", "alarms", "all members agree", "the living agree", "recovery"};
        static constexpr char const* steps[] = {"tell",
                                                "reduce",
                                                "changes",
                                                "agree on changes",
                                                "gather",
                                                "everything",
                                                "agree on everything",
                                                "given",
                                                "agree on what was given",
                                                "failed",
                                                "recovering",
                                                "done"};
        std::string const event = events[static_cast<std::size_t>(move.kind)];
        if (move.kind >= Move::Kind::agree) return event;
        auto const& member = job.members[move.who];
        return "member " + std::to_string(move.who) + " " + event + " at '" +
               steps[static_cast<std::size_t>(member.step)] + "', version " + std::to_string(member.version);
    }

    std::uint64_t fingerprint(Job const& job) const {
        ByteWriter out;
        for (auto const set : {job.living, job.communicator}) out.put(set);
        for (bool const flag : {job.revoked, job.dead_refused, job.dead_failed}) out.put(flag);
        out.put(job.deaths_left);
        out.put(job.alarms_left);
        out.put(job.newest);
        out.put(job.right);
        for (std::size_t i = 0; i < scenario_.members; ++i) {
            auto const& member = job.members[i];
            out.put(member.entered);  // also of the dead: what they have sent has arrived
            if (!contains(job.living, i)) continue;
            out.put(member.step);
            out.put(member.version);
            out.put(member.repeated);
            out.put(member.in_favour);
            out.put(member.woken);
            out.put(member.current);
            out.put(member.spare);
            out.put(member.dealt_among);
            out.put(member.stale);
            out.put(member.told);
            out.put(member.holders);
            out.put(member.planned);
        }
        return hash(out.bytes());
    }

    Scenario scenario_;
    Mutant mutant_;
};

}  // namespace regraft::test::commits
