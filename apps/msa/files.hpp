// Which files are read, written, overwritten and removed: the manners of gzip and xz.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "common/output.hpp"
#include "options.hpp"
#include "regraft/codec/rgm.hpp"

namespace regraft::msa_cli {

inline constexpr std::string_view suffix = ".rgm";

/// A file that a command makes of another one.
class Replacement {
public:
    enum class Result : std::uint8_t { text, binary };
    /// Throws InputError if there is a file already and it must not be overwritten, if the input is to be removed but
    /// is not an ordinary file, or if `output` is a terminal and the result is binary; OutputError if it cannot be
    /// written.
    Replacement(std::string input, std::string output, Places const& places, Result result);

    std::string const& output() const { return output_; }
    /// The input stays, whatever was asked for: the way back from the result does not lead to it.
    void keep_input() { removed_.reset(); }
    /// Writes the whole result; when it is safely there, the input is removed if that is wanted. Throws OutputError,
    /// and InputError if the input is not any more what it was: then it stays, be it changed before the result is
    /// there, which is then not written, or later.
    void finish(std::string_view bytes);

private:
    void remove_input() const;

    std::string input_;
    std::string output_;
    std::optional<struct stat> removed_;  // the input as it was, if it is to be removed
};

/// FILE.rgm, for FILE and for FILE.gz, or what the user says. Throws InputError if the input's name says that it is
/// compressed already.
std::string compressed_name(std::string const& input, Places const& places);
/// FILE for FILE.rgm, or what the user says. Throws InputError for a name without the suffix.
std::string decompressed_name(std::string const& input, Places const& places);

/// Opens a compressed file; "-" is standard input. Throws InputError, also for a text above common::most_text unless
/// any size is allowed.
codec::RgmFile open_rgm(std::string const& input, Manners const& manners);
codec::RgmFile open_rgm(std::unique_ptr<codec::ByteSource> source, Manners const& manners);

/// True if these are the first bytes of an .rgm file.
bool is_rgm(std::string_view text);
/// The text, unpacked if it was packed by gzip. Throws InputError if it was packed by another program, and says by
/// which.
std::string unpacked(std::string text, std::string const& name);

}  // namespace regraft::msa_cli
