#include "parts/cut.hpp"

#include <algorithm>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::msa_cli {
namespace {

constexpr std::uint64_t sites_at_once = 1U << 14;

/// A column of the result and the site that belongs there.
struct ChosenSite {
    std::uint64_t site = 0;
    std::uint64_t column = 0;
};

std::vector<ChosenSite> by_site(std::span<std::uint64_t const> sites) {
    std::vector<ChosenSite> chosen;
    chosen.reserve(sites.size());
    for (auto const site : sites) chosen.push_back({site, chosen.size()});
    std::ranges::sort(chosen, {}, &ChosenSite::site);
    return chosen;
}

/// The number of chosen sites, from the first one, that are decoded together: in blocks without a gap between them.
std::size_t count_neighbours(std::span<ChosenSite const> chosen, std::uint64_t sites_per_block) {
    auto const block = [&](std::size_t i) { return chosen[i].site / sites_per_block; };
    std::size_t count = 1;
    while (count < chosen.size() && block(count) - block(count - 1) <= 1 &&
           chosen[count].site - chosen[0].site < sites_at_once) {
        ++count;
    }
    return count;
}

}  // namespace

msa::Alignment cut_blocks(codec::RgmFile const& file, std::span<std::size_t const> rows,
                          std::span<std::uint64_t const> sites) {
    msa::Alignment result;
    for (auto const row : rows) result.names.push_back(file.names()[row]);
    auto const width = sites.size();
    result.cells.resize(rows.size() * width);

    auto const chosen = by_site(sites);
    std::vector<char> decoded;
    for (std::span<ChosenSite const> rest = chosen; !rest.empty();) {
        auto const together = rest.first(count_neighbours(rest, file.sites_per_block()));
        rest = rest.subspan(together.size());
        SiteRange const range{SiteId{together.front().site}, SiteId{together.back().site + 1}};
        decoded.resize(file.num_taxa() * range.size());
        file.read(range).decode(range, {decoded.data(), range.size(), 1});
        for (std::size_t i = 0; i < rows.size(); ++i) {
            auto const* const from = decoded.data() + rows[i] * range.size();
            auto* const to = result.cells.data() + i * width;
            for (auto const& [site, column] : together) to[column] = from[site - value(range.first)];
        }
    }
    return result;
}

msa::Alignment cut_cells(msa::Alignment const& alignment, std::span<std::size_t const> rows,
                         std::span<std::uint64_t const> sites) {
    msa::Alignment result;
    result.sets = alignment.sets;
    result.cells.reserve(rows.size() * sites.size());
    for (auto const row : rows) {
        result.names.push_back(alignment.names[row]);
        auto const cells = alignment.row(row);
        for (auto const site : sites) result.cells.push_back(cells[site]);
    }
    return result;
}

}  // namespace regraft::msa_cli
