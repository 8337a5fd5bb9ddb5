#include "regraft/msa/join.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "msa/sites/set_cells.hpp"

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

/// Lets the cells of all parts have characters of the same sets, and returns these. Throws InputError if there are too
/// many.
SetCharacters unite_sets(std::vector<Joinable>& parts, std::string const& file) {
    auto const have_usual = [](Joinable const& part) { return part.alignment.sets.are_usual(); };
    if (std::ranges::all_of(parts, have_usual)) return {};
    std::vector<StateMask> all;
    for (auto const& [alignment, sites] : parts) {
        auto const some = sets_in(alignment.cells, alignment.sets);
        all.insert(all.end(), some.begin(), some.end());
    }
    auto const united = SetCharacters::of(std::move(all));
    if (!united) {
        throw InputError({file}, "the alignments have too many different sets of states; expected at most " +
                                     std::to_string(SetCharacters::most) + " together");
    }
    for (auto& [alignment, sites] : parts)
        recode_sets(alignment.cells, std::exchange(alignment.sets, *united), *united);
    return *united;
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
    auto const sets = unite_sets(parts, file);
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
    joined.sets = sets;
    joined.place_of = [origins](std::size_t taxon, std::size_t site) { return place_in(*origins, taxon, site); };
    return joined;
}

}  // namespace regraft::msa
