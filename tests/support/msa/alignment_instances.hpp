// Families of alignments: evolved along a random tree, with the traces of sequencing and aligning, and degenerate ones.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "regraft/core/random.hpp"
#include "regraft/msa/alignment.hpp"

namespace regraft::test {

/// There is at least one taxon.
struct AlignmentSize {
    std::uint32_t num_taxa = 20;
    std::uint64_t num_sites = 500;
    std::uint64_t seed = 1;
};

/// What happens to sequences. Rates are per taxon and site, so that the diversity of alignments does not depend on
/// their size.
struct Evolution {
    std::string_view letters = "ACGT";  // the states; at least one
    double substitutions = 0.05;        // on the whole tree
    double deletions = 0;               // on the whole tree; of 1 to 32 sites each
    double insertions = 0;              // per site: the other taxa get gaps
    double missing_ends = 0;            // rows that begin too late and end too early,
    double longest_end = 0.25;          //   by at most so much of the sites
    double unknown = 0;                 // cells in runs of unknown_letter
    char unknown_letter = 'N';
    std::uint64_t longest_unknown = 40;  // most sites of a run
    std::string_view ambiguous = "";     // other letters,
    double ambiguities = 0;              //   and the cells that they take
    double lower_case = 0;               // cells in runs of lower case, of 32 sites on average
    double rna = 0;                      // rows with U instead of T
};

/// Draws nodes of a random tree, as intervals of tips, in proportion to the lengths of the edges above them.
class RandomClades {
public:
    struct Clade {
        std::uint32_t first, last;
    };

    /// Subtrees are split uniformly, as by a pure birth process.
    RandomClades(std::uint32_t num_tips, Random& random) {
        std::vector<Clade> open{{0, num_tips}};
        while (!open.empty()) {
            auto const clade = open.back();
            open.pop_back();
            // The root has no edge but in the tree of one tip. Lengths of edges differ by a factor of 20.
            auto const length = clade.last - clade.first == num_tips && num_tips > 1 ? 0 : 1 / (0.05 + random.unit());
            clades_.push_back(clade);
            up_to_.push_back((up_to_.empty() ? 0 : up_to_.back()) + length);
            if (clade.last - clade.first == 1) continue;
            auto const middle =
                clade.first + 1 + static_cast<std::uint32_t>(random.below(clade.last - clade.first - 1));
            open.push_back({middle, clade.last});
            open.push_back({clade.first, middle});
        }
    }

    /// Nodes are numbered in pre-order.
    std::size_t draw(Random& random) const {
        auto const found = std::upper_bound(up_to_.begin(), up_to_.end(), random.unit() * up_to_.back());
        return std::min(static_cast<std::size_t>(found - up_to_.begin()), clades_.size() - 1);
    }
    Clade operator[](std::size_t node) const { return clades_[node]; }

private:
    std::vector<Clade> clades_;
    std::vector<double> up_to_;  // sums of lengths
};

/// Evolves an alignment, column by column, tips in the order of the tree; rows are shuffled at the end.
class Evolver {
public:
    Evolver(AlignmentSize size, Evolution const& evolution)
        : size_(size),
          evolution_(evolution),
          random_(size.seed),
          clades_(size.num_taxa, random_),
          columns_(size.num_taxa * size.num_sites, '-') {}

    msa::Alignment run() {
        if (size_.num_sites > 0) {
            substitute();
            insert_and_delete();
            spoil_cells();
        }
        return rows();
    }

private:
    char* column(std::uint64_t site) { return columns_.data() + site * size_.num_taxa; }
    std::uint64_t draw_site() { return random_.below(size_.num_sites); }
    std::uint32_t draw_row() { return static_cast<std::uint32_t>(random_.below(size_.num_taxa)); }
    bool happens(double probability) { return random_.unit() < probability; }
    /// Rounds to the integer below or above, so that the mean is exact.
    std::uint64_t rounded(double mean) {
        return static_cast<std::uint64_t>(mean) +
               (happens(mean - static_cast<double>(static_cast<std::uint64_t>(mean))) ? 1 : 0);
    }
    std::uint64_t rounded_cells(double rate) {
        return rounded(rate * static_cast<double>(size_.num_taxa) * static_cast<double>(size_.num_sites));
    }

    void substitute() {
        // Four classes of a gamma distribution with shape 1/2 (Yang 1994); neighbours tend to be in the same one.
        constexpr std::array<double, 4> rates{0.0334, 0.2519, 0.8203, 2.8944};
        std::vector<std::size_t> nodes;
        auto rate = rates[random_.below(4)];
        for (std::uint64_t site = 0; site < size_.num_sites; ++site) {
            if (happens(0.2)) rate = rates[random_.below(4)];
            auto const mean = rate * evolution_.substitutions * size_.num_taxa;
            auto const tries = static_cast<std::uint64_t>(4 * mean) + 1;
            nodes.clear();
            for (std::uint64_t i = 0; i < tries; ++i)
                if (happens(mean / static_cast<double>(tries))) nodes.push_back(clades_.draw(random_));
            std::sort(nodes.begin(), nodes.end());  // from the root to the tips
            substitute(site, nodes);
        }
    }

