// A thread that reports repairs that make no step.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "shield/protocol/repair.hpp"

namespace regraft::shield {

/// A repair that waits for a rank that computes is in order; this is reported once. A repair that makes no step
/// although all have come ends the job. So does a process that cannot come to a repair.
class Watchdog {
public:
    explicit Watchdog(std::chrono::seconds limit);
    Watchdog(Watchdog const&) = delete;
    Watchdog& operator=(Watchdog const&) = delete;
    ~Watchdog();

    /// See ShieldOptions::on_step. Called by the thread that makes the call.
    static void note(Repair::Step step);
    /// See ShieldOptions::on_uninterruptible. If this process stays inside for longer than the limit, the job ends.
    static void note_uninterruptible(bool inside);
    /// Notes that this process enters a call that is passed on, made from `caller`, or leaves it: nullptr. If a process
    /// has died on this host, and this one stays inside for longer than the limit, the job ends. Cheap.
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
