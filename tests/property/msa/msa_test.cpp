#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/alignment.hpp"
#include "regraft/msa/compare.hpp"
#include "regraft/msa/newick.hpp"
#include "regraft/msa/parsimony.hpp"
#include "regraft/msa/partition.hpp"
#include "regraft/msa/patterns.hpp"
#include "support/mutated.hpp"

namespace regraft::msa {
namespace {

std::string random_text(std::size_t size, std::string_view letters, Random& random) {
    std::string text(size, ' ');
    for (auto& c : text) c = letters[random.below(letters.size())];
    return text;
}

/// There are few letters, so that columns repeat.
Alignment random_alignment(std::size_t num_taxa, std::size_t num_sites, Random& random,
                           std::string_view letters = "AaCGTt-NRYu") {
    Alignment alignment{.file = "f", .names = {}, .cells = {}};
    for (std::size_t t = 0; t < num_taxa; ++t) {
        alignment.names.push_back("taxon" + std::to_string(t));
        auto const row = random_text(num_sites, letters, random);
        alignment.cells.insert(alignment.cells.end(), row.begin(), row.end());
    }
    return alignment;
}

/// Deals the sites to that many partitions, in random order.
std::vector<PartitionSites> random_partitions(std::size_t num_sites, std::size_t num_partitions, Random& random) {
    std::vector<std::uint64_t> sites(num_sites);
    std::iota(sites.begin(), sites.end(), 0);
    shuffle(std::span(sites), random);
    std::vector<PartitionSites> partitions(num_partitions);
    for (std::size_t i = 0; i < num_sites; ++i) {
        auto const q = i < num_partitions ? i : random.below(num_partitions);
        partitions[q].sites.push_back(sites[i]);
    }
    return partitions;
}

Patterns random_patterns(std::size_t num_taxa, std::size_t num_sites, Random& random) {
    auto const alignment = random_alignment(num_taxa, num_sites, random);
    return compress_patterns(alignment, random_partitions(num_sites, 1, random));
}

std::vector<std::string> numbered_names(std::size_t n) {
    std::vector<std::string> names;
    for (std::size_t t = 0; t < n; ++t) names.push_back("t" + std::to_string(t));
    return names;
}

/// Random lengths over many magnitudes.
void draw_lengths(Tree& tree, Random& random) {
    for (auto edge : tree.edges()) {
        for (std::uint32_t set = 0; set < tree.num_length_sets(); ++set) {
            tree.set_length(edge, std::ldexp(random.unit(), static_cast<int>(random.below(80)) - 60), set);
        }
    }
}

// ---- Writers for the dialects that the readers know

enum class Format { fasta, relaxed, strict, sequential, interleaved, count };

std::string write_alignment(Alignment const& alignment, Format format, Random& random) {
    auto const n = alignment.num_taxa();
    auto const width = alignment.num_sites();
    auto const block = 1 + random.below(width);
    auto const end_of_line = random.below(2) == 0 ? "\n" : "\r\n";
    std::string text;
    if (format != Format::fasta) text = std::to_string(n) + " " + std::to_string(width) + end_of_line;
    auto const name = [&](std::size_t t) {
        auto label = alignment.names[t];
        if (format == Format::strict) return label.append(10 - label.size(), ' ');
        return format == Format::fasta ? ">" + label + end_of_line : label + "  ";
    };
    auto const blanks = std::string(random.below(3), ' ');
    auto const put_row = [&](std::size_t t, std::size_t first, std::size_t last) {
        for (char symbol : alignment.row(t).substr(first, last - first)) {
            text += symbol;
            if (random.below(5) == 0) text += blanks;
        }
        text += end_of_line;
    };
    auto const blocks_of_row = [&](std::size_t t, std::size_t step) {
        for (std::size_t first = 0; first < width; first += step) put_row(t, first, std::min(width, first + step));
    };
    if (format != Format::interleaved) {
        for (std::size_t t = 0; t < n; ++t) {
            text += name(t);
            blocks_of_row(t, format == Format::fasta || format == Format::sequential ? block : width);
        }
        return text;
    }
    for (std::size_t first = 0; first < width; first += block) {
        if (first != 0) text += end_of_line;
        for (std::size_t t = 0; t < n; ++t) {
            if (first == 0) text += name(t);
            put_row(t, first, std::min(width, first + block));
        }
    }
    return text;
}

/// Each cell is where the alignment says, and no two are at the same place.
void expect_cells_in_place(Alignment const& alignment, std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    auto const separator = text.find('\n') == std::string_view::npos ? '\r' : '\n';
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        auto const end = std::min(text.find(separator), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::set<std::pair<std::uint64_t, std::uint64_t>> taken;
    for (std::size_t t = 0; t < alignment.num_taxa(); ++t) {
        for (std::size_t site = 0; site < alignment.num_sites(); ++site) {
            auto const [file, line, column] = alignment.position(t, site);
            ASSERT_TRUE(1 <= line && line <= lines.size() && 1 <= column && column <= lines[line - 1].size());
            EXPECT_EQ(lines[line - 1][column - 1], alignment.cell(t, site));
            EXPECT_TRUE(taken.emplace(line, column).second);
        }
    }
}

TEST(AlignmentProperty, EveryDialectIsReadBack) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const alignment = random_alignment(1 + random.below(6), 1 + random.below(40), random);
        for (int f = 0; f < static_cast<int>(Format::count); ++f) {
            SCOPED_TRACE(f);
            auto const text = write_alignment(alignment, static_cast<Format>(f), random);
            auto const again = parse_alignment(text, "f");
            EXPECT_EQ(again.names, alignment.names);
            EXPECT_EQ(again.cells, alignment.cells);
            expect_cells_in_place(again, text);
        }
    }
}

// ---- Mutations: whatever happens to a file, a reader answers with a valid value or with an InputError

/// Characters that the formats consist of, and others.
constexpr std::string_view letters = "\n\r\t ()[]{}:;,'=-\\#>.+eE0123456789ACGTtaxon\0\x7f\xff";

struct Survey {
    int accepted = 0;
    int rejected = 0;
};

/// Reads mutants of the text; `check` reads one and verifies the result.
Survey survey(std::string const& text, int num_mutants, Random& random,
              std::function<void(std::string const&)> const& check) {
    Survey result;
    for (int i = 0; i < num_mutants; ++i) {
        auto const mutant = test::mutated(text, letters, random);
        try {
            check(mutant);
            ++result.accepted;
        } catch (InputError const& e) {
            EXPECT_TRUE(std::string_view(e.what()).starts_with("f:")) << e.what();
            ++result.rejected;
        }
    }
    return result;
}

TEST(MutationFuzz, AlignmentReaderRejectsOrGivesARectangle) {
    Survey total;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const alignment = random_alignment(1 + random.below(5), 1 + random.below(30), random);
        auto const format = static_cast<Format>(random.below(static_cast<std::uint64_t>(Format::count)));
        auto const result =
            survey(write_alignment(alignment, format, random), 100, random, [](std::string const& text) {
                auto const read = parse_alignment(text, "f");
                EXPECT_GE(read.num_taxa(), 1u);
                EXPECT_EQ(read.cells.size(), read.num_taxa() * read.num_sites());
                auto names = read.names;
                std::ranges::sort(names);
                EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
                EXPECT_FALSE(names.front().empty());
                // A3M leaves out cells, which then have no place.
                bool const is_a3m = !read.is_verbatim && find_format(text) == InputFormat::fasta;
                if (!is_a3m) expect_cells_in_place(read, text);
            });
        total.accepted += result.accepted;
        total.rejected += result.rejected;
    }
    EXPECT_GT(total.accepted, 1000);
    EXPECT_GT(total.rejected, 1000);
}

