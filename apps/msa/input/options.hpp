// What the user asks for on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/program.hpp"
#include "input/edits.hpp"
#include "input/general.hpp"
#include "regraft/codec/columns.hpp"
#include "regraft/codec/pack.hpp"
#include "regraft/msa/partition.hpp"

namespace regraft::msa_cli {

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
                             StatOptions, VerifyOptions, TreeOptions, CatOptions, ConcatOptions, DedupOptions,
                             RenameOptions, TrimOptions, MaskOptions, TranslateOptions, SampleOptions>;
using Parsed = common::Parsed<Options>;

/// Reads the command line. Never prints, never throws.
Parsed parse_command_line(int argc, char const* const* argv);

}  // namespace regraft::msa_cli
