// Gene trees: a search on each partition, over the taxa that have data in it.
#include <nlohmann/json.hpp>

#include "input/genes.hpp"
#include "kinds/kinds.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/msa/support.hpp"
#include "report/tree_files.hpp"

namespace regraft::phylo {
namespace {

class GeneKind final : public Kind {
public:
    using Kind::Kind;
    std::uint32_t wanted(Progress const&) override { return most(); }
    std::uint32_t most() const override {
        return plan_.finds_genes() ? checked_cast<std::uint32_t>(plan_.dataset.partitions.size()) : 0;
    }
    std::string name(std::uint32_t number) const override { return "gene " + plan_.dataset.partitions[number].name; }
    void change(SearchOptions& options, std::uint32_t number, Progress const&) const override {
        options.seed = plan_.seed_of_replicate(number);
        options.counted = {plan_.dataset.counted[number]};
        options.sites_per_partition = {plan_.dataset.sites_per_partition[number]};
    }
    bool needs_sites(std::uint32_t, Progress const&) const override { return true; }
    SearchState first_state(std::uint32_t number, Progress const& progress, StartSites const* sites) const override {
        auto const own = start_sites_of_gene(plan_.dataset, *sites, number);
        auto tree = parsimony_tree(own, plan_.seed_of_replicate(number));
        auto const* const choice = progress.find({Purpose::model_choice});
        auto const& spec = (choice != nullptr ? choice->specs : plan_.dataset.specs)[number];
        return start_state(Goal::tree, std::move(tree), {spec}, {start_model(spec, plan_.dataset.counted[number])});
    }
    std::optional<std::uint32_t> gene(std::uint32_t number) const override { return number; }
    void expect(Expected& expected, std::uint32_t number) const override {
        expect_gene(expected, plan_.dataset, number);
    }
    bool tells_stages() const override { return false; }
    std::vector<std::string> lines(std::span<Item const> items, Progress const& progress) override {
        std::vector<std::string> lines;
        for (auto const item : items)
            lines.push_back(fmt::format("{}: {} taxa, log-likelihood {:.6f}", name(item.number),
                                        plan_.dataset.taxa_of_gene[item.number].size(), progress.find(item)->loglh));
        return lines;
    }
    void add_to(Result& result, Progress const& progress) override {
        if (most() == 0) return;
        result.has_tree = false;
        result.state.loglh = 0;
        for (std::uint32_t q = 0; q < most(); ++q) {
            auto const& found = *progress.find({Purpose::gene, q});
            result.state.specs[q] = found.specs[0];
            result.state.models[q] = found.models[0];
            result.state.loglh += found.loglh;
            result.partition_loglh.push_back(found.loglh);
        }
        result.files.push_back({".geneTrees", [this, &progress](Result const&) {
                                    std::string lines;
                                    for (std::uint32_t q = 0; q < most(); ++q) lines += newick_of(q, progress) + '\n';
                                    return lines;
                                }});
        result.json.emplace_back([this, &progress](Json& json, Result const&) {
            for (std::uint32_t q = 0; q < most(); ++q)
                json["genes"].push_back({{"partition", plan_.dataset.partitions[q].name},
                                         {"taxa", plan_.dataset.taxa_of_gene[q].size()},
                                         {"log_likelihood", progress.find({Purpose::gene, q})->loglh},
                                         {"tree", newick_of(q, progress)}});
        });
    }

private:
    /// The tree, with its support by replicates of this gene, if there are some.
    std::string newick_of(std::uint32_t number, Progress const& progress) const {
        auto const& tree = progress.find({Purpose::gene, number})->tree;
        if (plan_.options.supports.sampling != Sampling::sites) return newick_of_gene(plan_.dataset, number, tree, {});
        std::vector<msa::Tree> replicates;
        for (std::uint32_t i = 0; i < plan_.num_gene_replicates(); ++i)
            replicates.push_back(progress.find({Purpose::gene_replicate, i * most() + number})->tree);
        std::vector<double> supports;
        if (!replicates.empty()) supports = msa::edge_support(tree, replicates, msa::SupportMetric::felsenstein);
        return newick_of_gene(plan_.dataset, number, tree, supports);
    }
};

}  // namespace

void expect_gene(Expected& expected, Dataset const& dataset, std::uint32_t gene) {
    expected.num_taxa = dataset.taxa_of_gene[gene].size();
    expected.specs = {dataset.specs[gene]};
    expected.automatic.assign(is_automatic(dataset.partitions[gene]) ? 1 : 0, 0);
    expected.counted = expected.counted.subspan(gene, 1);
    expected.num_sites = expected.num_sites.subspan(gene, 1);
}

std::unique_ptr<Kind> gene_kind(Plan const& plan) {
    return std::make_unique<GeneKind>(plan);
}

}  // namespace regraft::phylo
