#include "report/report.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "common/input.hpp"
#include "common/output.hpp"
#include "files/checkpoint_file.hpp"
#include "input/check.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/disk/new_file.hpp"
#include "report/tree_files.hpp"

namespace regraft::phylo {
namespace {

constexpr std::string_view log_title = "regraft-phylo " REGRAFT_VERSION ": ";
constexpr std::string_view log_extension = ".log";
constexpr std::string_view last_words = "final log-likelihood:";

/// Whether the file is the log of a job that has not reached its end.
bool is_unfinished_log(std::filesystem::path const& path) {
    try {
        auto const text = common::read_text(path.string());
        auto const first_line = std::string_view(text).substr(0, text.find('\n'));
        return first_line.find(log_title) != std::string_view::npos && text.find(last_words) == std::string::npos;
    } catch (InputError const&) {
        return false;
    }
}

bool are_there(Options const& options, FinishedJob const& job) {
    return std::ranges::all_of(job.files, [&](auto const& extension) {
        std::error_code error;
        return std::filesystem::exists(options.output.path(extension), error);
    });
}

}  // namespace

std::vector<std::uint32_t> numbers(std::vector<PeId> const& pes) {
    std::vector<std::uint32_t> result;
    for (auto pe : pes) result.push_back(value(pe));
    return result;
}

std::string to_string(Recovery const& r) {
    auto text =
        fmt::format("rank {} died ({}, noticed in {} within {:.1f} ms); {} go on: shrink {:.1f} ms, reassign {:.2f} ms",
                    fmt::join(numbers(r.lost), ", "), r.during, r.noticed_in, r.silence_ms, r.survivors, r.shrink_ms,
                    r.reassign_ms);
    if (r.blocks_taken_over > 0) {
        text += fmt::format(", {} patterns taken over, b = {}, {} rounds, {} bytes loaded in {:.2f} ms",
                            r.blocks_taken_over, r.b, r.rounds, r.bytes_loaded, r.load_ms);
    }
    if (r.bytes_repaired > 0)
        text += fmt::format(", {} bytes of replicas made again in {:.2f} ms", r.bytes_repaired, r.repair_ms);
    if (r.blocks_reread > 0)
        text += fmt::format(", {} patterns reread from the file in {:.1f} ms", r.blocks_reread, r.reread_ms);
    return text + fmt::format("; {:.1f} ms of work lost ({} evaluations)", r.work_lost_ms, r.work_lost_evaluations);
}

std::string closing_lines(Options const& options, Result const& result) {
    auto text = fmt::format("{} {:.17g}", last_words, result.state.loglh);
    for (auto const& line : result.lines) text += "\n  " + line;
    if (!result.recoveries.empty()) {
        double lost = 0;
        double recovering = 0;
        for (auto const& r : result.recoveries) {
            lost += r.work_lost_ms;
            recovering += r.shrink_ms + r.reassign_ms + r.load_ms + r.repair_ms + r.reread_ms + r.restore_ms;
        }
        text += fmt::format("\n  {} of {} ranks died: {:.1f} ms of work lost, {:.1f} ms for recoveries",
                            result.ranks_lost.size(), result.ranks_started, lost, recovering);
    }
    text += "\n  to cite: regraft-phylo " REGRAFT_VERSION;
    for (auto const& citation : result.citations) text += "; " + citation;
    text +=
        "\n  in " + options.output.prefix + (result.has_tree ? ".bestTree, .svg, " : "") + ".bestModel, .json, .log";
    if (result.has_tree && result.state.tree.num_length_sets() > 1) text += ", .bestPartitionTrees";
    for (auto const& file : result.files) text += std::string(", ") + file.extension;
    if (options.output.site_loglh) text += ", .siteLH";
    if (options.output.site_rates) text += ", .rate";
    if (options.output.pmsf) text += ", .sitefreq";
    if (options.output.ancestral) text += ", .ancestralProbs, .ancestralStates, .ancestralTree";
    if (options.output.profile) text += ", .profile.json, .profile.svg";
    return text;
}

std::string title(Options const& options, Dataset const& dataset) {
    bool const is_whole = dataset.partitions.size() == 1 && is_automatic(dataset.partitions[0]);
    return fmt::format("{}{}\n  seed {}, model {}", log_title, options.command_line, options.search.seed,
                       !options.input.model.empty()        ? options.input.model
                       : !options.input.partitions.empty() ? "as in " + options.input.partitions.string()
                       : is_whole                          ? "auto, as no --model was given"
                                                           : "as in " + options.input.msa.string());
}

std::string existing_output(Options const& options) {
    for (auto const* extension : output_extensions()) {
        auto const path = options.output.path(extension);
        std::error_code error;
        if (std::filesystem::exists(path, error) && !(extension == log_extension && is_unfinished_log(path)))
            return path.string() + ": exists already; --redo overwrites it, --prefix chooses another name";
    }
    return "";
}

void refuse_existing(Options const& options) {
    if (auto const text = existing_output(options); !text.empty()) throw InputError(text);
}

std::optional<std::uint64_t> prepare_output(Options const& options, std::span<std::string const> own_files,
                                            Trial trial) {
    auto const inputs = options.input.files();
    for (auto const* extension : output_extensions()) {
        auto const path = options.output.path(extension);
        common::refuse_input(path.string(), inputs);
        common::refuse_input(path.string(), own_files);
        std::error_code error;
        if (std::filesystem::is_directory(path, error))
            throw InputError({path.string()}, "cannot be written: it is a directory");
    }
    // As long as some output is missing, there is a checkpoint.
    bool const resumes = !options.output.begins_anew() && !find_checkpoints(options.output.prefix).empty();
    if (!resumes && !options.output.redo) {
        if (auto const finished = finished_job(options.output.path(".json")); finished && are_there(options, *finished))
            return finished->identity;
        refuse_existing(options);
    }
    if (trial == Trial::look) return std::nullopt;
    disk::NewFile const is_possible(options.output.path(".bestTree"));
    for (auto const* extension : output_extensions()) disk::remove_unfinished(options.output.path(extension));
    return std::nullopt;
}

void remove_outputs_but(std::set<std::string> const& extensions, Options const& options) {
    for (auto const* extension : output_extensions()) {
        std::error_code ignored;
        if (!extensions.contains(extension)) std::filesystem::remove(options.output.path(extension), ignored);
    }
}

std::string best_models(Dataset const& dataset, SearchState const& state) {
    auto partitions = dataset.partitions;
    for (std::size_t q = 0; q < partitions.size(); ++q) {
        partitions[q].model = likelihood::to_string(state.specs[q], state.models[q]);
    }
    return msa::to_text(partitions);
}

}  // namespace regraft::phylo
