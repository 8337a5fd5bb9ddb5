#include "job/job.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "files/checkpoint_file.hpp"
#include "files/file_texts.hpp"
#include "input/check.hpp"
#include "job/resources.hpp"
#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/reduce.hpp"
#include "regraft/likelihood/instructions.hpp"
#include "report/tree_files.hpp"
#include "together/shared_input_error.hpp"

namespace regraft::phylo {
namespace {

ft::FailPhase read_phase("read");
ft::FailPhase commit_phase("commit");
ft::FailPhase save_phase("save");
ft::FailPhase output_phase("output");

/// A commit is due after this many evaluations, or this much work in patterns.
constexpr std::uint64_t evaluations_per_commit = 200;
constexpr std::uint64_t work_per_commit = 20'000'000;

/// With fewer patterns a rank has too little to do between two reductions, so more groups are faster.
constexpr std::uint64_t enough_patterns = 4000;

template <class T>
std::vector<T> selected(std::vector<T> all, std::span<std::size_t const> indices) {
    std::vector<T> result;
    for (auto i : indices) result.push_back(std::move(all[i]));
    return result;
}

/// What a PE tells the others when all groups meet.
struct News {
    std::string reason_to_stop;  // empty: no reason
    bool diverged = false;
    bool on_disk = false;  // whether the progress, or a part of it, is on disk
    Progress progress;

