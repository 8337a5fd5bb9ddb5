// The state of a search: the first states, the subject of the next step, and the state as text and bytes.
#include <limits>
#include <numeric>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/errors.hpp"
#include "search/stages.hpp"

namespace regraft::search {

Stage first_stage(Goal goal) {
    switch (goal) {
        case Goal::tree:
            return Stage::rough_model;
        case Goal::evaluation:
            return Stage::final_model;
        case Goal::likelihood:
            break;
    }
    return Stage::done;
}

void enter(SearchState& state, Stage stage) {
    state.stage = stage;
    state.round = 0;
    state.position = 0;
    state.waiting.clear();
    state.round_start = state.loglh;
}

std::string to_string(Stage stage) {
    switch (stage) {
        case Stage::model_choice:
            return "model choice";
        case Stage::rough_model:
            return "rough model";
        case Stage::near_spr:
            return "near SPR";
        case Stage::far_spr:
            return "far SPR";
        case Stage::model:
            return "model";
        case Stage::fusing:
            return "fusing";
        case Stage::escapes:
            return "escapes";
        case Stage::final_model:
            return "final model";
        case Stage::ultrafast:
            return "replicates";
        case Stage::support:
            return "support";
        case Stage::tests:
            return "tests";
        case Stage::done:
            return "done";
        case Stage::merging:
            return "merging";
    }
    return "";
}

std::string describe(SearchState const& state) {
    switch (state.stage) {
        case Stage::near_spr:
        case Stage::far_spr:
        case Stage::support:
        case Stage::tests:
        case Stage::done:
            return to_string(state.stage);
        default:
            break;
    }
    if (state.stage == Stage::fusing || state.stage == Stage::escapes) {
        return to_string(state.stage) + ", " + std::to_string(state.successes) + " successful";
    }
    if (state.stage == Stage::model_choice) {
        auto const running = unfinished(state.choices);
        return to_string(state.stage) + ", candidate " + std::to_string(running.front()->trials.size() + 1) + " (" +
               (running.size() == 1 ? running.front()->running->candidate.name()
                                    : std::to_string(running.size()) + " partitions") +
               ")";
    }
    if (state.stage == Stage::merging) {
        auto const& merging = *state.merging;
        auto const of_round = merging.tried.size() + merging.running.size() + merging.waiting.size();
        if (merging.phase == Merging::Phase::partitions) return "merging, partitions";
        if (merging.phase == Merging::Phase::scheme)
            return "merging, best scheme round " + std::to_string(state.round + 1);
        return "merging, " + std::to_string(merging.scheme.size()) + " subsets, " +
               std::to_string(merging.tried.size()) + " of " + std::to_string(of_round) + " pairs known";
    }
    return to_string(state.stage) + " round " + std::to_string(state.round + 1);
}

std::vector<std::byte> SearchState::to_bytes() const {
    ByteWriter out;
    tree.write(out);
    out.put(std::uint64_t{models.size()});
    for (auto const& spec : specs) out.put_text(spec.text);
    for (auto const& model : models) model.write(out);
    out.put(std::uint64_t{choices.size()});
    for (auto const& choice : choices) choice.write(out);
    out.put(stage);
    out.put(round);
    out.put(position);
    out.put(loglh);
    out.put(round_start);
    out.put(steps);
    out.put(evaluations);
    out.put_all(std::span<msa::HalfEdge const>(std::vector(waiting.begin(), waiting.end())));
    out.put(difficulty);
    out.put(losses);
    out.put(home.has_value());
    if (home) {
        home->tree.write(out);
        out.put(home->loglh);
        out.put(home->fingerprint);
    }
    out.put_all(std::span(tried));
    out.put(successes);
    out.put(failures);
    out.put(std::uint64_t{replicates.size()});
    for (auto const& replicate : replicates) replicate.write(out);
    out.put_all(std::span(alrt));
    counts.write(out);
    // States of searches that merge nothing end here, as do all states of earlier versions.
    if (merging) merging->write(out);
    return out.take();
}

SearchState SearchState::from_bytes(std::span<std::byte const> bytes) {
    ByteReader in(bytes);
    SearchState state(msa::Tree::read(in));
    state.models.resize(in.get_count(1));
    for (std::size_t q = 0; q < state.models.size(); ++q) {
        state.specs.push_back(likelihood::parse_model(in.get_text()));
    }
    for (auto& model : state.models) model = Model::read(in);
    state.choices.resize(in.get_count(1));
    for (auto& choice : state.choices) choice = PartitionChoice::read(in);
    state.stage = in.get<Stage>();
    if (state.stage > Stage::merging) throw InputError("there is no stage of a search with this number");
    state.round = in.get<std::uint32_t>();
    state.position = in.get<std::uint64_t>();
    state.loglh = in.get<double>();
    state.round_start = in.get<double>();
    state.steps = in.get<std::uint64_t>();
    state.evaluations = in.get<std::uint64_t>();
    for (auto h : in.get_all<msa::HalfEdge>()) state.waiting.push_back(h);
    state.difficulty = in.get<double>();
    state.losses = in.get<Losses>();
    if (in.get_flag()) {
        auto tree = msa::Tree::read(in);
        auto const loglh = in.get<double>();
        state.home = Home{std::move(tree), loglh, in.get<std::uint64_t>()};
    }
    state.tried = in.get_all<std::uint64_t>();
    state.successes = in.get<std::uint64_t>();
    state.failures = in.get<std::uint64_t>();
    for (auto left = in.get_count(1); left > 0; --left) state.replicates.push_back(ReplicateTree::read(in));
    state.alrt = in.get_all<double>();
    state.counts = SampleCounts::read(in);
    if (!in.empty()) state.merging = Merging::read(in);
    return state;
}

SearchState start_state(Goal goal, msa::Tree tree, std::vector<ModelSpec> specs, std::vector<Model> models) {
    SearchState state(std::move(tree));
    state.specs = std::move(specs);
    state.models = std::move(models);
    state.stage = first_stage(goal);
    state.loglh = state.round_start = -std::numeric_limits<double>::infinity();
    return state;
}

void begin_model_choice(SearchState& state, std::span<std::size_t const> partitions,
                        std::span<CountedData const> counted) {
    for (auto q : partitions) {
        state.choices.push_back(begin_choice(q, state.specs[q].alphabet, counted[q], state.tree));
    }
    state.stage = Stage::model_choice;
}

bool changes_subject(Stage stage) {
    return stage == Stage::model_choice || stage == Stage::merging;
}

namespace {

/// The subject while partitions are merged: the fits that the next step improves. Branch lengths are those of the fits
/// if they are unlinked, otherwise those of the tree.
Subject subject_of_merging(SearchState const& state, BranchLinkage linkage) {
    auto const& fits = state.merging->subject();
    Subject result{{}, state.tree, {}, {}, linkage};
    auto const edges = state.tree.edges();
    bool const is_unlinked = linkage == BranchLinkage::unlinked;
    if (is_unlinked) result.tree = state.tree.with_length_sets(checked_cast<std::uint32_t>(fits.size()));
    for (std::uint32_t set = 0; set < fits.size(); ++set) {
        auto const& fit = fits[set];
        result.subsets.push_back(fit.subset);
        result.specs.push_back(state.specs[fit.subset.front()]);
        result.models.push_back(fit.model);
        for (std::size_t i = 0; is_unlinked && i < edges.size(); ++i)
            result.tree.set_length(edges[i], fit.lengths[i], set);
    }
    return result;
}

}  // namespace

Subject subject(SearchState const& state, BranchLinkage linkage) {
    if (state.stage == Stage::merging) return subject_of_merging(state, linkage);
    if (state.stage != Stage::model_choice) {
        std::vector<Subset> all;
        for (std::uint32_t q = 0; q < state.specs.size(); ++q) all.push_back({q});
        return {std::move(all), state.tree, state.specs, state.models, linkage};
    }
    auto const choices = unfinished(state.choices);
    auto const num_sets = checked_cast<std::uint32_t>(choices.size());
    Subject result{{}, state.tree.with_length_sets(num_sets), {}, {}, BranchLinkage::unlinked};
    auto const edges = state.tree.edges();
    for (std::uint32_t set = 0; set < num_sets; ++set) {
        auto const& fit = *choices[set]->running;
        result.subsets.push_back({checked_cast<std::uint32_t>(choices[set]->partition)});
        result.specs.push_back(likelihood::parse_model(fit.candidate.name()));
        result.models.push_back(fit.model);
        for (std::size_t i = 0; i < edges.size(); ++i) result.tree.set_length(edges[i], fit.lengths[i], set);
    }
    return result;
}

namespace {

/// Continues from the result of another search at a stage. Evaluations are counted anew.
SearchState start_at(Stage stage, SearchState best) {
    enter(best, stage);
    best.evaluations = 0;
    return best;
}

}  // namespace

SearchState start_merging(SearchState best) {
    auto state = start_at(Stage::merging, std::move(best));
    auto& merging = state.merging.emplace();
    auto const edges = state.tree.edges();
    bool const is_unlinked = state.tree.num_length_sets() > 1;
    for (std::uint32_t q = 0; q < state.models.size(); ++q) {
        auto& fit = merging.scheme.emplace_back(SubsetFit{{q}, state.models[q], {}});
        for (std::size_t i = 0; is_unlinked && i < edges.size(); ++i)
            fit.lengths.push_back(state.tree.length(edges[i], q));
    }
    return state;
}

SearchState start_fusing(SearchState best) {
    best.successes = best.failures = 0;
    return start_at(Stage::fusing, std::move(best));
}

SearchState start_ultrafast(SearchState best) {
    return start_at(Stage::ultrafast, std::move(best));
}

SearchState start_support(SearchState best) {
    return start_at(Stage::support, std::move(best));
}

SearchState start_tests(SearchState best) {
    return start_at(Stage::tests, std::move(best));
}

}  // namespace regraft::search
