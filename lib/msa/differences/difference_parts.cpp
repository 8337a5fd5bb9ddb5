#include "regraft/msa/difference_parts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "msa/differences/letters.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/msa/characters.hpp"

namespace regraft::msa {
namespace {

constexpr std::uint32_t not_selected = std::numeric_limits<std::uint32_t>::max();

std::size_t byte(char c) {
    return static_cast<unsigned char>(c);
}

char upper(char c) {
    return 'a' <= c && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Appends a run to the last row, or to its last run if it continues that.
void append(Csr<CharacterRun>& runs, CharacterRun const& run) {
    if (runs.values.size() > runs.offsets.back()) {
        auto& before = runs.values.back();
        if (before.last() == run.first && before.character == run.character) {
            before.size += run.size;
            return;
        }
    }
    runs.push_value(run);
}

/// Per letter, its number; no_letter for other characters.
std::array<std::uint8_t, 256> numbers_of(std::array<char, 4> const& letters) {
    std::array<std::uint8_t, 256> result{};
    result.fill(no_letter);
    for (std::uint8_t letter = 0; letter < no_letter; ++letter) result[byte(letters[letter])] = letter;
    return result;
}

std::vector<std::uint8_t> most_frequent(Alignment const& alignment, std::array<std::uint8_t, 256> const& letter_of) {
    std::vector<std::array<std::uint32_t, no_letter + 1>> count(alignment.num_sites());
    for (std::size_t row = 0; row < alignment.num_taxa(); ++row) {
        auto const cells = alignment.row(row);
        for (std::size_t site = 0; site < cells.size(); ++site) ++count[site][letter_of[byte(cells[site])]];
    }
    std::vector<std::uint8_t> reference(alignment.num_sites());
    std::ranges::transform(count, reference.begin(), [](auto const& c) {
        return static_cast<std::uint8_t>(std::max_element(c.begin(), c.begin() + no_letter) - c.begin());
    });
    return reference;
}

Histogram count_all(std::span<char const> cells) {
    Histogram histogram{};
    for (char const c : cells) ++histogram[byte(c)];
    return histogram;
}

}  // namespace

DifferenceRows to_differences(Alignment const& alignment) {
    REGRAFT_EXPECTS(alignment.num_sites() <= most_difference_sites);
    DifferenceRows rows;
    rows.names = alignment.names;
    std::ranges::copy(most_frequent_letters(count_all(alignment.cells)), rows.letters.begin());
    auto const letter_of = numbers_of(rows.letters);
    rows.reference = most_frequent(alignment, letter_of);
    for (std::size_t row = 0; row < alignment.num_taxa(); ++row) {
        auto const cells = alignment.row(row);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            auto const letter = letter_of[byte(cells[i])];
            auto const site = static_cast<std::uint32_t>(i);
            if (letter == no_letter) {
                append(rows.runs, {site, 1, cells[i]});
            } else if (letter != rows.reference[i]) {
                rows.differences.push_value({site, letter});
            }
        }
        rows.differences.end_row();
        rows.runs.end_row();
    }
    return rows;
}

Alignment to_alignment(DifferenceRows const& rows) {
    Alignment alignment;
    alignment.names = rows.names;
    auto const width = rows.num_sites();
    alignment.cells.resize(rows.num_taxa() * width);
    auto const reference = rows.reference_text();
    for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
        auto const cells = std::span(alignment.cells).subspan(row * width, width);
        std::ranges::copy(reference, cells.begin());
        rows.write_row(row, cells);
    }
    return alignment;
}

DifferenceRows select_rows(DifferenceRows const& rows, std::span<std::size_t const> chosen) {
    DifferenceRows result;
    result.letters = rows.letters;
    result.reference = rows.reference;
    for (auto const row : chosen) {
        result.names.push_back(rows.names[row]);
        result.differences.push_row(rows.differences[row]);
        result.runs.push_row(rows.runs[row]);
    }
    return result;
}

// ---- Sites

