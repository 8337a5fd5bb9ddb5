#include "regraft/msa/join.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace regraft::msa {
namespace {

/// Where the cells of joined alignments come from.
struct Origins {
    JoinedTaxa taxa;
    std::vector<Joinable> parts;  // without cells
    std::vector<std::uint64_t> first_site;
};

TextPosition place_in(Origins const& origins, std::size_t taxon, std::uint64_t site) {
    auto const after = std::ranges::upper_bound(origins.first_site, site);
    auto const number = static_cast<std::size_t>(after - origins.first_site.begin()) - 1;
    auto const& [alignment, sites] = origins.parts[number];
    auto const rows = origins.taxa.rows(taxon);
    auto const found = std::ranges::find(rows, number, &RowOf::alignment);
    if (found == rows.end()) return {alignment.file};
    return alignment.position(found->row, sites[site - origins.first_site[number]]);
}

}  // namespace

void JoinedTaxa::add(std::span<std::string const> names) {
    for (std::uint32_t row = 0; row < names.size(); ++row) {
        auto const [taxon, is_new] = taxon_of_.emplace(names[row], names_.size());
        if (is_new) {
            names_.push_back(names[row]);
            rows_.emplace_back();
        }
        rows_[taxon->second].push_back({num_alignments_, row});
    }
    ++num_alignments_;
}

Alignment join(std::vector<Joinable> parts, std::string file) {
    auto const origins = std::make_shared<Origins>();
    std::uint64_t num_sites = 0;
    for (auto const& part : parts) {
        origins->taxa.add(part.alignment.names);
        origins->first_site.push_back(num_sites);
        num_sites += part.sites.size();
    }
    auto const& taxa = origins->taxa;
    Alignment joined{.file = std::move(file), .names = taxa.names(), .cells = {}};
    joined.cells.assign(taxa.names().size() * num_sites, '-');
    for (std::size_t taxon = 0; taxon < taxa.names().size(); ++taxon) {
        for (auto const& [number, row] : taxa.rows(taxon)) {
            auto const cells = parts[number].alignment.row(row);
            auto* out = &joined.cells[taxon * num_sites + origins->first_site[number]];
            for (auto const site : parts[number].sites) *out++ = cells[site];
        }
    }
    for (auto& part : parts) part.alignment.cells = {};
    origins->parts = std::move(parts);
    joined.is_verbatim = false;
    joined.place_of = [origins](std::size_t taxon, std::size_t site) { return place_in(*origins, taxon, site); };
    return joined;
}

}  // namespace regraft::msa
