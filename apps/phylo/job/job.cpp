#include "job/job.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "input/genes.hpp"
#include "job/resources.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/likelihood/instructions.hpp"
#include "report/tree_files.hpp"
#include "sites/posterior_frequencies.hpp"
#include "sites/site_rates.hpp"
#include "sites/site_values.hpp"

namespace regraft::phylo {
namespace {

/// With fewer patterns a rank has too little to do between two reductions, so more groups are faster.
constexpr std::uint64_t enough_patterns = 1000;

ft::FailPhase tested_phase("tested");

}  // namespace

Job::Job(ft::Communicator& comm, Options const& options, std::string failure_plan, Context::Output output,
         Log::Voice voice)
    : context_{comm, options, output, Log(voice)},
      failure_plan_(std::move(failure_plan)),
      files_(context_, known_, records_),
      sites_(comm, [this] { return files_.read_again(); }),
      climber_(context_, known_, records_, files_, sites_) {
    if (!options.for_tests.instructions.empty()) likelihood::use_instructions(options.for_tests.instructions);
}

Result Job::run() {
    return ft::resilient(
        context_.comm, [this] { return body(); }, [this](ft::Failure const& failure) { recover(failure); });
}

Result Job::body() {
    if (!ready_) set_up();
    auto& agenda = *context_.agenda;
    for (;;) {
        auto const items = agenda.next_items(known_.progress);
        if (items.empty()) break;
        if (!known_.reason_to_stop.empty()) stop();
        work_on(items);
        meet();
        for (auto const& line : agenda.lines_of(items, known_.progress)) context_.say(line);
    }
    LargeFiles large;
    auto result = result_of(large);
    files_.write_output(result, std::move(large), climber_.work_log());
    return result;
}

void Job::set_up() {
    auto& [comm, options, output, log, dataset, agenda] = context_;
    records_.doing = "set-up";
    auto const replicas = sites_.submit(dataset, files_.read_all(), options.resources.replicas);
    files_.resume();
    sites_.deal(groups_for(agenda->next_items(known_.progress)));
    tell_input(replicas);
    if (output == Context::Output::files) {
        auto const earlier = records_.checkpoints.resumed ? Log::Earlier::stays : Log::Earlier::goes;
        log.keep_in(options.output.path(".log"), earlier, comm.leads());
    }
    comm.agree();
    ready_ = true;
    files_.begin_interval();
}

/// Logs what will be computed, and with which resources; throws SharedInputError if the memory does not suffice.
void Job::tell_input(std::uint32_t replicas) {
    auto& [comm, options, output, log, dataset, agenda] = context_;
    context_.say(title(options, dataset));
    context_.say(fmt::format("{}: {} taxa, {} sites{}, {} patterns, {} partition{}", options.input.source().string(),
                             dataset.taxa.size(), dataset.num_sites(), dataset.origin_of_sites,
                             dataset.num_weighted_patterns(), dataset.partitions.size(),
                             dataset.partitions.size() == 1 ? "" : "s"));
    for (auto const& warning : dataset.warnings) context_.say("warning: " + warning);
    auto const patterns = patterns_of(sites_.work(), dataset.partitions.size());
    auto const specs = largest_specs(dataset);
    agree_on_input(comm, {memory_problem(options, dataset, specs, patterns)});
    auto const mine = resources(options, dataset, specs, patterns, lookahead(options, dataset, comm.size()));
    context_.say(
        fmt::format("{} rank{}, each pattern on {} of them; per rank {} thread{}, kernels for {}, likelihoods in {}",
                    comm.size(), comm.size() == 1 ? "" : "s", replicas, mine.num_threads,
                    mine.num_threads == 1 ? "" : "s", likelihood::used_instructions(),
                    memory_text(mine, dataset, specs, patterns, ways_ahead(options, dataset, comm.size()))));
}

std::uint32_t Job::groups_for(std::span<Item const> items) const {
    auto const& [comm, options, output, log, dataset, agenda] = context_;
    if (!ft::survives_real_deaths()) return 1;  // with simulated deaths all members must come to the same points
    if (options.output.profile) return 1;       // a profile compares ranks that work on the same item
    auto const most = std::clamp<std::uint64_t>(items.size(), 1, comm.size());
    bool const are_genes = !items.empty() && agenda->kind_of(items.front()).gene(items.front().number);
    auto const patterns = dataset.num_patterns() / (are_genes ? dataset.partitions.size() : 1);
    auto const wanted =
        options.resources.groups > 0 ? options.resources.groups : comm.size() * enough_patterns / (patterns + 1);
    return checked_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, most));
}

