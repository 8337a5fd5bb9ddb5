// The steps of an ultrafast bootstrap, and when it ends: after `most_rounds` rounds, or when no edge of a replicate
// waits.
#include <algorithm>

#include "regraft/search/search_options.hpp"
#include "regraft/search/tasks/ultrafast.hpp"
#include "search/tasks/checks.hpp"

namespace regraft::search {

bool Ultrafast::is_done() const {
    bool const is_over = std::ranges::all_of(replicates, [](auto const& one) { return one.waiting.empty(); });
    return round > most_rounds || (round > 0 && is_over);
}

std::string Ultrafast::describe() const {
    return is_done() ? "done" : "replicates round " + std::to_string(round + 1);
}

void Ultrafast::step(Estimate&, DistributedLikelihood& likelihood, SearchOptions const& options) {
    if (round == 0) {
        replicates = first_trees(likelihood, *options.replicates, options.others, options.constraint);
    } else {
        improve(replicates, likelihood, *options.replicates, options.constraint);
    }
    ++round;
}

void Ultrafast::check(Estimate const&, Expected const& expected) const {
    require(replicates.size() == (round > 0 ? expected.num_replicates : 0), "with more or fewer replicates");
    for (auto const& [tree, waiting] : replicates) {
        check_tree(tree, expected);
        auto const is_inner = [&tree = tree](auto h) {
            return h < tree.num_half_edges() && !tree.is_tip(h) && !tree.is_tip(tree.back(h));
        };
        require(std::ranges::all_of(waiting, is_inner), "with an edge of a replicate that is not in its tree");
    }
}

void Ultrafast::write(ByteWriter& out) const {
    out.put(round);
    out.put(std::uint64_t{replicates.size()});
    for (auto const& replicate : replicates) replicate.write(out);
}

Ultrafast Ultrafast::read(ByteReader& in) {
    Ultrafast task;
    task.round = in.get<std::uint32_t>();
    for (auto left = in.get_count(1); left > 0; --left) task.replicates.push_back(ReplicateTree::read(in));
    return task;
}

}  // namespace regraft::search
