// Chooses sites that changed so often that their residues are better coded one by one.
#pragma once

#include <vector>

#include "codec/native/native_histories.hpp"
#include "codec/native/native_input.hpp"

namespace regraft::codec {

/// Lists the residues of those sites for which direct coding costs less than the changes. First candidates are chosen
/// by an estimate; then tables are made for these, and only sites for which it is true with these tables stay. None is
/// chosen if the tables would cost more than they save.
void choose_direct(NativeInput const& input, ChangeCosts const& costs, std::vector<BlockHistory>& histories);

}  // namespace regraft::codec
