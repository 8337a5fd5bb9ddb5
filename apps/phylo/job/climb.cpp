#include "job/climb.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "input/genes.hpp"
#include "job/resources.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/ft/reduce.hpp"

namespace regraft::phylo {
namespace {

ft::FailPhase commit_phase("commit");

/// A commit is due after evaluations_per_commit evaluations, or earlier if evaluations times patterns reach
/// work_per_commit; but not before they reach work_per_taxon times the number of taxa, because states grow with the
/// taxa: with 20,000 of them, a commit after each 200 evaluations took a hundredth of the time.
constexpr std::uint64_t evaluations_per_commit = 200;
constexpr std::uint64_t work_per_commit = 20'000'000;
constexpr std::uint64_t work_per_taxon = 20;

/// How many subtrees each of several escapes at the same time looks ahead: few, since many moves on a way succeed, and
/// the escapes share reductions anyway.
constexpr std::size_t subtrees_on_way = 4;

/// The numbers of patterns in subsets of the partitions.
std::vector<std::uint64_t> sums_of(std::span<std::uint64_t const> patterns, std::span<Subset const> subsets) {
    std::vector<std::uint64_t> sums;
    for (auto const& subset : subsets) {
        auto& sum = sums.emplace_back();
        for (auto q : subset) sum += patterns[q];
    }
    return sums;
}

/// Adds more sites of the same taxa.
void append(likelihood::Sites& sites, likelihood::Sites const& more) {
    auto const append_all = [](auto& to, auto const& from) { to.insert(to.end(), from.begin(), from.end()); };
    append_all(sites.weights, more.weights);
    for (std::size_t t = 0; t < sites.rows.size(); ++t) append_all(sites.rows[t], more.rows[t]);
}

/// The sites of subsets of the partitions. Preconditions: a partition that is the only one of a subset is in no other
/// subset; partitions that are not the only ones have no sites with own frequencies, and none that were left out.
std::vector<likelihood::Sites> united(std::vector<likelihood::Sites> parts, std::span<Subset const> subsets) {
    std::vector<likelihood::Sites> result;
    for (auto const& subset : subsets) {
        bool const is_alone = subset.size() == 1;
        auto& sites = result.emplace_back(is_alone ? std::move(parts[subset.front()]) : parts[subset.front()]);
        for (std::size_t i = 1; i < subset.size(); ++i) append(sites, parts[subset[i]]);
    }
    return result;
}

/// The number of evaluations after which a commit is due.
std::uint64_t evaluations_until_commit(Dataset const& dataset) {
    auto const patterns = dataset.num_patterns();
    auto const usual = std::clamp<std::uint64_t>(work_per_commit / patterns, 1, evaluations_per_commit);
    return std::max<std::uint64_t>(usual, work_per_taxon * dataset.taxa.size() / patterns);
}

/// The options of a task's search. They refer to the task.
SearchOptions options_of(Task const& task, Agenda const& agenda, Progress const& progress) {
    auto options = agenda.options_of(task.item, progress);
    auto const& [rell, replicates, trees] = task.samples;
    if (rell) options.rell_samples = &*rell;
    if (replicates) options.replicates = &*replicates;
    if (options.test_samples) options.test_samples->trees = trees;
    return options;
}

}  // namespace

std::string Batch::share_done() const {
    if (mine <= 1) return "";
    auto const where = num_groups > 1 ? fmt::format(" in one of {} groups", num_groups) : "";
    return fmt::format("{} of {} done{}: ", done, mine, where);
}

std::string Batch::time_left() const {
    if (done == 0 || done >= mine) return "";
    auto const ms = milliseconds_since(begin) / static_cast<double>(done) * static_cast<double>(mine - done);
    return ms < 60e3 ? fmt::format(", about {:.0f} s left", ms / 1e3)
                     : fmt::format(", about {:.0f} min left", ms / 60e3);
}

std::string Batch::progress(std::string const& doing, SearchState const& state) const {
    auto const loglh = std::isfinite(state.loglh) ? fmt::format(", log-likelihood {:.4f}", state.loglh) : "";
    return fmt::format("{}{}, step {}{}{}", share_done(), doing, shown_step(state), loglh, time_left());
}

Climber::Climber(Context& context, Knowledge& known, Records& records, JobFiles& files, DealtSites const& sites)
    : context_(context),
      known_(known),
      records_(records),
      files_(files),
      sites_(sites),
      stop_watch_(context.options.resources.time_limit_seconds) {
    if (context.options.output.profile) clock_.emplace(context.comm.num_founders());
}

void Climber::finish(Task const& task, SearchState& state, Batch const& batch) {
    while (!state.is_done()) climb(task, state, batch);
}

DistributedLikelihood Climber::likelihood_of(SearchState const& state, ft::Participants participants,
                                             std::span<std::uint32_t const> weights,
                                             std::optional<std::uint32_t> gene) const {
    auto const& dataset = context_.dataset;
    auto now = subject(state, context_.options.input.linkage);
    std::vector<likelihood::Sites> sites;
    if (gene) {
        now.subsets = {{*gene}};
        sites.push_back(sites_of_gene(dataset, sites_.work(), sites_.blocks(), weights, *gene));
    } else {
        sites = united(to_local_sites(dataset, sites_.work(), sites_.blocks(), weights), now.subsets);
    }
    auto const patterns = sums_of(patterns_of(sites_.work(), dataset.partitions.size()), now.subsets);
    auto const to_use = resources(context_.options, dataset, now.specs, patterns, ahead());
    return DistributedLikelihood(participants, std::move(now.tree), std::move(now.specs), std::move(now.models),
                                 now.linkage, std::move(sites), to_use);
}

std::size_t Climber::ahead() const {
    return lookahead(context_.options, context_.dataset, sites_.group().members.size());
}

/// Makes steps until the state needs another likelihood, or the last step is done.
void Climber::climb(Task const& task, SearchState& state, Batch const& batch) {
    auto& [comm, job_options, output, log, dataset, agenda] = context_;
    auto const& kind = agenda->kind_of(task.item);
    auto likelihood = likelihood_of(state, task.participants, task.weights, kind.gene(task.item.number));
    records_.tell(context_);
    // However the climb ends, the recovery learns how much work was not committed.
    struct Tally {
        std::uint64_t& uncommitted;
        DistributedLikelihood const& likelihood;
        std::uint64_t committed = 0;
        ~Tally() { uncommitted = likelihood.evaluations() - committed; }
    } tally{records_.uncommitted_evaluations, likelihood};

    if (job_options.resources.threads == 0 && comm.num_founders() == 1) likelihood.follow_load();
    if (clock_) {
        likelihood.tell(&*clock_);
        clock_->start(comm.epoch());
    }
    auto const name = agenda->name_of(task.item);
    auto options = options_of(task, *agenda, known_.progress);
    Lookahead forecasts(ahead());
    options.lookahead = &forecasts;
    auto const num_ways = ways_ahead(job_options, dataset, sites_.group().members.size());
    WaysAhead ways(num_ways, std::min(ahead(), subtrees_on_way), [&] {
        return std::unique_ptr<DistributedLikelihood>(new DistributedLikelihood(
            likelihood_of(state, task.participants, task.weights, kind.gene(task.item.number))));
    });
    if (num_ways > 1) options.ways = &ways;
    auto const at_stake = evaluations_until_commit(dataset);
    bool const may_change = changes_subject(state);
    bool serves = !state.is_done();
    while (serves) {
        auto const was = describe(state);
        auto const doing = name.empty() ? was : name + ", " + was;
        records_.doing = doing;
        log.progress(batch.progress(doing, state), comm.leads());
        advance(state, likelihood, options);
        bool const went_on = describe(state) != was;
        if (went_on && kind.tells_stages()) context_.say(fmt::format("{}: log-likelihood {:.6f}", doing, state.loglh));
        if (went_on || kind.commits_each_step() || likelihood.evaluations() - tally.committed >= at_stake) {
            commit(task, state);
            tally.committed = likelihood.evaluations();
        }
        if (auto const* const reason = stop_watch_.reason(); reason != nullptr && output == Context::Output::files) {
            known_.reason_to_stop = reason;
            known_.news.note(task.item, state);
            comm.declare_failure("a request to stop");
        }
        serves = !state.is_done() && !(may_change && went_on);
    }
}

/// Keeps the state. All members of the group come here after the same steps, so it is a good time to compare them.
void Climber::commit(Task const& task, SearchState const& state) {
    auto& comm = context_.comm;
    auto const begin = Records::Clock::now();
    comm.reach(commit_phase.before);
    if (clock_) clock_->begin_reduction();
    bool const agrees = ft::all_equal(task.participants, hash(state.to_bytes()));
    if (clock_) clock_->end_reduction();
    if (!agrees) {
        known_.diverged = true;
        comm.declare_failure("a comparison of states");
    }
    comm.reach(commit_phase.inside);
    known_.news.note(task.item, state);
    ++records_.checkpoints.count;
    if (files_.is_due() && sites_.group().members.front() == comm.self()) files_.save_or_warn();
    files_.keep(sites_.group().members);
    if (sites_.num_groups() > 1) comm.look_for_failures();
    comm.reach(commit_phase.after);
    records_.committed_at = Records::Clock::now();
    records_.checkpoints.ms += milliseconds_since(begin);
}

}  // namespace regraft::phylo
