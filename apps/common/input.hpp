// What programs read: files and standard input as a whole, and how they are called in messages.
#pragma once

#include <string>
#include <string_view>

namespace regraft::common {

/// The text of a file, or of standard input if path is "-"; O(size) memory. Throws InputError.
std::string read_text(std::string const& path);
/// How a path that read_text or Output takes is called in messages: standard streams by their names.
std::string shown_input(std::string const& path);

/// The part of untrusted text that fits a message: at most 40 characters, those that are not printable ASCII as \xNN.
std::string escaped(std::string_view text);

}  // namespace regraft::common
