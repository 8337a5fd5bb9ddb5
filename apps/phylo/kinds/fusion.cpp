// The fusion: a search from the best tree of the starts, with parts of the others.
#include "kinds/kinds.hpp"

namespace regraft::phylo {
namespace {

class FusionKind final : public SingleKind {
public:
    using SingleKind::SingleKind;
    bool is_wanted() const override { return plan_.fuses(); }
    std::string name(std::uint32_t) const override { return "fusion"; }
    void change(SearchOptions& options, std::uint32_t, Progress const& progress) const override {
        options.others = plan_.other_trees(progress);
    }
    SearchState first_state(std::uint32_t, Progress const& progress, StartSites const*) const override {
        return start_fusing(*progress.find(plan_.best_start(progress)));
    }
    /// A fast search, too, cites it, although it does not fuse its starts.
    void add_to(Result& result, Progress const& progress) override {
        if (plan_.num_starts(progress) > 1 && plan_.searches())
            result.citations.emplace_back("tree fusing: Goloboff 1999");
    }
};

}  // namespace

std::unique_ptr<Kind> fusion_kind(Plan const& plan) {
    return std::make_unique<FusionKind>(plan);
}

}  // namespace regraft::phylo