/// Mutants of a partition file for 20 sites: refused at a place, or every site is covered once, and written and read
/// again they are the same.
void expect_partitions_or_errors(std::string const& text, std::string const& model) {
    Survey total;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const result = survey(text, 1000, random, [&](std::string const& mutant) {
            auto const partitions = parse_partitions(mutant, "f", 20, model);
            std::vector<int> covered(20);
            for (auto const& partition : partitions) {
                EXPECT_FALSE(partition.name.empty() || partition.model.empty());
                for (auto site : sites_of(partition)) ++covered.at(site);
            }
            EXPECT_EQ(covered, std::vector<int>(20, 1));
            auto const written = to_text(partitions);
            EXPECT_EQ(to_text(parse_partitions(written, "f", 20)), written) << mutant;
        });
        total.accepted += result.accepted;
        total.rejected += result.rejected;
    }
    EXPECT_GT(total.accepted, 1000);
    EXPECT_GT(total.rejected, 1000);
}

TEST(MutationFuzz, PartitionReaderRejectsOrCoversEverySiteOnce) {
    expect_partitions_or_errors(
        "# three\nGTR+G4m, one = 1-9\\3, 2-9\\3\nHKY{1,2},two=3-9\\3\n LG , three = 10, 11-20\n", "");
}

TEST(MutationFuzz, ReaderOfTypeWordsRejectsOrCoversEverySiteOnce) {
    expect_partitions_or_errors("# three\nDNA, one = 1-9\\3, 2-9\\3\nWAGF,two=3-9\\3\n LG , three = 10, 11-20\n", "");
}

