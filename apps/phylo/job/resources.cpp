#include "job/resources.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>
#include <omp.h>

#include "regraft/core/checked_cast.hpp"
#include "regraft/likelihood/cost.hpp"

namespace regraft::phylo {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
/// Number of conditional likelihoods of a node per thread: about 10 us of work, several times the cost of waking a
/// thread.
constexpr std::uint64_t enough_for_a_thread = std::uint64_t{1} << 15;
/// What a reduction takes for each doubling of the ranks, in nanoseconds, on a good network.
constexpr std::uint64_t reduction = 2'000;
/// The largest number of subtrees to look ahead, and the number if a reduction takes as long as the work between two.
constexpr std::size_t most_ahead = 16;
constexpr std::size_t ahead_at_balance = 8;
/// The most memory per rank for escapes that are computed at the same time.
constexpr std::uint64_t memory_for_ways = 256 * mebibyte;

std::uint64_t bytes(Dataset const& dataset, std::span<ModelSpec const> specs, std::span<std::uint64_t const> patterns,
                    likelihood::PartitionOptions const& options) {
    std::uint64_t sum = 0;
    for (std::size_t q = 0; q < patterns.size(); ++q) {
        auto const& spec = specs[q];
        auto const constant = spec.ascertainment == likelihood::Ascertainment::none ? 0 : spec.num_states();
        sum += likelihood::Partition::bytes(checked_cast<std::uint32_t>(dataset.taxa.size()), patterns[q] + constant,
                                            spec.num_states(), spec.num_site_categories(), options);
    }
    return sum;
}

/// The total weight of all partitions, as likelihood::PartitionOptions requires it.
std::uint64_t total_weight(Dataset const& dataset) {
    std::uint64_t sum = 0;
    for (std::size_t q = 0; q < dataset.specs.size(); ++q) {
        auto const& spec = dataset.specs[q];
        auto const times = spec.ascertainment == likelihood::Ascertainment::lewis ? 2 : 1;
        sum = std::accumulate(spec.left_out.begin(), spec.left_out.end(), sum + times * dataset.sites_per_partition[q]);
    }
    return sum;
}

std::size_t least_slots(Dataset const& dataset, likelihood::Repeats repeats = likelihood::Repeats::off) {
    return likelihood::Partition::least_slots(checked_cast<std::uint32_t>(dataset.taxa.size()), repeats);
}

std::uint64_t in_mebibytes(std::uint64_t bytes) {
    return (bytes + mebibyte - 1) / mebibyte;
}

std::uint64_t least_bytes(Dataset const& dataset, std::span<ModelSpec const> specs,
                          std::span<std::uint64_t const> patterns) {
    return bytes(dataset, specs, patterns,
                 {.num_slots = least_slots(dataset),
                  .repeats = likelihood::Repeats::off,
                  .own_frequencies = !dataset.site_frequencies.empty()});
}

/// Lowers the memory to the budget, if possible: first by fewer slots, then also without repeats.
void fit(likelihood::PartitionOptions& options, std::uint64_t budget, Dataset const& dataset,
         std::span<ModelSpec const> specs, std::span<std::uint64_t const> patterns) {
    auto const needed = [&] { return bytes(dataset, specs, patterns, options); };
    if (budget == 0 || needed() <= budget) return;
    for (auto const repeats : {options.repeats, likelihood::Repeats::off}) {
        options.repeats = repeats;
        options.num_slots = least_slots(dataset, repeats) + 1;
        auto const with_another = needed();
        --options.num_slots;
        auto const least = needed();
        if (least > budget) continue;
        options.num_slots += (budget - least) / std::max<std::uint64_t>(with_another - least, 1);
        return;
    }
}

std::uint32_t threads_for(Options const& options, std::span<ModelSpec const> specs,
                          std::span<std::uint64_t const> patterns) {
    if (options.resources.threads > 0) return options.resources.threads;
    std::uint64_t largest = 0;  // partitions are worked on one by one
    for (std::size_t q = 0; q < patterns.size(); ++q) {
        auto const& spec = specs[q];
        largest = std::max<std::uint64_t>(largest, patterns[q] * spec.num_states() * spec.num_site_categories());
    }
    auto const most = checked_cast<std::uint64_t>(omp_get_max_threads());
    return checked_cast<std::uint32_t>(std::clamp<std::uint64_t>(largest / enough_for_a_thread, 1, most));
}

}  // namespace

