// A model of commits of a snapshot and of updates of a store, step by step as docs/mpi/snapshot.md and
// docs/mpi/store.md describe them: small enough to be explored exhaustively. It shares no code with either.
//
// Every member has one row of state, in chunks, and the members behind it have copies. Bytes are modelled by the number
// of the call that wrote them last. So what a member holds in a version can be compared with what was committed.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/explored.hpp"

namespace regraft::test::commits {

constexpr std::size_t max_members = 4, num_chunks = 2;
using Set = std::uint8_t;  // a bit for each member, or for each chunk
constexpr Set all_chunks = (1U << num_chunks) - 1;

constexpr Set only(std::size_t i) {
    return static_cast<Set>(1U << i);
}
constexpr bool contains(Set set, std::size_t i) {
    return (set >> i & 1U) != 0;
}

/// A call before which the program has changed chunks.
struct Call {
    enum class Kind : std::uint8_t {
        commit,  // of a snapshot: only changed chunks travel if the copies of the last commit are in place
        update   // of a store: changed chunks are written over the others when all have agreed
    };
    Kind kind = Kind::commit;
    std::array<Set, max_members> changed{};  // by row
    std::array<Set, max_members> again{};    // what it changes instead if it makes the call again after a failure
    Set against = 0;                         // members whose names or sizes have changed, so that all is sent whole
};

struct Scenario {
    std::vector<Call> calls;
    std::uint8_t members = 3;
    std::uint8_t replicas = 2;
    std::uint8_t deaths = 1;  // at most
    std::uint8_t alarms = 0;  // failures that a member declares although nobody has died, at most
};

/// What the protocols must not be without, and what they must not do.
enum class Mutant : std::uint8_t {
    none,
    writes_over_last_commit,    // changes go into the buffer that counts
    adopts_before_agreeing,     // buffers change places, or changes are written, when everything has arrived
    does_not_agree,             // what has arrived counts
    forgets_older_changes,      // chunks that changed in the commit before are not copied
    takes_spare_for_the_last,   // after a commit that was sent whole, the spare buffer is taken for a copy of it
    keeps_spare_after_failure,  // the spare buffer is thought to be what it was before a failure
    holders_stay_silent,        // a holder does not speak for a member that is against
    ignores_dissent,            // an agreement of changes is taken for a yes
    adds_holders_early,         // a member holds lost blocks as soon as it has told that it gives them
    forgets_regained            // lost blocks that were given have no holder afterwards
};

/// Where a member waits.
enum class Step : std::uint8_t {
    tell,              // an exchange of what has changed, and of who is against
    reduce,            // a reduction of how much has changed
    changes,           // an exchange of the changes
    agree_changes,     // the agreement on them
    gather,            // names and sizes, or the blocks that members give
    everything,        // an exchange of all rows
    agree_everything,  // the agreement on them
    given,             // an exchange of the blocks of an update
    agree_given,       // the agreement on them
    failed,            // votes for the failure
    recovering,
    done
};

constexpr bool is_agreement(Step step) {
    return step == Step::agree_changes || step == Step::agree_everything || step == Step::agree_given;
}

constexpr std::uint8_t torn = 255;
using Bytes = std::array<std::uint8_t, num_chunks>;
using Rows = std::array<Bytes, max_members>;
using Chunks = std::array<Set, max_members>;
using Holders = std::array<std::array<Set, num_chunks>, max_members>;

/// What one member knows and keeps.
struct Member {
    Step step = Step::done;
    std::uint8_t entered = 0;  // collectives on this communicator
    std::uint8_t version = 0;
    Set repeated = 0;       // calls that it has made again
    bool in_favour = true;  // its vote
    enum class Woken : std::uint8_t { no, agreed, refused };
    Woken woken = Woken::no;  // by an agreement, after which it has done nothing yet

    Rows current{}, spare{};
    Set dealt_among = 0;  // the members among which the current version was dealt
    Chunks stale{};       // chunks in which the spare buffer may differ from the current one
    Chunks told{};        // chunks that have changed, as far as it was told
    Holders holders{};    // for updates
    Holders planned{};
};

struct Job {
    std::array<Member, max_members> members;
    Set living = 0;
    Set communicator = 0;
    bool revoked = false;
    std::uint8_t deaths_left = 0, alarms_left = 0;
    bool dead_refused = false, dead_failed = false;  // votes of members that died in the agreement
    std::uint8_t newest = 0;                         // the newest version that a member has adopted
    Holders right{};                                 // the members that must hold blocks, if alive
};

/// The rules by which the row of a dead member goes to the next living one, and copies to those behind it.
inline std::size_t next_living(std::size_t row, Set living) {
    while (!contains(living, row)) row = (row + 1) % max_members;
    return row;
}
inline Set holders_of(std::size_t row, Set members, std::size_t replicas) {
    Set result = 0;
    auto at = next_living(row, members);
    for (std::size_t i = 0; i < replicas && result != members; ++i) {
        result |= only(at);
        at = next_living((at + 1) % max_members, members);
    }
    return result;
}

/// One member in its calls.
class Actor {
public:
    Actor(Job& job, std::size_t self, Scenario const& scenario, Mutant mutant)
        : job_(job), me_(job.members[self]), self_(self), scenario_(scenario), mutant_(mutant) {}