TEST(MutationFuzz, NexusReaderRejectsOrCoversEverySiteOnce) {
    std::string const sets =
        "#nexus [what is changed in here does not matter: a [comment] may say anything at all]\nbegin sets;\ncharset "
        "one = 1-9\\3 2-9\\3;\ncharset 'and two'=3-9\\3 10,11-.;\n";
    expect_partitions_or_errors(sets + "charpartition p = GTR{1,2}:one, LG:'and two';\nend;\n", "");
    expect_partitions_or_errors(sets + "end;\n", "JC");
}

TEST(StridesProperty, HoldTheSitesAndNoOthers) {
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const most = 1 + random.below(5);
        std::vector<std::uint64_t> sites;
        std::uint64_t site = 0;
        for (auto n = random.below(12); n > 0; --n) sites.push_back(site += 1 + random.below(most));
        EXPECT_EQ(sites_of({"M", "n", strides_of(sites)}), sites);
    }
}

TEST(MutationFuzz, NewickReaderRejectsOrGivesACompleteTree) {
    Survey total;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(3 + random.below(6));
        auto names = numbered_names(n);
        names[0] = "a 'quoted' one";
        auto tree = random_tree(n, seed);
        draw_lengths(tree, random);
        auto const result = survey("[c]" + to_newick(tree, names) + "\n", 100, random, [&](std::string const& mutant) {
            auto const read = parse_newick(mutant, "f", names);
            EXPECT_TRUE(read.is_complete());
            for (auto edge : read.edges()) EXPECT_TRUE(read.length(edge) >= 0 && std::isfinite(read.length(edge)));
            EXPECT_EQ(to_newick(parse_newick(to_newick(read, names), "f", names), names), to_newick(read, names));
        });
        total.accepted += result.accepted;
        total.rejected += result.rejected;
    }
    EXPECT_GT(total.accepted, 1000);
    EXPECT_GT(total.rejected, 1000);
}

// ---- Patterns

TEST(PatternsProperty, ExpandToTheCanonicalAlignment) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const num_sites = 1 + random.below(300);
        auto const alignment = random_alignment(1 + random.below(6), num_sites, random);
        auto const partitions =
            random_partitions(num_sites, 1 + random.below(std::min<std::uint64_t>(num_sites, 4)), random);
        auto const patterns = compress_patterns(alignment, partitions);

        std::vector<std::uint32_t> weight(patterns.num_patterns());
        for (std::size_t q = 0; q < partitions.size(); ++q) {
            for (auto site : partitions[q].sites) {
                auto const p = patterns.pattern_of_site[site];
                ++weight.at(p);
                EXPECT_TRUE(patterns.partition_begin[q] <= p && p < patterns.partition_begin[q + 1]);
                for (std::size_t t = 0; t < alignment.num_taxa(); ++t) {
                    EXPECT_EQ(patterns.column(p)[t], canonical(Alphabet::dna, alignment.cell(t, site)));
                }
            }
            std::vector<std::string> columns;
            for (auto p = patterns.partition_begin[q]; p < patterns.partition_begin[q + 1]; ++p) {
                columns.emplace_back(patterns.column(p).begin(), patterns.column(p).end());
            }
            std::ranges::sort(columns);
            EXPECT_EQ(std::ranges::adjacent_find(columns), columns.end()) << "a pattern is stored twice";
        }
        EXPECT_EQ(weight, patterns.weight);
    }
}

