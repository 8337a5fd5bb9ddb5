// Reads the Variant Call Format, versions 4.0 to 4.5, as an alignment of single-nucleotide polymorphisms (SNPs).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "regraft/msa/alignment.hpp"
#include "regraft/msa/difference_rows.hpp"

#pragma GCC visibility push(default)
namespace regraft::msa {

/// What is done with a record that is no SNP: one of a deletion or an insertion, of several bases, or of a symbolic
/// allele such as <DEL>.
enum class NotSnp : std::uint8_t { refuse, skip };

/// The SNPs of a VCF, and what was left out.
struct VcfAlignment {
    Alignment alignment;        // a row per sample, a site per SNP, in the order of the text; cells have no positions
    std::uint64_t skipped = 0;  // the number of records that are no SNPs
};

/// Whether a text begins as VCF does.
bool is_vcf(std::string_view text);

/// Reads VCF with calls of one or two alleles, phased or not, piece by piece. A cell has the base of a call, or the
/// IUPAC letter for two bases; N if the call or one of its alleles is missing ('.'); '-' for the allele '*', which an
/// earlier deletion has taken away, unless the other allele is a base. FILTER and QUAL are not looked at. Memory: about
/// three bytes for each cell, and the longest line. Throws InputError, also if neighbouring records have one position,
/// or if there are no SNPs.
VcfAlignment read_vcf(TextSource const& source, std::string const& file, NotSnp others = NotSnp::refuse);

}  // namespace regraft::msa
#pragma GCC visibility pop
