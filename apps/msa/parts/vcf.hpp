// Writes differences to a row of an alignment in the Variant Call Format, version 4.2.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "regraft/msa/difference_rows.hpp"

namespace regraft::msa_cli {

/// The row that others are compared with.
struct VcfReference {
    std::string name;
    std::string cells;
};

/// Writes a line for each of the sites at which the reference has a base, and a row another one. Sites are in ascending
/// order. Positions count the bases of the reference and its characters that may be any, but not its gaps. Rows are
/// haploid: a number of an allele, or '.' for gaps and for characters that may be several bases. T and U are the same.
/// Memory: that of the rows, and a line. Throws InputError for a name that VCF cannot hold.
void write_vcf(msa::DifferenceRows const& rows, VcfReference const& reference, std::span<std::uint64_t const> sites,
               msa::TextSink const& sink);

}  // namespace regraft::msa_cli
