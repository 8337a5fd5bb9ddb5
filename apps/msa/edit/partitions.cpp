#include "edit/partitions.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/text_input.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

bool is_nexus_name(std::string const& path) {
    constexpr std::array<std::string_view, 3> extensions{".nex", ".nexus", ".nxs"};
    return std::ranges::any_of(extensions, [&](auto extension) { return path.ends_with(extension); });
}

std::string to_nexus(msa::SiteStride const& range) {
    auto const step = range.step > 1 ? fmt::format("\\{}", range.step) : std::string();
    return fmt::format(" {}-{}{}", range.first + 1, range.last, step);
}

std::string nexus_text(std::span<msa::PartitionSpec const> partitions) {
    std::string text = "#nexus\nbegin sets;\n";
    std::string subsets;
    for (auto const& [model, name, sites, length] : partitions) {
        text += fmt::format("  charset '{}' =", name);
        for (auto const& range : sites) text += to_nexus(range);
        text += ";\n";
        subsets += fmt::format("{}\n    {}: '{}'", subsets.empty() ? "" : ",", model, name);
    }
    auto const has_no_model = [](auto const& partition) { return partition.model == no_model; };
    if (std::ranges::all_of(partitions, has_no_model)) return text + "end;\n";
    return text + "  charpartition loci =" + subsets + ";\nend;\n";
}

}  // namespace

namespace {

/// Reads partitions with the model that is passed to `read`: none or, if that fails, no_model.
template <class Read>
auto with_or_without_models(Read const& read) {
    try {
        return read("");
    } catch (InputError const&) {
        return read(no_model);  // what is wrong now is more than the lack of a model
    }
}

}  // namespace

std::vector<msa::PartitionSpec> read_partition_file(std::string const& path, std::uint64_t num_sites) {
    auto const text = read_unpacked(path);
    return with_or_without_models(
        [&](char const* model) { return msa::parse_partitions(text, shown_input(path), num_sites, model); });
}

msa::PartitionsOfFiles read_partitions_of_files(std::string const& path, msa::SitesOfFile const& sites_of) {
    auto const text = read_unpacked(path);
    return with_or_without_models(
        [&](char const* model) { return msa::parse_partitions_of_files(text, shown_input(path), sites_of, 0, model); });
}

std::string partition_text(std::span<msa::PartitionSpec const> partitions, std::string const& path) {
    return is_nexus_name(path) ? nexus_text(partitions) : msa::to_text(partitions);
}

std::vector<msa::PartitionSpec> cut_partitions(std::span<msa::PartitionSpec const> partitions,
                                               std::span<std::uint64_t const> kept) {
    std::vector<msa::PartitionSpec> result;
    for (auto const& partition : partitions) {
        std::vector<std::uint64_t> columns;
        for (auto const site : sites_of(partition)) {
            auto const found = std::ranges::lower_bound(kept, site);
            if (found != kept.end() && *found == site)
                columns.push_back(static_cast<std::uint64_t>(found - kept.begin()));
        }
        if (columns.empty()) continue;
        result.push_back(partition);
        result.back().sites = msa::strides_of(columns);
    }
    return result;
}

std::string site_list(std::span<std::uint64_t const> sites) {
    std::string text;
    for (std::size_t first = 0; first < sites.size();) {
        auto last = first;
        while (last + 1 < sites.size() && sites[last + 1] == sites[last] + 1) ++last;
        text += fmt::format("{}{}", text.empty() ? "" : ",", sites[first] + 1);
        if (last > first) text += fmt::format("-{}", sites[last] + 1);
        first = last + 1;
    }
    return text;
}

}  // namespace regraft::msa_cli
