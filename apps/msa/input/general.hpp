// What all commands have in common: manners, files, and the layout of texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/alignment_input.hpp"

namespace regraft::msa_cli {

enum class Verbosity : std::uint8_t { quiet, normal, verbose };

/// Options of all commands.
struct GeneralOptions {
    Verbosity verbosity = Verbosity::normal;
    std::uint32_t threads = 0;                   // 0: all there are
    common::Names names = common::Names::first;  // what the names of taxa in FASTA are
    bool any_size = false;                       // also texts so much larger than their files that they may be bombs
    msa::NotSnp not_snps = msa::NotSnp::refuse;  // what is done with records of VCF that are no SNPs
};

/// The input files, and where the results go.
struct Places {
    std::vector<std::string> inputs;  // "-": standard input
    std::vector<std::string> others;  // further files that are read, such as a tree; may be empty names
    std::string output;               // empty: beside the input, which is then removed; "-": standard output
    bool keep = false;                // keep the input in any case
    bool force = false;               // overwrite existing files
};

/// The formats of texts that are written.
enum class OutputFormat : std::uint8_t { fasta, phylip, maple, vcf };

/// The layout of a text. Options that are not given are as in the text that was compressed.
struct Look {
    std::optional<OutputFormat> format;
    std::optional<std::uint64_t> width;  // cells per line; 0: all
};

}  // namespace regraft::msa_cli
