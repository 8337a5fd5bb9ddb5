// The channel by which the ranks on one host and the launcher tell each other things without MPI: a file that all of
// them map. With it, a process that waits can say for which ranks, and a job can be ended as a whole. (With ULFM,
// MPI_Abort leaves ranks spinning.)
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

namespace regraft::shield {

/// The state of one rank. apps/launch/shield.py reads exit_code, and all of Head.
struct RankState {
    std::atomic<pid_t> process;           // 0: not there yet, or on another host
    std::atomic<std::int32_t> exit_code;  // that of a process that ends without MPI_Finalize
    std::atomic<std::uint64_t> repairs;   // number of repairs that it has reached
    std::atomic<std::uint64_t> steps;     // number of repair steps that it has begun
    std::atomic<std::uint32_t> phase;     // the present step of a repair
    std::atomic<std::int32_t> family;     // the present or last call: see families.hpp
    // The fields that waiting.hpp shows:
    std::atomic<std::uint64_t> waits;    // odd: it only waits for others; increased when a wait begins and when it ends
    std::atomic<std::uint64_t> lane;     // the lane of the collective in which it waits; 0: it waits for messages
    std::atomic<std::uint32_t> members;  // number of members of that lane
    std::atomic<std::uint32_t> starves;  // 0: it needs no obituary
    std::atomic<std::uint64_t> bytes;    // size of the largest message that it waits for
    std::atomic<std::uint64_t> sketch;   // sketch of the members
    std::atomic<std::uint64_t> looks;    // 0: it does not wait by looking repeatedly; otherwise the number of looks
    std::atomic<std::uint64_t> outside;  // nanoseconds of CPU time between the looks
    std::uint64_t reserved[5];
};
static_assert(sizeof(RankState) == 128);

/// All zeros at first. Without a launcher, or on another host, a process sees only its own place.
class Board {
public:
    /// Maps the file REGRAFT_SHIELD_BOARD, which the launcher has made.
    Board(int rank, int size);
    Board(Board const&) = delete;
    Board& operator=(Board const&) = delete;
    ~Board();

    RankState& mine() { return place(rank_); }
    RankState& place(int rank);
    int size() const { return size_; }
    bool is_shared() const { return shared_; }
    /// Whether a rank is a process on this host that lives.
    bool lives(int rank);
    /// Asks the launcher to end the job with this code. of_program: the code is the program's own. Returns whether this
    /// process is the first to ask; only the first counts.
    bool end_job(int code, bool of_program);

private:
    struct Head {
        std::atomic<std::int32_t> end_code;
        std::atomic<std::int32_t> of_program;
        std::int32_t reserved[14];
    };
    static_assert(sizeof(Head) == 64);

    int rank_;
    int size_;
    bool shared_ = false;
    std::size_t bytes_;
    std::byte* memory_ = nullptr;
};

}  // namespace regraft::shield
