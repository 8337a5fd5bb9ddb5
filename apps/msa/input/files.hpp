// Decides which files are read, written, overwritten and removed, as gzip and xz do.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "common/output.hpp"
#include "common/text_input.hpp"
#include "input/options.hpp"
#include "regraft/codec/rgm.hpp"

namespace regraft::msa_cli {

inline constexpr std::string_view suffix = ".rgm";

/// A file that a command makes from another one, or in its place.
class Replacement {
public:
    enum class Result : std::uint8_t { text, binary };
    /// Throws InputError if the output is a file that is read, except in place of the input, if it exists and must not
    /// be overwritten, if a text would have the name of a .rgm file, if the input is to be removed but is not an
    /// ordinary file, or if `output` is a terminal and the result is binary. Throws OutputError if the output cannot be
    /// written.
    Replacement(std::string input, std::string output, Places const& places, Result result);

    std::string const& output() const { return output_; }
    /// Keeps the input, even if its removal was requested, because it cannot be restored from the result.
    void keep_input() { removed_.reset(); }
    /// Writes the whole result. When it is safely on disk, the input is removed if requested. Throws OutputError, and
    /// InputError if the input was changed meanwhile. In that case the input stays; if it was changed before the result
    /// was complete, the result is not written.
    void finish(std::string_view bytes);
    /// The same for a result in pieces: `write` passes them to its argument.
    void finish(std::function<void(msa::TextSink const&)> const& write);

private:
    void remove_input() const;

    std::string input_;
    std::string output_;
    std::optional<struct stat> removed_;  // the input's state, if it is to be removed
};

/// The output for an input to be compressed: FILE.rgm for FILE and for FILE.gz, FILE.bz2, FILE.xz and FILE.zst, or the
/// name that the user gives. Throws InputError if the input's name says that it is compressed already.
std::string compressed_name(std::string const& input, Places const& places);
/// The output for an input to be decompressed: FILE for FILE.rgm, or the name that the user gives. Throws InputError
/// for a name without the suffix.
std::string decompressed_name(std::string const& input, Places const& places);

/// The size of a file; 0 if it is none.
std::uint64_t file_size(std::string const& path);

/// Opens a compressed file; "-" is standard input. Throws InputError, also for a text above common::most_text unless
/// any size is allowed.
codec::RgmFile open_rgm(std::string const& input, GeneralOptions const& general);
codec::RgmFile open_rgm(std::unique_ptr<codec::ByteSource> source, GeneralOptions const& general);

/// Whether these are the first bytes of an .rgm file.
bool is_rgm(std::string_view text);
/// The limit for texts that are unpacked.
common::SizeLimit size_limit(GeneralOptions const& general);

}  // namespace regraft::msa_cli
