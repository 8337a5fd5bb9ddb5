#include "shield/session/board.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <new>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace regraft::shield {
namespace {

/// Maps the board file. nullptr: there is none, or it cannot be mapped.
void* map_file(std::size_t bytes) {
    char const* const path = std::getenv("REGRAFT_SHIELD_BOARD");
    int const file = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return nullptr;
    void* memory = MAP_FAILED;
    if (ftruncate(file, static_cast<off_t>(bytes)) == 0)
        memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

Board::Board(int rank, int size)
    : rank_(rank), size_(size), bytes_(sizeof(Head) + static_cast<std::size_t>(size) * sizeof(RankState)) {
    void* memory = map_file(bytes_);
    shared_ = memory != nullptr;
    if (!shared_) memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
    mine().process = getpid();
}

Board::~Board() {
    munmap(memory_, bytes_);
}

RankState& Board::place(int rank) {
    auto* const places = memory_ + sizeof(Head);
    return *reinterpret_cast<RankState*>(places + static_cast<std::size_t>(rank) * sizeof(RankState));
}

bool Board::lives(int rank) {
    pid_t const process = place(rank).process;
    return process != 0 && (kill(process, 0) == 0 || errno != ESRCH);
}

bool Board::end_job(int code, bool of_program) {
    auto& head = *reinterpret_cast<Head*>(memory_);
    std::int32_t nobody = 0;
    bool const is_first = head.end_code.compare_exchange_strong(nobody, code);
    if (is_first) head.of_program = of_program ? 1 : 0;  // the launcher leaves time for last words
    return is_first;
}

}  // namespace regraft::shield