    void substitute(std::uint64_t site, std::span<std::size_t const> nodes) {
        auto const& letters = evolution_.letters;
        auto* const cells = column(site);
        std::memset(cells, letters[random_.below(letters.size())], size_.num_taxa);
        for (auto const node : nodes) {
            auto const [first, last] = clades_[node];
            auto const state = letters.find(cells[first]);
            // Half of the substitutions are transitions: A and G, C and T.
            auto const step = happens(0.5) ? letters.size() / 2 : random_.below(letters.size());
            std::memset(cells + first, letters[(state + step) % letters.size()], last - first);
        }
    }

    void insert_and_delete() {
        for (auto left = rounded_cells(evolution_.deletions); left > 0; --left) {
            auto const [first, last] = clades_[clades_.draw(random_)];
            for_run(1 + random_.below(std::uint64_t{1} << random_.below(6)),
                    [&](char* cells) { std::memset(cells + first, '-', last - first); });
        }
        for (auto left = rounded(evolution_.insertions * static_cast<double>(size_.num_sites)); left > 0; --left) {
            auto const [first, last] = clades_[clades_.draw(random_)];
            for_run(1 + random_.below(std::uint64_t{1} << random_.below(6)), [&](char* cells) {
                std::memset(cells, '-', first);
                std::memset(cells + last, '-', size_.num_taxa - last);
            });
        }
    }

    template <class Body>
    void for_run(std::uint64_t length, Body body) {
        auto const first = draw_site();
        for (auto site = first; site < std::min(first + length, size_.num_sites); ++site) body(column(site));
    }

