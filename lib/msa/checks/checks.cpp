// The census of an alignment, and the alignment without sites and taxa that carry no information.
#include "regraft/msa/checks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "regraft/core/contracts.hpp"

namespace regraft::msa {
namespace {

constexpr std::size_t taxa_kept = 10;
constexpr std::size_t sites_at_a_time = 1024;
using SymbolStates = std::array<StateMask, 256>;

/// The states of all symbols; symbols that are not in the alphabet get all states.
SymbolStates states_of_symbols(Alphabet alphabet, SetCharacters const& sets) {
    auto states = state_masks(alphabet, sets);
    std::ranges::replace(states, StateMask{0}, undetermined(alphabet));
    return states;
}

/// The hash of a sequence with one more element. Inline, because it is called for every cell.
std::uint64_t extended(std::uint64_t hash, StateMask next) {
    hash = (hash ^ next) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 32;
}

/// The sites of a partition, a block of at most sites_at_a_time after the other.
class SiteBlocks {
public:
    explicit SiteBlocks(std::span<SiteStride const> ranges) : ranges_(ranges) {}
    /// The next block, valid until the next call; empty after the last.
    std::span<std::uint64_t const> next() {
        sites_.clear();
        for (; !ranges_.empty(); ranges_ = ranges_.subspan(1), used_ = 0) {
            auto const size = ranges_[0].size();
            while (used_ < size && sites_.size() < sites_at_a_time) sites_.push_back(ranges_[0][used_++]);
            if (used_ < size) break;
        }
        return sites_;
    }

private:
    std::span<SiteStride const> ranges_;
    std::uint64_t used_ = 0;  // sites of the first range
    std::vector<std::uint64_t> sites_;
};

/// Counts the distinct ones of many hashes, in memory for twice the distinct ones.
class DistinctHashes {
public:
    /// Begins again, with at most so many hashes.
    void begin(std::uint64_t most) {
        hashes_.clear();
        most_ = most;
        enough_ = at_first;
    }
    void add(std::uint64_t hash) {
        if (hashes_.size() == enough_) {
            enough_ = std::max(at_first, 2 * count());
            hashes_.reserve(std::min<std::uint64_t>(enough_, most_));
        }
        hashes_.push_back(hash);
    }
    /// The number of distinct hashes so far.
    std::size_t count() {
        std::ranges::sort(hashes_);
        hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
        return hashes_.size();
    }

private:
    static constexpr std::size_t at_first = std::size_t{1} << 16;
    std::vector<std::uint64_t> hashes_;
    std::uint64_t most_ = 0;
    std::size_t enough_ = at_first;  // with so many, equal ones are looked for
};

/// Goes through each partition block by block, so that a site leaves nothing behind but the hash of its column.
class CensusTaker {
public:
    CensusTaker(Alignment const& alignment, std::span<PartitionToCheck const> partitions,
                std::span<std::uint32_t const> site_weights);
    Census take();

private:
    void count_partition(std::uint32_t q);
    void count_block(std::uint32_t q, std::span<std::uint64_t const> sites);
    void count_columns(std::uint32_t q, std::span<std::uint64_t const> sites);
    void find_taxa_without_data();
    void list_gap_sites();
    void find_twins();
    std::vector<std::uint32_t> equal_to_first(std::span<std::uint32_t const> taxa) const;
    bool are_equal(std::uint32_t taxon, std::uint32_t other) const;
    std::uint32_t weight(std::uint64_t site) const { return site_weights_.empty() ? 1 : site_weights_[site]; }

