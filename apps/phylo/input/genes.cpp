#include "input/genes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "regraft/core/checked_cast.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/msa/checks.hpp"

namespace regraft::phylo {
namespace {

constexpr char no_data = '-';  // as msa::canonical writes it

}  // namespace

std::vector<std::vector<std::uint32_t>> taxa_of_genes(ft::Communicator& comm, Dataset const& dataset,
                                                      std::span<std::byte const> blocks) {
    auto const num_taxa = dataset.taxa.size();
    std::vector<std::uint64_t> cells(dataset.specs.size() * num_taxa);
    for (auto pattern = value(my_part(dataset, comm).first); !blocks.empty(); ++pattern) {
        auto const [weight, column] = read_block(blocks.first(dataset.block_bytes()));
        blocks = blocks.subspan(dataset.block_bytes());
        auto const of_gene = std::span(cells).subspan(dataset.partition_of(pattern) * num_taxa, num_taxa);
        for (std::size_t t = 0; t < num_taxa; ++t) of_gene[t] += weight > 0 && column[t] != no_data ? 1 : 0;
    }
    ft::all_reduce(comm, std::span(cells));
    std::vector<std::vector<std::uint32_t>> taxa(dataset.specs.size());
    for (std::size_t q = 0; q < taxa.size(); ++q) {
        for (std::uint32_t t = 0; t < num_taxa; ++t) {
            if (cells[q * num_taxa + t] > 0) taxa[q].push_back(t);
        }
    }
    return taxa;
}

std::string problem_of_genes(Dataset const& dataset, Options const& options) {
    for (std::size_t q = 0; q < dataset.taxa_of_gene.size(); ++q) {
        auto const count = dataset.taxa_of_gene[q].size();
        if (count >= msa::min_taxa) continue;
        auto const& input = options.input;
        return fmt::format("{}: partition '{}' has data of {} taxa, expected at least {} for a tree",
                           (input.partitions.empty() ? input.msa : input.partitions).string(),
                           dataset.partitions[q].name, count, msa::min_taxa);
    }
    constexpr auto most_searches = std::uint64_t{1} << 31;
    auto const most = most_searches / std::max<std::size_t>(dataset.taxa_of_gene.size(), 1);
    if (options.supports.replicates > most)
        return fmt::format("--bs-trees {}: there are {} genes, with which at most {} replicates are possible",
                           options.supports.replicates, dataset.taxa_of_gene.size(), most);
    return "";
}

OwnWork work_of_gene(Dataset const& dataset, OwnWork all, std::size_t gene) {
    auto const is_before = [gene](assign::Work const& piece) { return value(piece.partition) < gene; };
    auto const is_up_to = [gene](assign::Work const& piece) { return value(piece.partition) <= gene; };
    auto const first = std::ranges::partition_point(all.pieces, is_before);
    auto const last = std::ranges::partition_point(all.pieces, is_up_to);
    std::span const before(all.pieces.begin(), first);
    std::span const pieces(first, last);
    return {pieces, all.blocks.subspan(assign::num_sites(before) * dataset.block_bytes(),
                                       assign::num_sites(pieces) * dataset.block_bytes())};
}

likelihood::Sites sites_of_gene(Dataset const& dataset, std::span<assign::Work const> work,
                                std::span<std::byte const> blocks, std::span<std::uint32_t const> weights,
                                std::size_t gene) {
    auto const own = work_of_gene(dataset, {work, blocks}, gene);
    auto sites = std::move(to_local_sites(dataset, own.pieces, own.blocks, weights)[gene]);
    auto rows = std::exchange(sites.rows, {});
    for (auto const t : dataset.taxa_of_gene[gene]) sites.rows.push_back(std::move(rows[t]));
    return sites;
}

}  // namespace regraft::phylo