TEST(PatternsProperty, CountsOfPartitionsAddUpToThoseOfTheWhole) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const num_sites = 4 + random.below(100);
        auto const alignment = random_alignment(4, num_sites, random);
        auto const whole = compress_patterns(alignment, random_partitions(num_sites, 1, random));
        auto const parts = compress_patterns(alignment, random_partitions(num_sites, 3, random));
        std::vector<StateCount> all_counts;
        for (std::size_t q = 0; q < 3; ++q) {
            auto const counts = count_states(parts, q);
            all_counts.insert(all_counts.end(), counts.begin(), counts.end());
        }
        EXPECT_EQ(empirical_frequencies(all_counts, 4), empirical_frequencies(count_states(whole, 0), 4));
    }
}

// ---- Trees

TEST(TreeProperty, NewickRoundTripKeepsEveryBit) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(3 + random.below(30));
        auto const names = numbered_names(n);
        auto tree = random_tree(n, seed);
        draw_lengths(tree, random);
        auto const text = to_newick(tree, names);
        auto const again = parse_newick(text, "f", names);
        EXPECT_EQ(to_newick(again, names), text);
        EXPECT_EQ(robinson_foulds(again, tree), 0u);
        for (HalfEdge tip = 0; tip < n; ++tip) EXPECT_EQ(again.length(tip), tree.length(tip));
    }
}

TEST(TreeProperty, BytesRoundTripKeepsEverything) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto tree = random_tree(static_cast<std::uint32_t>(3 + random.below(30)), seed).with_length_sets(3);
        draw_lengths(tree, random);
        ByteWriter out;
        tree.write(out);
        ByteReader in(out.bytes());
        EXPECT_EQ(Tree::read(in), tree);
    }
}

/// One random move, or nothing if it is impossible; returns its undo records in order.
std::vector<TreeUndo> random_move(Tree& tree, Random& random) {
    auto const n = tree.num_tips();
    auto const inner = static_cast<HalfEdge>(n + random.below(tree.num_half_edges() - n));
    if (random.below(2) == 0) {
        if (tree.is_tip(tree.back(inner))) return {};
        return {tree.nni(inner, static_cast<std::uint32_t>(random.below(2)))};
    }
    auto const pruned = tree.prune(inner);
    auto const rest = postorder(tree, pruned.touched.at(2));
    auto target = rest[random.below(rest.size())];
    if (random.below(2) == 0) target = tree.back(target);
    auto const inserted = tree.regraft(inner, target);
    return {pruned, inserted};
}

TEST(TreeProperty, MovesKeepTheTreeCompleteAndAreTakenBackBitByBit) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(3 + random.below(12));
        auto tree = random_tree(n, seed).with_length_sets(1 + n % 3);
        draw_lengths(tree, random);
        std::vector<Tree> history;
        std::vector<std::vector<TreeUndo>> moves;
        for (int i = 0; i < 20; ++i) {
            history.push_back(tree);
            moves.push_back(random_move(tree, random));
            ASSERT_TRUE(tree.is_complete());
        }
        while (!moves.empty()) {
            for (auto i = moves.back().size(); i > 0; --i) tree.undo(moves.back()[i - 1]);
            ASSERT_EQ(tree, history.back());
            moves.pop_back();
            history.pop_back();
        }
    }
}

TEST(TreeProperty, NniIsOneSplitAway) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(seed);
        auto const tree = random_tree(10, seed);
        for (auto edge : tree.edges()) {
            if (tree.is_tip(edge) || tree.is_tip(tree.back(edge))) continue;
            auto first = tree;
            auto second = tree;
            first.nni(edge, 0);
            second.nni(edge, 1);
            EXPECT_EQ(robinson_foulds(first, tree), 2u);
            EXPECT_EQ(robinson_foulds(second, tree), 2u);
            EXPECT_EQ(robinson_foulds(first, second), 2u);
        }
    }
}

