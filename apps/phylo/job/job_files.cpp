#include "job/job_files.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "columns/columns_together.hpp"
#include "files/file_texts.hpp"
#include "input/check.hpp"
#include "input/genes.hpp"
#include "input/own_files.hpp"
#include "regraft/checkpoint/mini_checkpoint.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/clock.hpp"
#include "regraft/core/errors.hpp"
#include "report/tree_files.hpp"
#include "sites/posterior_frequencies.hpp"
#include "sites/site_rates.hpp"
#include "sites/site_values.hpp"
#include "trees/nexus_tree.hpp"

namespace regraft::phylo {
namespace {

ft::FailPhase read_phase("read");
ft::FailPhase save_phase("save");
ft::FailPhase output_phase("output");

/// Gathers the measurements of all PEs on the leading one; empty on the others. Collective, uniform.
Profile gather_profile(ft::Communicator& comm, WorkLog const& work) {
    checkpoint::MiniCheckpoint logs(comm);
    logs.commit(work.to_bytes());
    if (!comm.leads()) return {};
    return profile_of(logs.latest().pes, logs.latest().shares);
}

}  // namespace

std::vector<std::byte> JobFiles::read_whole() {
    auto& [comm, options, output, log, dataset, agenda] = context_;
    auto const checked = check_input(options);
    auto input = to_input(checked);
    if (output == Context::Output::files && comm.leads()) {
        prepare_reduced(options, checked);
        write_reduced(options, checked);
    }
    dataset = std::move(input.dataset);
    if (options.output.writes_sites()) dataset.pattern_of_site = std::move(input.patterns.pattern_of_site);
    auto const mine = my_part(dataset, comm);
    return to_blocks(input.patterns, std::span(&mine, 1));
}

std::optional<std::vector<std::byte>> JobFiles::read_share(std::optional<RgmColumns> const& columns) {
    auto& [comm, options, output, log, dataset, agenda] = context_;
    if (!comm.agree(columns.has_value())) return std::nullopt;
    auto shared = read_together(comm, options, *columns);
    if (!shared) return std::nullopt;
    dataset = std::move(shared->dataset);
    return std::move(shared->blocks);
}

std::vector<std::byte> JobFiles::read_all() {
    auto& [comm, options, output, log, dataset, agenda] = context_;
    comm.reach(read_phase.before);
    bool const keeps = output == Context::Output::files;
    std::optional<RgmColumns> columns;
    std::optional<std::uint64_t> finished;
    Problem problem;
    auto const attempt = [&](auto const& step) {
        try {
            if (problem.text.empty()) step();
        } catch (std::exception const& error) {  // including lack of memory: the other PEs must learn of it
            problem = Problem::of(error);
        }
    };
    attempt([&] {
        if (keeps && comm.leads()) lock_prefix();
        auto const named = own_files(options);
        if (keeps) finished = prepare_output(options, named, comm.leads() ? Trial::write : Trial::look);
        bool const needs_text =
            !options.input.reduced.empty() || options.needs_sites() || options.input.names != common::Names::first;
        if (!needs_text) columns = RgmColumns::open(options.input.msa);
        if (columns && !named.empty()) columns.reset();
    });
    auto read = read_share(columns);
    StartTrees start_trees;
    attempt([&] {
        if (!read) read = read_whole();
        if (keeps && comm.leads() && options.output.begins_anew()) remove_checkpoints(options.output.prefix);
        start_trees = read_start_trees(options, dataset);
        std::ranges::copy(start_trees.warnings, std::back_inserter(dataset.warnings));
        dataset.outgroup = outgroup_of(options, dataset);
        dataset.collapse = options.output.collapse;
    });
    comm.reach(read_phase.inside);
    agree_on_input(comm, problem);
    if (keeps && !lock_) lock_.emplace(options.output.prefix, PrefixLock::For::member);
    if (options.command == Command::genes) {
        dataset.taxa_of_gene = taxa_of_genes(comm, dataset, *read);
        agree_on_input(comm, {problem_of_genes(dataset, options)});
    }
    agenda.emplace(options, dataset, std::move(start_trees));
    if (!comm.agree_equal(agenda->fingerprint())) {
        throw SharedInputError({options.input.source().string()},
                               "ranks read different alignments or trees, expected the same files on all");
    }
    if (keeps) end_if_complete(finished);
    comm.reach(read_phase.after);
    return std::move(*read);
}

void JobFiles::lock_prefix() {
    auto const& options = context_.options;
    if (!lock_) lock_.emplace(options.output.prefix, PrefixLock::For::job);
    looks_again_ = !options.output.redo && find_checkpoints(options.output.prefix).empty();
}

std::uint64_t JobFiles::identity() const {
    ByteWriter out;
    out.put(context_.agenda->fingerprint());
    out.put_text(context_.options.command_line);
    out.put_text(REGRAFT_VERSION);
    return hash(out.bytes());
}

void JobFiles::end_if_complete(std::optional<std::uint64_t> finished) {
    auto& [comm, options, output, log, dataset, agenda] = context_;
    bool const is_complete = finished == identity();
    Problem problem;
    if (comm.leads() && finished && !is_complete) problem.text = existing_output(options);
    agree_on_input(comm, problem);
    // The one that leads knows. Agreements do not include the dead, so its silence must not mean that all is complete.
    if (comm.agree(!comm.leads() || !is_complete)) return;
    context_.say(fmt::format("{}.json and what belongs to it are complete, by this command; --redo computes them again",
                             options.output.prefix));
    throw Completed();
}

DealtSites::BlockReader JobFiles::read_again() const {
    auto const& options = context_.options;
    auto const fail = [&] {
        throw InputError({options.input.source().string()},
                         "has changed since the start, but lost sites must be read again");
    };
    if (!context_.dataset.origins.empty()) {
        auto columns = RgmColumns::open(options.input.msa);
        if (!columns || columns->file().num_sites() != context_.dataset.num_sites()) fail();
        auto const shared = std::make_shared<RgmColumns>(std::move(*columns));
        return [this, shared](BlockRange lost) { return shared->blocks(context_.dataset, lost); };
    }
    auto const input = std::make_shared<Input>(read_input(options));
    if (input->dataset.content_hash != context_.dataset.content_hash) fail();
    return [input](BlockRange lost) { return to_blocks(input->patterns, std::span(&lost, 1)); };
}

void JobFiles::resume() {
    auto& [comm, options, output, log, dataset, agenda] = context_;
    kept_.begin();
    if (output == Context::Output::none) return;
    if (options.output.begins_anew()) return kept_.remove();
    Progress saved;
    Problem problem;
    try {
        if (comm.leads()) saved = read_saved(options.output.prefix);
        if (kept_.is_first_of_node()) saved.merge(read_kept());
    } catch (std::exception const& error) {
        problem = Problem::of(error);
    }
    agree_on_input(comm, problem);
    checkpoint::MiniCheckpoint shared(comm);
    shared.commit(saved.to_bytes());
    auto& progress = known_.progress;
    auto const& shares = shared.latest().shares;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) progress.merge(Progress::from_bytes(shares[rank]));
    if (progress.empty()) return;
    auto& checkpoints = records_.checkpoints;
    checkpoints.resumed = true;
    checkpoints.resumed_from.clear();
    std::size_t done = 0;
    for (auto const& [item, state] : progress.states()) {
        if (state.is_done()) {
            ++done;
        } else {
            checkpoints.resumed_from.push_back({agenda->name_of(item), describe(state), state.loglh});
        }
    }
    auto const disk = phylo::checkpoint_path(options.output.prefix, std::nullopt).string();
    context_.say(fmt::format("resumed from {}: {} done, {} under way",
                             options.resources.keep.empty() ? disk : disk + " and " + options.resources.keep.string(),
                             done, progress.states().size() - done));
}

