#include "common/output.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace regraft::common {
namespace {

namespace fs = std::filesystem;

/// The file that a signal has to remove; owned by an Output.
std::atomic<char const*> open_temporary{nullptr};
/// The signal that waits; 0: none. It waits as long as there are objects of SignalsWait.
std::atomic<int> held_signal{0};
std::atomic<int> num_waits{0};
static_assert(decltype(open_temporary)::is_always_lock_free, "a signal handler may not wait for a lock");

extern "C" void end_by_signal(int number) {
    held_signal = number;
    if (num_waits > 0) return;  // the last SignalsWait that ends comes here again
    if (auto const* path = open_temporary.load()) unlink(path);
    std::signal(number, SIG_DFL);
    raise(number);
}

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGXCPU};

void check_standard_output(bool good) {
    if (!good) throw OutputError("standard output", errno);
}

}  // namespace

Output::Output(std::string path, std::optional<struct stat> like) : like_(like) {
    if (path == "-") return;
    // A file that replaces a private one is private from the start.
    constexpr mode_t owner_only = 0600;
    constexpr mode_t as_umask_says = 0666;
    SignalsWait const wait;
    file_.emplace(std::move(path), like_ ? owner_only : as_umask_says);
    char const* none = nullptr;
    if (!file_->temporary().empty()) open_temporary.compare_exchange_strong(none, file_->temporary().c_str());
}

Output::~Output() {
    SignalsWait const wait;
    forget_temporary();
    file_.reset();
}

void Output::write(std::string_view text) {
    write(std::as_bytes(std::span(text)));
}

void Output::write(std::span<std::byte const> bytes) {
    if (file_) return file_->write(bytes);
    check_standard_output(std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size());
}

void Output::sync() {
    if (!file_) return check_standard_output(std::fflush(stdout) == 0);
    if (like_ && !file_->temporary().empty() && file_->descriptor() >= 0) imitate(*like_);
    file_->sync();
}

void Output::commit() {
    sync();
    if (!file_) return;
    file_->appear();
    forget_temporary();  // a signal could not find it any more
}

void Output::imitate(struct stat const& like) const {
    int const descriptor = file_->descriptor();
    // Only root may give a file away. If the file does not get the group, the group's permissions must not allow
    // another group to read it.
    bool const same_group = fchown(descriptor, static_cast<uid_t>(-1), like.st_gid) == 0;
    bool const same_owner = fchown(descriptor, like.st_uid, static_cast<gid_t>(-1)) == 0;
    static_cast<void>(same_owner);
    constexpr mode_t all = 0777;
    constexpr mode_t owner_and_others = 0707;
    std::array const times{like.st_atim, like.st_mtim};
    if (fchmod(descriptor, like.st_mode & (same_group ? all : owner_and_others)) != 0 ||
        futimens(descriptor, times.data()) != 0)
        throw OutputError(file_->target().string(), errno);
}

void Output::forget_temporary() {
    if (!file_) return;
    char const* mine = file_->temporary().c_str();
    open_temporary.compare_exchange_strong(mine, nullptr);
}

void check_writable(std::string const& path) {
    std::error_code unknown;
    auto const status = fs::status(path, unknown);
    if (path == "-" || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))) return;
    Output const trial(path);
}

void refuse_input(std::string const& output, std::span<std::string const> inputs) {
    struct stat written {};
    if (output == "-" || stat(output.c_str(), &written) != 0 || !S_ISREG(written.st_mode)) return;
    for (auto const& input : inputs) {
        struct stat read {};
        int const known = input == "-" ? fstat(STDIN_FILENO, &read) : stat(input.c_str(), &read);
        if (known == 0 && read.st_dev == written.st_dev && read.st_ino == written.st_ino)
            throw InputError({output}, "is the input; expected another name");
    }
}

void clean_up_on_signals() {
    std::signal(SIGXFSZ, SIG_IGN);
    struct sigaction ending {};
    ending.sa_handler = &end_by_signal;
    ending.sa_flags = SA_RESTART;
    for (int const number : ending_signals) {
        struct sigaction before {};
        bool const ignored = sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;  // for example
                                                                                                        // by nohup
        if (!ignored) sigaction(number, &ending, nullptr);
    }
}

SignalsWait::SignalsWait() {
    ++num_waits;
}

SignalsWait::~SignalsWait() {
    if (--num_waits > 0) return;
    if (int const number = held_signal; number != 0) end_by_signal(number);
}

}  // namespace regraft::common
