#include "regraft/disk/new_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "disk/file.hpp"
#include "disk/system_calls.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::disk {
namespace {

namespace fs = std::filesystem;

// The parts of a temporary file's name: the beginning of the target's name, a dot, random letters, and this suffix.
constexpr std::string_view suffix = ".tmp";
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::size_t num_random = 6;
constexpr std::size_t always_fits = 64;

/// The beginning that all temporary files of a target share. It consists of whole UTF-8 characters, which some file
/// systems require.
std::string beginning(fs::path const& target) {
    auto name = target.filename().string();
    auto const ending = 1 + num_random + suffix.size();
    auto size = std::min(name.size(), std::max(name.size(), always_fits) - ending);
    while (size > 0 && size < name.size() && (static_cast<unsigned char>(name[size]) & 0xc0U) == 0x80U) --size;
    name.resize(size);
    return name + '.';
}

std::string random_letters() {
    static_assert(letters.size() == 32);
    std::uint32_t number = 0;
    if (getentropy(&number, sizeof number) != 0) number = static_cast<std::uint32_t>(getpid());
    std::string text;
    for (std::size_t i = 0; i < num_random; ++i, number >>= 5U) text += letters[number % 32];
    return text;
}

/// Whether make_temporary gives such a name to a file with this beginning.
bool is_temporary(std::string_view name, std::string_view beginning) {
    if (name.size() != beginning.size() + num_random + suffix.size()) return false;
    auto const random = name.substr(beginning.size(), num_random);
    return name.starts_with(beginning) && name.ends_with(suffix) &&
           random.find_first_not_of(letters) == std::string_view::npos;
}

fs::path folder_of(fs::path const& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// The end of a chain of symbolic links, whether it exists or not.
fs::path behind_links(fs::path path) {
    constexpr int most_links = 40;  // as in Linux
    for (int i = 0; i < most_links; ++i) {
        std::error_code is_no_link;
        auto const next = fs::read_symlink(path, is_no_link);
        if (is_no_link) return path;
        path = path.parent_path() / next;
    }
    throw OutputError(path.string(), ELOOP);
}

}  // namespace

Temporary make_temporary(fs::path const& target, std::uint32_t mode) {
    constexpr int most_attempts = 100;
    auto const begin = beginning(target);
    for (int attempt = 1;; ++attempt) {
        auto path = target.parent_path() / (begin + random_letters() + std::string(suffix));
        constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        int const descriptor = uninterrupted([&] { return open(path.c_str(), flags, static_cast<mode_t>(mode)); });
        if (descriptor >= 0) return {std::move(path), descriptor};
        if (errno != EEXIST || attempt == most_attempts) throw OutputError(target.string(), errno);
    }
}

NewFile::NewFile(fs::path target, std::uint32_t mode) : target_(std::move(target)), place_(behind_links(target_)) {
    std::error_code unknown;  // a target that does not exist yet will be a file
    auto const status = fs::status(place_, unknown);
    if (fs::is_directory(status)) throw OutputError(target_.string(), EISDIR);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        descriptor_ = uninterrupted([&] { return open(place_.c_str(), O_WRONLY | O_CLOEXEC); });
        if (descriptor_ < 0) throw OutputError(target_.string(), errno);
        return;
    }
    auto made = make_temporary(place_, mode);
    temporary_ = std::move(made.path);
    descriptor_ = made.descriptor;
}

NewFile::NewFile(NewFile&& other) noexcept
    : target_(std::move(other.target_)),
      place_(std::move(other.place_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

NewFile::~NewFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void NewFile::write(std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
        auto const count =
            uninterrupted([&] { return ::write(descriptor_, bytes.data(), std::min(bytes.size(), most_at_once)); });
        if (count <= 0) throw OutputError(target_.string(), count == 0 ? ENOSPC : errno);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

void NewFile::write(std::string_view text) {
    write(std::as_bytes(std::span(text)));
}

void NewFile::sync() {
    if (descriptor_ < 0) return;
    int const synced = uninterrupted([&] { return fsync(descriptor_); });
    bool const cannot_be_synced = temporary_.empty() && (errno == EINVAL || errno == EROFS);  // the target is a device
                                                                                              // or a pipe
    if (synced != 0 && !cannot_be_synced) throw OutputError(target_.string(), errno);
    // Network file systems report some errors only now. After EINTR the descriptor is closed all the same.
    if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) throw OutputError(target_.string(), errno);
}

void NewFile::take_name() {
    if (temporary_.empty()) return;
    if (rename(temporary_.c_str(), place_.c_str()) != 0) throw OutputError(target_.string(), errno);
    temporary_.clear();
}

void NewFile::appear() {
    disk::appear({this, 1});
}

void appear(std::span<NewFile> files) {
    for (auto& file : files) file.sync();
    std::set<fs::path> folders;
    for (auto& file : files) {
        if (file.temporary_.empty()) continue;
        file.take_name();
        folders.insert(folder_of(file.place_));
    }
    for (auto const& folder : folders) sync_folder(folder);
}

void remove_unfinished(fs::path const& target) noexcept {
    try {
        auto const place = behind_links(target);
        auto const begin = beginning(place);
        std::error_code error;
        std::vector<fs::path> left;
        for (fs::directory_iterator entry(folder_of(place), error), end; !error && entry != end;
             entry.increment(error)) {
            if (is_temporary(entry->path().filename().string(), begin)) left.push_back(entry->path());
        }
        for (auto const& path : left) fs::remove(path, error);
    } catch (std::exception const&) {  // the rest is removed another time
    }
}

}  // namespace regraft::disk
