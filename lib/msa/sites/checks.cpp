// The census of an alignment, and the alignment without sites and taxa that carry no information.
#include "regraft/msa/checks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

constexpr std::size_t taxa_kept = 10;
using SymbolStates = std::array<StateMask, 256>;

/// The states of all symbols; symbols that are not in the alphabet get all states.
SymbolStates states_of_symbols(Alphabet alphabet) {
    auto states = state_masks(alphabet);
    std::ranges::replace(states, StateMask{0}, undetermined(alphabet));
    return states;
}

void add(SomeTaxa& taxa, std::uint32_t taxon) {
    ++taxa.count;
    if (taxa.first.size() < taxa_kept) taxa.first.push_back(taxon);
}

/// The hash of a sequence with one more element. Inline, because it is called for every cell.
std::uint64_t extended(std::uint64_t hash, StateMask next) {
    hash = (hash ^ next) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

struct HashedRow {
    std::uint64_t hash = 0;
    std::uint32_t taxon = 0;
};

class CensusTaker {
public:
    CensusTaker(Alignment const& alignment, std::span<PartitionToCheck const> partitions);
    Census take();

private:
    void count_row(std::uint32_t taxon);
    void count_sites(std::uint32_t q);
    void find_twins();
    std::vector<std::uint32_t> equal_to_first(std::span<HashedRow const> rows);
    /// Reads the states of a row, each site by its partition's alphabet.
    void read_row(std::uint32_t taxon, std::vector<StateMask>& states) const;

    Alignment const& alignment_;
    std::span<PartitionToCheck const> partitions_;
    std::vector<SymbolStates> states_of_;     // per partition
    std::vector<std::uint32_t> partition_;    // per site
    std::vector<StateMask> common_;           // per site: states that all rows so far may have
    std::vector<std::uint64_t> column_hash_;  // per site: hash of the rows so far
    std::vector<StateMask> row_;
    std::vector<char> has_data_;   // per partition: whether this row has data in it
    std::vector<HashedRow> rows_;  // rows with data
    Census census_;
};

CensusTaker::CensusTaker(Alignment const& alignment, std::span<PartitionToCheck const> partitions)
    : alignment_(alignment),
      partitions_(partitions),
      partition_(alignment.num_sites()),
      common_(alignment.num_sites()),
      column_hash_(alignment.num_sites()),
      row_(alignment.num_sites()),
      has_data_(partitions.size()) {
    census_.partitions.resize(partitions.size());
    std::size_t num_sites = 0;
    for (std::uint32_t q = 0; q < partitions.size(); ++q) {
        num_sites += partitions[q].sites.size();
        states_of_.push_back(states_of_symbols(partitions[q].alphabet));
        for (auto site : partitions[q].sites) {
            REGRAFT_EXPECTS(site < alignment.num_sites());
            partition_[site] = q;
            common_[site] = undetermined(partitions[q].alphabet);
        }
    }
    REGRAFT_EXPECTS(num_sites == alignment.num_sites());
}

Census CensusTaker::take() {
    for (std::uint32_t taxon = 0; taxon < alignment_.num_taxa(); ++taxon) count_row(taxon);
    for (std::uint32_t q = 0; q < partitions_.size(); ++q) count_sites(q);
    std::ranges::sort(census_.gap_sites);
    find_twins();
    return std::move(census_);
}

void CensusTaker::read_row(std::uint32_t taxon, std::vector<StateMask>& states) const {
    auto const row = alignment_.row(taxon);
    for (std::size_t site = 0; site < row.size(); ++site) {
        states[site] = states_of_[partition_[site]][static_cast<unsigned char>(row[site])];
    }
}

void CensusTaker::count_row(std::uint32_t taxon) {
    read_row(taxon, row_);
    auto const row = alignment_.row(taxon);
    std::ranges::fill(has_data_, 0);
    for (std::size_t site = 0; site < row.size(); ++site) {
        auto const states = row_[site];
        auto const q = partition_[site];
        ++census_.partitions[q].histogram[static_cast<unsigned char>(row[site])];
        if (states != undetermined(partitions_[q].alphabet)) has_data_[q] = 1;
        common_[site] &= states;
        column_hash_[site] = extended(column_hash_[site], states);
    }
    if (std::ranges::count(has_data_, 1) == 0) {
        census_.gap_taxa.push_back(taxon);
        return;
    }
    rows_.push_back({hash(std::as_bytes(std::span(row_))), taxon});
    for (std::size_t q = 0; q < has_data_.size(); ++q) {
        if (has_data_[q] == 0) add(census_.partitions[q].empty_taxa, taxon);
    }
}

void CensusTaker::count_sites(std::uint32_t q) {
    auto& counts = census_.partitions[q];
    std::vector<std::uint64_t> hashes;
    hashes.reserve(partitions_[q].sites.size());
    for (auto site : partitions_[q].sites) {
        hashes.push_back(column_hash_[site]);
        if (common_[site] == 0) continue;
        if (!counts.first_not_varying) counts.first_not_varying = site;
        if (common_[site] == undetermined(partitions_[q].alphabet)) {
            census_.gap_sites.push_back(site);
            ++counts.gap_sites;
        } else {
            ++counts.invariant_sites;
        }
    }
    std::ranges::sort(hashes);
    counts.num_patterns = static_cast<std::uint64_t>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
}

void CensusTaker::find_twins() {
    std::ranges::stable_sort(rows_, {}, &HashedRow::hash);  // taxa of equal hashes keep their order
    std::vector<std::vector<std::uint32_t>> groups;
    for (auto first = rows_.begin(); first != rows_.end();) {
        auto const last = std::find_if(first, rows_.end(), [&](auto const& row) { return row.hash != first->hash; });
        if (auto group = equal_to_first({first, last}); group.size() > 1) groups.push_back(std::move(group));
        first = last;
    }
    std::ranges::sort(groups);
    for (auto const& group : groups) census_.twins.push_row(group);
}

/// The taxa whose rows equal that of the first. All have the same hash. Rows that differ nevertheless, one in 2^64, are
/// taken to have no twins.
std::vector<std::uint32_t> CensusTaker::equal_to_first(std::span<HashedRow const> rows) {
    std::vector<std::uint32_t> taxa{rows[0].taxon};
    if (rows.size() == 1) return taxa;
    read_row(taxa[0], row_);
    std::vector<StateMask> other(row_.size());
    for (auto const& row : rows.subspan(1)) {
        read_row(row.taxon, other);
        if (other == row_) taxa.push_back(row.taxon);
    }
    return taxa;
}

/// The numbers below count that are not in an increasing list.
std::vector<std::uint64_t> all_but(std::span<std::uint64_t const> left_out, std::uint64_t count) {
    std::vector<std::uint64_t> kept;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (!left_out.empty() && left_out[0] == i) {
            left_out = left_out.subspan(1);
        } else {
            kept.push_back(i);
        }
    }
    return kept;
}