    static std::array<Set, max_members> const& changed(Scenario const& scenario, Member const& member,
                                                       std::size_t number) {
        auto const& call = scenario.calls[number];
        return contains(member.repeated, number) ? call.again : call.changed;
    }
    /// The bytes of a chunk in a version that the member has or makes: the call that wrote it last.
    static std::uint8_t bytes_of(Scenario const& scenario, Member const& member, std::size_t version, std::size_t row,
                                 std::size_t chunk) {
        while (version > 0 && !contains(changed(scenario, member, version - 1)[row], chunk)) --version;
        return static_cast<std::uint8_t>(version == 0 ? 0 : 2 * version + (member.repeated >> (version - 1) & 1U));
    }

    void begin_call() {
        if (me_.version == scenario_.calls.size()) {
            me_.step = Step::done;
            return;
        }
        me_.in_favour = true;
        if (call().kind == Call::Kind::update) return enter(Step::gather);
        bool const in_place = me_.dealt_among == job_.communicator;
        if (in_place) create();
        enter(in_place ? Step::tell : Step::gather);
    }

    bool may_succeed() const {
        switch (me_.step) {
            case Step::tell:
            case Step::changes:
            case Step::everything:
            case Step::given:
                return all_rows([&](std::size_t row) { return !comes_here(row) || is_there(home(row)); });
            case Step::reduce:
            case Step::gather:
                return all_rows([&](std::size_t each) { return !contains(job_.communicator, each) || is_there(each); });
            default:
                return false;
        }
    }

    void succeed() {
        switch (me_.step) {
            case Step::tell:
                hear();
                return enter(Step::reduce);
            case Step::reduce:
                fill();
                return enter(Step::changes);
            case Step::changes:
                receive_changes();
                return vote(Step::agree_changes);
            case Step::gather:
                if (call().kind == Call::Kind::update) return plan_update();
                create();
                return enter(Step::everything);
            case Step::everything:
                receive_everything();
                return vote(Step::agree_everything);
            case Step::given:
                if (mutant_ == Mutant::adopts_before_agreeing) write_update();
                return vote(Step::agree_given);
            default:
                throw Violation("a member is woken where it does not wait");
        }
    }

    void fail() {
        if (me_.step == Step::changes) tear(build(), me_.told);
        if (me_.step == Step::everything) tear(me_.spare, everything());
        me_.step = Step::failed;
        job_.revoked = true;
    }

    /// After an agreement.
    void go_on(bool agreed) {
        if (me_.step == Step::agree_changes && !agreed && mutant_ != Mutant::ignores_dissent) {
            me_.stale = everything();
            me_.in_favour = true;
            return enter(Step::gather);
        }
        if (mutant_ != Mutant::adopts_before_agreeing) adopt();
        ++me_.version;
        begin_call();
    }

    /// In the renewed communicator. Of the spare buffer it is not known what was written.
    void recover() {
        if (mutant_ != Mutant::keeps_spare_after_failure) me_.stale = everything();
        me_.repeated |= only(me_.version);
        begin_call();
    }

    /// The rows of the current version that this member has by right.
    static bool holds(Member const& member, std::size_t self, std::size_t row, std::size_t chunk,
                      Scenario const& scenario) {
        if (scenario.calls.front().kind == Call::Kind::update) return contains(member.holders[row][chunk], self);
        return contains(holders_of(row, member.dealt_among, scenario.replicas), self);
    }

private:
    Call const& call() const { return scenario_.calls[me_.version]; }
    std::array<Set, max_members> const& changed() const { return changed(scenario_, me_, me_.version); }
    std::size_t home(std::size_t row) const { return next_living(row, job_.communicator); }
    Set ring(std::size_t row) const { return holders_of(row, job_.communicator, scenario_.replicas); }
    bool is_mine(std::size_t row) const { return home(row) == self_; }
    bool is_there(std::size_t other) const { return job_.members[other].entered >= me_.entered; }
    std::uint8_t next_bytes(std::size_t row, std::size_t chunk) const {
        return bytes_of(scenario_, me_, me_.version + 1U, row, chunk);
    }
    template <class Rule>
    bool all_rows(Rule rule) const {
        for (std::size_t row = 0; row < scenario_.members; ++row) {
            if (!rule(row)) return false;
        }
        return true;
    }
    template <class Visit>
    void visit_chunks(Chunks const& chunks, Visit visit) const {
        for (std::size_t row = 0; row < scenario_.members; ++row) {
            for (std::size_t chunk = 0; chunk < num_chunks; ++chunk) {
                if (contains(chunks[row], chunk)) visit(row, chunk);
            }
        }
    }
    static Chunks everything() {
        Chunks chunks{};
        chunks.fill(all_chunks);
        return chunks;
    }
    Rows& build() { return mutant_ == Mutant::writes_over_last_commit ? me_.current : me_.spare; }

