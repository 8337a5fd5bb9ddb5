// The bootstrap: searches on resampled sites.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "kinds/kinds.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/msa/convergence.hpp"
#include "regraft/msa/support.hpp"
#include "regraft/search/resampling.hpp"
#include "report/tree_files.hpp"

namespace regraft::phylo {
namespace {

class ReplicateKind final : public Kind {
public:
    using Kind::Kind;
    /// If they may converge, it is the next number at which convergence is tested, or their largest number.
    std::uint32_t wanted(Progress const& progress) override {
        if (most() == 0 || !plan_.options.supports.until_convergence) return most();
        std::uint32_t done = 0;
        while (progress.is_done({Purpose::replicate, done})) ++done;
        bool const is_looked_at = done > 0 && done % msa::convergence_interval == 0;
        if (done >= most() || (is_looked_at && convergence(done, progress).is_reached)) return done;
        auto const next_look = (done / msa::convergence_interval + 1) * msa::convergence_interval;
        return std::min(checked_cast<std::uint32_t>(next_look), most());
    }
    /// Genes have replicates of their own.
    std::uint32_t most() const override { return plan_.finds_genes() ? 0 : plan_.options.supports.replicates; }
    std::string name(std::uint32_t number) const override { return fmt::format("replicate {}", number + 1); }
    void change(SearchOptions& options, std::uint32_t number, Progress const& progress) const override {
        search_shortly(options, plan_.seed_of_replicate(number));
        options.others = plan_.other_trees(progress);
        options.others.insert(options.others.begin(), plan_.best(progress).tree);
    }
    bool needs_sites(std::uint32_t, Progress const&) const override { return plan_.constraint() == nullptr; }
    SearchState first_state(std::uint32_t number, Progress const& progress, StartSites const* sites) const override {
        std::optional<StartSites> resampled;
        if (needs_sites(number, progress)) {
            REGRAFT_EXPECTS(sites != nullptr);
            reweight(resampled.emplace(*sites), weights(number));
        }
        return plan_.short_state(plan_.seed_of_replicate(number), progress, resampled ? &*resampled : nullptr);
    }
    std::vector<std::uint32_t> weights(std::uint32_t number) const override {
        auto const& dataset = plan_.dataset;
        return resampled_weights(dataset.weights, dataset.partition_begin, plan_.seed_of_replicate(number));
    }
    bool tells_stages() const override { return false; }
    std::vector<std::string> lines(std::span<Item const> items, Progress const& progress) override {
        auto const done = items.back().number + 1;
        auto line = fmt::format("{} replicates", done);
        if (plan_.options.supports.until_convergence)
            line += fmt::format(", halves differ by {:.2f} %", 100 * convergence(done, progress).mean_distance);
        return {line};
    }
    void add_to(Result& result, Progress const& progress) override {
        auto const count = wanted(progress);
        if (count == 0) return;
        auto const trees = trees_of(count, progress);
        auto const& best = result.state.tree;
        auto const supports = msa::edge_support(best, trees, msa::SupportMetric::felsenstein);
        auto const inner = std::ranges::count_if(supports, [](double support) { return !std::isnan(support); });
        auto const high = std::ranges::count_if(supports, [](double support) { return support >= 0.95; });
        std::optional<msa::Convergence> reached;
        if (plan_.options.supports.until_convergence) reached = convergence(count, progress);
        result.lines.push_back(fmt::format("{} of {} inner edges have support of 95 % and more, by {} replicates{}",
                                           high, inner, count,
                                           !reached || reached->is_reached ? "" : ", which have not converged"));
        result.citations.emplace_back("bootstrap: Felsenstein 1985, TBE: Lemoine et al. 2018");
        result.json.emplace_back([count, reached](Json& json, Result const&) {
            auto& bootstrap = json["bootstrap"] = {{"replicates", count}};
            if (reached) bootstrap["converged"] = reached->is_reached;
            if (reached) bootstrap["mean_distance"] = reached->mean_distance;
        });
        add_support(result, plan_.dataset,
                    {"felsenstein", ".support", SupportForm::percent, "percentage of bootstrap trees with this branch",
                     supports});
        add_support(result, plan_.dataset,
                    {"transfer", ".supportTBE", SupportForm::fraction, "",
                     msa::edge_support(best, trees, msa::SupportMetric::transfer)});
        result.files.push_back({".consensus", [this, count, &progress](Result const&) {
                                    return consensus(plan_.dataset, trees_of(count, progress));
                                }});
        result.files.push_back({".bootstraps", [this, count, &progress](Result const&) {
                                    return newick_lines(plan_.dataset, trees_of(count, progress));
                                }});
    }

private:
    static std::vector<msa::Tree> trees_of(std::uint32_t replicates, Progress const& progress) {
        std::vector<msa::Tree> trees;
        for (std::uint32_t i = 0; i < replicates; ++i) trees.push_back(progress.find({Purpose::replicate, i})->tree);
        return trees;
    }
    /// The convergence of the first replicates. Precondition: they are done.
    msa::Convergence convergence(std::uint32_t replicates, Progress const& progress) {
        if (known_ && known_->replicates == replicates) return known_->convergence;
        msa::SplitSets sets(checked_cast<std::uint32_t>(plan_.dataset.taxa.size()));
        for (auto const& tree : trees_of(replicates, progress)) sets.add(tree);
        msa::ConvergenceOptions const how{.seed = plan_.options.search.seed,
                                          .threads = std::max(1U, plan_.options.resources.threads)};
        known_ = {replicates, msa::convergence(sets, how)};
        return known_->convergence;
    }

    /// The last result of convergence(), which takes long and is needed more than once.
    struct Known {
        std::uint32_t replicates;
        msa::Convergence convergence;
    };
    std::optional<Known> known_;
};

}  // namespace

std::unique_ptr<Kind> replicate_kind(Plan const& plan) {
    return std::make_unique<ReplicateKind>(plan);
}

}  // namespace regraft::phylo
