// Sites that changed so often that their residues are better coded one by one.
#pragma once

#include <vector>

#include "codec/native_histories.hpp"
#include "codec/native_source.hpp"

namespace regraft::codec {

/// Lists the residues of those sites for which that costs less than their changes do: first of those that look like it,
/// then, with tables made for these, of those for which it is so. None if the tables would cost more than it saves.
void choose_direct(Source const& source, ChangeCosts const& costs, std::vector<BlockHistory>& histories);

}  // namespace regraft::codec