namespace {

/// Where sites go.
class SiteMap {
public:
    SiteMap(std::span<std::uint64_t const> sites, std::size_t num_sites)
        : ascends_(std::ranges::is_sorted(sites)), place_(num_sites, not_selected), rank_(num_sites + 1) {
        for (std::size_t i = 0; i < sites.size(); ++i) {
            REGRAFT_EXPECTS(sites[i] < num_sites);
            place_[sites[i]] = checked_cast<std::uint32_t>(i);
            rank_[sites[i] + 1] = 1;
        }
        std::partial_sum(rank_.begin(), rank_.end(), rank_.begin());
    }
    bool ascends() const { return ascends_; }
    /// The place of a site; not_selected if it has none.
    std::uint32_t place(std::uint32_t site) const { return place_[site]; }
    /// The number of selected sites in front of one, or of the end.
    std::uint32_t rank(std::uint32_t site) const { return rank_[site]; }

private:
    bool ascends_;
    std::vector<std::uint32_t> place_;
    std::vector<std::uint32_t> rank_;
};

/// Appends the runs of a row, cut into cells that are sorted if the sites do not ascend.
void append_runs(Csr<CharacterRun>& out, std::span<CharacterRun const> runs, SiteMap const& map) {
    if (map.ascends()) {
        for (auto const& run : runs) {
            auto const first = map.rank(run.first);
            auto const last = map.rank(run.last());
            if (first < last) append(out, {first, last - first, run.character});
        }
    } else {
        std::vector<CharacterRun> cells;
        for (auto const& run : runs) {
            for (auto site = run.first; site < run.last(); ++site) {
                if (map.place(site) != not_selected) cells.push_back({map.place(site), 1, run.character});
            }
        }
        std::ranges::sort(cells, {}, &CharacterRun::first);
        for (auto const& cell : cells) append(out, cell);
    }
    out.end_row();
}

}  // namespace

DifferenceRows select_sites(DifferenceRows const& rows, std::span<std::uint64_t const> sites) {
    SiteMap const map(sites, rows.num_sites());
    DifferenceRows result;
    result.names = rows.names;
    result.letters = rows.letters;
    for (auto const site : sites) result.reference.push_back(rows.reference[site]);
    std::vector<SiteLetter> chosen;
    for (std::size_t row = 0; row < rows.num_taxa(); ++row) {
        chosen.clear();
        for (auto const& difference : rows.differences[row]) {
            auto const place = map.place(difference.site());
            if (place != not_selected) chosen.emplace_back(place, difference.letter());
        }
        if (!map.ascends()) std::sort(chosen.begin(), chosen.end(), [](auto a, auto b) { return a.site() < b.site(); });
        result.differences.push_row(chosen);
        append_runs(result.runs, rows.runs[row], map);
    }
    return result;
}

// ---- What columns have in common

namespace {

/// For each site, in how many rows it is none of the reference's letter.
std::vector<std::uint64_t> count_others(DifferenceRows const& rows) {
    std::vector<std::uint64_t> others(rows.num_sites() + 1);
    for (auto const& run : rows.runs.values) {
        ++others[run.first];
        --others[run.last()];
    }
    std::partial_sum(others.begin(), others.end(), others.begin());  // modulo 2^64
    others.pop_back();
    for (auto const& difference : rows.differences.values) ++others[difference.site()];
    return others;
}

CharacterTable table_of(DifferenceRows const& rows, std::span<std::uint64_t const> others) {
    Histogram histogram{};
    for (std::size_t site = 0; site < rows.num_sites(); ++site)
        histogram[byte(rows.letters[rows.reference[site]])] += rows.num_taxa() - others[site];
    for (auto const& difference : rows.differences.values) ++histogram[byte(rows.letters[difference.letter()])];
    for (auto const& run : rows.runs.values) histogram[byte(run.character)] += run.size;
    return character_table(histogram);
}

std::vector<std::uint64_t> sites_without(std::span<StateMask const> common) {
    std::vector<std::uint64_t> sites;
    for (std::size_t site = 0; site < common.size(); ++site) {
        if (common[site] == 0) sites.push_back(site);
    }
    return sites;
}

/// The votes of characters for a column.
class Votes {
public:
    explicit Votes(CharacterTable const& table) : table_(table) {
        nobody_ = table.kind == CharacterKind::dna ? 'N' : table.kind == CharacterKind::amino_acid ? 'X' : '?';
    }
    /// Whether a character counts.
    bool counts(char c) const { return c == '-' || !table_.is_undetermined(c); }
    void add(char c, std::uint64_t count) {
        if (count != 0 && counts(c)) count_[byte(upper(c))] += count;
    }
    /// The character with the most votes, which are forgotten.
    char take() {
        auto const gaps = std::exchange(count_[byte('-')], 0);
        auto const best = std::ranges::max_element(count_);
        char winner = *best == 0 ? nobody_ : static_cast<char>(best - count_.begin());
        if (gaps > *best) winner = '-';
        count_.fill(0);
        return winner;
    }

private:
    CharacterTable const& table_;
    char nobody_ = '?';
    std::array<std::uint64_t, 128> count_{};  // characters are ASCII
};

}  // namespace

