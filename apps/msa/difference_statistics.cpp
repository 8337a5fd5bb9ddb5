// Statistics of nearly equal rows, in time and memory of their differences and sites. What a run changes at its sites
// is noted where it begins and ends; sums over the sites before give what holds at a site.
#include <algorithm>
#include <array>
#include <bit>
#include <unordered_set>
#include <vector>

#include "regraft/core/random.hpp"
#include "regraft/msa/characters.hpp"
#include "statistics.hpp"

namespace regraft::msa_cli {
namespace {

using msa::DifferenceRows;

std::size_t to_byte(char c) {
    return static_cast<unsigned char>(c);
}

/// Calls visit(row, first site, site behind the last one, character) for all cells that are not the reference's.
template <class Visit>
void for_each_run(DifferenceRows const& rows, Visit&& visit) {
    for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
        for (auto const& difference : rows.differences[row])
            visit(row, difference.site(), difference.site() + 1, rows.letters[difference.letter()]);
        for (auto const& run : rows.runs[row]) visit(row, run.first, run.last(), run.character);
    }
}

msa::Histogram count_characters(DifferenceRows const& rows) {
    std::vector<std::int64_t> changed(rows.num_sites() + 1);
    msa::Histogram histogram{};
    for_each_run(rows, [&](std::size_t, std::size_t first, std::size_t last, char character) {
        ++changed[first];
        --changed[last];
        histogram[to_byte(character)] += last - first;
    });
    std::int64_t now = 0;
    for (std::size_t site = 0; site < rows.num_sites(); ++site) {
        now += changed[site];
        histogram[to_byte(rows.letters[rows.reference[site]])] += rows.num_taxa() - static_cast<std::uint64_t>(now);
    }
    return histogram;
}

/// A set of states that some cells have, and in how many rows.
struct StateSet {
    msa::StateMask states = 0;
    std::vector<std::int64_t> changes;  // per site: by how much the number of rows changes there
    std::int64_t num_rows = 0;          // at the current site
};

/// How sums over rows change at a site.
struct Sums {
    std::int64_t changed = 0;                        // rows that do not have the reference's letter
    std::uint64_t hash = 0;                          // of what these rows have
    std::array<std::uint64_t, 4> would_have_been{};  // of what they had if each letter were the reference's
};

class SiteCounter {
public:
    explicit SiteCounter(DifferenceRows const& rows, msa::CharacterTable const& table)
        : rows_(rows), sums_(rows.num_sites() + 1) {
        set_of_.fill(none);
        for (std::size_t byte = 0; byte < table.states.size(); ++byte) add_character(byte, table.states[byte]);
        for_each_run(rows, [&](auto... run) { add(run...); });
    }

    void count(Statistics& result) {
        std::array<std::uint64_t, 4> whole{};
        for (std::size_t letter = 0; letter < whole.size(); ++letter)
            for (std::size_t row = 0; row < rows_.num_taxa(); ++row) whole[letter] += hash_of(row, letter_set(letter));
        std::unordered_set<std::uint64_t> patterns;
        Sums now{};
        for (std::size_t site = 0; site < rows_.num_sites(); ++site) {
            now.changed += sums_[site].changed;
            now.hash += sums_[site].hash;
            for (std::size_t i = 0; i < whole.size(); ++i) now.would_have_been[i] += sums_[site].would_have_been[i];
            for (auto& set : sets_) set.num_rows += set.changes[site];
            auto const letter = rows_.reference[site];
            auto const unchanged = static_cast<std::int64_t>(rows_.num_taxa()) - now.changed;
            patterns.insert(whole[letter] - now.would_have_been[letter] + now.hash);
            count_site(result, letter_set(letter), unchanged);
        }
        result.patterns = patterns.size();
    }

private:
    static constexpr std::size_t none = 256;

    void add_character(std::size_t byte, msa::StateMask states) {
        if (states == 0) return;
        auto const found = std::ranges::find(sets_, states, &StateSet::states);
        set_of_[byte] = static_cast<std::size_t>(found - sets_.begin());
        if (found == sets_.end()) sets_.push_back({states, std::vector<std::int64_t>(rows_.num_sites() + 1), 0});
    }
    /// The set of a letter. If no cell has the letter, it does not matter which one.
    std::size_t letter_set(std::size_t letter) const {
        auto const set = set_of_[to_byte(rows_.letters[letter])];
        return set == none ? 0 : set;
    }
    static std::uint64_t hash_of(std::size_t row, std::size_t set) { return mix(row * none + set); }

    void add(std::size_t row, std::size_t first, std::size_t last, char character) {
        auto const set = set_of_[to_byte(character)];
        ++sets_[set].changes[first];
        --sets_[set].changes[last];
        ++sums_[first].changed;
        --sums_[last].changed;
        sums_[first].hash += hash_of(row, set);
        sums_[last].hash -= hash_of(row, set);
        for (std::size_t letter = 0; letter < rows_.letters.size(); ++letter) {
            sums_[first].would_have_been[letter] += hash_of(row, letter_set(letter));
            sums_[last].would_have_been[letter] -= hash_of(row, letter_set(letter));
        }
    }

    /// unchanged: rows that have the reference's letter, the states of which are `reference`.
    void count_site(Statistics& result, std::size_t reference, std::int64_t unchanged) const {
        auto common = ~msa::StateMask{0};
        int twice = 0;
        for (std::size_t i = 0; i < sets_.size(); ++i) {
            auto const num_rows = sets_[i].num_rows + (i == reference ? unchanged : 0);
            if (num_rows > 0) common &= sets_[i].states;
            if (num_rows > 1 && std::has_single_bit(sets_[i].states)) ++twice;
        }
        if (common != 0) ++result.constant_sites;
        if (twice >= 2) ++result.parsimony_informative_sites;
    }

    DifferenceRows const& rows_;
    std::vector<Sums> sums_;
    std::vector<StateSet> sets_;
    std::array<std::size_t, 256> set_of_{};  // by character
};

}  // namespace

Statistics statistics(DifferenceRows const& rows) {
    auto const histogram = count_characters(rows);
    auto const table = msa::character_table(histogram);
    Statistics result;
    result.alphabet = name(table.kind);
    SiteCounter(rows, table).count(result);
    count_cells(result, histogram, table);
    return result;
}

}  // namespace regraft::msa_cli
