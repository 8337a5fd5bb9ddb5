#include "disk/mapped_file.hpp"

#include <utility>

#include <sys/mman.h>

#include "regraft/core/errors.hpp"

namespace regraft::disk {

MappedFile::MappedFile(std::filesystem::path path) : file_(std::move(path), File::For::reading) {
    auto const size = file_.size();
    if (size == 0) return;
    void* const mapped = file_.map(size);
    bytes_ = {static_cast<std::byte const*>(mapped), size};
}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace regraft::disk
