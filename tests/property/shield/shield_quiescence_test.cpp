#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/random.hpp"
#include "shield/protocol/quiescence.hpp"

namespace regraft::shield {
namespace {

constexpr double patience = 2;  // seconds
constexpr double tick = 0.1;
constexpr int ticks_per_look = 4;

struct Action {
    enum class Kind : std::uint8_t { compute, send, receive, meet };
    Kind kind = Kind::compute;
    int partner = 0;  // to whom; of a receive: from whom, -1: from any
    int ticks = 0;    // of work; in a meeting, once all have come
    std::uint64_t members = 0;
};

struct Process {
    std::vector<Action> script;
    std::size_t next = 0;
    int worked = 0;            // at the present action
    std::deque<int> messages;  // senders
    int stopped_until = 0;     // tick
    Wait shown;

    bool is_over() const { return next == script.size(); }
    Action const& action() const { return script[next]; }
};

/// Processes that send, receive, work and meet at random, so that sooner or later none can go on. A process that is
/// given time by the scheduler polls once a tick; others see nothing of what has come to them.
class World {
public:
    World(int size, Random& random) : processes_(static_cast<std::size_t>(size)) {
        for (int rank = 0; rank < size; ++rank) {
            at(rank).shown.process = PeId{static_cast<std::uint32_t>(rank)};
            for (std::uint64_t i = random.below(40); i > 0; --i) at(rank).script.push_back(draw(size, rank, random));
        }
    }

    /// Each process that may compute in this tick computes.
    void pass(Random& random) {
        ++now_;
        for (auto& process : processes_) {
            if (random.below(100) == 0) process.stopped_until = now_ + static_cast<int>(random.below(100));
            if (now_ >= process.stopped_until && random.below(3) != 0) run(process);
        }
    }
    /// Whether any process would go on if all were given time.
    bool can_go_on() const {
        auto future = *this;
        auto const before = future.progress();
        for (int i = 0; i < 100; ++i)
            for (auto& process : future.processes_) future.run(process);
        return future.progress() != before;
    }
    /// The lowest process that waits for a message gets one. Returns whether there is such a process.
    bool console() {
        for (auto& process : processes_) {
            if (process.is_over() || process.action().kind != Action::Kind::receive) continue;
            process.messages.push_back(process.action().partner);
            return true;
        }
        return false;
    }
    double now() const { return now_ * tick; }
    std::vector<Wait> shown() const {
        std::vector<Wait> all;
        for (auto const& process : processes_) all.push_back(process.shown);
        return all;
    }

private:
    static Action draw(int size, int rank, Random& random) {
        auto const kind = static_cast<Action::Kind>(random.below(4));
        auto const other = static_cast<int>(random.below(static_cast<std::uint64_t>(size)));
        bool const from_any = kind == Action::Kind::receive && random.below(2) == 0;
        auto const ticks = static_cast<int>(random.below(2) == 0 ? random.below(5) : random.below(60));
        auto const group = random.below(std::uint64_t{1} << size) | std::uint64_t{1} << rank;
        return {kind, from_any ? -1 : other, ticks, group};
    }
    Process& at(int rank) { return processes_[static_cast<std::size_t>(rank)]; }

    std::uint64_t progress() const {
        std::uint64_t sum = 0;
        for (auto const& process : processes_) sum += process.next;
        return sum;
    }
    static void show(Process& process, bool waits, LaneId lane = {}, std::uint64_t members = 0) {
        auto& shown = process.shown;
        if (shown.waits() == waits) return;
        ++shown.serial;
        shown.lane = lane;
        shown.members = members;
    }
    static void advance(Process& process) {
        show(process, false);
        ++process.next;
        process.worked = 0;
    }
    bool is_in(Process const& process, std::uint64_t members) const {
        return !process.is_over() && process.action().kind == Action::Kind::meet && process.action().members == members;
    }
    /// In one tick it comes as far as its next work or wait.
    void run(Process& process) {
        process.shown.cpu += tick;
        for (std::size_t before = process.script.size() + 1; process.next != before;) {
            before = process.next;
            step(process);
        }
    }
    void step(Process& process) {
        if (process.is_over()) return show(process, true);
        auto const action = process.action();
        switch (action.kind) {
            case Action::Kind::compute:
                if (process.worked++ >= action.ticks) advance(process);
                return;
            case Action::Kind::send:
                at(action.partner).messages.push_back(static_cast<int>(value(process.shown.process)));
                return advance(process);
            case Action::Kind::receive: {
                auto& messages = process.messages;
                auto const found =
                    action.partner < 0 ? messages.begin() : std::find(messages.begin(), messages.end(), action.partner);
                if (found == messages.end()) return show(process, true);
                messages.erase(found);
                return advance(process);
            }
            case Action::Kind::meet:
                return meet(process, action);
        }
    }
    void meet(Process& process, Action const& action) {
        auto const size = static_cast<std::uint64_t>(__builtin_popcountll(action.members));
        show(process, true, LaneId{action.members}, size);
        bool const all = std::all_of(processes_.begin(), processes_.end(), [&](Process const& other) {
            return (action.members >> value(other.shown.process) & 1) == 0 || is_in(other, action.members);
        });
        if (!all || ++process.worked < action.ticks) return;
        for (auto& other : processes_)
            if ((action.members >> value(other.shown.process) & 1) != 0) advance(other);
    }

    int now_ = 0;
    std::vector<Process> processes_;
};

bool have_all_computed(std::vector<Wait> const& before, std::vector<Wait> const& now) {
    return std::equal(before.begin(), before.end(), now.begin(), [](auto& a, auto& b) { return a.cpu < b.cpu; });
}

/// The time at which a verdict is overdue: no process can go on, all have been given time to find that out, and then
/// the patience is over and all have been given time again.
class Deadline {
public:
    bool is_over(double now, bool is_stuck, std::vector<Wait> const& all) {
        if (!is_stuck) {
            begin();
        } else if (before_.empty()) {
            before_ = all;
        } else if (!found_out_ && have_all_computed(before_, all)) {
            found_out_ = now;
            before_ = all;
        }
        return found_out_ && now > *found_out_ + patience + 2 * ticks_per_look * tick &&
               have_all_computed(before_, all);
    }
    void begin() { *this = {}; }

private:
    std::vector<Wait> before_;
    std::optional<double> found_out_;
};

TEST(QuiescenceProperty, IsFoundWheneverNobodyCanGoOnAndNeverElse) {
    int verdicts = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        World world(2 + static_cast<int>(seed % 4), random);
        Quiescence quiescence(patience);
        Deadline deadline;
        for (int i = 0; i < 500; ++i) {
            for (int k = 0; k < ticks_per_look; ++k) world.pass(random);
            bool const is_stuck = !world.can_go_on();
            bool const is_overdue = deadline.is_over(world.now(), is_stuck, world.shown());
            if (quiescence.look(world.now(), world.shown())) {
                ++verdicts;
                ASSERT_TRUE(is_stuck);
                if (!world.console()) break;
                deadline.begin();
            } else {
                ASSERT_FALSE(is_overdue);
            }
        }
    }
    EXPECT_GT(verdicts, 300);
}

}  // namespace
}  // namespace regraft::shield
