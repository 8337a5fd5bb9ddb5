// Draws sites, loci and taxa at random.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/words.hpp"
#include "edit/edits.hpp"
#include "edit/outputs.hpp"
#include "edit/partitions.hpp"
#include "edit/rows.hpp"
#include "input/files.hpp"
#include "input/progress.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::msa_cli {

using namespace common;

namespace {

/// Draws some of the numbers below n, ascending, each set of them as likely (Knuth, TAOCP 2, algorithm 3.4.2 S).
/// Precondition: count <= n.
std::vector<std::size_t> some_of(std::size_t n, std::size_t count, Random& random) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; chosen.size() < count; ++i) {
        if (random.below(n - i) < count - chosen.size()) chosen.push_back(i);
    }
    return chosen;
}

/// Draws n numbers below n, with replacement. They ascend.
std::vector<std::size_t> with_replacement(std::size_t n, Random& random) {
    std::vector<std::size_t> chosen(n);
    for (auto& number : chosen) number = random.below(n);
    std::ranges::sort(chosen);
    return chosen;
}

/// The columns of the result, by their sites, and its partitions.
struct Drawn {
    std::vector<std::size_t> sites;
    std::vector<msa::PartitionSpec> partitions;
};

/// Draws loci, and in each of them sites. The second one of the locus a is a.2, if nothing else has that name.
Drawn draw_blocks(std::span<msa::PartitionSpec const> blocks, Random& random) {
    std::unordered_set<std::string> names;
    for (auto const& block : blocks) names.insert(block.name);
    std::vector<std::size_t> times(blocks.size(), 0);
    Drawn drawn;
    for (auto const number : with_replacement(blocks.size(), random)) {
        auto const& block = blocks[number];
        auto const sites = sites_of(block);
        auto const first = drawn.sites.size();
        for (auto const i : with_replacement(sites.size(), random)) drawn.sites.push_back(sites[i]);
        auto name = block.name;
        if (++times[number] > 1) {
            for (auto copy = times[number]; !names.insert(name = fmt::format("{}.{}", block.name, copy)).second;)
                ++copy;
        }
        drawn.partitions.push_back({block.model, std::move(name), {{first, drawn.sites.size(), 1}}});
    }
    return drawn;
}

/// Throws InputError if there are fewer than are wanted.
void check_count(std::uint64_t wanted, std::uint64_t there, std::string const& option, std::string const& has,
                 std::string const& input) {
    if (wanted <= there) return;
    throw InputError({shown_input(input)}, fmt::format("{} {}: there are only {}", option, wanted, has));
}

Drawn draw_columns(Opened const& source, SampleOptions const& options) {
    auto const num_sites = source.num_sites();
    Random random(options.seed);
    if (!options.blocks.empty()) {
        return draw_blocks(read_partition_file(options.blocks, num_sites), random);
    }
    if (options.bootstrap) return {with_replacement(num_sites, random), {}};
    check_count(options.sites, num_sites, "--sites", counted(num_sites, "site"), options.places.inputs[0]);
    return {some_of(num_sites, options.sites > 0 ? options.sites : num_sites, random), {}};
}

/// The taxa do not depend on what else is drawn.
std::vector<std::size_t> draw_taxa(Opened const& source, SampleOptions const& options) {
    auto const num_taxa = source.names().size();
    if (options.taxa == 0) return all_rows(source);
    check_count(options.taxa, num_taxa, "--taxa", counted_taxa(num_taxa), options.places.inputs[0]);
    Random random(mix(options.seed + 1));
    return some_of(num_taxa, options.taxa, random);
}

}  // namespace

void sample(SampleOptions const& options) {
    auto const& places = options.places;
    auto const& input = places.inputs[0];
    Replacement result(input, places.output, places, Replacement::Result::text);
    auto scheme = second_output(options.new_partitions, places);
    Opened const source(input, options.general);
    auto const taxa = draw_taxa(source, options);
    auto const columns = draw_columns(source, options);
    auto const part = whole_of(source);
    auto const rows = some_cells(source, part, taxa, columns.sites, options.look);
    result.finish([&](msa::TextSink const& sink) { write_text(rows, sink); });
    if (scheme) scheme->finish(partition_text(columns.partitions, options.new_partitions));
    say(options.general.verbosity,
        fmt::format("{}: {} and {}, by seed {}", shown_output(places.output), counted_taxa(taxa.size()),
                    counted(columns.sites.size(), "site"), options.seed));
}

}  // namespace regraft::msa_cli
