// Which taxa of an alignment are wanted, by name.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "input/options.hpp"

namespace regraft::msa_cli {

/// The rows of the taxa that the options name, in the order in which they do, without those that they exclude; all that
/// are left if they name none. `input` is the alignment, in messages. Throws InputError for a taxon that is not there,
/// or is named twice, and if nothing is left.
std::vector<std::size_t> chosen_rows(std::span<std::string const> names, TaxaOptions const& options,
                                     std::string const& input);

}  // namespace regraft::msa_cli
