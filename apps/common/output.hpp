// Writes results: to files that appear whole or not at all, and to standard output.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>

#include "regraft/core/errors.hpp"
#include "regraft/disk/new_file.hpp"

namespace regraft::common {

/// A disk::NewFile that is removed if a signal ends the program; "-" is standard output. All member functions throw
/// OutputError.
class Output {
public:
    explicit Output(std::string path) : Output(std::move(path), std::nullopt) {}
    /// A new file with the permissions, the times and, if allowed, the owner of another one.
    Output(std::string path, struct stat const& like) : Output(std::move(path), std::optional(like)) {}
    Output(Output const&) = delete;
    Output& operator=(Output const&) = delete;
    ~Output();

    void write(std::string_view text);
    void write(std::span<std::byte const> bytes);
    /// Returns when everything is on the disk. Nothing can be written after that.
    void sync();
    /// Gives the file its name, after a sync. Call it once, at the end.
    void commit();

private:
    Output(std::string path, std::optional<struct stat> like);
    void imitate(struct stat const& like) const;
    void forget_temporary();

    std::optional<disk::NewFile> file_;  // none: standard output
    std::optional<struct stat> like_;
};

/// Throws OutputError if an Output to path would fail from the start, so that the user learns it before the work and
/// not after it.
void check_writable(std::string const& path);

/// Throws InputError if `output` is the file of one of the inputs, whatever the names: a link, or another spelling of
/// the path. The input "-" is standard input. Inputs that are no files, such as devices, and empty names are passed
/// over.
void refuse_input(std::string const& output, std::span<std::string const> inputs);

/// From now on a signal that ends the program first removes the temporary file of the one Output that is being written,
/// and a file that grows too large is an OutputError. Call it at the begin of main.
void clean_up_on_signals();

/// Makes signals that would end the program wait, in all threads, as long as it lives. It protects steps between which
/// a file would be left behind.
class SignalsWait {
public:
    SignalsWait();
    SignalsWait(SignalsWait const&) = delete;
    SignalsWait& operator=(SignalsWait const&) = delete;
    ~SignalsWait();
};

}  // namespace regraft::common