    std::vector<std::byte> to_bytes() const {
        ByteWriter out;
        out.put_text(reason_to_stop);
        out.put(diverged);
        out.put(on_disk);
        out.put_all(std::span<std::byte const>(progress.to_bytes()));
        return out.take();
    }
    static News from_bytes(std::span<std::byte const> bytes) {
        ByteReader in(bytes);
        News news;
        news.reason_to_stop = in.get_text();
        news.diverged = in.get<bool>();
        news.on_disk = in.get<bool>();
        news.progress = Progress::from_bytes(in.get_all<std::byte>());
        return news;
    }
};

}  // namespace

/// "7 of 100 done: "; empty for a single search.
std::string Job::Batch::share_done() const {
    return mine > 1 ? fmt::format("{} of {} done: ", done, mine) : "";
}

/// ", about 3 min left"; empty as long as that is unknown.
std::string Job::Batch::time_left() const {
    if (done == 0 || done >= mine) return "";
    auto const ms = milliseconds_since(begin) / static_cast<double>(done) * static_cast<double>(mine - done);
    return ms < 60e3 ? fmt::format(", about {:.0f} s left", ms / 1e3)
                     : fmt::format(", about {:.0f} min left", ms / 60e3);
}

Job::Job(ft::Communicator& comm, Options const& options, std::string failure_plan, Output output, Log::Voice voice)
    : comm_(comm),
      options_(options),
      failure_plan_(std::move(failure_plan)),
      output_(output),
      log_(voice),
      stop_watch_(options.time_limit_seconds),
      sites_(comm, [this] { return read_same_input().patterns; }) {
    if (options.profile) clock_.emplace(comm.num_founders());
    if (!options.instructions.empty()) likelihood::use_instructions(options.instructions);
}

Result Job::run() {
    return ft::resilient(
        comm_, [this] { return body(); }, [this](ft::Failure const& failure) { recover(failure); });
}

Result Job::body() {
    if (!ready_) set_up();
    for (auto items = agenda_->next_items(progress_); !items.empty(); items = agenda_->next_items(progress_)) {
        if (!reason_to_stop_.empty()) stop();
        work_on(items);
        meet();
        for (auto const& line : agenda_->lines_of(items, progress_)) say(line);
    }
    auto result = result_of();
    write_output(result);
    return result;
}

void Job::set_up() {
    doing_ = "set-up";
    comm_.reach(read_phase.before);
    auto patterns = read_all();
    comm_.reach(read_phase.after);
    auto const replicas = sites_.submit(dataset_, patterns, options_.replicas);
    resume();
    sites_.deal(groups_for(agenda_->next_items(progress_).size()), &patterns);
    patterns_ = std::move(patterns);
    tell_input(replicas);
    if (output_ == Output::files) {
        auto const earlier = checkpoints_.resumed ? Log::Earlier::stays : Log::Earlier::goes;
        log_.keep_in(options_.output(".log"), earlier, comm_.leads());
    }
    comm_.agree();
    ready_ = true;
    saved_at_ = Clock::now();
}

/// Reads the input files, and checks that output can replace existing files.
msa::Patterns Job::read_all() {
    std::optional<Input> input;
    Beginnings beginnings;
    Problem problem;
    try {
        bool const keeps = output_ == Output::files;
        if (keeps) prepare_output(options_, comm_.leads() ? Trial::write : Trial::look);
        bool const reduces = keeps && comm_.leads();
        auto const checked = check_input(options_);
        input = to_input(checked);
        if (reduces) prepare_reduced(options_, checked);
        if (reduces) write_reduced(options_, checked);
        if (reduces && options_.redo) remove_checkpoints(options_.prefix);
        beginnings = read_beginnings(options_, input->dataset);
        input->dataset.outgroup = outgroup_of(options_, input->dataset);
    } catch (std::exception const& error) {  // including lack of memory: the other PEs must learn of it
        problem = Problem::of(error);
    }
    comm_.reach(read_phase.inside);
    agree_on_input(comm_, problem);
    dataset_ = std::move(input->dataset);
    agenda_.emplace(options_, dataset_, std::move(beginnings));
    if (!comm_.agree_equal(agenda_->fingerprint())) {
        throw SharedInputError({options_.msa.string()},
                               "ranks read different alignments or trees, expected the same files on all");
    }
    return std::move(input->patterns);
}

/// Logs what will be computed, and with which resources; throws SharedInputError if the memory does not suffice.
void Job::tell_input(std::uint32_t replicas) {
    say(title(options_));
    say(fmt::format("{}: {} taxa, {} sites, {} patterns, {} partition{}", options_.msa.string(), dataset_.taxa.size(),
                    dataset_.num_sites(), dataset_.num_patterns(), dataset_.partitions.size(),
                    dataset_.partitions.size() == 1 ? "" : "s"));
    for (auto const& warning : dataset_.warnings) say("warning: " + warning);
    auto const patterns = patterns_of(sites_.work(), dataset_.partitions.size());
    auto const specs = largest_specs(dataset_);
    agree_on_input(comm_, {memory_problem(options_, dataset_, specs, patterns)});
    auto const mine = resources(options_, dataset_, specs, patterns);
    say(fmt::format("{} rank{}, each pattern on {} of them; per rank {} thread{}, kernels for {}, likelihoods in {}",
                    comm_.size(), comm_.size() == 1 ? "" : "s", replicas, mine.num_threads,
                    mine.num_threads == 1 ? "" : "s", likelihood::used_instructions(),
                    memory_text(mine, dataset_, specs, patterns)));
}

/// Reads, on one PE for all, what an earlier run of this job has left on disk.
void Job::resume() {
    if (output_ == Output::none || options_.redo) return;
    Progress saved;
    Problem problem;
    try {
        if (comm_.leads()) saved = read_saved();
    } catch (std::exception const& error) {
        problem = Problem::of(error);
    }
    agree_on_input(comm_, problem);
    checkpoint::MiniCheckpoint shared(comm_);
    shared.commit(saved.to_bytes());
    progress_ = Progress::from_bytes(shared.latest().shares[0]);
    if (progress_.empty()) return;
    checkpoints_.resumed = true;
    checkpoints_.resumed_from.clear();
    std::size_t done = 0;
    for (auto const& [item, state] : progress_.states()) {
        if (state.stage == Stage::done) {
            ++done;
        } else {
            checkpoints_.resumed_from.push_back({agenda_->name_of(item), describe(state), state.loglh});
        }
    }
    say(fmt::format("resumed from {}: {} done, {} under way", checkpoint_path(comm_.members().front()).string(), done,
                    progress_.states().size() - done));
}

Progress Job::read_saved() {
    Progress saved;
    for (auto const& path : find_checkpoints(options_.prefix)) {
        auto const found = read_checkpoint(path, agenda_->fingerprint());
        if (!found) continue;
        if (!found->warning.empty()) {
            say(fmt::format("warning: {}; going on from {}", found->warning, found->read_from.string()));
        }
        saved.merge(checked_progress(*found));
    }
    return saved;
}

Progress Job::checked_progress(CheckpointContents const& contents) const {
    try {
        auto progress = Progress::from_bytes(contents.bytes);
        agenda_->check(progress);
        return progress;
    } catch (InputError const& error) {
        throw InputError({contents.read_from.string()}, std::string("is no checkpoint that this job has written: ") +
                                                            error.what() + "; --redo starts anew");
    }
}

std::uint32_t Job::groups_for(std::size_t num_items) const {
    if (!ft::survives_real_deaths()) return 1;  // with simulated deaths all members must come to the same points
    if (clock_) return 1;                       // a profile compares ranks that work on the same item
    auto const most = std::clamp<std::uint64_t>(num_items, 1, comm_.size());
    auto const wanted =
        options_.groups > 0 ? options_.groups : comm_.size() * enough_patterns / (dataset_.num_patterns() + 1);
    return checked_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, most));
}

