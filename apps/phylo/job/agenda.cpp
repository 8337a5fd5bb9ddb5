#include "job/agenda.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "progress/state_check.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/msa/difficulty.hpp"
#include "regraft/msa/support.hpp"
#include "regraft/search/resampling.hpp"
#include "report/agreement.hpp"
#include "report/merge_report.hpp"
#include "report/test_report.hpp"

namespace regraft::phylo {

namespace {

Goal goal_of(Command command) {
    switch (command) {
        case Command::search:
            return Goal::tree;
        case Command::evaluate:
        case Command::test:
        case Command::merge:
            return Goal::evaluation;
        case Command::loglh:
        case Command::check:
            break;
    }
    return Goal::likelihood;
}

/// The largest branch length to start from. Along a much longer branch the likelihood hardly depends on the length, so
/// that no optimiser finds the way back.
constexpr double longest_start = 10;

/// The tree with branch lengths of at most longest_start.
msa::Tree with_short_branches(msa::Tree tree) {
    for (auto const h : tree.edges()) {
        if (tree.length(h) > longest_start) tree.set_length(h, longest_start);
    }
    return tree;
}

/// The seed for the sites of a replicate, and for its search.
std::uint64_t seed_of_replicate(Item item, Options const& options) {
    return mix(options.seed) + item.number;
}

/// The least number of different searches whose trees the ultrafast bootstrap begins with.
constexpr std::uint32_t least_trees = 3;

/// The seed for the samples of one size.
std::uint64_t seed_of_samples(Item item, Options const& options) {
    return mix(options.seed) + item.number;
}

}  // namespace

Beginnings read_beginnings(Options const& options, Dataset const& dataset) {
    Beginnings result;
    auto read = read_user_trees(options, dataset);
    result.warnings = warnings_of(read, options);
    if (options.command == Command::test) {
        auto equal = unite_equal_trees(read.trees, options);
        std::ranges::move(equal, std::back_inserter(result.warnings));
    }
    result.starts = starts_of(options, read.trees.size(), dataset.taxa.size());
    result.may_do_with_fewer = options.asks_for_difficulty() && options.starts.empty();
    result.constraint = read_constraint(options, dataset);
    if (result.constraint) check_user_trees(options, read, *result.constraint);
    result.user_trees = std::move(read.trees);
    return result;
}

Agenda::Agenda(Options const& options, Dataset const& dataset, Beginnings beginnings)
    : options_(options), dataset_(dataset), beginnings_(std::move(beginnings)) {
    REGRAFT_EXPECTS(!beginnings_.starts.empty());
}

std::vector<Item> Agenda::next_items(Progress const& progress) {
    std::vector<Item> items;
    auto const want = [&](Purpose purpose, std::size_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            if (Item const item{purpose, i}; !progress.is_done(item)) items.push_back(item);
        }
    };
    if (chooses()) want(Purpose::model_choice, 1);
    if (items.empty()) want(Purpose::start, num_starts(progress));
    if (items.empty() && fuses()) want(Purpose::fusion, 1);
    if (items.empty() && options_.ultrafast_replicates > 0) want(Purpose::pilot, num_pilots(progress));
    if (items.empty() && options_.ultrafast_replicates > 0) want(Purpose::ultrafast, 1);
    if (items.empty()) want(Purpose::replicate, wanted_replicates(progress));
    if (items.empty() && options_.alrt_replicates > 0) want(Purpose::support, 1);
    if (items.empty() && tests()) want(Purpose::test, num_sample_sizes);
    if (items.empty() && merges()) want(Purpose::merge, 1);
    return items;
}

/// The number of starts that are wanted now: all, or one more than are done as long as that is expected to pay. It
/// follows from the first of them, whichever else are done, so it is the same however items were dealt to groups.
std::uint32_t Agenda::num_starts(Progress const& progress) const {
    auto const all = checked_cast<std::uint32_t>(beginnings_.starts.size());
    if (!beginnings_.may_do_with_fewer) return all;
    auto const least = std::max(1U, checked_cast<std::uint32_t>(beginnings_.user_trees.size()));
    std::vector<double> loglh;
    for (std::uint32_t i = 0; i < all; ++i) {
        if (i >= least && !another_start_pays(loglh, progress.find({Purpose::start})->difficulty)) return i;
        if (!progress.is_done({Purpose::start, i})) return std::max(least, i + 1);
        loglh.push_back(progress.find({Purpose::start, i})->loglh);
    }
    return all;
}

