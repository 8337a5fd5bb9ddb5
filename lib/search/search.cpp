#include "regraft/search/search.hpp"

#include <limits>
#include <utility>

#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/search/optimise.hpp"
#include "search/tasks/task.hpp"

namespace regraft::search {
namespace {

/// The end of a search: the log-likelihood that is reported, with scalers normalised.
void finish(Estimate& now, DistributedLikelihood& likelihood, SearchOptions const& options) {
    if (likelihood.linkage() == BranchLinkage::scaled && options.lengths != Lengths::fixed)
        normalise_scalers(likelihood, options.sites_per_partition);
    now.loglh = likelihood.loglh();
    now.tree = likelihood.tree();
    now.models = likelihood.models();
}

/// Continues from the result of another search with another task. Evaluations are counted anew.
SearchState start_task(SearchState best, Task task) {
    REGRAFT_EXPECTS(best.is_done());
    best.task = std::move(task);
    best.evaluations = 0;
    return best;
}

/// Reads the task with this number in the variant.
template <std::size_t number = 0>
Task read_task(std::size_t wanted, ByteReader& in) {
    if constexpr (number < std::variant_size_v<Task>) {
        using Kind = std::variant_alternative_t<number, Task>;
        static_assert(IsTask<Kind>);
        return wanted == number ? Task(Kind::read(in)) : read_task<number + 1>(wanted, in);
    }
    throw InputError("there is no task of a search with this number");
}

}  // namespace

bool SearchState::is_done() const {
    return std::visit([](auto const& one) { return one.is_done(); }, task);
}

std::vector<std::byte> SearchState::to_bytes() const {
    ByteWriter out;
    tree.write(out);
    out.put(std::uint64_t{models.size()});
    for (auto const& spec : specs) out.put_text(spec.text);
    for (auto const& model : models) model.write(out);
    out.put(loglh);
    out.put(steps);
    out.put(evaluations);
    out.put(static_cast<std::uint8_t>(task.index()));
    std::visit([&](auto const& one) { one.write(out); }, task);
    return out.take();
}

SearchState SearchState::from_bytes(std::span<std::byte const> bytes) {
    ByteReader in(bytes);
    SearchState state(msa::Tree::read(in));
    state.models.resize(in.get_count(1));
    for (std::size_t q = 0; q < state.models.size(); ++q) state.specs.push_back(likelihood::parse_model(in.get_text()));
    for (auto& model : state.models) model = Model::read(in);
    state.loglh = in.get<double>();
    state.steps = in.get<std::uint64_t>();
    state.evaluations = in.get<std::uint64_t>();
    state.task = read_task(in.get<std::uint8_t>(), in);
    if (!in.empty()) throw InputError("there are bytes behind the state of a search");
    return state;
}

std::string describe(SearchState const& state) {
    return std::visit([](auto const& task) { return task.describe(); }, state.task);
}

std::uint64_t shown_step(SearchState const& state) {
    return std::visit([](auto const& task) { return task.shown_step(); }, state.task);
}

Subject whole_subject(Estimate const& estimate, BranchLinkage linkage) {
    std::vector<Subset> all;
    for (std::uint32_t q = 0; q < estimate.specs.size(); ++q) all.push_back({q});
    return {std::move(all), estimate.tree, estimate.specs, estimate.models, linkage};
}

Subject subject(SearchState const& state, BranchLinkage linkage) {
    return std::visit([&](auto const& task) { return task.subject(state, linkage); }, state.task);
}

bool changes_subject(SearchState const& state) {
    return std::visit([](auto const& task) { return task.changes_subject; }, state.task);
}

SearchState start_state(Goal goal, msa::Tree tree, std::vector<ModelSpec> specs, std::vector<Model> models) {
    SearchState state(std::move(tree));
    state.specs = std::move(specs);
    state.models = std::move(models);
    state.loglh = -std::numeric_limits<double>::infinity();
    Climb climb;
    climb.enter(first_stage(goal), state.loglh);
    state.task = std::move(climb);
    return state;
}

SearchState start_choice(SearchState start, std::span<std::size_t const> partitions, Candidates candidates,
                         std::span<CountedData const> counted) {
    Choice choice;
    for (auto q : partitions) choice.choices.push_back(begin_choice(q, *candidates[q], counted[q], start.tree));
    start.task = std::move(choice);
    return start;
}

SearchState start_fusing(SearchState best) {
    auto climb = best.as<Climb>();
    climb.begin_fusing(best.loglh);
    return start_task(std::move(best), std::move(climb));
}

SearchState start_ultrafast(SearchState best) {
    return start_task(std::move(best), Ultrafast());
}

SearchState start_supports(SearchState best) {
    return start_task(std::move(best), Supports());
}

SearchState start_tests(SearchState best) {
    return start_task(std::move(best), Tests());
}

SearchState start_merging(SearchState best) {
    Merging merging;
    auto const edges = best.tree.edges();
    bool const is_unlinked = best.tree.num_length_sets() > 1;
    for (std::uint32_t q = 0; q < best.models.size(); ++q) {
        auto& fit = merging.scheme.emplace_back(SubsetFit{{q}, best.models[q], {}});
        for (std::size_t i = 0; is_unlinked && i < edges.size(); ++i)
            fit.lengths.push_back(best.tree.length(edges[i], q));
    }
    return start_task(std::move(best), std::move(merging));
}

void advance(SearchState& state, DistributedLikelihood& likelihood, SearchOptions const& options) {
    // Evaluations that are made ahead count in the steps that use them, so that state.evaluations does not depend on
    // it, and so do steps.
    auto const evaluations = [&] {
        return likelihood.evaluations() - (options.lookahead != nullptr ? options.lookahead->evaluations_ahead() : 0) -
               (options.ways != nullptr ? options.ways->evaluations_ahead() : 0);
    };
    auto const further_steps = [&] { return options.ways != nullptr ? options.ways->further_steps() : 0; };
    auto const evaluations_before = evaluations();
    auto const further_before = further_steps();
    REGRAFT_EXPECTS(!state.is_done());
    std::visit([&](auto& task) { task.step(state, likelihood, options); }, state.task);
    if (!changes_subject(state) && state.is_done()) finish(state, likelihood, options);
    state.steps += 1 + further_steps() - further_before;
    state.evaluations += evaluations() - evaluations_before;
}

}  // namespace regraft::search
