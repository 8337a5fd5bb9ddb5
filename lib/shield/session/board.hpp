// What the ranks on one host tell each other and the launcher without MPI: a file that all of them map, so that who
// waits can be told for whom, and a job can be ended as a whole. (With ULFM, MPI_Abort leaves ranks spinning.)
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sys/types.h>

namespace regraft::shield {

/// Of one rank. tools/shield.py reads exit_code, and all of Head.
struct Place {
    std::atomic<pid_t> process;           // 0: not there yet, or on another host
    std::atomic<std::int32_t> exit_code;  // of a process that ends without MPI_Finalize
    std::atomic<std::uint64_t> repairs;   // that it has come to
    std::atomic<std::uint64_t> steps;     // of repairs, that it has begun
    std::atomic<std::uint32_t> phase;     // the present step of a repair
    std::atomic<std::int32_t> family;     // the call that it is in, or was in last: see families.hpp
    // What waiting.hpp shows:
    std::atomic<std::uint64_t> waits;    // odd: it only waits for others; grows when a wait begins and when it ends
    std::atomic<std::uint64_t> lane;     // of the collective in which it does; 0: for messages
    std::atomic<std::uint32_t> members;  // of that lane
    std::atomic<std::uint32_t> starves;  // 0: not in need of an obituary
    std::atomic<std::uint64_t> bytes;    // of the largest message that is awaited
    std::atomic<std::uint64_t> sketch;   // of the members
    std::atomic<std::uint64_t> looks;    // 0: it does not wait by looking again and again; else how often it has
    std::atomic<std::uint64_t> outside;  // nanoseconds of its processor between them
    std::uint64_t reserved[5];
};
static_assert(sizeof(Place) == 128);

/// Zeros at first. Without a launcher, or far from it, a process sees nobody's place but its own.
class Board {
public:
    /// Maps the file REGRAFT_SHIELD_BOARD, which the launcher has made.
    Board(int rank, int size);
    Board(Board const&) = delete;
    Board& operator=(Board const&) = delete;
    ~Board();

    Place& mine() { return place(rank_); }
    Place& place(int rank);
    int size() const { return size_; }
    bool is_shared() const { return shared_; }
    /// Whether a rank is a process on this host that lives.
    bool lives(int rank);
    /// Asks the launcher to end the job with this code. of_program: which is the program's own. Whether this process is
    /// the first to ask, who is heard.
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
