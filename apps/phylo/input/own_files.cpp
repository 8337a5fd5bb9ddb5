#include "input/own_files.hpp"

#include <utility>

#include "common/alignment_input.hpp"
#include "common/input.hpp"
#include "common/named_alignments.hpp"
#include "input/model_words.hpp"
#include "regraft/msa/join.hpp"

namespace regraft::phylo {

namespace {

std::vector<std::string> paths_in(std::string const& text, std::string const& file) {
    auto paths = msa::files_of_partitions(text, file);
    for (auto& path : paths) path = common::path_from(file, path);
    return paths;
}

}  // namespace

std::vector<std::string> own_files(Options const& options) {
    auto const file = options.input.partitions.string();
    return file.empty() ? std::vector<std::string>() : paths_in(common::read_text(file), file);
}

std::optional<JoinedFiles> read_own_files(Options const& options) {
    auto const file = options.input.partitions.string();
    if (file.empty()) return std::nullopt;
    auto const text = common::read_text(file);
    auto paths = paths_in(text, file);
    if (paths.empty()) return std::nullopt;
    auto const read = [&](std::string const& path) {
        return common::read_alignment(path, options.input.reading()).alignment;
    };
    std::optional<msa::Alignment> whole;  // of charsets that name no alignment
    if (!options.input.msa.empty()) whole = read(options.input.msa);
    common::NamedAlignments<msa::Alignment> named(file, read);
    auto [files, partitions] = msa::parse_partitions_of_files(
        text, file, [&](std::string const& path) { return named.find(path); }, whole ? whole->num_sites() : 0,
        options.input.model, is_model);
    std::vector<msa::Joinable> parts;
    for (auto& [path, sites] : files)
        parts.push_back({std::move(path.empty() ? *whole : named.at(path)), std::move(sites)});
    return JoinedFiles{msa::join(std::move(parts), file), std::move(partitions), std::move(paths)};
}

}  // namespace regraft::phylo
