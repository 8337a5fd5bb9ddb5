// Opens alignments whose rows and columns are selected: .rgm files of any kind, and texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "input/options.hpp"
#include "input/source.hpp"
#include "regraft/codec/rgm.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/difference_rows.hpp"

namespace regraft::msa_cli {

/// An alignment, of which no more is read than is asked for.
class Opened {
public:
    /// "-" is standard input. Throws InputError.
    Opened(std::string const& input, GeneralOptions const& general);
    Opened(codec::RgmFile file, std::string input) : input_(std::move(input)), file_(std::move(file)) {}

    /// The input, for messages.
    std::string const& input() const { return input_; }
    std::span<std::string const> names() const;
    std::uint64_t num_sites() const;
    std::span<msa::PartitionSpec const> partitions() const;
    /// The layout of the text. None: it is not known.
    std::optional<msa::TextLayout> layout() const;
    /// Whether it is known without a look at the text that this is FASTA, PHYLIP or MAPLE.
    bool is_regular() const;
    /// Whether rows are read as differences: the file is sparse, or the text is MAPLE or FASTA of nearly equal rows.
    bool has_differences() const;

    /// Some rows, in this order, each once. Precondition: has_differences().
    msa::DifferenceRows differences(std::span<std::size_t const> rows) const;
    /// The cells of some rows and sites, in these orders. Reads and decodes only blocks that contain any of the sites,
    /// each once. Memory: the result and some thousand sites of all taxa. Precondition: not has_differences().
    msa::Alignment cut(std::span<std::size_t const> rows, std::span<std::uint64_t const> sites) const;
    /// The text as a whole, unpacked, in pieces.
    void write_text(msa::TextSink const& sink) const;
    /// The number of bytes of the file that were read so far; none: all.
    std::optional<std::uint64_t> bytes_read() const;

private:
    void take(Source source, std::string const& name);
    void use_names(common::Names names, std::string const& input);
    msa::DifferenceRows stored_differences(std::span<std::size_t const> rows) const;
    void open_text(std::string const& input, GeneralOptions const& general);

    std::string input_;
    std::vector<std::string> names_;           // instead of those of file_; empty: as in the file
    std::optional<codec::RgmFile> file_;       // or one of:
    std::optional<msa::DifferenceText> rows_;  // the text, as differences
    std::string text_;                         // the text
    std::optional<msa::Alignment> alignment_;  // its cells
    std::optional<msa::TextLayout> text_layout_;
};

}  // namespace regraft::msa_cli
