// The ultrafast bootstrap of the best tree.
#include "kinds/kinds.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/support.hpp"
#include "report/agreement.hpp"

namespace regraft::phylo {
namespace {

class UltrafastKind final : public Kind {
public:
    using Kind::Kind;
    std::uint32_t wanted(Progress const&) override { return most(); }
    std::uint32_t most() const override { return plan_.options.supports.ultrafast_replicates > 0 ? 1 : 0; }
    std::string name(std::uint32_t) const override { return "ultrafast bootstrap"; }
    void change(SearchOptions& options, std::uint32_t, Progress const& progress) const override {
        options.others = plan_.other_trees(progress);
        auto const pilots = plan_.num_pilots(progress);
        for (std::uint32_t i = 0; i < pilots; ++i) options.others.push_back(progress.find({Purpose::pilot, i})->tree);
    }
    SearchState first_state(std::uint32_t, Progress const& progress, msa::Patterns const*) const override {
        return start_ultrafast(plan_.best(progress));
    }
    bool needs_samples() const override { return true; }
    /// The replicates of the bootstrap with the same numbers.
    void sample(Samples& samples, SiteSampler const& sites,
                std::vector<std::vector<std::uint64_t>> mine) const override {
        samples.replicates.emplace(sites, std::move(mine), plan_.options.supports.ultrafast_replicates,
                                   mix(plan_.options.search.seed));
    }
    bool does(SearchState const& state) const override { return std::holds_alternative<Ultrafast>(state.task); }
    void expect(Expected& expected, std::uint32_t) const override {
        expected.num_replicates = plan_.options.supports.ultrafast_replicates;
    }
    void add_to(Result& result, Progress const& progress) override {
        if (most() == 0) return;
        for (auto const& one : progress.find({Purpose::ultrafast})->as<Ultrafast>().replicates)
            result.ultrafast.push_back(one.tree);
        result.supports.ultrafast =
            msa::edge_support(result.state.tree, result.ultrafast, msa::SupportMetric::felsenstein);
        result.ultrafast_agreement = agreement_of_halves(result.ultrafast);
    }
};

}  // namespace

std::unique_ptr<Kind> ultrafast_kind(Plan const& plan) {
    return std::make_unique<UltrafastKind>(plan);
}

}  // namespace regraft::phylo