/// Taxa without data, and twins except the first of each group.
std::vector<std::uint64_t> superfluous_taxa(Census const& census) {
    std::vector<std::uint64_t> taxa(census.gap_taxa.begin(), census.gap_taxa.end());
    for (std::size_t i = 0; i < census.twins.size(); ++i) {
        auto const others = census.twins[i].subspan(1);
        taxa.insert(taxa.end(), others.begin(), others.end());
    }
    std::ranges::sort(taxa);
    return taxa;
}

/// The kept sites of a partition, renumbered among all kept sites.
std::vector<SiteStride> renumbered(std::span<SiteStride const> ranges, std::span<std::uint64_t const> kept) {
    std::vector<SiteStride> result;
    for (auto const& range : ranges) {
        std::vector<std::uint64_t> sites;
        auto const begin = std::ranges::lower_bound(kept, range.first);
        for (auto site = begin; site != kept.end() && *site < range.last; ++site) {
            if ((*site - range.first) % range.step != 0) continue;
            sites.push_back(static_cast<std::uint64_t>(site - kept.begin()));
        }
        for (auto const& stride : strides_of(sites)) result.push_back(stride);
    }
    return result;
}

}  // namespace

Census take_census(Alignment const& alignment, std::span<PartitionToCheck const> partitions) {
    return CensusTaker(alignment, partitions).take();
}

PartitionedAlignment reduced(Alignment const& alignment, std::span<PartitionSpec const> partitions,
                             Census const& census) {
    auto const sites = all_but(census.gap_sites, alignment.num_sites());
    auto const taxa = all_but(superfluous_taxa(census), alignment.num_taxa());
    PartitionedAlignment result;
    result.alignment.file = alignment.file;
    result.alignment.cells.reserve(taxa.size() * sites.size());
    for (auto taxon : taxa) {
        result.alignment.names.push_back(alignment.names[taxon]);
        for (auto site : sites) result.alignment.cells.push_back(alignment.cell(taxon, site));
    }
    for (auto const& partition : partitions) {
        auto ranges = renumbered(partition.sites, sites);
        if (!ranges.empty()) result.partitions.push_back({partition.model, partition.name, std::move(ranges)});
    }
    return result;
}

}  // namespace regraft::msa
