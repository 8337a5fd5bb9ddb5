// Reads files and standard input as a whole, and names them in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace regraft::common {

/// A file, or standard input if its path is "-", piece by piece. All functions throw InputError.
class InputFile {
public:
    explicit InputFile(std::string path);
    /// The size of a file; none for anything else, such as a pipe.
    std::optional<std::uint64_t> size() const;
    /// Fills a buffer with the next bytes. Returns how many; 0 at the end.
    std::size_t read(std::span<char> buffer);
    /// What is left; O(size) memory.
    std::string rest();

private:
    std::string path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// The text of a file, or of standard input if path is "-"; O(size) memory. Throws InputError.
std::string read_text(std::string const& path);
/// The name of a path in messages, for paths that read_text or Output take: standard streams have names.
std::string shown_input(std::string const& path);

/// The part of untrusted text that fits into a message: at most 40 characters; characters that are not printable ASCII
/// become \xNN.
std::string escaped(std::string_view text);

}  // namespace regraft::common
