#include "simulate/life.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "regraft/checkpoint/pace.hpp"

namespace regraft::plan::simulated {
namespace {

/// The failures that are still to come, and the ranks that live.
class Fortune {
public:
    Fortune(Machine const& machine, std::span<Failure const> failures)
        : machine_(machine), failures_(failures), lives_(machine.ranks, 1), num_living_(machine.ranks) {}

    /// The time at which the next rank dies; infinite if none does. Failures of units that are dead already do not
    /// count.
    double next() {
        while (!failures_.empty() && !hits_living(failures_.front())) failures_ = failures_.subspan(1);
        return failures_.empty() ? std::numeric_limits<double>::infinity() : failures_.front().seconds;
    }
    /// Lets all failures up to a time happen. Returns their number.
    std::uint32_t strike(double seconds) {
        std::uint32_t count = 0;
        for (; next() <= seconds; failures_ = failures_.subspan(1)) {
            auto const [first, last] = machine_.members(failures_.front().unit, failures_.front().number);
            for (auto pe = first; pe < last; pe = advance(pe, 1))
                num_living_ -= static_cast<std::uint32_t>(std::exchange(lives_[value(pe)], 0));
            ++count;
        }
        return count;
    }
    std::uint32_t num_living() const { return num_living_; }
    std::vector<PeId> living() const {
        std::vector<PeId> ranks;
        ranks.reserve(num_living_);
        for (std::uint32_t rank = 0; rank < lives_.size(); ++rank) {
            if (lives_[rank] != 0) ranks.push_back(PeId{rank});
        }
        return ranks;
    }

private:
    bool hits_living(Failure const& failure) const {
        auto const [first, last] = machine_.members(failure.unit, failure.number);
        return std::any_of(lives_.begin() + value(first), lives_.begin() + value(last), [](char l) { return l != 0; });
    }

    Machine const& machine_;
    std::span<Failure const> failures_;
    std::vector<char> lives_;
    std::uint32_t num_living_;
};

/// The course of one life.
class Living {
public:
    Living(JobPlan const& plan, std::span<Failure const> failures, LifeOptions const& options)
        : plan_(plan), options_(options), job_(plan), fortune_(plan.machine, failures) {}

    Life run() {
        life_.memory_at_begin = job_.most_memory();
        life_.volume.add(job_.submit());
        now_ = life_.submit_seconds = life_.volume.seconds;
        commit_at_begin();
        while (!compute_until(std::min(fortune_.next(), options_.most_seconds))) {
            if (now_ >= options_.most_seconds) {
                life_.fate = Fate::too_slow;
                break;
            }
            if (!recover()) {
                life_.fate = Fate::data_lost;
                break;
            }
        }
        life_.seconds = now_;
        life_.work_done = done_;
        life_.survivors = fortune_.num_living();
        life_.memory_at_end = life_.fate == Fate::data_lost ? 0 : job_.most_memory();
        return std::move(life_);
    }

private:
    double interval(double commit_seconds) const {
        if (options_.interval) return *options_.interval;
        if (std::isinf(options_.seconds_between_failures)) return std::numeric_limits<double>::infinity();
        // A commit at least as long as the time between failures: a job that hardly gets on.
        return std::max(checkpoint::young_interval(commit_seconds, options_.seconds_between_failures), commit_seconds);
    }

    void commit_at_begin() {
        auto const commit = job_.commit();
        now_ += commit.seconds;
        count_commits(1, commit);
        life_.interval = interval(commit.seconds);
    }

    void count_commits(std::uint64_t count, Volume const& commit) {
        life_.commits += count;
        life_.commit_seconds += static_cast<double>(count) * commit.seconds;
        life_.volume.bytes_within += count * commit.bytes_within;
        life_.volume.bytes_between += count * commit.bytes_between;
    }

    /// Computes and commits up to a time. Returns whether the job ends before it. If not, everything since the last
    /// commit is lost.
    bool compute_until(double end) {
        if (end <= now_) {
            lost_ = 0;
            return false;
        }
        auto const commit = job_.commit();
        auto const speed = job_.speed();
        auto const pause = interval(commit.seconds);
        auto const left = (plan_.work_seconds - done_) / speed;  // of computing
        auto const all_commits = std::isinf(pause) ? 0 : std::max(0.0, std::ceil(left / pause) - 1);
        if (now_ + left + all_commits * commit.seconds <= end) {
            now_ += left + all_commits * commit.seconds;
            done_ = plan_.work_seconds;
            life_.computing += left;
            count_commits(static_cast<std::uint64_t>(all_commits), commit);
            return true;
        }
        auto const cycle = pause + commit.seconds;
        auto const cycles = std::isinf(pause) ? 0 : std::min(all_commits, std::floor((end - now_) / cycle));
        auto const since = end - now_ - (cycles > 0 ? cycles * cycle : 0);
        auto const computed = cycles > 0 ? cycles * pause : 0;
        lost_ = std::min({since, pause, left - computed});
        done_ += computed * speed;
        life_.computing += computed + lost_;
        count_commits(static_cast<std::uint64_t>(cycles), commit);
        if (cycles > 0) job_.committed();
        now_ = end;
        return false;
    }

    /// The survivors recover from everything that fails until they are done. Returns false if data is lost.
    bool recover() {
        Event event;
        event.begin = std::max(now_, fortune_.next());
        event.work_lost = lost_;
        event.work_done = done_;
        auto const before = fortune_.num_living();
        now_ = event.begin;
        for (;;) {
            event.failures += fortune_.strike(now_);
            auto const recovery = job_.recover(fortune_.living());
            if (!recovery) {
                finish(event, before);
                return false;
            }
            event.parts = recovery->seconds;
            event.volume = recovery->volume;
            auto const end = now_ + recovery->seconds.sum();
            if (fortune_.next() > end) {
                now_ = end;
                break;
            }
            now_ = fortune_.next();
            if (now_ > options_.most_seconds) break;  // it ends as too slow
        }
        job_.recovered();
        finish(event, before);
        return true;
    }

    void finish(Event& event, std::uint32_t living_before) {
        event.end = now_;
        event.dead = living_before - fortune_.num_living();
        life_.failures += event.failures;
        life_.work_lost += event.work_lost;
        life_.volume.bytes_within += event.volume.bytes_within;
        life_.volume.bytes_between += event.volume.bytes_between;
        life_.events.push_back(event);
    }

    JobPlan const& plan_;
    LifeOptions const& options_;
    Job job_;
    Fortune fortune_;
    Life life_;
    double now_ = 0;
    double done_ = 0;  // committed work, in seconds of a job with all ranks
    double lost_ = 0;  // computing since the last commit
};

}  // namespace

Life live(JobPlan const& plan, std::span<Failure const> failures, LifeOptions const& options) {
    return Living(plan, failures, options).run();
}

}  // namespace regraft::plan::simulated