/// The number of pilots: as many as the starts are fewer than least_trees.
std::uint32_t Agenda::num_pilots(Progress const& progress) const {
    auto const starts = num_starts(progress);
    return std::max(starts, least_trees) - starts;
}

/// Whether there is a fusion. It also follows if one of several possible starts was enough; then it has only escapes.
bool Agenda::fuses() const {
    return !tests() && beginnings_.starts.size() > 1 && options_.effort != Effort::fast;
}

bool Agenda::tests() const {
    return options_.command == Command::test;
}

bool Agenda::merges() const {
    return options_.command == Command::merge;
}

/// Whether models are chosen. For merging they are not: partitions with `auto` then have the model merging_model.
bool Agenda::chooses() const {
    return !merges() && !dataset_.automatic().empty();
}

/// The spec of each partition with which a job begins.
std::vector<ModelSpec> Agenda::first_specs() const {
    auto specs = dataset_.specs;
    if (!merges()) return specs;
    for (auto q : dataset_.automatic()) specs[q] = merging_model(specs[q].alphabet);
    return specs;
}

/// The options of merging. Partitions may be merged if they have the same model, or both have `auto`. A partition with
/// a correction for sites that were left out stays alone, because the number of those sites belongs to it.
MergeOptions Agenda::merge_options() const {
    MergeOptions result{.share = options_.merge_share, .kinds = {}, .work = {}};
    std::map<std::string, std::uint32_t> kinds;
    auto const specs = first_specs();
    for (std::uint32_t q = 0; q < specs.size(); ++q) {
        auto const& spec = specs[q];
        auto name = (is_automatic(dataset_.partitions[q]) ? "auto " : "") + spec.text;
        if (spec.ascertainment != likelihood::Ascertainment::none) name += fmt::format(" {}", q);
        result.kinds.push_back(kinds.try_emplace(name, kinds.size()).first->second);
        auto const patterns = dataset_.partition_begin[q + 1] - dataset_.partition_begin[q];
        result.work.push_back(patterns * spec.num_states() * spec.num_site_categories());
    }
    return result;
}

/// The number of replicates that are wanted now. If they may converge, it is the next number at which convergence is
/// tested, or their largest number.
std::uint32_t Agenda::wanted_replicates(Progress const& progress) {
    if (!options_.until_convergence) return options_.replicates;
    std::uint32_t done = 0;
    while (progress.is_done({Purpose::replicate, done})) ++done;
    bool const is_looked_at = done > 0 && done % msa::convergence_interval == 0;
    if (done >= options_.replicates || (is_looked_at && convergence_of(done, progress).is_reached)) return done;
    auto const next_look = (done / msa::convergence_interval + 1) * msa::convergence_interval;
    return std::min(checked_cast<std::uint32_t>(next_look), options_.replicates);
}

/// The convergence of the first replicates. Precondition: they are done.
msa::Convergence Agenda::convergence_of(std::uint32_t replicates, Progress const& progress) {
    if (known_convergence_ && known_convergence_->replicates == replicates) return known_convergence_->convergence;
    msa::SplitSets sets(checked_cast<std::uint32_t>(dataset_.taxa.size()));
    for (std::uint32_t i = 0; i < replicates; ++i) sets.add(progress.find({Purpose::replicate, i})->tree);
    msa::ConvergenceOptions const how{.seed = options_.seed, .threads = std::max(1U, options_.threads)};
    known_convergence_ = {replicates, msa::convergence(sets, how)};
    return known_convergence_->convergence;
}

std::string Agenda::name_of(Item item) const {
    switch (item.purpose) {
        case Purpose::model_choice:
            return "model choice";
        case Purpose::start:
            if (beginnings_.starts.size() == 1) return "";
            return (tests() ? "" : "start ") + to_string(beginnings_.starts[item.number]);
        case Purpose::fusion:
            return "fusion";
        case Purpose::pilot:
            return fmt::format("pilot {}", item.number + 1);
        case Purpose::ultrafast:
            return "ultrafast bootstrap";
        case Purpose::replicate:
            return fmt::format("replicate {}", item.number + 1);
        case Purpose::support:
            return "SH-aLRT";
        case Purpose::merge:
            return "";
        case Purpose::test:
            return fmt::format("samples of {:.1f} of the sites", 0.1 * sample_size(item.number).tenths);
    }
    return "";
}

