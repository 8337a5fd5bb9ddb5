// The report of the command `stat` on a file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/options.hpp"
#include "regraft/codec/columns.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/text_layout.hpp"
#include "statistics.hpp"

namespace regraft::msa_cli {

/// The properties of a compressed file.
struct Coding {
    codec::Kind kind = codec::Kind::plain;
    std::uint32_t sites_per_block = 0;
    std::uint64_t bytes = 0;
    std::vector<codec::Layer> layers;        // of the file
    std::vector<codec::Layer> block_layers;  // parts of its layer "blocks"; empty: plain
    std::vector<msa::PartitionSpec> partitions;
    std::optional<std::uint64_t> parsimony_score;  // on the stored tree; none: no tree
};

/// The number of cells, at least 1.
double num_cells(std::uint64_t taxa, std::uint64_t sites);

struct Report {
    std::string file;
    std::string_view format;  // name of the format of the text
    std::uint64_t text_bytes = 0;
    std::uint64_t taxa = 0;
    std::uint64_t sites = 0;
    Statistics statistics;
    std::optional<Coding> coding;  // none: the file is a text

    /// The number of cells, at least 1, so that bits per cell are a number.
    double cells() const { return num_cells(taxa, sites); }
};

/// Reads a compressed file or a text; "-" is standard input. Throws InputError.
Report examine(std::string const& input, GeneralOptions const& general);

std::string to_text(Report const& report);
/// The report on one line.
std::string to_json(Report const& report);

/// The name of a kind: "native", "sparse", "thesis" or "plain".
std::string name(codec::Kind kind);
/// The change in words: "7.5 times smaller".
std::string change_of_size(std::uint64_t before, std::uint64_t after);
}  // namespace regraft::msa_cli