    void spoil_cells() {
        for (auto left = rounded_cells(evolution_.ambiguities); left > 0; --left)
            column(draw_site())[draw_row()] = evolution_.ambiguous[random_.below(evolution_.ambiguous.size())];
        for (std::uint32_t row = 0; row < size_.num_taxa; ++row) {
            if (happens(evolution_.rna)) replace(row, {0, size_.num_sites}, [](char c) { return c == 'T' ? 'U' : c; });
            if (happens(evolution_.missing_ends)) cut_ends(row);
        }
        auto const longest = evolution_.longest_unknown;
        for (auto left = rounded_cells(evolution_.unknown); left > 0;) {
            auto const length = std::min(left, longest / 10 + random_.below(longest - longest / 10) + 1);
            // Regions that are hard to read are hard to read in many rows.
            auto const first = happens(0.5) ? draw_site() : draw_site() / longest * longest;
            replace(draw_row(), {first, first + length},
                    [&](char c) { return c == '-' ? c : evolution_.unknown_letter; });
            left -= length;
        }
        for (auto left = rounded_cells(evolution_.lower_case / 32); left > 0; --left) {
            auto const first = draw_site();
            replace(draw_row(), {first, first + 1 + random_.below(63)},
                    [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        }
    }

    void cut_ends(std::uint32_t row) {
        auto const most = static_cast<std::uint64_t>(evolution_.longest_end * static_cast<double>(size_.num_sites)) + 1;
        auto const gap = [](char) { return '-'; };
        replace(row, {0, random_.below(most)}, gap);
        replace(row, {size_.num_sites - random_.below(most), size_.num_sites}, gap);
    }

    struct Sites {
        std::uint64_t first, last;
    };
    template <class Change>
    void replace(std::uint32_t row, Sites sites, Change change) {
        for (auto site = sites.first; site < std::min(sites.last, size_.num_sites); ++site)
            column(site)[row] = change(column(site)[row]);
    }

    msa::Alignment rows() {
        msa::Alignment out;
        out.cells.resize(columns_.size());
        std::vector<std::uint32_t> row_of(size_.num_taxa);
        std::iota(row_of.begin(), row_of.end(), 0U);
        shuffle(std::span(row_of), random_);
        constexpr std::uint64_t tile = 64;  // sites, for the sake of the cache
        for (std::uint64_t begin = 0; begin < size_.num_sites; begin += tile) {
            auto const end = std::min(begin + tile, size_.num_sites);
            for (std::uint32_t tip = 0; tip < size_.num_taxa; ++tip)
                for (auto site = begin; site < end; ++site)
                    out.cells[row_of[tip] * size_.num_sites + site] = column(site)[tip];
        }
        for (std::uint32_t row = 0; row < size_.num_taxa; ++row) out.names.push_back("taxon_" + std::to_string(row));
        return out;
    }

    AlignmentSize size_;
    Evolution evolution_;
    Random random_;
    RandomClades clades_;
    std::vector<char> columns_;  // [site][tip]
};

inline msa::Alignment evolve(AlignmentSize size, Evolution const& evolution) {
    return Evolver(size, evolution).run();
}

/// Every cell is drawn by itself.
inline msa::Alignment noise(AlignmentSize size, std::string_view letters) {
    Random random(size.seed);
    msa::Alignment out;
    for (std::uint32_t row = 0; row < size.num_taxa; ++row) out.names.push_back("taxon_" + std::to_string(row));
    out.cells.resize(size.num_taxa * size.num_sites);
    for (auto& cell : out.cells) cell = letters[random.below(letters.size())];
    return out;
}

inline constexpr std::string_view amino_acid_letters = "ARNDCQEGHILKMFPSTWYV";
inline constexpr std::string_view ambiguity_letters = "RYSWKMBDHVN?";
inline constexpr std::string_view letters_32 = "0123456789ABCDEFGHIJKLMNOPQRSTUV";

inline msa::Alignment dna(AlignmentSize size) {
    return evolve(size, {.deletions = 0.001, .insertions = 0.01, .missing_ends = 0.2, .longest_end = 0.1});
}
inline msa::Alignment clean_dna(AlignmentSize size) {
    return evolve(size, {.substitutions = 0.03});
}
/// There are more gaps than bases.
inline msa::Alignment gappy_dna(AlignmentSize size) {
    return evolve(size, {.substitutions = 0.1,
                         .deletions = 0.005,
                         .insertions = 0.1,
                         .missing_ends = 0.8,
                         .longest_end = 0.5,
                         .unknown = 0.02,
                         .unknown_letter = '?'});
}
/// Everything that a sequencer, a masker and a careless curator can write.
inline msa::Alignment messy_dna(AlignmentSize size) {
    return evolve(size, {.deletions = 0.001,
                         .insertions = 0.02,
                         .missing_ends = 0.3,
                         .unknown = 0.01,
                         .ambiguous = ambiguity_letters,
                         .ambiguities = 0.005,
                         .lower_case = 0.1,
                         .rna = 0.1});
}
inline msa::Alignment amino_acids(AlignmentSize size) {
    return evolve(size, {.letters = amino_acid_letters,
                         .substitutions = 0.15,
                         .deletions = 0.002,
                         .insertions = 0.02,
                         .missing_ends = 0.3,
                         .unknown = 0.005,
                         .unknown_letter = 'X',
                         .ambiguous = "BZX?",
                         .ambiguities = 0.001});
}
/// Two states, and a few cells with question marks.
inline msa::Alignment binary(AlignmentSize size) {
    return evolve(size, {.letters = "01", .unknown = 0.05, .unknown_letter = '?'});
}
/// There are as many states as a word has bits.
inline msa::Alignment states_32(AlignmentSize size) {
    return evolve(size, {.letters = letters_32, .substitutions = 0.2, .deletions = 0.002});
}
/// Genomes of one pandemic: 1e-3 substitutions per genome and site, 2.5 % of all cells unknown.
inline msa::Alignment low_diversity(AlignmentSize size) {
    return evolve(size, {.substitutions = 1.3e-4,
                         .deletions = 1e-6,
                         .missing_ends = 0.5,
                         .longest_end = 0.004,
                         .unknown = 0.025,
                         .longest_unknown = 400,
                         .ambiguous = "RYSWKM",
                         .ambiguities = 2e-5});
}
inline msa::Alignment random_dna(AlignmentSize size) {
    return noise(size, "ACGT");
}
/// All characters that alignments may have.
inline msa::Alignment random_text(AlignmentSize size) {
    std::string letters;
    for (char c = '!'; c <= '~'; ++c) letters += c;
    return noise(size, letters);
}
inline msa::Alignment constant(AlignmentSize size) {
    return noise(size, "A");
}
inline msa::Alignment all_gaps(AlignmentSize size) {
    return noise(size, "-");
}

struct AlignmentFamily {
    std::string_view name;
    msa::Alignment (*make)(AlignmentSize);
};

inline constexpr std::array<AlignmentFamily, 12> alignment_families{{
    {"dna", dna},
    {"clean_dna", clean_dna},
    {"gappy_dna", gappy_dna},
    {"messy_dna", messy_dna},
    {"amino_acids", amino_acids},
    {"binary", binary},
    {"states_32", states_32},
    {"low_diversity", low_diversity},
    {"random_dna", random_dna},
    {"random_text", random_text},
    {"constant", constant},
    {"all_gaps", all_gaps},
}};

}  // namespace regraft::test
