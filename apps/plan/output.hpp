// Where results are written to: files that appear whole or not at all, and standard output.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace regraft::plan {

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
    explicit Output(std::string path);
    Output(Output const&) = delete;
    Output& operator=(Output const&) = delete;
    ~Output();

    void write(std::string_view text);
    /// Everything is written now. Call it once, at the end.
    void commit();

private:
    void check(bool good) const;

    std::string path_;                 // as the user calls it
    std::filesystem::path target_;     // behind symbolic links
    std::filesystem::path temporary_;  // empty: written directly
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Throws OutputError if an Output to path would fail from the start: better said before the work than after it.
void check_writable(std::string const& path);

}  // namespace regraft::plan
