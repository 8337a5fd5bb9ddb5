#include "columns/rgm_columns.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>

#include "common/input.hpp"
#include "common/text_input.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {
namespace {

/// So many cells are decoded at once.
constexpr std::uint64_t cells_at_a_time = std::uint64_t{1} << 22;

/// Whether an .rgm file of columns, or a sparse one, begins so.
bool has_columns(std::filesystem::path const& path) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none)) return false;
    std::array<char, 6> head{};
    common::InputFile file(path.string());
    auto const bytes = std::as_bytes(std::span(head));
    return file.read(head) == head.size() && codec::is_rgm(bytes) && !codec::holds_text(bytes);
}

}  // namespace

std::optional<RgmColumns> RgmColumns::open(std::filesystem::path const& path) {
    if (!has_columns(path)) return std::nullopt;
    auto bytes = codec::open_bytes(path);
    auto const most = common::most_text(bytes->size());
    RgmColumns columns(codec::RgmFile(std::move(bytes), {.most_text = most}), path.string());
    if (auto const sites = columns.file_.num_sites(); sites > most) {  // what is kept of each site must not fill memory
        throw InputError({path.string()}, "has " + std::to_string(sites) + " sites, expected at most " +
                                              std::to_string(most) + " in a file of this size");
    }
    return columns;
}

void RgmColumns::visit(SiteRange sites, Use const& use) const {
    auto const num_taxa = file_.num_taxa();
    auto const per_block = file_.sites_per_block();
    auto const most = std::max<std::uint64_t>(cells_at_a_time / num_taxa / per_block, 1) * per_block;
    std::vector<char> cells;
    while (!sites.empty()) {
        auto const block_begin = value(sites.first) / per_block * per_block;
        SiteRange const some{sites.first, std::min(SiteId{block_begin + most}, sites.last)};
        cells.resize(some.size() * num_taxa);
        file_.read(some).decode(some, {.begin = cells.data(), .row_stride = 1, .site_stride = num_taxa});
        for (std::uint64_t i = 0; i < some.size(); ++i)
            use(value(some.first) + i, std::span<char const>(cells).subspan(i * num_taxa, num_taxa));
        sites.first = some.last;
    }
}

void RgmColumns::visit(std::span<std::uint64_t const> sites, Use const& use) const {
    while (!sites.empty()) {
        // Sites in neighbouring blocks are decoded together.
        std::size_t count = 1;
        while (count < sites.size() && sites[count] - sites[count - 1] <= file_.sites_per_block()) ++count;
        auto next = sites.begin();
        visit({SiteId{sites[0]}, SiteId{sites[count - 1] + 1}}, [&](std::uint64_t site, auto column) {
            if (site != *next) return;
            use(site, column);
            ++next;
        });
        sites = sites.subspan(count);
    }
}

std::vector<std::byte> RgmColumns::blocks(Dataset const& dataset, BlockRange patterns) const {
    std::vector<std::uint64_t> order(patterns.size());
    std::iota(order.begin(), order.end(), value(patterns.first));
    auto const site_of = [&](std::uint64_t pattern) { return dataset.origins[pattern].site; };
    std::ranges::sort(order, {}, site_of);
    std::vector<std::uint64_t> sites(order.size());
    std::ranges::transform(order, sites.begin(), site_of);

    std::vector<std::byte> blocks(patterns.size() * dataset.block_bytes());
    CanonicalColumns canonical(dataset.specs);
    auto next = order.begin();
    visit(sites, [&](std::uint64_t, std::span<char const> read) {
        auto const pattern = *next++;
        auto const column = canonical.of(dataset.partition_of(pattern), read);
        if (digest(std::as_bytes(column)) != dataset.origins[pattern].digest)
            throw InputError({name_}, "has changed since it was read first, expected the same file");
        auto const place = std::span(blocks).subspan((pattern - value(patterns.first)) * dataset.block_bytes());
        std::memcpy(place.data(), &dataset.weights[pattern], sizeof dataset.weights[pattern]);
        std::memcpy(place.data() + sizeof dataset.weights[pattern], column.data(), column.size());
    });
    return blocks;
}

CanonicalColumns::CanonicalColumns(std::span<ModelSpec const> specs) {
    for (auto const& spec : specs) {
        auto& table = tables_.emplace_back();
        for (std::size_t i = 0; i < table.size(); ++i) table[i] = msa::canonical(spec.alphabet, static_cast<char>(i));
    }
}

std::span<char const> CanonicalColumns::of(std::size_t partition, std::span<char const> column) {
    auto const& table = tables_[partition];
    column_.resize(column.size());
    std::ranges::transform(column, column_.begin(), [&](char c) { return table[static_cast<unsigned char>(c)]; });
    return column_;
}

}  // namespace regraft::phylo
