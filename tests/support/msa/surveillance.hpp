// Alignments as genome surveillance makes them: many nearly equal genomes, with amplicons that dropped out by
// laboratory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace regraft::test {

struct Surveillance {
    std::uint32_t taxa = 1000;
    std::uint32_t sites = 29903;
    std::uint64_t seed = 1;
};

/// Passes on a FASTA text row by row, each row on one line. Cases infect others in 110 generations, in waves; few of
/// them infect many, and some variants infect more. A tenth of the cases are sequenced. Sites have rates of their own,
/// and deletions are inherited. Each laboratory has ragged ends and amplicons that drop out, which become N. O(taxa)
/// memory.
void write_surveillance(Surveillance const& size, std::function<void(std::string_view)> const& sink);

/// The text as a whole.
std::string surveillance_text(Surveillance const& size);

}  // namespace regraft::test
