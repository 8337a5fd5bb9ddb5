// The steps of the support of edges, one inner edge at a time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "regraft/search/search_options.hpp"
#include "regraft/search/tasks/supports.hpp"
#include "search/tasks/checks.hpp"

namespace regraft::search {

std::string Supports::describe() const {
    return is_done() ? "done" : "support";
}

/// The steps: the inner edges one by one.
void Supports::step(Estimate&, DistributedLikelihood& likelihood, SearchOptions const& options) {
    auto const& tree = likelihood.tree();
    auto const edges = tree.edges();
    if (position == 0) alrt.assign(edges.size(), std::numeric_limits<double>::quiet_NaN());
    auto const is_outer = [&](auto h) { return tree.is_tip(h) || tree.is_tip(tree.back(h)); };
    while (position < edges.size() && is_outer(edges[position])) ++position;
    if (position == edges.size()) return;
    alrt[position] = sh_alrt(likelihood, edges[position], *options.rell_samples);
    ++position;
}

void Supports::check(Estimate const& now, Expected const&) const {
    auto const num_edges = now.tree.num_edges();
    require(alrt.size() == (position > 0 ? num_edges : 0), "with supports of more or fewer edges");
    require(position <= num_edges, "for the support of an edge too many");
    auto const is_support = [](double support) { return std::isnan(support) || (0 <= support && support <= 1); };
    require(std::ranges::all_of(alrt, is_support), "with a support that is no share");
}

void Supports::write(ByteWriter& out) const {
    out.put(position);
    out.put_all(std::span(alrt));
}

Supports Supports::read(ByteReader& in) {
    Supports task;
    task.position = in.get<std::uint64_t>();
    task.alrt = in.get_all<double>();
    return task;
}

}  // namespace regraft::search
