#include "input/site_weights.hpp"

#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "common/input.hpp"
#include "files/words.hpp"

namespace regraft::phylo {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();

std::uint32_t weight_in(Word const& word) {
    std::uint32_t weight = 0;
    auto const* const end = word.text.data() + word.text.size();
    auto const parsed = std::from_chars(word.text.data(), end, weight);
    if (parsed.ec == std::errc() && parsed.ptr == end) return weight;
    throw InputError(word.where, fmt::format("'{}', expected the weight of a site: a whole number from 0 to {}",
                                             common::escaped(word.text), most));
}

}  // namespace

std::vector<std::uint32_t> parse_site_weights(std::string_view text, std::string const& file, std::uint64_t num_sites,
                                              std::span<msa::PartitionSpec const> partitions) {
    std::vector<std::uint32_t> weights;
    std::uint64_t sum = 0;
    Words words(text, file);
    for (auto word = words.next();; word = words.next()) {
        if (word.text.empty() && weights.size() == num_sites) break;
        if (word.text.empty() || weights.size() == num_sites) {
            throw InputError(word.where, fmt::format("has {} than {} weights, expected one for each site",
                                                     word.text.empty() ? "fewer" : "more", num_sites));
        }
        sum += weights.emplace_back(weight_in(word));
        if (sum > most) throw InputError(word.where, fmt::format("weights add up to more than {}", most));
    }
    for (auto const& partition : partitions) {
        if (weight_of(partition, weights) > 0) continue;
        throw InputError({file}, fmt::format("all sites of partition {} have weight 0, expected some with a weight",
                                             partition.name));
    }
    return weights;
}

std::vector<std::uint64_t> sites_with_weight(msa::PartitionSpec const& partition,
                                             std::span<std::uint32_t const> site_weights) {
    auto sites = msa::sites_of(partition);
    if (!site_weights.empty()) std::erase_if(sites, [&](auto site) { return site_weights[site] == 0; });
    return sites;
}

std::uint64_t weight_of(msa::PartitionSpec const& partition, std::span<std::uint32_t const> site_weights) {
    if (site_weights.empty()) return msa::num_sites(partition.sites);
    std::uint64_t sum = 0;
    for (auto const& range : partition.sites) {
        for (std::uint64_t i = 0, size = range.size(); i < size; ++i) sum += site_weights[range[i]];
    }
    return sum;
}

}  // namespace regraft::phylo