/// Gathers the measurements of all PEs on the leading one; empty on the others. Collective, uniform.
Profile Job::gather_profile() {
    checkpoint::MiniCheckpoint logs(comm_);
    logs.commit(clock_->log().to_bytes());
    if (!comm_.leads()) return {};
    return profile_of(logs.latest().pes, logs.latest().shares);
}

/// Samples of this PE's sites for SH-aLRT. Precondition: the alignment is in memory if the item needs it.
std::optional<RellSamples> Job::rell_samples_for(Item item) const {
    if (item.purpose != Purpose::support) return std::nullopt;
    std::vector<std::vector<std::uint64_t>> local(dataset_.partitions.size());
    for (auto const& piece : sites_.work()) {
        auto& patterns = local[value(piece.partition)];
        for (auto i = value(piece.sites.first); i < value(piece.sites.last); ++i) patterns.push_back(i);
    }
    return RellSamples(patterns_->weight, patterns_->partition_begin, local, options_.alrt_replicates,
                       mix(options_.seed));
}

/// Works on the items of this PE's group in turn, while other groups work on theirs.
void Job::work_on(std::vector<Item> const& items) {
    doing_ = "dealing";
    restoring_at_ = Clock::now();
    bool const needs_patterns =
        std::ranges::any_of(items, [&](Item item) { return Agenda::needs_patterns(item, progress_); });
    if (needs_patterns && !patterns_) patterns_ = sites_.all_patterns();
    sites_.deal(groups_for(items.size()), all_patterns());
    auto const num_groups = sites_.num_groups();
    if (num_groups == 1) return work_in_group(items, comm_);
    auto const mine = checked_cast<int>(sites_.my_group());
    ft::Derived const group = ft::split(comm_, [mine] { return mine; });
    work_in_group(items, {comm_, group});
}

void Job::work_in_group(std::vector<Item> const& items, ft::Participants who) {
    auto const num_groups = sites_.num_groups();
    bool const is_last_use = items.size() <= num_groups;
    batch_ = {.mine = (items.size() - sites_.my_group() + num_groups - 1) / num_groups};
    for (auto i = sites_.my_group(); i < items.size(); i += num_groups) {
        auto state = state_of(items[i]);
        Task const task{items[i], agenda_->weights_of(items[i], all_patterns()), rell_samples_for(items[i]), who};
        if (is_last_use) patterns_.reset();
        news_.note(items[i], state);
        compute(task, state);
        ++batch_.done;
    }
}

/// The state to continue from, or the first state.
SearchState Job::state_of(Item item) const {
    auto const* const known = progress_.find(item);
    return known != nullptr ? *known : agenda_->first_state(item, progress_, all_patterns());
}