SearchOptions Agenda::options_of(Item item, Progress const& progress) const {
    SearchOptions result;
    result.goal = goal_of(options_.command);
    result.criterion = options_.criterion;
    result.seed = options_.seed;
    result.patience = patience(options_.effort, false);
    result.spr_radius = options_.spr_radius;
    result.far_care = far_care(options_.effort);
    result.counted = dataset_.counted;
    result.sites_per_partition = dataset_.sites_per_partition;
    result.constraint = constraint();
    switch (item.purpose) {
        case Purpose::model_choice:
            result.goal = Goal::likelihood;  // nothing follows the choice of models
            break;
        case Purpose::start:
            result.seed = seed_of(beginnings_.starts[item.number], options_.seed);
            result.patience = patience(options_.effort, beginnings_.starts.size() > 1);
            break;
        case Purpose::fusion:
        case Purpose::ultrafast:
            result.others = other_trees(progress);
            if (item.purpose == Purpose::ultrafast)
                std::ranges::move(pilot_trees(progress), std::back_inserter(result.others));
            break;
        case Purpose::support:
            break;
        case Purpose::merge:
            result.merging = merge_options();
            break;
        case Purpose::test:
            result.test_samples = {nullptr, sample_size(item.number), options_.samples,
                                   seed_of_samples(item, options_)};
            break;
        case Purpose::pilot:
            result.last = Stage::far_spr;
            [[fallthrough]];
        case Purpose::replicate:
            if (item.purpose == Purpose::replicate) result.others = good_trees(progress);
            result.seed = seed_of_replicate(item, options_);
            result.patience = patience(Effort::fast, false);
            result.far_care = far_care(Effort::fast);
            result.final_epsilon = result.least_gain;
            break;
    }
    return result;
}

Constraint const* Agenda::constraint() const {
    return beginnings_.constraint ? &*beginnings_.constraint : nullptr;
}

Item Agenda::best_start(Progress const& progress) const {
    Item best{Purpose::start, 0};
    auto const count = num_starts(progress);
    for (std::uint32_t i = 1; i < count; ++i) {
        Item const other{Purpose::start, i};
        if (progress.find(other)->loglh > progress.find(best)->loglh) best = other;
    }
    return best;
}

Item Agenda::best_item(Progress const& progress) const {
    return fuses() ? Item{Purpose::fusion} : best_start(progress);
}

/// The trees of the pilots.
std::vector<msa::Tree> Agenda::pilot_trees(Progress const& progress) const {
    std::vector<msa::Tree> trees;
    for (std::uint32_t i = 0; i < num_pilots(progress); ++i) trees.push_back(progress.find({Purpose::pilot, i})->tree);
    return trees;
}

/// The trees of all starts except the best, the likeliest first; equally likely ones in their order.
std::vector<msa::Tree> Agenda::other_trees(Progress const& progress) const {
    std::vector<SearchState const*> others;
    auto const count = num_starts(progress);
    auto const best = best_start(progress);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (Item const item{Purpose::start, i}; item != best) others.push_back(progress.find(item));
    }
    std::ranges::stable_sort(others, std::greater<>(), &SearchState::loglh);
    std::vector<msa::Tree> trees;
    for (auto const* state : others) trees.push_back(state->tree);
    return trees;
}

/// The best tree, then those of other_trees.
std::vector<msa::Tree> Agenda::good_trees(Progress const& progress) const {
    auto trees = other_trees(progress);
    trees.insert(trees.begin(), progress.find(best_item(progress))->tree);
    return trees;
}

bool Agenda::needs_patterns(Item item, Progress const& progress) const {
    if (progress.find(item) != nullptr) return false;
    bool const is_free = constraint() == nullptr;
    auto const is_short = [&] { return beginnings_.starts[item.number].kind == Start::Kind::parsimony; };
    switch (item.purpose) {
        case Purpose::pilot:
        case Purpose::replicate:
            return is_free;
        case Purpose::model_choice:
            return is_free && is_short();
        case Purpose::start:
            return (is_free && is_short()) || wants_difficulty(progress);
        case Purpose::fusion:
        case Purpose::ultrafast:
        case Purpose::support:
        case Purpose::test:
        case Purpose::merge:
            break;
    }
    return false;
}

