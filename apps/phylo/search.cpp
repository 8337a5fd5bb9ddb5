#include "search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "optimise.hpp"
#include "topology.hpp"

namespace regraft::phylo {
namespace {

void enter(SearchState& state, Stage stage) {
    state.stage = stage;
    state.round = 0;
    state.position = 0;
    state.accepted = 0;
    state.round_start = state.loglh;
}

Stage following(Stage stage) {
    return static_cast<Stage>(static_cast<int>(stage) + 1);
}

/// After the last step of a round: another one as long as rounds pay, which is never true of a gain that is no number.
void end_round(SearchState& state, double least_gain) {
    bool const pays = state.loglh - state.round_start >= least_gain;
    if (!pays) return enter(state, following(state.stage));
    auto const next = state.round + 1;
    enter(state, state.stage);
    state.round = next;
}

/// Passes as long as they pay, for now: much less than the first is for the next round, when models have changed.
void smooth_all_branches(Likelihood& likelihood, double epsilon) {
    constexpr int max_passes = 8;
    constexpr double least_share = 0.3;
    auto const first = smooth_branches(likelihood, epsilon);
    auto gain = first;
    for (int pass = 1; pass < max_passes && gain >= std::max(epsilon, least_share * first); ++pass) {
        gain = smooth_branches(likelihood, epsilon);
    }
}

/// Steps of a round: all branches, then all models.
void advance_model(SearchState& state, Likelihood& likelihood, double epsilon) {
    if (state.position == 0) {
        smooth_all_branches(likelihood, epsilon);
    } else {
        optimise_models(likelihood, epsilon);
    }
    if (++state.position <= 1) return;
    state.loglh = likelihood.loglh();
    end_round(state, epsilon);
}

/// The half-edges at which a round of the stage tries its moves, one per step.
std::vector<msa::HalfEdge> move_sites(Stage stage, msa::Tree const& tree) {
    std::vector<msa::HalfEdge> sites;
    if (stage == Stage::nni) {
        for (auto h : tree.edges()) {
            if (!tree.is_tip(h)) sites.push_back(h);  // h is the lower end, so the other one is inner too
        }
    } else {
        for (auto h = tree.num_tips(); h < tree.num_half_edges(); ++h) sites.push_back(h);
    }
    return sites;
}

/// Steps of a round: all branches, then the moves at one place each.
void advance_topology(SearchState& state, Likelihood& likelihood, SearchOptions const& options) {
    auto const sites = move_sites(state.stage, likelihood.tree());
    if (state.position == 0) {
        smooth_branches(likelihood, options.least_round_gain);
        state.loglh = likelihood.loglh();
    } else {
        auto const h = sites[state.position - 1];
        double const now = state.stage == Stage::nni ? try_nni(likelihood, h, state.loglh)
                                                     : try_spr(likelihood, h, options.spr_radius, state.loglh);
        if (now != state.loglh) ++state.accepted;
        state.loglh = now;
    }
    // NNI keeps the number of inner edges, SPR that of half-edges: a round's length is fixed.
    if (++state.position <= sites.size()) return;
    end_round(state, state.accepted == 0 ? std::numeric_limits<double>::infinity() : options.least_round_gain);
}

void finish(SearchState& state, Likelihood& likelihood, SearchOptions const& options) {
    if (likelihood.linkage() == BranchLinkage::scaled) normalise_scalers(likelihood, options.sites_per_partition);
    state.loglh = likelihood.loglh();
}

}  // namespace

std::string to_string(Stage stage) {
    switch (stage) {
        case Stage::rough_model:
            return "rough model";
        case Stage::nni:
            return "NNI";
        case Stage::spr:
            return "SPR";
        case Stage::final_model:
            return "final model";
        case Stage::done:
            return "done";
    }
    return "";
}

std::string describe(SearchState const& state) {
    if (state.stage == Stage::done) return to_string(state.stage);
    return to_string(state.stage) + " round " + std::to_string(state.round + 1);
}

std::vector<std::byte> SearchState::to_bytes() const {
    ByteWriter out;
    tree.write(out);
    out.put(std::uint64_t{models.size()});
    for (auto const& model : models) model.write(out);
    out.put(stage);
    out.put(round);
    out.put(position);
    out.put(accepted);
    out.put(loglh);
    out.put(round_start);
    out.put(evaluations);
    return out.take();
}

SearchState SearchState::from_bytes(std::span<std::byte const> bytes) {
    ByteReader in(bytes);
    SearchState state(msa::Tree::read(in));
    state.models.resize(in.get<std::uint64_t>(), Model{});
    for (auto& model : state.models) model = Model::read(in);
    state.stage = in.get<Stage>();
    state.round = in.get<std::uint32_t>();
    state.position = in.get<std::uint64_t>();
    state.accepted = in.get<std::uint64_t>();
    state.loglh = in.get<double>();
    state.round_start = in.get<double>();
    state.evaluations = in.get<std::uint64_t>();
    return state;
}

SearchState start_state(Command command, msa::Tree tree, std::vector<Model> models) {
    SearchState state(std::move(tree));
    state.models = std::move(models);
    state.stage = command == Command::search     ? Stage::rough_model
                  : command == Command::evaluate ? Stage::final_model
                                                 : Stage::done;
    state.loglh = state.round_start = -std::numeric_limits<double>::infinity();
    return state;
}

void advance(SearchState& state, Likelihood& likelihood, SearchOptions const& options) {
    auto const evaluations_before = likelihood.evaluations();
    switch (state.stage) {
        case Stage::rough_model:
            advance_model(state, likelihood, options.rough_epsilon);
            break;
        case Stage::nni:
        case Stage::spr:
            advance_topology(state, likelihood, options);
            break;
        case Stage::final_model:
            advance_model(state, likelihood, options.final_epsilon);
            break;
        case Stage::done:
            REGRAFT_EXPECTS(!"a step after the last one");
    }
    if (state.stage == Stage::done) finish(state, likelihood, options);
    state.tree = likelihood.tree();
    state.models = likelihood.models();
    state.evaluations += likelihood.evaluations() - evaluations_before;
}

}  // namespace regraft::phylo