void Job::compute(Task const& task, SearchState& state) {
    while (state.stage == Stage::model_choice) {
        auto likelihood = likelihood_of(task, state);
        climb(task, state, likelihood);
    }
    if (state.stage == Stage::done) return;
    auto likelihood = likelihood_of(task, state);
    climb(task, state, likelihood);
}

/// A likelihood for the next step, and no larger.
DistributedLikelihood Job::likelihood_of(Task const& task, SearchState const& state) {
    auto now = subject(state, options_.linkage);
    auto const patterns = selected(patterns_of(sites_.work(), dataset_.partitions.size()), now.partitions);
    auto const to_use = resources(options_, dataset_, now.specs, patterns);
    auto sites = to_local_sites(dataset_, sites_.work(), sites_.blocks(), task.weights);
    return DistributedLikelihood(task.who, std::move(now.tree), std::move(now.specs), std::move(now.models),
                                 now.linkage, selected(std::move(sites), now.partitions), to_use);
}

/// Makes steps until the state needs another likelihood, or the last step is done.
void Job::climb(Task const& task, SearchState& state, DistributedLikelihood& likelihood) {
    tell_recoveries();
    // However the climb ends, the recovery learns how much work was not committed.
    struct Tally {
        std::uint64_t& uncommitted;
        DistributedLikelihood const& likelihood;
        std::uint64_t committed = 0;
        ~Tally() { uncommitted = likelihood.evaluations() - committed; }
    } tally{uncommitted_evaluations_, likelihood};

    if (options_.threads == 0 && comm_.num_founders() == 1) likelihood.follow_load();
    if (clock_) {
        likelihood.tell(&*clock_);
        clock_->start(comm_.epoch());
    }
    auto const name = agenda_->name_of(task.item);
    auto options = agenda_->options_of(task.item, progress_);
    if (task.rell_samples) options.rell_samples = &*task.rell_samples;
    auto const at_stake =
        std::clamp<std::uint64_t>(work_per_commit / dataset_.num_patterns(), 1, evaluations_per_commit);
    bool const is_told = task.item.purpose != Purpose::replicate;
    bool const chooses = state.stage == Stage::model_choice;
    bool serves = state.stage != Stage::done;
    while (serves) {
        auto const was = describe(state);
        doing_ = name.empty() || chooses ? was : name + ", " + was;
        log_.progress(fmt::format("{}{}, step {}, log-likelihood {:.4f}{}", batch_.share_done(), doing_,
                                  state.position + 1, state.loglh, batch_.time_left()),
                      comm_.leads());
        advance(state, likelihood, options);
        bool const went_on = describe(state) != was;
        if (went_on && is_told) say(fmt::format("{}: log-likelihood {:.6f}", doing_, state.loglh));
        if (chooses && state.stage != Stage::model_choice) {
            for (auto const& line : choice_lines(dataset_, state, options_.criterion)) say(line);
        }
        if (went_on || likelihood.evaluations() - tally.committed >= at_stake) {
            commit(task, state);
            tally.committed = likelihood.evaluations();
        }
        if (auto const* const reason = stop_watch_.reason(); reason != nullptr && output_ == Output::files) {
            reason_to_stop_ = reason;
            news_.note(task.item, state);
            comm_.declare_failure("a request to stop");
        }
        serves = state.stage != Stage::done && !(chooses && went_on);
    }
}

/// Keeps the state. All members of the group come here after the same steps, so it is a good time to compare them.
void Job::commit(Task const& task, SearchState const& state) {
    auto const begin = Clock::now();
    comm_.reach(commit_phase.before);
    if (clock_) clock_->begin_reduction();
    bool const agrees = ft::all_equal(task.who, hash(state.to_bytes()));
    if (clock_) clock_->end_reduction();
    if (!agrees) {
        diverged_ = true;
        comm_.declare_failure("a comparison of states");
    }
    comm_.reach(commit_phase.inside);
    news_.note(task.item, state);
    ++checkpoints_.count;
    bool const is_due = milliseconds_since(saved_at_) >= 1e3 * options_.checkpoint_seconds;
    if (is_due && sites_.group().members.front() == comm_.self()) {
        save_or_warn();
    }
    if (sites_.num_groups() > 1) comm_.look_for_failures();
    comm_.reach(commit_phase.after);
    committed_at_ = Clock::now();
    checkpoints_.ms += milliseconds_since(begin);
}