SearchState Agenda::first_state(Item item, Progress const& progress, msa::Patterns const* patterns) const {
    if (item.purpose == Purpose::fusion) return start_fusing(*progress.find(best_start(progress)));
    if (item.purpose == Purpose::ultrafast) return start_ultrafast(*progress.find(best_item(progress)));
    if (item.purpose == Purpose::support) return start_support(*progress.find(best_item(progress)));
    if (item.purpose == Purpose::merge) return start_merging(*progress.find(best_item(progress)));
    if (item.purpose == Purpose::test) return start_tests(*progress.find(best_item(progress)));
    auto const options = options_of(item, progress);
    auto const tree_of = [&](Start start, msa::Patterns const* from) {
        auto tree = start_tree(start, options.seed, dataset_, from, beginnings_.user_trees, constraint());
        if (options_.command != Command::loglh) tree = with_short_branches(std::move(tree));
        return with_length_sets(std::move(tree), options_.linkage, dataset_.specs.size());
    };
    bool const is_pilot = item.purpose == Purpose::pilot;
    if (is_pilot || item.purpose == Purpose::replicate) {
        REGRAFT_EXPECTS(constraint() != nullptr || patterns != nullptr);
        std::optional<msa::Patterns> resampled;
        if (constraint() == nullptr && !is_pilot) {
            resampled = *patterns;
            resampled->weight = weights_of(item);
        }
        auto tree = tree_of({Start::Kind::parsimony}, resampled ? &*resampled : patterns);
        auto const& best = *progress.find(best_item(progress));
        auto state = start_state(Goal::tree, std::move(tree), best.specs, best.models);
        if (is_pilot) state.stage = Stage::near_spr;  // the models of the best tree are good enough
        return state;
    }
    auto specs = first_specs();
    if (auto const* const choice = progress.find({Purpose::model_choice})) specs = choice->specs;
    std::vector<Model> models;
    for (std::size_t q = 0; q < specs.size(); ++q) models.push_back(start_model(specs[q], dataset_.counted[q]));
    auto tree = tree_of(beginnings_.starts[item.number], patterns);
    auto state = start_state(options.goal, std::move(tree), std::move(specs), std::move(models));
    if (item.purpose == Purpose::model_choice) begin_model_choice(state, dataset_.automatic(), dataset_.counted);
    if (item.purpose == Purpose::start) state.difficulty = difficulty_of(progress, patterns);
    return state;
}

/// Whether the effort depends on the difficulty of the data, and it is not known yet.
bool Agenda::wants_difficulty(Progress const& progress) const {
    return options_.asks_for_difficulty() && progress.find({Purpose::start}) == nullptr;
}

double Agenda::difficulty_of(Progress const& progress, msa::Patterns const* patterns) const {
    if (auto const* const first = progress.find({Purpose::start})) return first->difficulty;
    return wants_difficulty(progress) ? msa::difficulty(*patterns, options_.seed) : 1;
}

std::vector<std::uint32_t> Agenda::weights_of(Item item) const {
    if (item.purpose != Purpose::replicate) return {};
    return resampled_weights(dataset_.weights, dataset_.partition_begin, seed_of_replicate(item, options_));
}

std::vector<std::string> Agenda::lines_of(std::span<Item const> items, Progress const& progress) {
    std::vector<std::string> lines;
    for (auto const item : items) {
        if (item.purpose != Purpose::start || beginnings_.starts.size() == 1) continue;
        lines.push_back(fmt::format("{}: {:.6f}", name_of(item), progress.find(item)->loglh));
    }
    if (items.front().purpose == Purpose::replicate) {
        auto const done = items.back().number + 1;
        lines.push_back(fmt::format("{} replicates", done));
        if (options_.until_convergence) {
            lines.back() +=
                fmt::format(", halves differ by {:.2f} %", 100 * convergence_of(done, progress).mean_distance);
        }
    }
    if (items.front().purpose == Purpose::test) lines = test_lines(tests_of(progress));
    if (items.front().purpose == Purpose::merge)
        lines = merge_lines(dataset_, *progress.find({Purpose::merge})->merging, options_.criterion);
    return lines;
}

/// The tests of all trees. Precondition: the samples of all sizes are done.
std::vector<TreeTest> Agenda::tests_of(Progress const& progress) const {
    std::vector<double> loglh;
    for (std::uint32_t i = 0; i < beginnings_.starts.size(); ++i)
        loglh.push_back(progress.find({Purpose::start, i})->loglh);
    std::vector<SampleCounts> counts;
    for (std::uint32_t k = 0; k < num_sample_sizes; ++k) counts.push_back(progress.find({Purpose::test, k})->counts);
    return tree_tests(loglh, counts, options_.samples, dataset_.num_sites());
}

