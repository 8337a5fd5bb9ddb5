#include "input/own_files.hpp"

#include <filesystem>
#include <map>
#include <utility>

#include "common/alignment_input.hpp"
#include "common/input.hpp"
#include "input/model_words.hpp"
#include "regraft/msa/join.hpp"

namespace regraft::phylo {
namespace {

namespace fs = std::filesystem;

/// A path in a partition file is relative to the folder of this file.
std::string from_here(Options const& options, std::string const& path) {
    return (options.input.partitions.parent_path() / path).string();
}

}  // namespace

std::vector<std::string> own_files(Options const& options) {
    auto const file = options.input.partitions.string();
    if (file.empty()) return {};
    auto paths = msa::files_of_partitions(common::read_text(file), file);
    for (auto& path : paths) path = from_here(options, path);
    return paths;
}

std::optional<JoinedFiles> read_own_files(Options const& options) {
    auto const file = options.input.partitions.string();
    if (file.empty()) return std::nullopt;
    auto const text = common::read_text(file);
    if (msa::files_of_partitions(text, file).empty()) return std::nullopt;
    std::map<std::string, msa::Alignment> read;
    auto const sites_of = [&](std::string const& path) -> std::optional<std::uint64_t> {
        auto const place = from_here(options, path);
        if (!fs::exists(place)) return std::nullopt;
        return read.emplace(path, common::read_alignment(place, options.input.reading()).alignment)
            .first->second.num_sites();
    };
    if (!options.input.msa.empty())
        read.emplace("", common::read_alignment(options.input.msa, options.input.reading()).alignment);
    auto const num_sites = read.contains("") ? read.at("").num_sites() : 0;
    auto [files, partitions] =
        msa::parse_partitions_of_files(text, file, sites_of, num_sites, options.input.model, is_model);
    std::vector<msa::Joinable> parts;
    for (auto& [path, sites] : files) parts.push_back({std::move(read.at(path)), std::move(sites)});
    return JoinedFiles{msa::join(std::move(parts), file), std::move(partitions)};
}

}  // namespace regraft::phylo
