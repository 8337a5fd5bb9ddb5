// Lists of sites as users write them: 100-250,300,301-900\3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace regraft::msa_cli {

/// The sites in the order of the list, counted from 0. In the list they count from 1, both ends of a range belong to
/// it, and \3 takes every third. Blanks are ignored. Throws InputError, which begins with `option`, unless every site
/// is below num_sites and occurs only once. O(list + num_sites).
std::vector<std::uint64_t> parse_sites(std::string_view list, std::uint64_t num_sites, std::string const& option);

}  // namespace regraft::msa_cli