    void enter(Step step) {
        me_.step = step;
        ++me_.entered;
        for (std::size_t other = 0; other < scenario_.members; ++other) {
            auto const& member = job_.members[other];
            bool const meets = other != self_ && contains(job_.living, other) && member.entered == me_.entered &&
                               member.step < Step::failed;
            if (meets && member.step != step) throw Violation("members are in different collectives");
        }
    }

    void vote(Step agreement) {
        if (mutant_ != Mutant::does_not_agree) return enter(agreement);
        me_.step = agreement;
        go_on(true);
    }

    bool comes_here(std::size_t row) const {
        if (is_mine(row)) return false;
        if (me_.step != Step::given) return contains(ring(row), self_);
        Set here = 0;
        for (std::size_t chunk = 0; chunk < num_chunks; ++chunk) {
            if (contains(changed()[row], chunk)) here |= me_.planned[row][chunk];
        }
        return contains(here, self_);
    }

    // --- commits

    /// Its own rows go into the buffer that does not count.
    void create() {
        visit_chunks(everything(), [&](std::size_t row, std::size_t chunk) {
            if (is_mine(row)) me_.spare[row][chunk] = next_bytes(row, chunk);
        });
    }

    void hear() {
        for (std::size_t row = 0; row < scenario_.members; ++row) {
            bool const against = contains(call().against, home(row));
            me_.told[row] = against ? Set{0} : changed()[row];
            bool const speaks = is_mine(row) || (comes_here(row) && mutant_ != Mutant::holders_stay_silent);
            if (against && speaks) me_.in_favour = false;
        }
    }

    /// Chunks that have changed before, and not now, come from the version that counts.
    void fill() {
        if (mutant_ == Mutant::forgets_older_changes) return;
        visit_chunks(me_.stale, [&](std::size_t row, std::size_t chunk) {
            if (contains(ring(row), self_) && !is_mine(row) && !contains(me_.told[row], chunk)) {
                build()[row][chunk] = me_.current[row][chunk];
            }
        });
    }

    void receive_changes() {
        visit_chunks(me_.told, [&](std::size_t row, std::size_t chunk) {
            if (comes_here(row)) build()[row][chunk] = next_bytes(row, chunk);
        });
        if (mutant_ == Mutant::adopts_before_agreeing) swap_buffers(me_.told);
    }

    void receive_everything() {
        visit_chunks(everything(), [&](std::size_t row, std::size_t chunk) {
            if (comes_here(row)) me_.spare[row][chunk] = next_bytes(row, chunk);
        });
        if (mutant_ == Mutant::adopts_before_agreeing) adopt_everything();
    }

    void tear(Rows& rows, Chunks const& chunks) {
        visit_chunks(chunks, [&](std::size_t row, std::size_t chunk) {
            if (comes_here(row)) rows[row][chunk] = torn;
        });
    }

    void swap_buffers(Chunks const& stale) {
        if (mutant_ != Mutant::writes_over_last_commit) std::swap(me_.current, me_.spare);
        me_.stale = stale;
    }

    void adopt_everything() {
        std::swap(me_.current, me_.spare);
        me_.stale = mutant_ == Mutant::takes_spare_for_the_last ? Chunks{} : everything();
        me_.dealt_among = job_.communicator;
    }

    void adopt() {
        if (me_.step == Step::agree_changes) swap_buffers(me_.told);
        if (me_.step == Step::agree_everything) adopt_everything();
        if (me_.step == Step::agree_given) write_update();
    }

    // --- updates

    void plan_update() {
        me_.planned = me_.holders;
        for (std::size_t row = 0; row < scenario_.members; ++row) {
            for (std::size_t chunk = 0; chunk < num_chunks; ++chunk) {
                auto& holders = me_.planned[row][chunk];
                holders &= job_.communicator;
                if (holders == 0 && contains(changed()[row], chunk)) holders = only(home(row));
            }
        }
        if (mutant_ == Mutant::adds_holders_early) me_.holders = me_.planned;
        enter(Step::given);
    }

    void write_update() {
        visit_chunks(changed(), [&](std::size_t row, std::size_t chunk) {
            if (contains(me_.planned[row][chunk], self_)) me_.current[row][chunk] = next_bytes(row, chunk);
        });
        if (mutant_ != Mutant::forgets_regained) me_.holders = me_.planned;
    }

    Job& job_;
    Member& me_;
    std::size_t self_;
    Scenario const& scenario_;
    Mutant mutant_;
};

}  // namespace regraft::test::commits
