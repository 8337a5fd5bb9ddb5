// What is compressed: a text, or the differences of nearly equal rows, with which texts of any size fit into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/text_input.hpp"
#include "input/general.hpp"
#include "regraft/codec/pack.hpp"
#include "regraft/msa/difference_rows.hpp"

namespace regraft::msa_cli {

/// Hashes of a text that comes in pieces; two texts are equal if theirs are.
class TextHashes {
public:
    void add(std::string_view piece);
    std::uint64_t num_bytes() const { return num_bytes_; }
    /// Whether the texts that were added are the same.
    friend bool operator==(TextHashes const& a, TextHashes const& b) {
        return a.hashes_ == b.hashes_ && a.rest_ == b.rest_;
    }

private:
    std::uint64_t num_bytes_ = 0;
    std::string rest_;  // what is not hashed yet
    std::vector<std::uint64_t> hashes_;
};

struct Source {
    std::optional<std::string> text;          // none: it is large, and the rows suffice
    std::optional<msa::DifferenceText> rows;  // none: it is no MAPLE, nor FASTA of nearly equal rows
    TextHashes hashes;                        // of the text that the rows make
    std::string_view only_alignment;          // why this is only the same alignment as the input; empty: it is the text
    bool is_packed = false;                   // the input is not the text, but unpacks to it
    bool is_vcf = false;                      // the input is VCF; text or rows are its SNPs
    std::uint64_t text_bytes = 0;             // of the input
    std::uint64_t num_bytes() const { return text ? text->size() : text_bytes; }
};

/// Reads an input in one pass, unpacked if it is packed. MAPLE is read as rows unless they are never wanted. The rows
/// of FASTA suffice as codec::rows_suffice says. VCF becomes FASTA, and what it skips is said. Names of FASTA are
/// joined unless their first words are wanted. reached: is told which part of a file has been read. Throws InputError.
Source read_source(std::string const& input, codec::RowUse rows, GeneralOptions const& general,
                   std::function<void(double)> const& reached = {});

/// The same for a text in memory that is not packed and no MAPLE.
Source source_of(std::string text, codec::RowUse rows);

/// Reads rows like others in one pass, as msa::read_differences does. Throws InputError.
std::optional<msa::DifferenceText> read_rows(std::string const& input, common::SizeLimit limit,
                                             msa::DifferenceRows const& like);

}  // namespace regraft::msa_cli
