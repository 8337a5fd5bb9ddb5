// Alignments that are made row by row: what all commands that edit have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parts/part.hpp"
#include "regraft/msa/characters.hpp"
#include "regraft/msa/text_layout.hpp"

namespace regraft::msa_cli {

/// Gives the cells of a part row by row.
class RowReader {
public:
    /// The part outlives the reader.
    explicit RowReader(Part const& part);
    /// The cells of a row, until the next call.
    std::string_view operator()(std::size_t row);

private:
    Part const& part_;
    std::string reference_;  // of differences
    std::string cells_;
};

/// An alignment whose rows are made when they are written.
struct MadeRows {
    std::vector<std::string> names;
    std::uint64_t num_sites = 0;
    msa::TextLayout layout;
    bool may_be_unwritable =
        false;  // rows may have sets of states of NEXUS: they are checked before the first is written
    /// Makes the cells of a row, num_sites of them, from an empty string. Called for each row in their order, maybe
    /// twice.
    std::function<void(std::size_t row, std::string& cells)> make;
    std::string input{};  // the file that they are from, for messages; empty if there are several
};

/// Whether there are sets of states of NEXUS among the cells, for which there are no characters.
bool has_sets(Part const& part);

/// Throws InputError, which names the option, if a character that is put in place of others is a state in such an
/// alignment, as N is asparagine.
void check_fill(msa::CharacterKind kind, char fill, std::string const& option, std::string const& input);

/// Some rows of a part, which is all of the source. Both outlive the result.
MadeRows some_rows(Opened const& source, Part const& part, std::vector<std::size_t> const& rows, Look const& look);
/// The same at some sites, in this order. The sites outlive the result, too.
MadeRows some_cells(Opened const& source, Part const& part, std::vector<std::size_t> const& rows,
                    std::span<std::uint64_t const> sites, Look const& look);

/// Writes the text. Memory: one row; for MAPLE, the differences
/// of all, or all rows if they are not nearly equal. Throws InputError if the format cannot hold a name or a character.
void write_text(MadeRows const& rows, msa::TextSink const& sink);

}  // namespace regraft::msa_cli
