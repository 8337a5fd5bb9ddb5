// Reads files and standard input as a whole, and names them in messages.
#pragma once

#include <string>
#include <string_view>

namespace regraft::common {

/// The text of a file, or of standard input if path is "-"; O(size) memory. Throws InputError.
std::string read_text(std::string const& path);
/// The name of a path in messages, for paths that read_text or Output take: standard streams have names.
std::string shown_input(std::string const& path);

/// The part of untrusted text that fits into a message: at most 40 characters; characters that are not printable ASCII
/// become \xNN.
std::string escaped(std::string_view text);

}  // namespace regraft::common
