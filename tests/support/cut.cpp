// Preloaded into a program: ends it like a loss of power, just before one of its calls that change files. What was not
// synced by then is lost. Settings are in the environment:
//   CUT_IN      a folder; only calls for files in it count
//   CUT_AT      the number of the call before which the program ends, from 1 on; none: it does not
//   CUT_SYNC_N  a command of the shell, which the N-th fsync in the folder runs before it syncs
#undef _FILE_OFFSET_BITS  // open and open64 are two functions here
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

/// The part of each file that would survive: its size when it was synced. Never destroyed: calls may come after main.
std::map<std::string, off_t>& synced() {
    static auto& files = *new std::map<std::string, off_t>;
    return files;
}

off_t size_of(std::string const& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? status.st_size : 0;
}

std::string setting(std::string const& name) {
    char const* const text = std::getenv(name.c_str());
    return text == nullptr ? "" : text;
}

bool is_inside(std::string const& path) {
    static auto const& folder = *new std::string(setting("CUT_IN"));
    return !folder.empty() && path.starts_with(folder);
}

std::string path_of(int descriptor) {
    char buffer[4096];
    auto const link = "/proc/self/fd/" + std::to_string(descriptor);
    auto const size = readlink(link.c_str(), buffer, sizeof buffer);
    return size < 0 ? "" : std::string(buffer, static_cast<std::size_t>(size));
}

/// Called when another call begins: perhaps the power goes.
void count_call() {
    static int calls = 0;
    static int const last = std::atoi(setting("CUT_AT").c_str());
    if (++calls != last) return;
    for (auto const& [path, size] : synced()) {
        if (size < size_of(path) && truncate(path.c_str(), size) != 0) std::perror(path.c_str());
    }
    static_cast<void>(std::raise(SIGKILL));
}

template <class Call>
Call* real(char const* name) {
    return reinterpret_cast<Call*>(dlsym(RTLD_NEXT, name));
}

int open_as(char const* name, char const* path, int flags, mode_t mode) {
    bool const changes = (flags & (O_CREAT | O_TRUNC)) != 0 && is_inside(path);
    if (changes) {
        count_call();
        synced().try_emplace(path, size_of(path));
        if ((flags & O_TRUNC) != 0) synced()[path] = 0;
    }
    int const descriptor = real<int(char const*, int, ...)>(name)(path, flags, mode);
    return descriptor;
}

}  // namespace

extern "C" {

int open(char const* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t const mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_as("open", path, flags, mode);
}

int open64(char const* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t const mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_as("open64", path, flags, mode);
}

ssize_t write(int descriptor, void const* bytes, std::size_t count) {
    if (auto const path = path_of(descriptor); is_inside(path)) {
        count_call();
        synced().try_emplace(path, size_of(path));
    }
    return real<ssize_t(int, void const*, std::size_t)>("write")(descriptor, bytes, count);
}

int fsync(int descriptor) {
    if (auto const path = path_of(descriptor); is_inside(path)) {
        count_call();
        static int syncs = 0;
        auto const command = setting("CUT_SYNC_" + std::to_string(++syncs));
        unsetenv("LD_PRELOAD");
        if (!command.empty() && std::system(command.c_str()) != 0) std::abort();
        synced()[path] = size_of(path);
    }
    return real<int(int)>("fsync")(descriptor);
}

int rename(char const* from, char const* to) noexcept {
    if (is_inside(to)) {
        count_call();
        auto moved = synced().extract(from);
        synced().erase(to);
        if (moved) synced().emplace(to, moved.mapped());
    }
    return real<int(char const*, char const*)>("rename")(from, to);
}

int unlink(char const* path) noexcept {
    if (is_inside(path)) {
        count_call();
        synced().erase(path);
    }
    return real<int(char const*)>("unlink")(path);
}

int remove(char const* path) noexcept {
    struct stat status {};
    if (lstat(path, &status) == 0 && !S_ISDIR(status.st_mode)) return unlink(path);
    return real<int(char const*)>("remove")(path);
}
}
