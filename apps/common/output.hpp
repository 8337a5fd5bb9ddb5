// Where results are written to: files that appear whole or not at all, and standard output.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include <sys/stat.h>

namespace regraft::common {

/// Something could not be written.
class OutputError : public std::runtime_error {
public:
    OutputError(std::string const& path, int code);
};

/// A file that is written beside its target and takes the target's place when all is written; until then, and if that
/// never happens, the target stays as it was. "-" is standard output; it, devices and pipes are written directly. All
/// members throw OutputError.
class Output {
public:
    explicit Output(std::string path) : Output(std::move(path), std::nullopt) {}
    /// A new file with the permissions, the times and, if that is allowed, the owner that another one has.
    Output(std::string path, struct stat const& like) : Output(std::move(path), std::optional(like)) {}
    Output(Output const&) = delete;
    Output& operator=(Output const&) = delete;
    ~Output();

    void write(std::string_view text);
    void write(std::span<std::byte const> bytes);
    /// Everything is written now, and on the disk. Call it once, at the end.
    void commit();

private:
    Output(std::string path, std::optional<struct stat> like);
    void check(bool good) const;
    void imitate(struct stat const& like) const;

    std::string path_;                 // as the user calls it
    std::filesystem::path target_;     // behind symbolic links
    std::filesystem::path temporary_;  // empty: written directly
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    std::optional<struct stat> like_;
};

/// Throws OutputError if an Output to path would fail from the start: better said before the work than after it.
void check_writable(std::string const& path);

/// From now on a signal that ends the program first removes the temporary file of the one Output that is being written,
/// and a file that grows too large is an OutputError. For the begin of main.
void clean_up_on_signals();

}  // namespace regraft::common
