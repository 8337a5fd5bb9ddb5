// The account of one lane: which of its operations have returned here, and which outcomes others may still lack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "regraft/core/contracts.hpp"
#include "regraft/core/ids.hpp"

namespace regraft::shield {

/// The id of a lane: the same on all its members, and of no other lane of the job.
enum class LaneId : std::uint64_t {};
/// The number of an operation of a lane, from 1, alike on all its members. 0: none yet.
using OperationNumber = std::uint64_t;

/// The bit of a process in a sketch of a set of processes. If the bit is not set, the process is not in the set.
constexpr std::uint64_t bit_of(PeId process) {
    constexpr std::uint32_t bits = 64;
    return std::uint64_t{1} << value(process) % bits;
}

enum class OutcomeKind : std::uint8_t {
    data,     // the same packed result for all, which can be forwarded
    skipped,  // nothing was done, because the root is dead
    local,    // confirmed by all members: each has its own result in place
    // Outcomes of an operation to a root whose inputs are small:
    input,       // the root may lack the input of this process
    arrived,     // the root lacks nothing
    collecting,  // not over: some have returned, but the root has not; the others send it their inputs by messages
};

/// The input of a member for the root of an operation.
struct Input {
    PeId giver{};
    std::uint64_t bytes = 0;
    friend bool operator==(Input const&, Input const&) = default;
};

struct Outcome {
    OperationNumber number = 0;
    OutcomeKind kind = OutcomeKind::local;
    PeId root{};                   // of input and collecting
    std::vector<std::byte> bytes;  // data: the result; input: the input; at the root that collects: those of `inputs`
                                   // in a row
    std::vector<Input> inputs;     // at the root that collects: inputs of the members that have returned
};

/// Operations return in the order of their numbers: returned() <= known(), and the operation after known() may be held
/// tentatively. The log has all outcomes that a living member may still lack.
class Ledger {
public:
    /// The number of the last operation that has returned to the caller.
    OperationNumber returned() const { return returned_; }
    /// The number of the last operation whose outcome is known here.
    OperationNumber known() const { return known_; }
    /// Whether the operation after known() has succeeded here and waits for its confirmation.
    bool is_tentative() const { return tentative_; }
    /// The number of operations that have returned since the last one that synchronised. The same on all members at the
    /// same operation.
    std::uint32_t unsynchronised() const { return unsynchronised_; }
    /// The number of bytes that may have to be kept of these operations. Also the same.
    std::size_t unsynchronised_bytes() const { return unsynchronised_bytes_; }
    /// The outcomes, ascending by number.
    std::span<Outcome const> log() const { return std::span(log_).first(used_); }
    /// The outcome of an operation; nullptr: not in the log. O(log(log)), and O(1) for the newest.
    Outcome const* find(OperationNumber number) const;
    Outcome* find(OperationNumber number) { return const_cast<Outcome*>(std::as_const(*this).find(number)); }

    /// Adds an outcome of operation known() + 1 to the log. The caller fills its other fields, which are empty.
    /// Precondition: the operation is not tentative.
    Outcome& record(OutcomeKind kind);
    /// The outcome that was recorded last. Precondition: it is in the log.
    Outcome& newest() { return log_[used_ - 1]; }
    /// Marks that operation known() + 1 has succeeded here, but perhaps not everywhere.
    void hold_tentatively() { tentative_ = true; }
    /// Ends the tentative state, if it is so: the operation counts.
    void commit();
    /// Ends the tentative state, if it is so: the operation will be attempted again.
    void retract() { tentative_ = false; }
    /// Marks that operation returned() + 1 returns. synchronised: its outcome proves that all members had entered it,
    /// so they have returned from all before it, and no member can lack their outcomes. bytes: see
    /// unsynchronised_bytes(). Precondition: its outcome is known.
    void finish(bool synchronised, std::size_t bytes = 0);
    /// Drops what all members know: they have come to the same known(), so no member lacks what has returned here.
    /// Inputs that roots still collect are kept.
    void forget_returned();

private:
    Outcome const* search(OperationNumber number) const;
    void grow();
    void synchronise();
    template <class IsLacked>
    void keep_if(IsLacked const& is_lacked);

    OperationNumber returned_ = 0;
    OperationNumber known_ = 0;
    bool tentative_ = false;
    std::uint32_t unsynchronised_ = 0;
    std::size_t unsynchronised_bytes_ = 0;
    std::vector<Outcome> log_;  // the log, and behind it outcomes that were dropped, whose memory is used again
    std::size_t used_ = 0;
    std::size_t spare_bytes_ = 0;  // behind the log
};

// Functions that every call runs are inline.

inline Outcome const* Ledger::find(OperationNumber number) const {
    if (used_ == 0) return nullptr;
    auto const& newest = log_[used_ - 1];
    return newest.number == number ? &newest : search(number);
}

inline Outcome& Ledger::record(OutcomeKind kind) {
    REGRAFT_EXPECTS(!tentative_);
    if (used_ == log_.size()) grow();
    auto& outcome = log_[used_++];
    spare_bytes_ -= outcome.bytes.capacity();
    outcome.number = ++known_;
    outcome.kind = kind;
    outcome.root = {};
    outcome.bytes.clear();
    outcome.inputs.clear();
    return outcome;
}

inline void Ledger::finish(bool synchronised, std::size_t bytes) {
    REGRAFT_EXPECTS(returned_ < known_);
    ++returned_;
    ++unsynchronised_;
    unsynchronised_bytes_ += bytes;
    if (synchronised) synchronise();
}

}  // namespace regraft::shield