/// All PEs learn what each group has found out since they last met.
void Job::meet() {
    if (!ready_) return;
    News mine{reason_to_stop_, diverged_, news_on_disk_, {}};
    if (sites_.num_groups() > 0) {
        auto const& mates = sites_.group().members;
        auto const speaker =
            std::ranges::find_if(mates, [&](PeId pe) { return std::ranges::binary_search(comm_.members(), pe); });
        if (*speaker == comm_.self()) mine.progress = news_;
    }
    checkpoint::MiniCheckpoint meeting(comm_);
    meeting.commit(mine.to_bytes());
    auto const& shares = meeting.latest().shares;
    bool any_on_disk = false;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        auto news = News::from_bytes(shares[rank]);
        if (reason_to_stop_.empty()) reason_to_stop_ = news.reason_to_stop;
        diverged_ = diverged_ || news.diverged;
        any_on_disk = any_on_disk || news.on_disk;
        progress_.merge(std::move(news.progress));
    }
    news_ = {};
    news_on_disk_ = false;
    if (diverged_) throw ft::Divergence("members of a group have computed different states");
    // The files of other PEs become obsolete when they save the next time. Before that they wait until the leading PE
    // has saved.
    if (any_on_disk && comm_.leads()) save_or_warn();
}

void Job::recover(ft::Failure const& failure) {
    Recovery record;
    record.lost = failure.lost;
    record.survivors = comm_.size();
    record.during = doing_;
    record.noticed_in = failure.noticed_in;
    record.silence_ms = failure.silence_ms;
    record.shrink_ms = failure.shrink_ms;
    patterns_.reset();  // some PEs may have it and others not
    if (ready_) {
        record.work_lost_ms = std::max(0.0, milliseconds_since(committed_at_) - failure.shrink_ms);
        record.work_lost_evaluations = uncommitted_evaluations_;
        if (sites_.num_groups() > 1 && comm_.leads()) read_news_of_the_dead();
        meet();
        sites_.recover(record);
    }
    if (!record.lost.empty()) recoveries_.push_back(std::move(record));
    doing_ = "recovery";
}

/// Members of a group that died out may have left news on disk.
void Job::read_news_of_the_dead() {
    if (output_ == Output::none) return;
    try {
        news_.merge(read_saved());
    } catch (InputError const& error) {
        say(fmt::format("warning: {}", error.what()));
    }
}

void Job::tell_recoveries() {
    if (told_ < recoveries_.size()) recoveries_.back().restore_ms = milliseconds_since(restoring_at_);
    for (; told_ < recoveries_.size(); ++told_) say(to_string(recoveries_[told_]));
}

void Job::stop() {
    agree_on_input(comm_, comm_.leads() ? save() : Problem());
    say(fmt::format("stopped ({}) after {:.1f} s: the same command goes on from {}", reason_to_stop_, log_.seconds(),
                    checkpoint_path(comm_.self()).string()));
    throw Stopped();
}

/// Writes what this PE knows, and no other PE that writes, to its checkpoint on disk. Returns the problem, if any: the
/// search can continue without a checkpoint.
Problem Job::save() {
    if (output_ == Output::none) return {};
    auto const begin = Clock::now();
    saved_at_ = begin;
    comm_.reach(save_phase.before);
    auto all = comm_.leads() ? progress_ : Progress();
    all.merge(news_);
    auto const bytes = all.to_bytes();
    comm_.reach(save_phase.inside);
    try {
        write_checkpoint(checkpoint_path(comm_.self()), agenda_->fingerprint(), bytes);
    } catch (std::exception const& error) {
        return Problem::of(error);
    }
    comm_.reach(save_phase.after);
    news_on_disk_ = !comm_.leads();
    ++checkpoints_.on_disk;
    checkpoints_.bytes_on_disk = bytes.size();
    checkpoints_.disk_ms += milliseconds_since(begin);
    return {};
}