// ---- Parsimony

/// The least number of changes for one column, over all assignments of states to inner nodes.
std::uint64_t brute_force_changes(Tree const& tree, std::span<char const> column) {
    auto const n = tree.num_tips();
    auto const num_assignments = std::uint64_t{1} << 2 * (n - 2);
    std::uint64_t least = tree.num_edges();
    for (std::uint64_t assignment = 0; assignment < num_assignments; ++assignment) {
        auto const states = [&](HalfEdge h) -> StateMask {
            if (tree.is_tip(h)) return state_mask(Alphabet::dna, column[h]);
            return StateMask{1} << (assignment >> 2 * (tree.node(h) - n) & 3);
        };
        std::uint64_t changes = 0;
        for (auto edge : tree.edges()) changes += (states(edge) & states(tree.back(edge))) == 0 ? 1 : 0;
        least = std::min(least, changes);
    }
    return least;
}

TEST(ParsimonyProperty, ScoreIsThatOfBruteForce) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto const n = static_cast<std::uint32_t>(3 + random.below(4));
        auto const patterns = random_patterns(n, 25, random);
        auto const tree = random_tree(n, seed);
        std::uint64_t expected = 0;
        for (std::size_t p = 0; p < patterns.num_patterns(); ++p) {
            expected += patterns.weight[p] * brute_force_changes(tree, patterns.column(p));
        }
        EXPECT_EQ(parsimony_score(tree, patterns), expected);
    }
}

/// Evolves sites along a random tree, so that there is something to find.
Patterns evolved_patterns(std::uint32_t num_taxa, std::size_t num_sites, std::uint64_t seed) {
    Random random(seed);
    auto const tree = random_tree(num_taxa, seed);
    Alignment alignment{
        .file = "f", .names = numbered_names(num_taxa), .cells = std::vector<char>(num_taxa * num_sites)};
    auto order = postorder(tree, tree.back(0));
    std::ranges::reverse(order);
    std::vector<char> state(tree.num_nodes());
    for (std::size_t site = 0; site < num_sites; ++site) {
        state[0] = "ACGT"[random.below(4)];
        for (auto h : order) {
            auto const mutates = random.below(10) == 0;
            state[tree.node(h)] = mutates ? "ACGT"[random.below(4)] : state[tree.node(tree.back(h))];
        }
        for (std::uint32_t t = 0; t < num_taxa; ++t) alignment.cells[t * num_sites + site] = state[t];
    }
    return compress_patterns(alignment, random_partitions(num_sites, 1, random));
}

TEST(ParsimonyProperty, StepwiseAdditionIsNoWorseThanRandomTrees) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        auto const n = static_cast<std::uint32_t>(3 + seed);
        auto const patterns = evolved_patterns(n, 200, seed);
        auto const tree = stepwise_addition(patterns, seed);
        EXPECT_TRUE(tree.is_complete());
        auto const score = parsimony_score(tree, patterns);
        for (std::uint64_t other = 0; other < 10; ++other) {
            EXPECT_LE(score, parsimony_score(random_tree(n, other), patterns));
        }
    }
}

/// The same addition, trying each edge by the score of the whole tree.
TEST(ParsimonyProperty, StepwiseAdditionPutsTheLastTaxonWhereItCostsLeast) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        SCOPED_TRACE(seed);
        auto const patterns = evolved_patterns(8, 60, seed);
        auto const tree = stepwise_addition(patterns, seed);
        // The last taxon hangs at the last inner node.
        auto const last_node = tree.half_edge(tree.num_nodes() - 1);
        ASSERT_TRUE(tree.is_tip(tree.back(last_node)));
        auto rest = tree;
        rest.prune(last_node);
        auto least = parsimony_score(tree, patterns);
        for (auto edge : rest.edges()) {
            if (edge == tree.back(last_node)) continue;
            auto other = rest;
            other.regraft(last_node, edge);
            EXPECT_LE(least, parsimony_score(other, patterns));
        }
    }
}

}  // namespace
}  // namespace regraft::msa