void JobFiles::read_news_of_the_dead() {
    if (context_.output == Context::Output::none) return;
    try {
        known_.news.merge(read_saved(context_.options.output.prefix));
    } catch (InputError const& error) {
        context_.say(fmt::format("warning: {}", error.what()));
    }
}

/// What the node of this PE has. Other nodes may have it, too, so a damaged file is no reason to stop.
Progress JobFiles::read_kept() {
    try {
        return read_saved(kept_.prefix());
    } catch (InputError const& error) {
        context_.say(fmt::format("warning: {}", error.what()));
        return {};
    }
}

Progress JobFiles::read_saved(std::string const& prefix) {
    Progress saved;
    for (auto const& path : find_checkpoints(prefix)) {
        auto const found = read_checkpoint(path, context_.agenda->fingerprint());
        if (!found) continue;
        if (!found->warning.empty()) {
            context_.say(fmt::format("warning: {}; going on from {}", found->warning, found->read_from.string()));
        }
        saved.merge(checked_progress(*found));
    }
    return saved;
}

Progress JobFiles::checked_progress(CheckpointContents const& contents) const {
    try {
        auto progress = Progress::from_bytes(contents.bytes);
        context_.agenda->check(progress);
        return progress;
    } catch (InputError const& error) {
        throw InputError({contents.read_from.string()}, std::string("is no checkpoint that this job has written: ") +
                                                            error.what() + "; --redo starts anew");
    }
}

bool JobFiles::is_due() const {
    return milliseconds_since(saved_at_) >= 1e3 * context_.options.resources.checkpoint_seconds;
}