void Job::save_or_warn() {
    if (auto const problem = save(); !problem.text.empty()) say("warning: no checkpoint on disk: " + problem.text);
}

std::filesystem::path Job::checkpoint_path(PeId pe) const {
    auto const number = comm_.members().front() == pe ? std::nullopt : std::optional(value(pe));
    return phylo::checkpoint_path(options_.prefix, number);
}

Input Job::read_same_input() const {
    auto input = read_input(options_);
    if (input.dataset.content_hash != dataset_.content_hash) {
        throw InputError({options_.msa.string()}, "has changed since the start, but lost sites must be read again");
    }
    return input;
}

/// The result: the progress, the likelihoods of the best tree, and statistics of the job.
Result Job::result_of() {
    auto const item = agenda_->best_item(progress_);
    sites_.deal(1, nullptr);
    auto result = agenda_->result_of(progress_);
    {
        auto likelihood = likelihood_of({item, {}, {}, comm_}, *progress_.find(item));
        tell_recoveries();
        doing_ = "output";
        if (options_.command == Command::loglh) result.state.loglh = likelihood.loglh();
        result.partition_loglh = likelihood.partition_loglh();
    }
    if (!dataset_.outgroup.empty() && !is_clade(result.state.tree, dataset_)) {
        dataset_.warnings.push_back("the outgroup is no clade in the best tree, which is rooted at " +
                                    dataset_.taxa[dataset_.outgroup.front()]);
        say("warning: " + dataset_.warnings.back());
    }
    result.ranks_started = comm_.num_founders();
    auto const members = comm_.members();
    for (std::uint32_t pe = 0; pe < comm_.num_founders(); ++pe) {
        if (!std::ranges::binary_search(members, PeId{pe})) result.ranks_lost.push_back(PeId{pe});
    }
    result.failure_plan = failure_plan_;
    result.recoveries = recoveries_;
    result.checkpoints = checkpoints_;
    result.seconds = log_.seconds();
    return result;
}

/// Writes all files so that they appear together. As long as some of them may be missing, there is a checkpoint with
/// the result. So if a job is ended between the first name and the last, the same command completes its output.
void Job::write_output(Result const& result) {
    comm_.reach(output_phase.before);
    auto const profile = clock_ ? std::optional(gather_profile()) : std::nullopt;
    bool const writes = output_ == Output::files && comm_.leads();
    auto const closing = closing_lines(options_, result);
    auto problem = writes ? save() : Problem();
    comm_.reach(output_phase.inside);
    try {
        if (writes && problem.text.empty()) write_files_of(result, profile, closing);
    } catch (std::exception const& error) {
        problem = Problem::of(error);
    }
    if (!problem.text.empty()) say("the tree, which cannot be written: " + newick(dataset_, result.state.tree));
    agree_on_input(comm_, problem);
    log_.close_file();
    say(closing);
    if (writes) remove_checkpoints(options_.prefix);
    comm_.reach(output_phase.after);
    if (!comm_.leads() || log_.problem().empty()) return agree_on_input(comm_, {});
    agree_on_input(comm_, {log_.problem() + "; the log is in " + options_.output(".log").string(), common::failed});
}

void Job::write_files_of(Result const& result, std::optional<Profile> const& profile, std::string const& closing) {
    FileTexts files;
    std::set<std::string> written;
    auto const add = [&](std::string const& extension, std::string text) {
        files.emplace_back(options_.output(extension), std::move(text));
        written.insert(extension);
    };
    for (auto& [extension, text] : tree_files(dataset_, result)) add(extension, std::move(text));
    add(".bestModel", best_models(dataset_, result.state));
    if (profile) add(".profile.json", to_json(*profile));
    if (profile) add(".profile.svg", to_svg(*profile));
    add(".json", to_json(options_, dataset_, result));
    add(".log", log_.with(closing));
    write_files(files);
    remove_outputs_but(written, options_);
}

}  // namespace regraft::phylo
