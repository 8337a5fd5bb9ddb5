// The support of the best tree's edges, by likelihoods (SH-aLRT).
#include "kinds/kinds.hpp"
#include "regraft/core/random.hpp"
#include "report/tree_files.hpp"

namespace regraft::phylo {
namespace {

class SupportKind final : public SingleKind {
public:
    using SingleKind::SingleKind;
    bool is_wanted() const override { return plan_.options.supports.alrt_replicates > 0; }
    std::string name(std::uint32_t) const override { return "SH-aLRT"; }
    SearchState first_state(std::uint32_t, Progress const& progress, StartSites const*) const override {
        return start_supports(plan_.best(progress));
    }
    bool needs_samples() const override { return true; }
    void sample(Samples& samples, SiteSampler const& sites,
                std::vector<std::vector<std::uint64_t>> mine) const override {
        samples.rell.emplace(
            sites, mine,
            SampleNumbers{.last = plan_.options.supports.alrt_replicates, .seed = mix(plan_.options.search.seed)});
    }
    bool does(SearchState const& state) const override { return std::holds_alternative<search::Supports>(state.task); }
    void add_to(Result& result, Progress const& progress) override {
        if (!is_wanted()) return;
        add_support(result, plan_.dataset,
                    {"alrt", ".supportAlrt", SupportForm::percent, "SH-aLRT support in percent",
                     progress.find({Purpose::support})->as<search::Supports>().alrt});
        result.citations.emplace_back("SH-aLRT: Guindon et al. 2010");
    }
};

}  // namespace

std::unique_ptr<Kind> support_kind(Plan const& plan) {
    return std::make_unique<SupportKind>(plan);
}

}  // namespace regraft::phylo