/// This PE's patterns in each partition.
std::vector<std::vector<std::uint64_t>> Job::my_patterns() const {
    return patterns_by_partition(sites_.work(), context_.dataset.partitions.size());
}

/// What the steps of an item need of this PE's sites. sampler: null unless its kind needs it. trees: those that are
/// tested, if there are some.
Samples Job::samples_for(Item item, SiteSampler const* sampler, TestedTrees const* trees) const {
    Samples samples{.trees = trees};
    auto const& kind = context_.agenda->kind_of(item);
    if (kind.needs_samples()) kind.sample(samples, *sampler, my_patterns());
    return samples;
}

/// The trees that are tested, with the log-likelihoods of this PE's sites. Collective over the participants.
TestedTrees Job::tested_trees(SiteSampler const& sampler, ft::Participants participants) {
    auto& comm = context_.comm;
    records_.doing = "log-likelihoods of sites";
    comm.reach(tested_phase.before);
    TestedTrees trees({sampler, my_patterns()});
    auto const starts = context_.agenda->starts(known_.progress);
    for (auto const item : starts) {
        auto likelihood = climber_.likelihood_of(*known_.progress.find(item), participants, {});
        trees.add(likelihood);
        comm.reach(tested_phase.inside);
        if (item == starts.back()) trees.compare(likelihood);
    }
    comm.reach(tested_phase.after);
    return trees;
}

/// Works on the items of this PE's group in turn, while other groups work on theirs.
void Job::work_on(std::vector<Item> const& items) {
    records_.doing = "dealing";
    records_.restoring_at = Records::Clock::now();
    sites_.deal(groups_for(items));
    if (sites_.num_groups() == 1) return work_in_group(items, context_.comm);
    auto const mine = checked_cast<int>(sites_.my_group());
    ft::Derived const group = ft::split(context_.comm, [mine] { return mine; });
    work_in_group(items, {context_.comm, group});
}

void Job::work_in_group(std::vector<Item> const& items, ft::Participants participants) {
    auto const num_groups = sites_.num_groups();
    auto const& dataset = context_.dataset;
    std::optional<SiteSampler> sampler;
    std::optional<TestedTrees> trees;
    auto const& kind = context_.agenda->kind_of(items.front());
    if (kind.needs_samples() || kind.needs_trees()) sampler.emplace(dataset.weights, dataset.partition_begin);
    if (kind.needs_trees()) trees.emplace(tested_trees(*sampler, participants));
    Batch batch{.mine = (items.size() - sites_.my_group() + num_groups - 1) / num_groups, .num_groups = num_groups};
    for (auto i = sites_.my_group(); i < items.size(); i += num_groups) {
        auto state = state_of(items[i], participants);
        Task const task{items[i], context_.agenda->weights_of(items[i]),
                        samples_for(items[i], sampler ? &*sampler : nullptr, trees ? &*trees : nullptr), participants};
        known_.news.note(items[i], state);
        climber_.finish(task, state, batch);
        ++batch.done;
    }
}

/// The state to continue from, or the first state. Collective over the participants.
SearchState Job::state_of(Item item, ft::Participants participants) {
    auto const& [comm, options, output, log, dataset, agenda] = context_;
    if (auto const* const found = known_.progress.find(item)) return *found;
    if (!agenda->needs_sites(item, known_.progress)) return agenda->first_state(item, known_.progress, nullptr);
    records_.doing = "start tree";
    OwnWork own{sites_.work(), sites_.blocks()};
    // A job may have thousands of genes: none of them looks at the sites of all others.
    if (auto const gene = agenda->kind_of(item).gene(item.number)) own = work_of_gene(dataset, own, *gene);
    auto sites = start_sites(dataset, own.pieces, own.blocks);
    if (sites_.group().members.size() > 1)
        sites.sum = [participants](std::span<std::uint64_t> numbers) { ft::all_reduce(participants, numbers); };
    return agenda->first_state(item, known_.progress, &sites);
}

