#include "regraft/msa/alignment.hpp"

namespace regraft::msa {

TextPosition Alignment::position(std::size_t taxon, std::size_t site) const {
    if (place_of) return place_of(taxon, site);
    if (taxon >= positions.size()) return {file};
    auto const [line, column] = positions[taxon].at(site);
    return {file, line, column};
}

}  // namespace regraft::msa
