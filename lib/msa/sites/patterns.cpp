#include "regraft/msa/patterns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "msa/sites/set_cells.hpp"
#include "msa/text/text.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa {
namespace {

/// Columns are gathered from this many sites at a time: a cache line of every row.
constexpr std::size_t sites_per_step = 64;

[[noreturn]] void fail_symbol(Alignment const& alignment, std::size_t taxon, std::uint64_t site, Alphabet alphabet) {
    throw InputError(alignment.position(taxon, site),
                     "taxon " + in_quotes(alignment.names[taxon]) + ", site " + std::to_string(site + 1) + ": " +
                         shown_symbol(alignment.row(taxon)[site], alignment.sets, alphabet) + " is not a " +
                         std::string(name(alphabet)) + " symbol; allowed are " +
                         std::string(allowed_symbols(alphabet)));
}

std::array<char, 256> canonical_symbols(Alphabet alphabet, SetCharacters const& sets) {
    std::array<char, 256> table{};
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = canonical(alphabet, static_cast<char>(i), sets);
    return table;
}

/// Finds the columns of one partition by hash. Its memory grows with the patterns, not with the sites.
class PatternTable {
public:
    explicit PatternTable(Patterns& patterns) : patterns_(patterns), first_(patterns.num_patterns()) {}
    /// The pattern that equals the column; it is appended if there is none.
    std::uint64_t find_or_append(std::span<char const> column) {
        if (2 * (patterns_.num_patterns() - first_) >= slots_.size()) grow();
        auto& slot = slot_of(column);
        if (slot == empty) {
            slot = static_cast<std::uint32_t>(patterns_.num_patterns() - first_);
            patterns_.columns.insert(patterns_.columns.end(), column.begin(), column.end());
            patterns_.weight.push_back(0);
        }
        return first_ + slot;
    }

private:
    static constexpr auto empty = std::numeric_limits<std::uint32_t>::max();  // more than there are sites

    /// The slot of the column, or the empty slot for it.
    std::uint32_t& slot_of(std::span<char const> column) {
        auto const mask = slots_.size() - 1;
        auto slot = hash(std::as_bytes(column)) & mask;
        while (slots_[slot] != empty && !std::ranges::equal(patterns_.column(first_ + slots_[slot]), column)) {
            slot = (slot + 1) & mask;
        }
        return slots_[slot];
    }
    void grow() {
        slots_.assign(4 * slots_.size(), empty);
        for (auto p = first_; p < patterns_.num_patterns(); ++p) {
            slot_of(patterns_.column(p)) = static_cast<std::uint32_t>(p - first_);
        }
    }

    Patterns& patterns_;
    std::uint64_t first_;                         // the first pattern of the partition
    std::vector<std::uint32_t> slots_ = {empty};  // their number is a power of four
};

/// The canonical columns of the sites, one after the other.
std::vector<char> gather(Alignment const& alignment, std::span<std::uint64_t const> sites, Alphabet alphabet) {
    auto const table = canonical_symbols(alphabet, alignment.sets);
    auto const num_taxa = alignment.num_taxa();
    std::vector<char> columns(sites.size() * num_taxa);
    for (std::size_t taxon = 0; taxon < num_taxa; ++taxon) {
        auto const row = alignment.row(taxon);
        for (std::size_t i = 0; i < sites.size(); ++i) {
            auto const symbol = table[static_cast<unsigned char>(row[sites[i]])];
            if (symbol == 0) fail_symbol(alignment, taxon, sites[i], alphabet);
            columns[i * num_taxa + taxon] = symbol;
        }
    }
    return columns;
}

void append_partition(Patterns& patterns, Alignment const& alignment, PartitionSites const& partition) {
    REGRAFT_EXPECTS(!partition.sites.empty());
    for (auto site : partition.sites) {
        REGRAFT_EXPECTS(site < alignment.num_sites() && patterns.pattern_of_site[site] == no_pattern);
    }
    PatternTable table(patterns);
    std::span<std::uint64_t const> rest = partition.sites;
    while (!rest.empty()) {
        auto const sites = rest.first(std::min(rest.size(), sites_per_step));
        rest = rest.subspan(sites.size());
        auto const columns = gather(alignment, sites, partition.alphabet);
        for (std::size_t i = 0; i < sites.size(); ++i) {
            auto const column = std::span(columns).subspan(i * patterns.num_taxa, patterns.num_taxa);
            auto const pattern = table.find_or_append(column);
            ++patterns.weight[pattern];
            patterns.pattern_of_site[sites[i]] = pattern;
        }
    }
    patterns.alphabet.push_back(partition.alphabet);
    patterns.partition_begin.push_back(patterns.num_patterns());
}

__extension__ using Wide = unsigned __int128;

bool is_undetermined(StateMask mask, std::uint32_t num_states) {
    return mask == all_states(num_states);
}

Wide gcd(Wide a, Wide b) {
    while (b != 0) a = std::exchange(b, a % b);
    return a;
}

}  // namespace

