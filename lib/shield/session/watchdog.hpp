// A thread that tells of repairs that make no step.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "shield/protocol/call.hpp"

namespace regraft::shield {

/// A repair that waits for a rank that computes is in order: this is said once. One that makes no step though all have
/// come ends the job, and so does a process that cannot come.
class Watchdog {
public:
    explicit Watchdog(std::chrono::seconds limit);
    Watchdog(Watchdog const&) = delete;
    Watchdog& operator=(Watchdog const&) = delete;
    ~Watchdog();

    /// See Options::on_step. The same thread that is in the call.
    static void note(Repair::Step step);
    /// See Options::on_uninterruptible. If this process does not leave it for so long, the job ends.
    static void note_uninterruptible(bool inside);
    /// This process enters a call that is passed on, made from there, or leaves it: nullptr. If somebody has died on
    /// this host, and it does not leave it for so long, the job ends. Cheap.
    static void note_passed(void const* caller);

private:
    void watch();
    void end() const;
    void end_stuck() const;
    void end_passed() const;

    std::chrono::seconds limit_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool ends_ = false;
    std::thread thread_;
};

}  // namespace regraft::shield