Problem JobFiles::save() {
    if (context_.output == Context::Output::none) return {};
    auto& comm = context_.comm;
    begin_interval();
    comm.reach(save_phase.before);
    auto all = comm.leads() ? known_.progress : Progress();
    all.merge(known_.news);
    auto const bytes = all.to_bytes();
    comm.reach(save_phase.inside);
    try {
        write_checkpoint(checkpoint_path(), context_.agenda->fingerprint(), bytes);
    } catch (std::exception const& error) {
        return Problem::of(error);
    }
    comm.reach(save_phase.after);
    known_.news_on_disk = !comm.leads();
    auto& checkpoints = records_.checkpoints;
    ++checkpoints.on_disk;
    checkpoints.bytes_on_disk = bytes.size();
    checkpoints.disk_ms += milliseconds_since(saved_at_);
    return {};
}

void JobFiles::save_or_warn() {
    auto const problem = save();
    if (!problem.text.empty()) context_.say("warning: no checkpoint on disk: " + problem.text);
}

void JobFiles::keep(std::span<PeId const> group) {
    if (!kept_.is_due(group)) return;
    auto all = known_.progress;
    all.merge(known_.news);
    auto const problem = kept_.save(all);
    if (problem.text.empty() || std::exchange(warned_, true)) return;
    context_.say("warning: nothing is kept on this node: " + problem.text);
}

std::filesystem::path JobFiles::checkpoint_path() const {
    auto const& comm = context_.comm;
    auto const number = comm.leads() ? std::nullopt : std::optional(value(comm.self()));
    return phylo::checkpoint_path(context_.options.output.prefix, number);
}

void JobFiles::write_output(Result const& result, LargeFiles large, WorkLog const* work) {
    auto& [comm, options, output, log, dataset, agenda] = context_;
    comm.reach(output_phase.before);
    auto const profile = work != nullptr ? std::optional(gather_profile(comm, *work)) : std::nullopt;
    bool const writes = output == Context::Output::files && comm.leads();
    auto const closing = closing_lines(options, result);
    auto problem = writes ? save() : Problem();
    if (problem.text.empty()) problem = std::move(large.problem);
    comm.reach(output_phase.inside);
    try {
        if (writes && problem.text.empty()) write_files_of(result, std::move(large.files), profile, closing);
    } catch (std::exception const& error) {
        problem = Problem::of(error);
    }
    if (!problem.text.empty() && result.has_tree)
        context_.say("the tree, which cannot be written: " + newick(dataset, result.state.tree));
    agree_on_input(comm, problem);
    log.close_file();
    context_.say(closing);
    if (writes) remove_checkpoints(options.output.prefix);
    kept_.remove();
    comm.reach(output_phase.after);
    if (!comm.leads() || log.problem().empty()) return agree_on_input(comm, {});
    agree_on_input(comm, {log.problem() + "; the log is in " + options.output.path(".log").string(), common::failed});
}

void JobFiles::write_files_of(Result const& result, std::vector<disk::NewFile> large,
                              std::optional<Profile> const& profile, std::string const& closing) {
    auto const& options = context_.options;
    auto const& dataset = context_.dataset;
    if (std::exchange(looks_again_, false)) refuse_existing(options);
    FileTexts files;
    std::set<std::string> written;
    auto const add = [&](std::string const& extension, std::string text) {
        files.emplace_back(options.output.path(extension), std::move(text));
        written.insert(extension);
    };
    for (auto const& [extension, text] : tree_files(dataset, result)) add(extension, text(result));
    if (result.has_tree && options.output.format == TreeFormat::nexus)
        add(".bestTree.nex", nexus_tree(files.front().second, dataset.taxa, "support"));
    for (auto const& [extension, text] : result.files) add(extension, text(result));
    add(".bestModel", best_models(dataset, result.state));
    if (options.output.site_loglh) add(".siteLH", site_table(dataset, result.site_loglh));
    if (options.output.site_rates) {
        auto const file = options.output.path(".rate").filename().string();
        add(".rate", rate_table(dataset, result.state, result.pattern_rates, file));
    }
    if (options.output.pmsf) add(".sitefreq", site_frequency_table(dataset, result.site_frequencies));
    if (options.output.ancestral) {
        auto const names = ancestor_names(result.state.tree);
        add(".ancestralTree", with_node_names(dataset, result.state.tree, names) + '\n');
        for (auto const* extension : {".ancestralProbs", ".ancestralStates"}) written.insert(extension);
    }
    if (profile) add(".profile.json", to_json(*profile));
    if (profile) add(".profile.svg", to_svg(*profile));
    add(".log", context_.log.with(closing));
    // The last, because it says that all are there.
    written.insert(".json");
    files.emplace_back(options.output.path(".json"), to_json(options, dataset, result, {identity(), written}));
    write_files(files, std::move(large));
    remove_outputs_but(written, options);
}

}  // namespace regraft::phylo
