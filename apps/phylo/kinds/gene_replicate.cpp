// The bootstrap of gene trees: searches on resampled sites of each gene.
#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "input/genes.hpp"
#include "kinds/kinds.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/random.hpp"
#include "regraft/search/resampling.hpp"
#include "report/tree_files.hpp"

namespace regraft::phylo {
namespace {

/// A replicate has as many trees as there are genes. Items are numbered replicate by replicate.
class GeneReplicateKind final : public Kind {
public:
    using Kind::Kind;
    std::uint32_t wanted(Progress const&) override { return most(); }
    std::uint32_t most() const override { return plan_.num_gene_replicates() * num_genes(); }
    std::string name(std::uint32_t number) const override {
        auto const& gene_name = plan_.dataset.partitions[gene_of(number)].name;
        return fmt::format("replicate {} of gene {}", number / num_genes() + 1, gene_name);
    }
    void change(SearchOptions& options, std::uint32_t number, Progress const& progress) const override {
        auto const gene = gene_of(number);
        search_shortly(options, seed_of(number));
        options.counted = {plan_.dataset.counted[gene]};
        options.sites_per_partition = {plan_.dataset.sites_per_partition[gene]};
        options.others = {progress.find({Purpose::gene, gene})->tree};
    }
    bool needs_sites(std::uint32_t, Progress const&) const override { return true; }
    SearchState first_state(std::uint32_t number, Progress const& progress, StartSites const* sites) const override {
        REGRAFT_EXPECTS(sites != nullptr);
        auto const gene = gene_of(number);
        auto own = start_sites_of_gene(plan_.dataset, *sites, gene);
        reweight(own, weights(number));
        auto tree = parsimony_tree(own, seed_of(number));
        auto const& best = *progress.find({Purpose::gene, gene});
        return start_state(Goal::tree, std::move(tree), best.specs, best.models);
    }
    std::optional<std::uint32_t> gene(std::uint32_t number) const override { return gene_of(number); }
    std::vector<std::uint32_t> weights(std::uint32_t number) const override {
        std::vector<std::uint32_t> all(plan_.dataset.num_patterns());
        auto const begin = static_cast<std::ptrdiff_t>(plan_.dataset.partition_begin[gene_of(number)]);
        std::ranges::copy(own_weights(number), all.begin() + begin);
        return all;
    }
    void expect(Expected& expected, std::uint32_t number) const override {
        expect_gene(expected, plan_.dataset, gene_of(number));
    }
    bool tells_stages() const override { return false; }
    std::vector<std::string> lines(std::span<Item const> items, Progress const&) override {
        return {fmt::format("{} replicates of {} genes", (items.back().number + 1) / num_genes(), num_genes())};
    }
    void add_to(Result& result, Progress const& progress) override {
        if (most() == 0) return;
        auto const replicates = plan_.num_gene_replicates();
        result.citations.emplace_back("bootstrap: Felsenstein 1985");
        if (draws_genes()) result.citations.emplace_back("resampled genes: Seo 2008");
        result.json.emplace_back([this, replicates](Json& json, Result const&) {
            json["bootstrap"] = {{"replicates", replicates}, {"sampling", draws_genes() ? "genesites" : "sites"}};
        });
        result.files.push_back({".geneBootstraps", [this, &progress](Result const&) {
                                    std::string lines;
                                    for (std::uint32_t i = 0; i < most(); ++i) {
                                        auto const& tree = progress.find({Purpose::gene_replicate, i})->tree;
                                        lines += newick_of_gene(plan_.dataset, gene_of(i), tree, {}) + '\n';
                                    }
                                    return lines;
                                }});
    }

private:
    bool draws_genes() const { return plan_.options.supports.sampling == Sampling::genesites; }
    std::uint32_t num_genes() const { return checked_cast<std::uint32_t>(plan_.dataset.partitions.size()); }
    std::uint64_t seed_of(std::uint32_t number) const { return mix(plan_.seed_of_replicate(number)); }
    /// The gene of an item: that of its place in the replicate, or one that is drawn for the place.
    std::uint32_t gene_of(std::uint32_t number) const {
        if (!draws_genes()) return number % num_genes();
        return checked_cast<std::uint32_t>(Random(seed_of(number) + 1).below(num_genes()));
    }
    /// The weights of the gene's patterns in a sample of its sites.
    std::vector<std::uint32_t> own_weights(std::uint32_t number) const {
        auto const& dataset = plan_.dataset;
        auto const gene = gene_of(number);
        auto const begin = dataset.partition_begin[gene];
        auto const count = dataset.partition_begin[gene + 1] - begin;
        return resampled_weights(std::span(dataset.weights).subspan(begin, count), std::array{std::uint64_t{0}, count},
                                 seed_of(number));
    }
};

}  // namespace

std::unique_ptr<Kind> gene_replicate_kind(Plan const& plan) {
    return std::make_unique<GeneReplicateKind>(plan);
}

}  // namespace regraft::phylo
