#include "regraft/msa/alignment.hpp"

namespace regraft::msa {

TextPosition Alignment::position(std::size_t taxon, std::size_t site) const {
    if (taxon >= positions.size()) return {file};
    auto const [line, column] = positions[taxon].at(site);
    return {file, line, column};
}

}  // namespace regraft::msa