Result Agenda::result_of(Progress const& progress) {
    Result result(*progress.find(best_item(progress)));
    if (auto const* const choice = progress.find({Purpose::model_choice})) result.state.choices = choice->choices;
    auto const starts = num_starts(progress);
    for (std::uint32_t i = 0; i < starts; ++i) {
        result.starts.push_back({to_string(beginnings_.starts[i]), *progress.find({Purpose::start, i})});
    }
    if (auto const* const support = progress.find({Purpose::support})) result.supports.alrt = support->alrt;
    if (auto const* const ultrafast = progress.find({Purpose::ultrafast})) {
        for (auto const& replicate : ultrafast->replicates) result.ultrafast.push_back(replicate.tree);
        result.supports.ultrafast =
            msa::edge_support(result.state.tree, result.ultrafast, msa::SupportMetric::felsenstein);
        result.ultrafast_agreement = agreement_of_halves(result.ultrafast);
    }
    if (tests()) result.tests = tests_of(progress);
    if (merges()) result.merging = progress.find({Purpose::merge})->merging;
    auto const replicates = wanted_replicates(progress);
    for (std::uint32_t i = 0; i < replicates; ++i) {
        result.replicates.push_back(progress.find({Purpose::replicate, i})->tree);
    }
    if (replicates > 0) {
        auto const& tree = result.state.tree;
        result.supports.felsenstein = msa::edge_support(tree, result.replicates, msa::SupportMetric::felsenstein);
        result.supports.transfer = msa::edge_support(tree, result.replicates, msa::SupportMetric::transfer);
        if (options_.until_convergence) result.convergence = convergence_of(replicates, progress);
    }
    for (auto const& [item, state] : progress.states()) result.evaluations += state.evaluations;
    return result;
}

bool Agenda::has(Item item) const {
    switch (item.purpose) {
        case Purpose::model_choice:
            return item.number == 0 && chooses();
        case Purpose::start:
            return item.number < beginnings_.starts.size();
        case Purpose::fusion:
            return item.number == 0 && fuses();
        case Purpose::pilot:
            return item.number < least_trees && options_.ultrafast_replicates > 0;
        case Purpose::ultrafast:
            return item.number == 0 && options_.ultrafast_replicates > 0;
        case Purpose::replicate:
            return item.number < options_.replicates;
        case Purpose::support:
            return item.number == 0 && options_.alrt_replicates > 0;
        case Purpose::test:
            return item.number < num_sample_sizes && tests();
        case Purpose::merge:
            return item.number == 0 && merges();
    }
    return false;
}

void Agenda::check(Progress const& progress) const {
    for (auto const& [item, state] : progress.states()) {
        if (!has(item)) throw InputError("has a search that is none of this job");
        check_state(state, item,
                    {.dataset = dataset_,
                     .linkage = options_.linkage,
                     .criterion = options_.criterion,
                     .constraint = constraint(),
                     .num_trees = beginnings_.starts.size(),
                     .num_samples = options_.samples,
                     .num_replicates = options_.ultrafast_replicates,
                     .merging = merges() ? std::optional(merge_options()) : std::nullopt});
    }
}

std::uint64_t Agenda::fingerprint() const {
    ByteWriter out;
    out.put(dataset_.content_hash);
    for (auto const& tree : beginnings_.user_trees) tree.write(out);
    if (beginnings_.constraint) beginnings_.constraint->write(out);
    for (auto const& partition : dataset_.partitions) out.put_text(partition.model);
    out.put_text(options_.starts);
    for (std::uint64_t const number :
         {static_cast<std::uint64_t>(options_.command), static_cast<std::uint64_t>(options_.linkage),
          static_cast<std::uint64_t>(options_.criterion), static_cast<std::uint64_t>(options_.effort), options_.seed,
          std::uint64_t{options_.spr_radius}, std::uint64_t{options_.replicates},
          std::uint64_t{options_.until_convergence}, std::uint64_t{options_.alrt_replicates},
          std::uint64_t{options_.ultrafast_replicates}, std::uint64_t{tests() ? options_.samples : 0}}) {
        out.put(number);
    }
    if (merges()) out.put(options_.merge_share);
    return hash(out.bytes());
}

}  // namespace regraft::phylo