std::size_t lookahead(Options const& options, Dataset const& dataset, std::size_t num_ranks) {
    if (options.for_tests.lookahead > 0) return options.for_tests.lookahead;
    if (num_ranks == 1 || options.resources.memory_mib > 0) return 1;
    auto const costs = cost_per_pattern(dataset);
    std::uint64_t work = num_ranks;
    for (std::size_t q = 0; q < costs.size(); ++q)
        work += costs[q] * (dataset.partition_begin[q + 1] - dataset.partition_begin[q]);
    auto const latency = reduction * static_cast<std::uint64_t>(std::bit_width(num_ranks - 1));
    // A search that looks ahead computes up to 1.7 times as much. Shorter reductions do not make up for that.
    if (latency * num_ranks < work) return 1;
    return std::min<std::size_t>(ahead_at_balance * latency * num_ranks / work, most_ahead);
}

std::size_t ways_ahead(Options const& options, Dataset const& dataset, std::size_t num_ranks) {
    if (options.resources.memory_mib > 0) return 1;
    std::vector<std::uint64_t> patterns;
    for (std::size_t q = 0; q < dataset.specs.size(); ++q)
        patterns.push_back((dataset.partition_begin[q + 1] - dataset.partition_begin[q]) / num_ranks + 1);
    auto const each = bytes(dataset, largest_specs(dataset), patterns, {});
    return std::clamp<std::size_t>(memory_for_ways / each, 1, lookahead(options, dataset, num_ranks));
}

likelihood::PartitionOptions resources(Options const& options, Dataset const& dataset, std::span<ModelSpec const> specs,
                                       std::span<std::uint64_t const> patterns, std::size_t lookahead) {
    likelihood::PartitionOptions result{
        .total_weight = total_weight(dataset),
        .num_threads = threads_for(options, specs, patterns),
        .repeats = options.for_tests.repeats,
        .most_in_focus = std::max(likelihood::PartitionOptions().most_in_focus, Lookahead::most_in_focus(lookahead)),
        .own_frequencies = !dataset.site_frequencies.empty()};
    fit(result, options.resources.memory_mib * mebibyte, dataset, specs, patterns);
    return result;
}

std::vector<ModelSpec> largest_specs(Dataset const& dataset) {
    auto specs = dataset.specs;
    for (auto q : dataset.automatic())
        specs[q] = likelihood::parse_model(largest_candidate(*dataset.candidates[q]).name());
    return specs;
}

std::string memory_text(likelihood::PartitionOptions const& resources, Dataset const& dataset,
                        std::span<ModelSpec const> specs, std::span<std::uint64_t const> patterns, std::size_t ways) {
    auto const likelihoods = ways > 1 ? ways + 1 : 1;
    return fmt::format("at most {} MiB (--memory: at least {})",
                       in_mebibytes(likelihoods * bytes(dataset, specs, patterns, resources)),
                       in_mebibytes(least_bytes(dataset, specs, patterns)));
}

std::vector<std::uint64_t> patterns_of(std::span<assign::Work const> work, std::size_t num_partitions) {
    std::vector<std::uint64_t> patterns(num_partitions, 0);
    for (auto const& piece : work) patterns[value(piece.partition)] += piece.sites.size();
    return patterns;
}

std::vector<std::uint64_t> cost_per_pattern(Dataset const& dataset) {
    std::vector<std::uint64_t> costs;
    for (auto const& spec : largest_specs(dataset))
        costs.push_back(likelihood::cost_per_pattern(spec.num_states(), spec.num_site_categories()));
    return costs;
}

std::string memory_problem(Options const& options, Dataset const& dataset, std::span<ModelSpec const> specs,
                           std::span<std::uint64_t const> patterns) {
    auto const least = in_mebibytes(least_bytes(dataset, specs, patterns));
    if (options.resources.memory_mib == 0 || least <= options.resources.memory_mib) return "";
    return fmt::format("--memory {}: likelihoods of a rank's sites need {} MiB, expected at least that or more ranks",
                       options.resources.memory_mib, least);
}

}  // namespace regraft::phylo
