#include "job.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "block_layout.hpp"
#include "check.hpp"
#include "regraft/assign/balance.hpp"
#include "regraft/assign/reassign.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/likelihood/instructions.hpp"
#include "regraft/placement/mod_k.hpp"
#include "resources.hpp"

namespace regraft::phylo {
namespace {

ft::FailPhase read_phase("read");
ft::FailPhase recover_phase("recover");
ft::FailPhase output_phase("output");

/// Steps are gathered until this many evaluations are at stake; an agreement costs about as much as two of them.
constexpr std::uint64_t evaluations_per_checkpoint = 200;

/// Bad input of which all members have heard.
class SharedInputError : public InputError, public ft::Uniform {
public:
    using InputError::InputError;
};

std::uint64_t count(std::span<BlockRange const> ranges) {
    std::uint64_t sum = 0;
    for (auto const& range : ranges) sum += range.size();
    return sum;
}

/// Copies the blocks of some ranges, one behind the other in `from`, to their places in the layout of `to`. Each range
/// lies within one piece of the layout.
void place_blocks(std::span<BlockRange const> ranges, std::span<std::byte const> from, BlockLayout const& layout,
                  std::span<std::byte> to, std::size_t block_bytes) {
    for (auto const& range : ranges) {
        auto const size = range.size() * block_bytes;
        if (size == 0) continue;
        std::copy_n(from.begin(), size, to.subspan(layout.place(range.first) * block_bytes).begin());
        from = from.subspan(size);
    }
}

template <class T>
std::vector<T> selected(std::vector<T> all, std::span<std::size_t const> indices) {
    std::vector<T> result;
    for (auto i : indices) result.push_back(std::move(all[i]));
    return result;
}

}  // namespace

Job::Job(ft::Communicator& comm, Options const& options, std::string failure_plan, Output output, Log::Voice voice)
    : comm_(comm),
      options_(options),
      failure_plan_(std::move(failure_plan)),
      output_(output),
      log_(voice),
      store_(comm),
      checkpoint_(comm) {
    if (options.profile) clock_.emplace(comm.num_founders());
    search_options_.command = options.command;
    search_options_.criterion = options.criterion;
    search_options_.seed = options.seed;
    search_options_.effort = options.effort;
    search_options_.spr_radius = options.spr_radius;
    if (!options.instructions.empty()) likelihood::use_instructions(options.instructions);
}

Result Job::run() {
    return ft::resilient(
        comm_, [this] { return body(); }, [this](ft::Failure const& failure) { recover(failure); });
}

Result Job::body() {
    if (checkpoint_.generation() == 0) set_up();
    doing_ = "restoring";
    restoring_at_ = Clock::now();
    auto state = SearchState::from_bytes(checkpoint_.latest().shares[0]);
    while (state.stage == Stage::model_choice) {
        auto likelihood = likelihood_of(state);
        climb(state, likelihood);
    }
    auto likelihood = likelihood_of(state);
    climb(state, likelihood);
    doing_ = "output";
    if (options_.command == Command::loglh) state.loglh = likelihood.loglh();
    auto result = result_of(std::move(state), likelihood);
    write_output(result);
    return result;
}

/// With what the next step needs, and no more.
Likelihood Job::likelihood_of(SearchState const& state) {
    auto now = subject(state, options_.linkage);
    auto const work = assignment_[value(comm_.self())];
    auto const patterns = selected(patterns_of(work, dataset_.partitions.size()), now.partitions);
    auto const to_use = resources(options_, dataset_, now.specs, patterns);
    return Likelihood(comm_, std::move(now.tree), std::move(now.specs), std::move(now.models), now.linkage,
                      selected(to_local_sites(dataset_, work, blocks_), now.partitions), to_use);
}

/// Until the state needs another likelihood, or the last step is done.
void Job::climb(SearchState& state, Likelihood& likelihood) {
    if (told_ < recoveries_.size()) recoveries_.back().restore_ms = milliseconds_since(restoring_at_);
    for (; told_ < recoveries_.size(); ++told_) say(to_string(recoveries_[told_]));
    // However the climb ends: what it did since the last checkpoint is known to the recovery.
    struct Tally {
        std::uint64_t& uncommitted;
        Likelihood const& likelihood;
        std::uint64_t committed = 0;
        ~Tally() { uncommitted = likelihood.evaluations() - committed; }
    } tally{uncommitted_evaluations_, likelihood};

    if (clock_) {
        likelihood.time_by(&*clock_);
        clock_->start(comm_.epoch());
    }
    bool const chooses = state.stage == Stage::model_choice;
    bool serves = state.stage != Stage::done;
    while (serves) {
        doing_ = describe(state);
        log_.progress(fmt::format("{}, step {}, log-likelihood {:.4f}", doing_, state.position + 1, state.loglh),
                      comm_.leads());
        advance(state, likelihood, search_options_);
        bool const went_on = describe(state) != doing_;
        if (went_on) say(fmt::format("{}: log-likelihood {:.6f}", doing_, state.loglh));
        if (chooses && state.stage != Stage::model_choice) {
            for (auto const& line : choice_lines(dataset_, state, options_.criterion)) say(line);
        }
        if (went_on || likelihood.evaluations() - tally.committed >= evaluations_per_checkpoint) {
            commit(state);
            tally.committed = likelihood.evaluations();
        }
        serves = state.stage != Stage::done && !(chooses && went_on);
    }
}

void Job::set_up() {
    doing_ = "set-up";
    comm_.reach(read_phase.before);
    std::optional<Input> input;
    std::optional<SearchState> start;
    std::string problem;
    try {
        bool const keeps = output_ == Output::files;
        if (keeps) prepare_output(options_, comm_.leads() ? Trial::write : Trial::look);
        bool const reduces = keeps && comm_.leads();
        if (reduces && recoveries_.empty()) prepare_reduced(options_);  // after a failure it may be this job's own
        auto const checked = check_input(options_);
        input = to_input(checked);
        if (reduces) write_reduced(options_, checked);
        start = read_start(options_, *input);
    } catch (std::exception const& error) {  // also lack of memory: the others must hear of it
        problem = error.what();
    }
    comm_.reach(read_phase.inside);
    agree_on_input(problem);
    if (!comm_.agree_equal(input->dataset.content_hash ^ hash(start->to_bytes()))) {
        throw SharedInputError({options_.msa.string()},
                               "ranks read different alignments or trees, expected the same files on all");
    }
    dataset_ = std::move(input->dataset);
    search_options_.counted = dataset_.counted;
    search_options_.sites_per_partition = dataset_.sites_per_partition;
    comm_.reach(read_phase.after);

    auto const members = comm_.members();
    auto const size = checked_cast<std::uint32_t>(members.size());
    costs_ = cost_per_pattern(dataset_);
    assignment_ = assign::balance(dataset_.partition_begin, costs_, members, comm_.num_founders());
    blocks_ = to_blocks(input->patterns, blocks_of(assignment_[value(comm_.self())]));
    auto const mine = even_part<BlockId>(dataset_.num_patterns(), comm_.position(comm_.self()), size);
    placement::ModK const placement(dataset_.num_patterns(), size, std::min(options_.replicas, size));
    store_.submit(placement, mine, to_blocks(input->patterns, std::span(&mine, 1)), dataset_.block_bytes());

    say(fmt::format("{}: {} taxa, {} sites, {} patterns, {} partition{}", options_.msa.string(), dataset_.taxa.size(),
                    dataset_.num_sites(), dataset_.num_patterns(), dataset_.partitions.size(),
                    dataset_.partitions.size() == 1 ? "" : "s"));
    for (auto const& warning : dataset_.warnings) say("warning: " + warning);
    auto const patterns = patterns_of(assignment_[value(comm_.self())], dataset_.partitions.size());
    auto const specs = largest_specs(dataset_);
    agree_on_input(memory_problem(options_, dataset_, specs, patterns));
    auto const mine_to_use = resources(options_, dataset_, specs, patterns);
    say(fmt::format("{} rank{}, each pattern on {} of them; per rank {} thread{}, kernels for {}, likelihoods in {}",
                    size, size == 1 ? "" : "s", placement.shape().replicas, mine_to_use.num_threads,
                    mine_to_use.num_threads == 1 ? "" : "s", likelihood::used_instructions(),
                    memory_text(mine_to_use, dataset_, specs, patterns)));
    commit(*start);
}

void Job::commit(SearchState const& state) {
    auto const begin = Clock::now();
    if (clock_) clock_->begin_reduction();
    checkpoint_.commit_identical(state.to_bytes());
    if (clock_) clock_->end_reduction();
    committed_at_ = Clock::now();
    checkpoint_ms_ += milliseconds_since(begin);
}

void Job::recover(ft::Failure const& failure) {
    Recovery record;
    record.lost = failure.lost;
    record.survivors = comm_.size();
    record.during = doing_;
    record.noticed_in = failure.noticed_in;
    record.silence_ms = failure.silence_ms;
    record.shrink_ms = failure.shrink_ms;
    if (checkpoint_.generation() > 0) {
        record.work_lost_ms = std::max(0.0, milliseconds_since(committed_at_) - failure.shrink_ms);
        record.work_lost_evaluations = uncommitted_evaluations_;
        take_over(record);
    }
    recoveries_.push_back(std::move(record));
    doing_ = "recovery";
}

void Job::take_over(Recovery& record) {
    comm_.reach(recover_phase.before);
    auto begin = Clock::now();
    auto next = assign::reassign(assignment_, comm_.members(), {.cost_per_site = costs_});
    record.reassign_ms = milliseconds_since(begin);
    record.new_pairs = next.new_pairs;

    auto const self = value(comm_.self());
    Csr<BlockRange> rows;
    for (std::size_t pe = 0; pe < next.gained.size(); ++pe) rows.push_row(blocks_of(next.gained[pe]));
    auto const gained = load_gained(rows, record);
    comm_.reach(recover_phase.inside);

    auto const kept = blocks_of(assignment_[self]);
    BlockLayout const layout(blocks_of(next.after[self]));
    std::vector<std::byte> blocks(layout.size() * dataset_.block_bytes());
    place_blocks(kept, blocks_, layout, blocks, dataset_.block_bytes());
    place_blocks(rows[self], gained, layout, blocks, dataset_.block_bytes());
    comm_.agree();
    assignment_ = std::move(next.after);
    blocks_ = std::move(blocks);

    begin = Clock::now();
    record.bytes_repaired = store_.repair().bytes_copied;
    record.repair_ms = milliseconds_since(begin);
    comm_.reach(recover_phase.after);
}

/// This PE's row, from the store; what no survivor holds from the input file.
std::vector<std::byte> Job::load_gained(Csr<BlockRange> const& rows, Recovery& record) {
    std::vector<std::byte> gained(count(rows[value(comm_.self())]) * dataset_.block_bytes());
    std::optional<Input> input;
    std::string problem;
    auto const reread = [&](BlockRange lost, std::span<std::byte> place) {
        auto const begin = Clock::now();
        try {
            if (!input) input.emplace(read_same_input());
        } catch (std::exception const& error) {
            problem = error.what();
            throw;
        }
        auto const blocks = to_blocks(input->patterns, std::span(&lost, 1));
        std::copy(blocks.begin(), blocks.end(), place.begin());
        record.reread_ms += milliseconds_since(begin);
    };
    auto const begin = Clock::now();
    try {
        auto const report = store_.load(rows, gained, {.reread = reread});
        record.load_ms = milliseconds_since(begin) - record.reread_ms;
        record.b = checked_cast<std::uint32_t>(report.b);
        record.rounds = checked_cast<std::uint32_t>(report.rounds);
        record.blocks_taken_over = count(rows.values);
        record.blocks_reread = count(report.lost);
        record.bytes_loaded = (record.blocks_taken_over - record.blocks_reread) * dataset_.block_bytes();
    } catch (store::DataLost const&) {
        agree_on_input(problem);
        throw;
    }
    return gained;
}

Input Job::read_same_input() const {
    auto input = read_input(options_);
    if (input.dataset.content_hash != dataset_.content_hash) {
        throw InputError({options_.msa.string()}, "has changed since the start, but lost sites must be read again");
    }
    return input;
}

Result Job::result_of(SearchState state, Likelihood& likelihood) {
    Result result(std::move(state));
    result.partition_loglh = likelihood.partition_loglh();
    result.ranks_started = comm_.num_founders();
    for (std::uint32_t pe = 0; pe < comm_.num_founders(); ++pe) {
        auto const members = comm_.members();
        if (!std::binary_search(members.begin(), members.end(), PeId{pe})) result.ranks_lost.push_back(PeId{pe});
    }
    result.failure_plan = failure_plan_;
    result.recoveries = recoveries_;
    result.evaluations = result.state.evaluations;
    result.checkpoints = checkpoint_.generation();
    result.checkpoint_ms = checkpoint_ms_;
    result.seconds = log_.seconds();
    say(fmt::format("final log-likelihood: {:.17g}", result.state.loglh));
    return result;
}

void Job::write_output(Result const& result) {
    comm_.reach(output_phase.before);
    bool const writes = output_ == Output::files && comm_.leads();
    std::string problem;
    auto const write = [&](char const* extension, auto const& text) {
        try {
            if (writes && problem.empty()) write_file(options_.output(extension), text());
        } catch (std::exception const& error) {
            problem = error.what();
        }
    };
    write(".bestTree", [&] { return newick(dataset_, result.state) + '\n'; });
    write(".bestModel", [&] { return best_models(dataset_, result.state); });
    comm_.reach(output_phase.inside);
    if (clock_) {
        auto const profile = gather_profile();
        write(".profile.json", [&] { return to_json(profile); });
        write(".profile.svg", [&] { return to_svg(profile); });
    }
    write(".json", [&] { return to_json(options_, dataset_, result); });
    write(".log", [&] { return log_.text(); });
    if (!problem.empty()) say("the tree, which cannot be written: " + newick(dataset_, result.state));
    agree_on_input(problem);
    comm_.reach(output_phase.after);
}

Profile Job::gather_profile() {
    checkpoint::MiniCheckpoint logs(comm_);
    logs.commit(clock_->log().to_bytes());
    if (!comm_.leads()) return {};
    return profile_of(logs.latest().pes, logs.latest().shares);
}

void Job::agree_on_input(std::string const& problem) {
    checkpoint::MiniCheckpoint problems(comm_);
    problems.commit(std::as_bytes(std::span(problem)));
    auto const& shares = problems.latest().shares;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        auto const share = shares[rank];
        if (!share.empty())
            throw SharedInputError(std::string(reinterpret_cast<char const*>(share.data()), share.size()));
    }
}

}  // namespace regraft::phylo
