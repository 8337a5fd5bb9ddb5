#include "store/kept/segment.hpp"

#include <atomic>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "regraft/core/errors.hpp"

namespace regraft::store {

struct Segment::Mark {
    std::uint64_t generation = 0;
    std::uint64_t agreed = 0;
};

namespace {

constexpr std::uint64_t alignment = 64;

std::uint64_t begin_of_mark(std::uint64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

std::uint64_t length(std::uint64_t bytes) {
    return begin_of_mark(bytes) + alignment;
}

/// A process that dies here leaves in the file what it has stored up to here, in the order of the program.
void store(std::uint64_t& word, std::uint64_t number) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    std::atomic_ref(word).store(number, std::memory_order_seq_cst);
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace

Segment::Segment(std::shared_ptr<KeptFolder> folder, std::string name, std::uint64_t bytes, int descriptor)
    : folder_(std::move(folder)), name_(std::move(name)), bytes_(bytes) {
    void* const mapped = mmap(nullptr, length(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    int const error = errno;
    close(descriptor);
    if (mapped == MAP_FAILED) {
        throw InputError({folder_->path(name_)}, "cannot be mapped: " + std::generic_category().message(error));
    }
    data_ = static_cast<std::byte*>(mapped);
    folder_->take_room(length(bytes_));
}

std::unique_ptr<Segment> Segment::make(std::shared_ptr<KeptFolder> folder, std::string name, std::uint64_t bytes) {
    folder->expect_room(length(bytes));
    int const descriptor = folder->make(name, length(bytes));
    std::unique_ptr<Segment> segment(new Segment(std::move(folder), std::move(name), bytes, descriptor));
    // As in private memory: pages that were never touched are slow to receive into.
#ifdef MADV_HUGEPAGE
    static_cast<void>(madvise(segment->data_, length(bytes), MADV_HUGEPAGE));
#endif
#ifdef MADV_POPULATE_WRITE
    static_cast<void>(madvise(segment->data_, length(bytes), MADV_POPULATE_WRITE));
#endif
    return segment;
}

std::unique_ptr<Segment> Segment::open(std::shared_ptr<KeptFolder> folder, std::string name, std::uint64_t bytes,
                                       std::uint64_t mark) {
    int const descriptor = folder->open_existing(name);
    struct stat status {};
    bool const is_whole = fstat(descriptor, &status) == 0 && bytes < (std::uint64_t{1} << 62) &&
                          static_cast<std::uint64_t>(status.st_size) == length(bytes);
    bool const has_holes = is_whole && static_cast<std::uint64_t>(status.st_blocks) * 512 < length(bytes);
    // A file with holes, which somebody may have copied, has no place yet for pages that are written later.
    if (!is_whole || (has_holes && posix_fallocate(descriptor, 0, status.st_size) != 0)) {
        close(descriptor);
        throw InputError({folder->path(name)},
                         "has " + std::to_string(status.st_size) + " bytes, expected " + std::to_string(length(bytes)));
    }
    auto const path = folder->path(name);
    std::unique_ptr<Segment> segment(new Segment(std::move(folder), std::move(name), bytes, descriptor));
    segment->stay();
    if (!segment->has_mark(mark)) throw InputError({path}, "has other blocks than its manifest says");
    return segment;
}

Segment::~Segment() {
    if (data_ == nullptr) return;
    munmap(data_, length(bytes_));
    if (!stays_) folder_->remove(name_);
    folder_->give_room_back(length(bytes_));
}

void Segment::link(std::string name) {
    folder_->link(name_, name);
    name_ = std::move(name);
}

Segment::Mark& Segment::mark() const {
    return *reinterpret_cast<Mark*>(data_ + begin_of_mark(bytes_));
}

void Segment::mark(std::uint64_t generation) {
    store::store(mark().agreed, 0);
    store::store(mark().generation, generation);
}

bool Segment::has_mark(std::uint64_t generation) const {
    return generation != 0 && mark().generation == generation;
}

void Segment::mark_agreed(std::uint64_t generation) {
    store::store(mark().agreed, generation);
}

bool Segment::is_agreed(std::uint64_t generation) const {
    return has_mark(generation) && mark().agreed == generation;
}

}  // namespace regraft::store