std::vector<std::uint64_t> variable_sites(Alignment const& alignment) {
    auto const table = character_table(alignment);
    std::vector<StateMask> common(alignment.num_sites(), table.undetermined());
    for (std::size_t row = 0; row < alignment.num_taxa(); ++row) {
        auto const cells = alignment.row(row);
        for (std::size_t site = 0; site < cells.size(); ++site) common[site] &= table.states[byte(cells[site])];
    }
    return sites_without(common);
}

std::vector<std::uint64_t> variable_sites(DifferenceRows const& rows) {
    auto const others = count_others(rows);
    auto const table = table_of(rows, others);
    std::vector<StateMask> common(rows.num_sites(), table.undetermined());
    auto const restrict_to = [&](std::size_t site, char c) { common[site] &= table.states[byte(c)]; };
    for (std::size_t site = 0; site < rows.num_sites(); ++site) {
        if (others[site] < rows.num_taxa()) restrict_to(site, rows.letters[rows.reference[site]]);
    }
    for (auto const& difference : rows.differences.values)
        restrict_to(difference.site(), rows.letters[difference.letter()]);
    for (auto const& run : rows.runs.values) {
        if (table.is_undetermined(run.character)) continue;
        for (auto site = run.first; site < run.last(); ++site) restrict_to(site, run.character);
    }
    return sites_without(common);
}

std::string consensus(Alignment const& alignment) {
    constexpr std::size_t tile = 64;
    auto const table = character_table(alignment);
    std::vector<Votes> votes(tile, Votes(table));
    std::string result;
    for (std::size_t first = 0; first < alignment.num_sites(); first += tile) {
        auto const width = std::min(tile, alignment.num_sites() - first);
        for (std::size_t row = 0; row < alignment.num_taxa(); ++row) {
            auto const cells = alignment.row(row).substr(first, width);
            for (std::size_t i = 0; i < width; ++i) votes[i].add(cells[i], 1);
        }
        for (std::size_t i = 0; i < width; ++i) result += votes[i].take();
    }
    return result;
}

std::string consensus(DifferenceRows const& rows) {
    auto const others = count_others(rows);
    auto const table = table_of(rows, others);
    Votes votes(table);
    std::vector<std::array<std::uint32_t, no_letter>> letters(rows.num_sites());
    for (auto const& difference : rows.differences.values) ++letters[difference.site()][difference.letter()];
    // The changes of the counts of each character of runs from site to site.
    std::array<std::vector<std::uint64_t>, 128> changes;
    for (auto const& run : rows.runs.values) {
        if (!votes.counts(run.character)) continue;
        auto& change = changes[byte(run.character)];
        change.resize(rows.num_sites() + 1);
        ++change[run.first];
        --change[run.last()];
    }
    std::array<std::uint64_t, 128> in_runs{};
    std::string result;
    for (std::size_t site = 0; site < rows.num_sites(); ++site) {
        votes.add(rows.letters[rows.reference[site]], rows.num_taxa() - others[site]);
        for (std::size_t letter = 0; letter < no_letter; ++letter)
            votes.add(rows.letters[letter], letters[site][letter]);
        for (std::size_t c = 0; c < changes.size(); ++c) {
            if (changes[c].empty()) continue;
            in_runs[c] += changes[c][site];
            votes.add(static_cast<char>(c), in_runs[c]);
        }
        result += votes.take();
    }
    return result;
}

}  // namespace regraft::msa