void Job::meet() {
    auto const group =
        sites_.num_groups() > 0 ? std::span<PeId const>(sites_.group().members) : std::span<PeId const>();
    bool const any_on_disk = phylo::meet(context_.comm, group, known_);
    // The files of other PEs become obsolete when they save the next time. Before that they wait until the leading PE
    // has saved.
    if (any_on_disk && context_.comm.leads()) files_.save_or_warn();
}

void Job::recover(ft::Failure const& failure) {
    auto& comm = context_.comm;
    auto record = records_.begin(failure, comm.size(), ready_);
    if (ready_) {
        if (sites_.num_groups() > 1 && comm.leads()) files_.read_news_of_the_dead();
        meet();
        sites_.recover(record);
    }
    records_.keep(std::move(record));
}

void Job::stop() {
    auto& comm = context_.comm;
    agree_on_input(comm, comm.leads() ? files_.save() : Problem());
    context_.say(fmt::format("stopped ({}) after {:.1f} s: the same command goes on from {}", known_.reason_to_stop,
                             context_.log.seconds(), files_.checkpoint_path().string()));
    throw Stopped();
}

/// The log-likelihoods of all patterns under each tree that was evaluated, or under the best one of a search; on the
/// leading PE. Collective, uniform.
std::vector<std::vector<double>> Job::site_loglh() {
    auto const& dataset = context_.dataset;
    auto const& progress = known_.progress;
    auto const& agenda = *context_.agenda;
    bool const is_of_all = context_.options.command == Command::test || context_.options.command == Command::evaluate;
    auto const items = is_of_all ? agenda.starts(progress) : std::vector{agenda.best_item(progress)};
    SiteSampler const sampler(dataset.weights, dataset.partition_begin);
    LocalPatterns const patterns{sampler, my_patterns()};
    std::vector<std::vector<double>> result;
    for (auto const item : items) {
        auto likelihood = climber_.likelihood_of(*progress.find(item), context_.comm, {});
        auto const mine = pattern_loglh(likelihood, patterns);
        result.push_back(gather_values(context_.comm, dataset.num_patterns(), sites_.group().work, mine));
    }
    return result;
}

/// The result: the progress, the likelihoods of the best tree, and statistics of the job. large: gets what is not in
/// the result.
Result Job::result_of(LargeFiles& large) {
    auto& [comm, options, output, log, dataset, agenda] = context_;
    auto const item = agenda->best_item(known_.progress);
    sites_.deal(1);
    auto result = agenda->result_of(known_.progress);
    {
        auto likelihood = climber_.likelihood_of(*known_.progress.find(item), comm, {});
        records_.tell(context_);
        records_.doing = "output";
        if (options.command == Command::loglh) result.state.loglh = likelihood.loglh();
        if (result.partition_loglh.empty()) result.partition_loglh = likelihood.partition_loglh();
        auto const& work = sites_.group().work;
        if (options.output.site_rates) result.pattern_rates = pattern_rates(comm, dataset, work, likelihood);
        if (options.output.pmsf) result.site_frequencies = posterior_frequencies(comm, dataset, work, likelihood);
        if (options.output.ancestral) {
            bool const writes = output == Context::Output::files;
            auto const path = [&](char const* name) {
                return writes ? options.output.path(name) : std::filesystem::path();
            };
            large = write_ancestors(comm, dataset, work, likelihood, path(".ancestralProbs"), path(".ancestralStates"));
        }
    }
    if (options.output.site_loglh) result.site_loglh = site_loglh();
    if (!dataset.outgroup.empty() && !is_clade(result.state.tree, dataset)) {
        dataset.warnings.push_back("the outgroup is no clade in the best tree, which is rooted at " +
                                   dataset.taxa[dataset.outgroup.front()]);
        context_.say("warning: " + dataset.warnings.back());
    }
    result.ranks_started = comm.num_founders();
    auto const members = comm.members();
    for (std::uint32_t pe = 0; pe < comm.num_founders(); ++pe) {
        if (!std::ranges::binary_search(members, PeId{pe})) result.ranks_lost.push_back(PeId{pe});
    }
    result.failure_plan = failure_plan_;
    result.recoveries = records_.recoveries;
    result.checkpoints = records_.checkpoints;
    result.seconds = log.seconds();
    return result;
}

}  // namespace regraft::phylo
