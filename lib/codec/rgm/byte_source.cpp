#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>

#include "regraft/codec/rgm.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

class FileBytes final : public ByteSource {
public:
    explicit FileBytes(std::filesystem::path const& path) : name_(path.string()) {
        std::error_code error;
        size_ = std::filesystem::file_size(path, error);
        if (error) fail(error.value());
        file_.reset(std::fopen(path.c_str(), "rb"));
        if (!file_) fail(errno);
    }
    std::uint64_t size() const override { return size_; }
    std::string const& name() const override { return name_; }
    void read(std::uint64_t offset, std::span<std::byte> out) const override;

private:
    [[noreturn]] void fail(int code) const {
        throw InputError({name_}, "cannot be read: " + std::generic_category().message(code));
    }
    struct Close {
        void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
    };
    std::string name_;
    std::uint64_t size_ = 0;
    std::unique_ptr<std::FILE, Close> file_;
};

void FileBytes::read(std::uint64_t offset, std::span<std::byte> out) const {
    REGRAFT_EXPECTS(offset <= size_ && out.size() <= size_ - offset);
    if (fseeko(file_.get(), static_cast<off_t>(offset), SEEK_SET) != 0) fail(errno);
    if (std::fread(out.data(), 1, out.size(), file_.get()) == out.size()) return;
    if (std::ferror(file_.get()) != 0) fail(errno);
    throw InputError({name_}, "became shorter while it was being read");
}

class MemoryBytes final : public ByteSource {
public:
    MemoryBytes(std::vector<std::byte> bytes, std::string name) : bytes_(std::move(bytes)), name_(std::move(name)) {}
    std::uint64_t size() const override { return bytes_.size(); }
    std::string const& name() const override { return name_; }
    void read(std::uint64_t offset, std::span<std::byte> out) const override {
        REGRAFT_EXPECTS(offset <= bytes_.size() && out.size() <= bytes_.size() - offset);
        if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
    }

private:
    std::vector<std::byte> bytes_;
    std::string name_;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(std::filesystem::path const& path) {
    return std::make_unique<FileBytes>(path);
}

std::unique_ptr<ByteSource> bytes_in_memory(std::vector<std::byte> bytes, std::string name) {
    return std::make_unique<MemoryBytes>(std::move(bytes), std::move(name));
}

}  // namespace regraft::codec
