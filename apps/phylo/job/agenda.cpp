#include "job/agenda.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::phylo {

Agenda::Agenda(Options const& options, Dataset const& dataset, StartTrees start_trees)
    : plan_{options, dataset, std::move(start_trees)}, kinds_(all_kinds(plan_)) {
    REGRAFT_EXPECTS(!plan_.start_trees.starts.empty());
}

Kind& Agenda::of(Item item) const {
    auto const found = std::ranges::find(kinds_, item.purpose, &KindOf::purpose);
    REGRAFT_EXPECTS(found != kinds_.end());
    return *found->kind;
}

std::vector<Item> Agenda::next_items(Progress const& progress) {
    std::vector<Item> items;
    for (auto const& [purpose, place, kind] : kinds_) {
        if (kind->most() == 0) continue;
        auto const wanted = kind->wanted(progress);
        for (std::uint32_t i = 0; i < wanted; ++i) {
            if (Item const item{purpose, i}; !progress.is_done(item)) items.push_back(item);
        }
        if (!items.empty()) break;
    }
    return items;
}

SearchOptions Agenda::options_of(Item item, Progress const& progress) const {
    auto const& [options, dataset, start_trees] = plan_;
    SearchOptions result;
    result.criterion = options.input.criterion;
    result.seed = options.search.seed;
    result.patience = patience(options.search.effort, false);
    result.spr_radius = options.search.spr_radius;
    result.far_care = far_care(options.search.effort);
    result.saves = saves(options.search.effort);
    result.counted = dataset.counted;
    result.candidates = dataset.candidates;
    result.sites_per_partition = dataset.sites_per_partition;
    result.constraint = plan_.constraint();
    of(item).change(result, item.number, progress);
    return result;
}

bool Agenda::needs_sites(Item item, Progress const& progress) const {
    return progress.find(item) == nullptr && of(item).needs_sites(item.number, progress);
}

SearchState Agenda::first_state(Item item, Progress const& progress, StartSites const* sites) const {
    return of(item).first_state(item.number, progress, sites);
}

std::vector<std::string> Agenda::lines_of(std::span<Item const> items, Progress const& progress) {
    return of(items.front()).lines(items, progress);
}

Result Agenda::result_of(Progress const& progress) {
    Result result(plan_.best(progress));
    std::multimap<int, Kind*> in_reports;
    for (auto const& [purpose, place, kind] : kinds_) in_reports.emplace(place, kind.get());
    for (auto const& [place, kind] : in_reports) kind->add_to(result, progress);
    for (auto const& [item, state] : progress.states()) result.evaluations += state.evaluations;
    return result;
}

void Agenda::check(Progress const& progress) const {
    auto const& dataset = plan_.dataset;
    for (auto const& [item, state] : progress.states()) {
        auto const& kind = of(item);
        if (item.number >= kind.most()) throw InputError("has a search that is none of this job");
        if (!kind.does(state)) throw InputError("has a search that does other work than its name says");
        // A search of one gene expects its own model alone: copying those of all for each would be quadratic.
        bool const is_of_all = !kind.gene(item.number);
        Expected expected{.num_taxa = dataset.taxa.size(),
                          .linkage = plan_.options.input.linkage,
                          .specs = is_of_all ? dataset.specs : std::vector<ModelSpec>{},
                          .automatic = is_of_all ? dataset.automatic() : std::vector<std::size_t>{},
                          .candidates = dataset.candidates,
                          .counted = dataset.counted,
                          .num_sites = dataset.sites_per_partition,
                          .criterion = plan_.options.input.criterion,
                          .constraint = plan_.constraint()};
        kind.expect(expected, item.number);
        search::check(state, expected);
    }
}

std::uint64_t Agenda::fingerprint() const {
    auto const& [options, dataset, start_trees] = plan_;
    auto const& supports = options.supports;
    ByteWriter out;
    out.put(dataset.content_hash);
    for (auto const& tree : start_trees.user_trees) tree.write(out);
    if (start_trees.constraint) start_trees.constraint->write(out);
    for (auto const& partition : dataset.partitions) out.put_text(partition.model);
    out.put_text(options.search.starts);
    for (std::uint64_t const number :
         {static_cast<std::uint64_t>(options.command), static_cast<std::uint64_t>(options.input.linkage),
          static_cast<std::uint64_t>(options.input.criterion), static_cast<std::uint64_t>(options.search.effort),
          options.search.seed, std::uint64_t{options.search.spr_radius}, std::uint64_t{supports.replicates},
          std::uint64_t{supports.until_convergence}, std::uint64_t{supports.alrt_replicates},
          std::uint64_t{supports.ultrafast_replicates}, std::uint64_t{plan_.tests() ? options.test.samples : 0}}) {
        out.put(number);
    }
    if (plan_.merges()) out.put(options.merge.share);
    if (options.input.fix_lengths) out.put(true);
    if (supports.sampling != Sampling::sites) out.put(supports.sampling);
    for (auto const& words : {options.input.models, options.input.rates}) {
        if (!words.empty()) out.put_text(words);
    }
    return hash(out.bytes());
}

}  // namespace regraft::phylo
