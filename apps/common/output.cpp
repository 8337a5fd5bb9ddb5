#include "common/output.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace regraft::common {
namespace {

namespace fs = std::filesystem;

/// What a signal has to remove; owned by an Output.
std::atomic<char const*> open_temporary{nullptr};
static_assert(decltype(open_temporary)::is_always_lock_free, "a signal handler may not wait for a lock");

extern "C" void end_by_signal(int number) {
    if (auto const* path = open_temporary.load()) unlink(path);
    raise(number);  // its default action is back: see SA_RESETHAND
}

int close_file(std::FILE* file) {
    return file == stdout ? 0 : std::fclose(file);
}

std::string shown(std::string const& path) {
    return path == "-" ? "standard output" : path;
}

/// Renaming onto a symbolic link would replace the link, not what it leads to.
fs::path behind_links(fs::path const& path) {
    std::error_code error;
    auto resolved = fs::canonical(path, error);
    return error ? path : resolved;
}

std::FILE* create(fs::path const& path, mode_t mode) {
    int const descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    return descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
}

/// Makes a rename last. Some file systems cannot; then it lasts when they say so.
void sync_directory(fs::path const& directory) {
    int const descriptor = open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    fsync(descriptor);
    close(descriptor);
}

}  // namespace

OutputError::OutputError(std::string const& path, int code)
    : std::runtime_error(shown(path) + ": cannot be written: " + std::generic_category().message(code)) {}

Output::Output(std::string path, std::optional<struct stat> like)
    : path_(std::move(path)), file_(nullptr, &close_file), like_(like) {
    if (path_ == "-") {
        file_.reset(stdout);
        return;
    }
    target_ = behind_links(path_);
    std::error_code unknown;  // what is not there yet will be a file
    auto const status = fs::status(target_, unknown);
    if (fs::is_directory(status)) throw OutputError(path_, EISDIR);
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        file_.reset(std::fopen(target_.c_str(), "wb"));
        check(file_ != nullptr);
        return;
    }
    temporary_ = fs::path(target_) += fmt::format(".{}.tmp", getpid());
    char const* none = nullptr;
    open_temporary.compare_exchange_strong(none, temporary_.c_str());
    // What takes a private file's place is private from the start.
    constexpr mode_t owner_only = 0600;
    constexpr mode_t as_umask_says = 0666;
    file_.reset(create(temporary_, like_ ? owner_only : as_umask_says));
    check(file_ != nullptr);
}

Output::~Output() {
    file_.reset();
    if (temporary_.empty()) return;
    std::error_code ignored;
    fs::remove(temporary_, ignored);
    char const* mine = temporary_.c_str();
    open_temporary.compare_exchange_strong(mine, nullptr);
}

void Output::write(std::string_view text) {
    check(std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size());
}

void Output::write(std::span<std::byte const> bytes) {
    check(std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size());
}

void Output::commit() {
    check(std::fflush(file_.get()) == 0);
    if (!temporary_.empty()) {
        if (like_) imitate(*like_);
        check(fsync(fileno(file_.get())) == 0);
    }
    check(close_file(file_.release()) == 0);
    if (temporary_.empty()) return;
    std::error_code error;
    fs::rename(temporary_, target_, error);
    if (error) throw OutputError(path_, error.value());
    sync_directory(target_.parent_path());
    char const* mine = temporary_.c_str();
    open_temporary.compare_exchange_strong(mine, nullptr);
    temporary_.clear();
}

void Output::imitate(struct stat const& like) const {
    int const descriptor = fileno(file_.get());
    // Only root may give a file away. A group that the file does not get must not read it by its permissions.
    bool const same_group = fchown(descriptor, static_cast<uid_t>(-1), like.st_gid) == 0;
    bool const same_owner = fchown(descriptor, like.st_uid, static_cast<gid_t>(-1)) == 0;
    static_cast<void>(same_owner);
    constexpr mode_t all = 0777;
    constexpr mode_t owner_and_others = 0707;
    check(fchmod(descriptor, like.st_mode & (same_group ? all : owner_and_others)) == 0);
    std::array const times{like.st_atim, like.st_mtim};
    check(futimens(descriptor, times.data()) == 0);
}

void Output::check(bool good) const {
    if (!good) throw OutputError(path_, errno);
}

void check_writable(std::string const& path) {
    std::error_code unknown;
    auto const status = fs::status(path, unknown);
    if (path == "-" || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))) return;
    Output const trial(path);
}

void clean_up_on_signals() {
    std::signal(SIGXFSZ, SIG_IGN);
    struct sigaction ending {};
    ending.sa_handler = &end_by_signal;
    ending.sa_flags = static_cast<int>(SA_RESETHAND);
    for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
        struct sigaction before {};
        bool const ignored = sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;  // as by nohup
        if (!ignored) sigaction(number, &ending, nullptr);
    }
}

}  // namespace regraft::common