    Alignment const& alignment_;
    std::span<PartitionToCheck const> partitions_;
    std::span<std::uint32_t const> site_weights_;  // empty: all 1
    std::vector<SymbolStates> states_of_;          // per partition
    std::vector<std::uint64_t> row_hash_;          // per taxon: hash of its cells so far
    std::vector<bool> is_gap_site_;                // per site
    std::vector<std::vector<bool>> has_data_;      // per partition and taxon: whether it has data there
    std::vector<StateMask> common_;                // per site of the block: states that all rows so far may have
    std::vector<std::uint64_t> column_hash_;       // per site of the block: hash of the rows so far
    DistinctHashes hashes_;                        // of the columns of this partition with data
    Census census_;
};

CensusTaker::CensusTaker(Alignment const& alignment, std::span<PartitionToCheck const> partitions,
                         std::span<std::uint32_t const> site_weights)
    : alignment_(alignment),
      partitions_(partitions),
      site_weights_(site_weights),
      row_hash_(alignment.num_taxa()),
      is_gap_site_(alignment.num_sites()),
      has_data_(partitions.size(), std::vector<bool>(alignment.num_taxa())) {
    census_.partitions.resize(partitions.size());
    REGRAFT_EXPECTS(site_weights.empty() || site_weights.size() == alignment.num_sites());
    std::uint64_t sites = 0;
    for (auto const& partition : partitions) {
        sites += num_sites(partition.sites);
        for (auto const& range : partition.sites) REGRAFT_EXPECTS(range[range.size() - 1] < alignment.num_sites());
        states_of_.push_back(states_of_symbols(partition.alphabet, alignment.sets));
    }
    REGRAFT_EXPECTS(sites <= alignment.num_sites());
}

Census CensusTaker::take() {
    for (std::uint32_t q = 0; q < partitions_.size(); ++q) count_partition(q);
    hashes_ = {};
    find_taxa_without_data();
    list_gap_sites();
    find_twins();
    return std::move(census_);
}

void CensusTaker::count_partition(std::uint32_t q) {
    auto& counts = census_.partitions[q];
    hashes_.begin(num_sites(partitions_[q].sites));
    SiteBlocks blocks(partitions_[q].sites);
    for (auto sites = blocks.next(); !sites.empty(); sites = blocks.next()) count_block(q, sites);
    counts.num_patterns = hashes_.count() + (counts.gap_sites > 0 ? 1 : 0);
}

void CensusTaker::count_block(std::uint32_t q, std::span<std::uint64_t const> sites) {
    auto const gap = undetermined(partitions_[q].alphabet);
    auto const& states_of = states_of_[q];
    auto& histogram = census_.partitions[q].histogram;
    common_.assign(sites.size(), gap);
    column_hash_.assign(sites.size(), 0);
    for (std::size_t taxon = 0; taxon < alignment_.num_taxa(); ++taxon) {
        auto const row = alignment_.row(taxon);
        auto row_hash = row_hash_[taxon];
        bool has_data = false;
        for (std::size_t i = 0; i < sites.size(); ++i) {
            auto const symbol = static_cast<unsigned char>(row[sites[i]]);
            auto const states = states_of[symbol];
            histogram[symbol] += weight(sites[i]);
            has_data |= states != gap;
            common_[i] &= states;
            column_hash_[i] = extended(column_hash_[i], states);
            row_hash = extended(row_hash, states);
        }
        row_hash_[taxon] = row_hash;
        if (has_data) has_data_[q][taxon] = true;
    }
    count_columns(q, sites);
}

/// Takes over what count_block has found out about the columns of its sites.
void CensusTaker::count_columns(std::uint32_t q, std::span<std::uint64_t const> sites) {
    auto& counts = census_.partitions[q];
    auto const gap = undetermined(partitions_[q].alphabet);
    for (std::size_t i = 0; i < sites.size(); ++i) {
        census_.num_sites += weight(sites[i]);
        bool const is_gap = common_[i] == gap;
        if (!is_gap) hashes_.add(column_hash_[i]);
        if (common_[i] == 0) continue;
        counts.first_not_varying = std::min(sites[i], counts.first_not_varying.value_or(sites[i]));
        is_gap_site_[sites[i]] = is_gap;
        (is_gap ? counts.gap_sites : counts.invariant_sites) += weight(sites[i]);
    }
}

void CensusTaker::find_taxa_without_data() {
    for (std::uint32_t taxon = 0; taxon < alignment_.num_taxa(); ++taxon) {
        if (std::ranges::none_of(has_data_, [&](auto const& here) { return here[taxon]; })) {
            census_.gap_taxa.push_back(taxon);
            continue;
        }
        for (std::size_t q = 0; q < partitions_.size(); ++q) {
            if (!has_data_[q][taxon]) census_.partitions[q].empty_taxa.add(taxon);
        }
    }
}

void CensusTaker::list_gap_sites() {
    census_.gap_sites.reserve(static_cast<std::size_t>(std::count(is_gap_site_.begin(), is_gap_site_.end(), true)));
    for (std::size_t site = 0; site < is_gap_site_.size(); ++site) {
        if (is_gap_site_[site]) census_.gap_sites.push_back(site);
    }
}

void CensusTaker::find_twins() {
    std::vector<std::uint32_t> taxa;  // with data
    for (std::uint32_t taxon = 0; taxon < alignment_.num_taxa(); ++taxon) {
        if (!std::ranges::binary_search(census_.gap_taxa, taxon)) taxa.push_back(taxon);
    }
    auto const hash_of = [&](std::uint32_t taxon) { return row_hash_[taxon]; };
    std::ranges::stable_sort(taxa, {}, hash_of);  // taxa of equal hashes keep their order
    std::vector<std::vector<std::uint32_t>> groups;
    for (auto first = taxa.begin(); first != taxa.end();) {
        auto const last =
            std::find_if(first, taxa.end(), [&](auto other) { return hash_of(other) != hash_of(*first); });
        if (auto group = equal_to_first({first, last}); group.size() > 1) groups.push_back(std::move(group));
        first = last;
    }
    std::ranges::sort(groups);
    for (auto const& group : groups) census_.twins.push_row(group);
}

/// The taxa whose rows equal that of the first. All have the same hash. Rows that differ nevertheless, one in 2^64, are
/// taken to have no twins.
std::vector<std::uint32_t> CensusTaker::equal_to_first(std::span<std::uint32_t const> taxa) const {
    std::vector<std::uint32_t> equal{taxa[0]};
    for (auto const taxon : taxa.subspan(1)) {
        if (are_equal(taxon, taxa[0])) equal.push_back(taxon);
    }
    return equal;
}

bool CensusTaker::are_equal(std::uint32_t taxon, std::uint32_t other) const {
    auto const row = alignment_.row(taxon);
    auto const other_row = alignment_.row(other);
    for (std::size_t q = 0; q < partitions_.size(); ++q) {
        auto const states = [&](char symbol) { return states_of_[q][static_cast<unsigned char>(symbol)]; };
        for (auto const& range : partitions_[q].sites) {
            for (std::uint64_t i = 0, size = range.size(); i < size; ++i) {
                if (states(row[range[i]]) != states(other_row[range[i]])) return false;
            }
        }
    }
    return true;
}

/// The numbers below count that are not in an increasing list.
std::vector<std::uint64_t> all_but(std::span<std::uint64_t const> left_out, std::uint64_t count) {
    std::vector<std::uint64_t> kept;
    kept.reserve(count - left_out.size());
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
        sites.reserve(range.size());
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

void SomeTaxa::add(std::uint32_t taxon) {
    ++count;
    if (first.size() < taxa_kept) first.push_back(taxon);
}

Census take_census(Alignment const& alignment, std::span<PartitionToCheck const> partitions,
                   std::span<std::uint32_t const> site_weights) {
    return CensusTaker(alignment, partitions, site_weights).take();
}

PartitionedAlignment reduced(Alignment const& alignment, std::span<PartitionSpec const> partitions,
                             Census const& census) {
    auto const sites = all_but(census.gap_sites, alignment.num_sites());
    auto const taxa = all_but(superfluous_taxa(census), alignment.num_taxa());
    PartitionedAlignment result;
    result.alignment.file = alignment.file;
    result.alignment.sets = alignment.sets;
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
