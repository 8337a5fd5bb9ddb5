// Pilots: short searches, whose trees are further ones for the ultrafast bootstrap.
#include "kinds/kinds.hpp"

namespace regraft::phylo {
namespace {

class PilotKind final : public Kind {
public:
    using Kind::Kind;
    std::uint32_t wanted(Progress const& progress) override { return most() > 0 ? plan_.num_pilots(progress) : 0; }
    std::uint32_t most() const override { return plan_.options.supports.ultrafast_replicates > 0 ? least_trees : 0; }
    std::string name(std::uint32_t number) const override { return fmt::format("pilot {}", number + 1); }
    void change(SearchOptions& options, std::uint32_t number, Progress const&) const override {
        search_shortly(options, plan_.seed_of_replicate(number));
        if (plan_.searches()) options.last = Stage::far_spr;
    }
    bool needs_sites(std::uint32_t, Progress const&) const override { return plan_.constraint() == nullptr; }
    SearchState first_state(std::uint32_t number, Progress const& progress, StartSites const* sites) const override {
        auto state = plan_.short_state(plan_.seed_of_replicate(number), progress, sites);
        // The models of the best tree are good enough, but not those of a tree that was only evaluated.
        if (plan_.searches()) state.as<Climb>().stage = Stage::near_spr;
        return state;
    }
    bool tells_stages() const override { return false; }
};

}  // namespace

std::unique_ptr<Kind> pilot_kind(Plan const& plan) {
    return std::make_unique<PilotKind>(plan);
}

}  // namespace regraft::phylo
