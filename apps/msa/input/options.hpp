// What the user asks for on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/program.hpp"
#include "regraft/codec/columns.hpp"
#include "regraft/codec/pack.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::msa_cli {

enum class Verbosity : std::uint8_t { quiet, normal, verbose };

/// Options of all commands.
struct GeneralOptions {
    Verbosity verbosity = Verbosity::normal;
    std::uint32_t threads = 0;  // 0: all there are
    bool any_size = false;      // also texts so much larger than their files that they may be bombs
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

struct CompressOptions {
    GeneralOptions general;
    Places places;
    std::optional<codec::Kind> kind;  // none: native, sparse or plain, whichever is smallest
    std::uint32_t sites_per_block = 0;
    std::uint32_t level = codec::usual_level;
    std::string tree;                        // Newick file; empty: one is made
    std::string partitions;                  // partition file to be stored; empty: none
    std::vector<msa::PartitionSpec> stored;  // partitions to be stored if there is no file
    std::uint64_t seed = 1;
    bool verify = true;
};

struct DecompressOptions {
    GeneralOptions general;
    Places places;
    Look look;
};

/// Which taxa are taken.
struct TaxaOptions {
    std::string taxa;                  // file with the names of taxa
    std::string taxa_of;               // Newick file with them
    std::vector<std::string> taxon;    // names of taxa
    std::string exclude_taxa;          // file with the names of taxa that are left out
    std::vector<std::string> exclude;  // their names
    bool names_any() const { return !taxa.empty() || !taxa_of.empty() || !taxon.empty(); }
};

struct ExtractOptions {
    GeneralOptions general;
    Places places;                     // has one input
    std::optional<std::string> sites;  // sites as a list of ranges
    std::string partition;             // alternatively, the sites of this partition
    bool only_variable = false;        // only columns that are not constant
    bool consensus = false;            // in place of the rows what most of them have
    std::string against;               // VCF: the taxon that others are compared with
    TaxaOptions taxa;
    Look look;
};

struct StatOptions {
    GeneralOptions general;
    std::vector<std::string> inputs;
    bool json = false;
};

struct VerifyOptions {
    GeneralOptions general;
    std::vector<std::string> inputs;
    bool deep = false;  // also read it in parts, and from its text
};

struct TreeOptions {
    GeneralOptions general;
    std::vector<std::string> inputs;
};

struct CatOptions {
    GeneralOptions general;
    std::vector<std::string> inputs;
    Look look;
};

struct AppendOptions {
    GeneralOptions general;
    Places places;  // the inputs: a .rgm file, then what is added to it
    bool verify = true;
};

struct CompactOptions {
    GeneralOptions general;
    Places places;
    bool verify = true;
};

using Options = std::variant<AppendOptions, CompactOptions, CompressOptions, DecompressOptions, ExtractOptions,
                             StatOptions, VerifyOptions, TreeOptions, CatOptions>;
using Parsed = common::Parsed<Options>;

/// Reads the command line. Never prints, never throws.
Parsed parse_command_line(int argc, char const* const* argv);

}  // namespace regraft::msa_cli
