#include "regraft/search/counted_data.hpp"

#include <map>
#include <utility>

namespace regraft::search {

CountedData counted_from(std::vector<msa::StateCount> cells, std::uint64_t constant_sites, std::uint64_t sites,
                         std::uint32_t num_states) {
    auto frequencies = msa::empirical_frequencies(cells, num_states);
    return {std::move(frequencies), static_cast<double>(constant_sites) / static_cast<double>(sites), std::move(cells),
            constant_sites, sites};
}

CountedData counted_together(std::span<CountedData const> parts, std::uint32_t num_states) {
    std::map<msa::StateMask, std::uint64_t> counts;
    std::uint64_t constant_sites = 0;
    std::uint64_t sites = 0;
    for (auto const& part : parts) {
        for (auto const& [mask, count] : part.cells) counts[mask] += count;
        constant_sites += part.constant_sites;
        sites += part.sites;
    }
    std::vector<msa::StateCount> cells;
    for (auto const& [mask, count] : counts) cells.push_back({mask, count});
    return counted_from(std::move(cells), constant_sites, sites, num_states);
}

Model start_model(ModelSpec const& spec, CountedData const& counted) {
    return likelihood::start_model(spec, {counted.frequencies, counted.invariant});
}

}  // namespace regraft::search
