#include "regraft/msa/partition.hpp"

#include <algorithm>

#include "msa/partitions/partition_reader.hpp"
#include "msa/text/nexus_text.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

/// The longest run of evenly spaced sites with which a list begins.
SiteStride first_stride(std::span<std::uint64_t const> sites) {
    if (sites.size() == 1) return {sites[0], sites[0] + 1, 1};
    auto const step = sites[1] - sites[0];
    std::size_t last = 1;
    while (last + 1 < sites.size() && sites[last + 1] - sites[last] == step) ++last;
    // Two sites alone are no pattern: each is better the begin of another run.
    if (step > 1 && last == 1) return {sites[0], sites[0] + 1, 1};
    return {sites[0], sites[last] + 1, step};
}

std::string to_text(SiteStride const& range) {
    auto text = std::to_string(range.first + 1);
    if (range.last > range.first + 1) text += '-' + std::to_string(range.last);
    if (range.step > 1) text += '\\' + std::to_string(range.step);
    return text;
}

}  // namespace

std::vector<std::string> files_of_partitions(std::string_view text, std::string const& file) {
    return is_nexus(text) ? files_of_charsets(text, file) : std::vector<std::string>();
}

PartitionsOfFiles parse_partitions_of_files(std::string_view text, std::string const& file, SitesOfFile sites_of,
                                            std::uint64_t num_sites, std::string const& model,
                                            IsModel const& is_model) {
    auto result = is_nexus(text) ? parse_nexus_partitions(text, file, num_sites, model, is_model, std::move(sites_of))
                                 : PartitionsOfFiles{{}, parse_raxml_partitions(text, file, num_sites)};
    auto const takes_model = [&](PartitionSpec const& partition) { return partition.model == model; };
    if (!model.empty() && !std::ranges::all_of(result.partitions, takes_model)) {
        throw InputError({file}, "has a model for each partition; expected no other one, but there is " +
                                     in_quotes(model) + " for all");
    }
    return result;
}

std::vector<PartitionSpec> parse_partitions(std::string_view text, std::string const& file, std::uint64_t num_sites,
                                            std::string const& model, IsModel const& is_model) {
    return parse_partitions_of_files(text, file, {}, num_sites, model, is_model).partitions;
}

std::vector<PartitionSpec> read_partitions(std::filesystem::path const& path, std::uint64_t num_sites,
                                           std::string const& model, IsModel const& is_model) {
    return parse_partitions(read_file(path), path.string(), num_sites, model, is_model);
}

std::string to_text(std::span<PartitionSpec const> partitions) {
    std::string text;
    for (auto const& [model, name, sites, length] : partitions) {
        text.append(model).append(", ").append(name).append(" = ");
        for (auto const& range : sites) text.append(&range == sites.data() ? "" : ", ").append(to_text(range));
        text += '\n';
    }
    return text;
}

std::vector<SiteStride> strides_of(std::span<std::uint64_t const> sites) {
    std::vector<SiteStride> strides;
    while (!sites.empty()) {
        strides.push_back(first_stride(sites));
        sites = sites.subspan(strides.back().size());
    }
    return strides;
}

PartitionSpec whole_alignment(std::string model, std::uint64_t num_sites, std::string name) {
    REGRAFT_EXPECTS(num_sites > 0);
    return {std::move(model), std::move(name), {{0, num_sites, 1}}};
}

std::uint64_t num_sites(std::span<SiteStride const> sites) {
    std::uint64_t count = 0;
    for (auto const& range : sites) {
        REGRAFT_EXPECTS(range.step >= 1 && range.first < range.last);
        count += range.size();
    }
    return count;
}

std::vector<std::uint64_t> sites_of(PartitionSpec const& partition) {
    std::vector<std::uint64_t> sites;
    sites.reserve(num_sites(partition.sites));
    for (auto const& range : partition.sites) {
        for (std::uint64_t i = 0, size = range.size(); i < size; ++i) sites.push_back(range[i]);
    }
    std::ranges::sort(sites);
    return sites;
}

std::vector<std::uint64_t> sites_of(PartitionSpec const& partition, std::uint64_t first, std::uint64_t last) {
    std::vector<std::uint64_t> sites;
    for (auto const& range : partition.sites) {
        auto const before = range.first < first ? (first - range.first - 1) / range.step + 1 : 0;
        for (auto i = before, size = range.size(); i < size && range[i] < last; ++i) sites.push_back(range[i]);
    }
    std::ranges::sort(sites);
    return sites;
}

}  // namespace regraft::msa
