#include "store/blocks/memory.hpp"

#include <new>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace regraft::store {
namespace {

// Receiving into small pages that were never touched takes three times as long, because each costs a page fault. So
// memory is in huge pages, and memory that is too short for one is touched at once.
constexpr std::uintptr_t huge_page = 2 << 20;

std::uintptr_t round_up(std::uintptr_t x, std::uintptr_t unit) {
    return (x + unit - 1) / unit * unit;
}

}  // namespace

Memory::Memory(std::uint64_t size) : size_(size) {
    if (size == 0) return;
    // Huge pages begin at their multiples: map more than needed and unmap both ends.
    auto const slack = size >= huge_page ? huge_page : 0;
    void* const mapped = mmap(nullptr, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    auto const page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto const begin = reinterpret_cast<std::uintptr_t>(mapped);
    auto const first = slack == 0 ? begin : round_up(begin, huge_page);
    auto const end = round_up(begin + size + slack, page);
    auto const last = round_up(first + size, page);
    if (first > begin) munmap(mapped, first - begin);
    if (end > last) munmap(reinterpret_cast<void*>(last), end - last);
    data_ = reinterpret_cast<std::byte*>(first);
    auto const in_huge_pages = size / huge_page * huge_page;
    // This advice may be refused; then it only takes longer.
    if (in_huge_pages > 0) static_cast<void>(madvise(data_, in_huge_pages, MADV_HUGEPAGE));
#ifdef MADV_POPULATE_WRITE
    static_cast<void>(madvise(data_ + in_huge_pages, last - first - in_huge_pages, MADV_POPULATE_WRITE));
#endif
}

Memory::Memory(std::unique_ptr<Segment> segment)
    : data_(segment->bytes().data()), size_(segment->bytes().size()), segment_(std::move(segment)) {}

Memory::Memory(Memory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      segment_(std::move(other.segment_)) {}

Memory& Memory::operator=(Memory&& other) noexcept {
    auto old = std::move(*this);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    segment_ = std::move(other.segment_);
    return *this;
}

Memory::~Memory() {
    if (data_ && !segment_) munmap(data_, size_);
}

void Memory::give_back(std::span<std::byte> part) {
    auto const page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto const first = round_up(reinterpret_cast<std::uintptr_t>(part.data()), page);
    auto const last = reinterpret_cast<std::uintptr_t>(part.data() + part.size()) / page * page;
    if (first < last) static_cast<void>(madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED));
}

}  // namespace regraft::store
