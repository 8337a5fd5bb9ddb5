// Statistics of nearly equal rows, in time of their differences and sites. What a run changes at its sites is noted
// where it begins and ends; sums over the sites before give what holds at a site. Sites are looked at in windows,
// because a genome of few rows has many.
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

/// Sites that are looked at together.
struct Window {
    std::size_t first, end;

    /// Whether what begins or ends at a site is noted in this window. An end may be that of the window.
    bool begins(std::size_t site) const { return first <= site && site < end; }
    bool ends(std::size_t site) const { return first < site && site <= end; }
};
constexpr std::size_t window_sites = std::size_t{1} << 20;

/// Calls visit(window) for all sites in turn.
template <class Visit>
void for_each_window(DifferenceRows const& rows, Visit&& visit) {
    for (std::size_t first = 0; first < rows.num_sites(); first += window_sites)
        visit(Window{first, std::min(first + window_sites, rows.num_sites())});
}

/// A value for each site of a window, and for its end, which the next window begins with.
template <class Value>
class AtSites {
public:
    explicit AtSites(std::size_t num_sites) : values_(std::min(num_sites, window_sites) + 1) {}

    void go_to(Window const& window) {
        if (window.first > 0) {
            values_.front() = values_.back();
            std::fill(values_.begin() + 1, values_.end(), Value{});
        }
        first_ = window.first;
    }
    Value& at(std::size_t site) { return values_[site - first_]; }

private:
    std::vector<Value> values_;
    std::size_t first_ = 0;
};

/// Calls visit(row, first site, site behind the last one, character) for the cells that are not the reference's in runs
/// that begin or end in the window.
template <class Visit>
void for_each_run(DifferenceRows const& rows, Window const& window, Visit&& visit) {
    for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
        auto const differences = rows.differences[row];
        auto difference = std::ranges::lower_bound(differences, window.first, {}, &msa::SiteLetter::site);
        for (; difference != differences.end() && difference->site() < window.end; ++difference)
            visit(row, difference->site(), difference->site() + 1, rows.letters[difference->letter()]);
        auto const runs = rows.runs[row];
        auto run = std::ranges::upper_bound(runs, window.first, {}, &msa::CharacterRun::last);
        for (; run != runs.end() && run->first < window.end; ++run) visit(row, run->first, run->last(), run->character);
    }
}

msa::Histogram count_characters(DifferenceRows const& rows) {
    AtSites<std::int64_t> changed(rows.num_sites());
    msa::Histogram histogram{};
    std::int64_t now = 0;
    for_each_window(rows, [&](Window const& window) {
        changed.go_to(window);
        for_each_run(rows, window, [&](std::size_t, std::size_t first, std::size_t last, char character) {
            if (window.begins(first)) {
                ++changed.at(first);
                histogram[to_byte(character)] += last - first;
            }
            if (window.ends(last)) --changed.at(last);
        });
        for (auto site = window.first; site < window.end; ++site) {
            now += changed.at(site);
            auto const unchanged = rows.num_taxa() - static_cast<std::uint64_t>(now);
            histogram[to_byte(rows.letters[rows.reference[site]])] += unchanged;
        }
    });
    return histogram;
}

/// A set of states that some cells have, and in how many rows.
struct StateSet {
    msa::StateMask states = 0;
    AtSites<std::int64_t> changes;  // by how much the number of rows changes there
    std::int64_t num_rows = 0;      // at the current site
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
        : rows_(rows), sums_(rows.num_sites()) {
        set_of_.fill(none);
        for (std::size_t byte = 0; byte < table.states.size(); ++byte) add_character(byte, table.states[byte]);
    }

    void count(Statistics& result) {
        std::array<std::uint64_t, 4> whole{};
        for (std::size_t letter = 0; letter < whole.size(); ++letter)
            for (std::size_t row = 0; row < rows_.num_taxa(); ++row) whole[letter] += hash_of(row, letter_set(letter));
        std::unordered_set<std::uint64_t> patterns;
        Sums now{};
        for_each_window(rows_, [&](Window const& window) {
            sums_.go_to(window);
            for (auto& set : sets_) set.changes.go_to(window);
            for_each_run(rows_, window, [&](auto... run) { add(window, run...); });
            for (auto site = window.first; site < window.end; ++site) {
                auto const& here = sums_.at(site);
                now.changed += here.changed;
                now.hash += here.hash;
                for (std::size_t i = 0; i < whole.size(); ++i) now.would_have_been[i] += here.would_have_been[i];
                for (auto& set : sets_) set.num_rows += set.changes.at(site);
                auto const letter = rows_.reference[site];
                auto const unchanged = static_cast<std::int64_t>(rows_.num_taxa()) - now.changed;
                patterns.insert(whole[letter] - now.would_have_been[letter] + now.hash);
                count_site(result, letter_set(letter), unchanged);
            }
        });
        result.patterns = patterns.size();
    }

private:
    static constexpr std::size_t none = 256;

    void add_character(std::size_t byte, msa::StateMask states) {
        if (states == 0) return;
        auto const found = std::ranges::find(sets_, states, &StateSet::states);
        set_of_[byte] = static_cast<std::size_t>(found - sets_.begin());
        if (found == sets_.end()) sets_.push_back({states, AtSites<std::int64_t>(rows_.num_sites()), 0});
    }
    /// The set of a letter. If no cell has the letter, it does not matter which one.
    std::size_t letter_set(std::size_t letter) const {
        auto const set = set_of_[to_byte(rows_.letters[letter])];
        return set == none ? 0 : set;
    }
    static std::uint64_t hash_of(std::size_t row, std::size_t set) { return mix(row * none + set); }

    void add(Window const& window, std::size_t row, std::size_t first, std::size_t last, char character) {
        auto const set = set_of_[to_byte(character)];
        if (window.begins(first)) note(row, first, set, 1);
        if (window.ends(last)) note(row, last, set, -1);
    }
    /// sign: 1 where a run of the set begins, -1 where it ends.
    void note(std::size_t row, std::size_t site, std::size_t set, int sign) {
        sets_[set].changes.at(site) += sign;
        auto& sums = sums_.at(site);
        auto const times = static_cast<std::uint64_t>(sign);  // modulo 2^64, as the hashes are
        sums.changed += sign;
        sums.hash += times * hash_of(row, set);
        for (std::size_t letter = 0; letter < rows_.letters.size(); ++letter)
            sums.would_have_been[letter] += times * hash_of(row, letter_set(letter));
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
    AtSites<Sums> sums_;
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