Patterns compress_patterns(Alignment const& alignment, std::span<PartitionSites const> partitions) {
    constexpr auto limit = std::numeric_limits<std::uint32_t>::max();
    REGRAFT_EXPECTS(alignment.num_sites() < limit && alignment.num_taxa() < limit);
    Patterns patterns;
    patterns.num_taxa = static_cast<std::uint32_t>(alignment.num_taxa());
    patterns.sets = alignment.sets;
    patterns.pattern_of_site.assign(alignment.num_sites(), no_pattern);
    for (auto const& partition : partitions) append_partition(patterns, alignment, partition);
    return patterns;
}

std::vector<StateCount> count_states(Patterns const& patterns, std::size_t partition) {
    REGRAFT_EXPECTS(partition < patterns.num_partitions());
    std::array<std::uint64_t, 256> count_of_symbol{};
    for (auto p = patterns.partition_begin[partition]; p < patterns.partition_begin[partition + 1]; ++p) {
        for (char c : patterns.column(p)) count_of_symbol[static_cast<unsigned char>(c)] += patterns.weight[p];
    }
    std::vector<StateCount> counts;
    for (std::size_t i = 0; i < count_of_symbol.size(); ++i) {
        if (count_of_symbol[i] == 0) continue;
        auto const states = state_mask(patterns.alphabet[partition], static_cast<char>(i), patterns.sets);
        counts.push_back({states, count_of_symbol[i]});
    }
    std::ranges::sort(counts, {}, &StateCount::mask);
    return counts;
}

std::vector<double> empirical_frequencies(std::span<StateCount const> counts, std::uint32_t num_states) {
    REGRAFT_EXPECTS(1 <= num_states && num_states <= max_states);
    // A count times this number is divisible by the number of states of each mask, so that equal parts are integers.
    Wide denominator = 1;
    for (auto const& [mask, count] : counts) {
        REGRAFT_EXPECTS(mask != 0 && (mask & ~all_states(num_states)) == 0);
        auto const parts = static_cast<Wide>(std::popcount(mask));
        if (!is_undetermined(mask, num_states)) denominator = denominator / gcd(denominator, parts) * parts;
    }
    std::vector<Wide> occurrences(num_states, 0);
    for (auto const& [mask, count] : counts) {
        if (is_undetermined(mask, num_states)) continue;
        auto const part = denominator / static_cast<Wide>(std::popcount(mask)) * count;
        for (std::uint32_t s = 0; s < num_states; ++s) {
            if ((mask >> s & 1) != 0) occurrences[s] += part;
        }
    }
    // Without common factors the numbers are small enough to be exact doubles, and each quotient is rounded only once.
    auto const total = std::accumulate(occurrences.begin(), occurrences.end(), Wide{0});
    std::vector<double> frequencies(num_states, 1.0 / num_states);
    if (total == 0) return frequencies;
    for (std::uint32_t s = 0; s < num_states; ++s) {
        auto const factor = gcd(total, occurrences[s]);
        Wide const share = occurrences[s] / factor;
        Wide const whole = total / factor;
        frequencies[s] = std::max(least_frequency, static_cast<double>(share) / static_cast<double>(whole));
    }
    return frequencies;
}

StateMask missing_states(std::span<StateCount const> counts, std::uint32_t num_states) {
    StateMask seen = 0;
    for (auto const& [mask, count] : counts) {
        if (count != 0 && !is_undetermined(mask, num_states)) seen |= mask;
    }
    return all_states(num_states) & ~seen;
}

}  // namespace regraft::msa
