// The steps of an ultrafast bootstrap: a start that replicates are offered, or a round. It ends after `most_rounds`
// rounds, or when no edge of a replicate waits.
#include <algorithm>
#include <cmath>

#include "regraft/search/search_options.hpp"
#include "regraft/search/tasks/ultrafast.hpp"
#include "search/tasks/checks.hpp"

namespace regraft::search {

bool Ultrafast::is_done() const {
    bool const is_over = std::ranges::all_of(replicates, [](auto const& one) { return one.waiting.empty(); });
    return round >= most_rounds || (round > 0 && is_over);
}

std::string Ultrafast::describe() const {
    if (is_done()) return "done";
    if (round == 0) return "replicates after " + std::to_string(starts.size()) + " offered trees";
    return "replicates round " + std::to_string(round + 1);
}

std::optional<msa::Tree> Ultrafast::next_start(msa::Tree const& best, SearchOptions const& options) const {
    auto const good = different_trees(best, options.others);
    if (starts.size() < good.size()) return good[starts.size()];
    bool const pays = starts.size() == good.size() || raised >= least_raise_of_start;
    return pays && starts.size() < most_starts ? typical_tree(replicates, starts) : std::nullopt;
}

void Ultrafast::step(Estimate&, DistributedLikelihood& likelihood, SearchOptions const& options) {
    auto start = round == 0 ? next_start(likelihood.tree(), options) : std::nullopt;
    if (start) {
        raised = offer(replicates, *start, likelihood, *options.replicates, options.others, options.constraint);
        starts.push_back(*std::move(start));
        return;
    }
    if (round == 0) wait_everywhere(replicates);
    improve(replicates, likelihood, *options.replicates, options.constraint);
    starts.clear();
    ++round;
}

void Ultrafast::check(Estimate const&, Expected const& expected) const {
    bool const has_begun = round > 0 || !starts.empty();
    require(replicates.size() == (has_begun ? expected.num_replicates : 0), "with more or fewer replicates");
    for (auto const& start : starts) check_tree(start, expected);
    for (auto const& [tree, waiting, gain] : replicates) {
        check_tree(tree, expected);
        require(std::isfinite(gain), "with a replicate of infinite gain");
        auto const is_inner = [&tree = tree](auto h) {
            return h < tree.num_half_edges() && !tree.is_tip(h) && !tree.is_tip(tree.back(h));
        };
        require(std::ranges::all_of(waiting, is_inner), "with an edge of a replicate that is not in its tree");
    }
}

void Ultrafast::write(ByteWriter& out) const {
    out.put(std::uint64_t{starts.size()});
    for (auto const& start : starts) start.write(out);
    out.put(raised);
    out.put(round);
    out.put(std::uint64_t{replicates.size()});
    for (auto const& replicate : replicates) replicate.write(out);
}

Ultrafast Ultrafast::read(ByteReader& in) {
    Ultrafast task;
    for (auto left = in.get_count(1); left > 0; --left) task.starts.push_back(msa::Tree::read(in));
    task.raised = in.get<double>();
    task.round = in.get<std::uint32_t>();
    for (auto left = in.get_count(1); left > 0; --left) task.replicates.push_back(ReplicateTree::read(in));
    return task;
}

}  // namespace regraft::search
