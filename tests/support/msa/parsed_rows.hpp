// What the text of an alignment is read as: its rows, or the error.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "regraft/core/errors.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::test {

using Rows = std::vector<std::string>;

/// A row per taxon: its name, a colon, a blank, and its cells.
inline Rows rows(std::string const& text) {
    auto const alignment = msa::parse_alignment(text, "f");
    Rows result;
    for (std::size_t taxon = 0; taxon < alignment.num_taxa(); ++taxon)
        result.push_back(alignment.names[taxon] + ": " + std::string(alignment.row(taxon)));
    return result;
}

/// The message of the error that reading the text as file f throws.
inline std::string error_of(std::string const& text) {
    try {
        msa::parse_alignment(text, "f");
    } catch (InputError const& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace regraft::test
