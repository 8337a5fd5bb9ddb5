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
#include "report/agreement.hpp"
#include "report/ranked_models.hpp"
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

std::vector<RankedModel> ranked(Dataset const& dataset, PartitionChoice const& choice, Criterion criterion) {
    auto const num_sites = dataset.sites_per_partition[choice.partition];
    auto const all_weights = weights(choice.trials, {criterion, num_sites});
    std::vector<RankedModel> result;
    for (std::size_t i = 0; i < choice.trials.size(); ++i) {
        result.push_back({choice.trials[i], scores(choice.trials[i], num_sites), all_weights[i]});
    }
    std::ranges::stable_sort(result, {}, [&](RankedModel const& r) { return r.scores.by(criterion); });
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
    if (result.starts.size() > 1 && result.tests.empty()) {
        auto const worst = std::ranges::min(result.starts, {}, [](auto const& start) { return start.state.loglh; });
        text += fmt::format("\n  best of {} starts, of which the worst ended {:.3f} below", result.starts.size(),
                            result.state.loglh - worst.state.loglh);
    }
    if (options.asks_for_difficulty()) {
        text += fmt::format("\n  difficulty of the data {:.2f}, from 0 (all short trees are alike) to 1 (none are)",
                            result.state.as<Climb>().difficulty);
    }
    if (!result.replicates.empty()) {
        auto const& supports = result.supports.felsenstein;
        auto const inner = std::ranges::count_if(supports, [](double support) { return !std::isnan(support); });
        auto const high = std::ranges::count_if(supports, [](double support) { return support >= 0.95; });
        text += fmt::format("\n  {} of {} inner edges have support of 95 % and more, by {} replicates{}", high, inner,
                            result.replicates.size(),
                            !result.convergence || result.convergence->is_reached ? "" : ", which have not converged");
    }
    if (!result.ultrafast.empty()) {
        auto const& supports = result.supports.ultrafast;
        auto const high = std::ranges::count_if(supports, [](double support) { return support >= 0.95; });
        auto const agreement = result.ultrafast_agreement;
        text += fmt::format(
            "\n  {} inner edges have ultrafast support of 95 % and more, by {} replicates, halves of which "
            "correlate by {:.4f}{}",
            high, result.ultrafast.size(), agreement, agreement >= enough_agreement ? "" : ": more are needed");
    }
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
    if (!result.replicates.empty()) text += "; bootstrap: Felsenstein 1985, TBE: Lemoine et al. 2018";
    if (!result.ultrafast.empty()) text += "; ultrafast bootstrap: Minh et al. 2013, Hoang et al. 2018";
    if (!result.supports.alrt.empty()) text += "; SH-aLRT: Guindon et al. 2010";
    if (result.merging) text += "; merging of partitions: Lanfear et al. 2012, 2014";
    if (!result.tests.empty()) text += "; AU test: Shimodaira 2002";
    if (result.starts.size() > 1 && result.tests.empty()) text += "; tree fusing: Goloboff 1999";
    text += "\n  in " + options.output.prefix + ".bestTree, .svg, .bestModel, .json, .log";
    if (result.state.tree.num_length_sets() > 1) text += ", .bestPartitionTrees";
    if (result.starts.size() > 1) text += ", .mlTrees";
    if (!result.replicates.empty()) text += ", .support, .supportTBE, .consensus, .bootstraps";
    if (!result.ultrafast.empty()) text += ", .supportUltrafast, .ufboot";
    if (!result.supports.alrt.empty()) text += ", .supportAlrt";
    if (!result.tests.empty()) text += ", .test";
    if (result.merging) text += ", .bestScheme";
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

std::vector<std::string> choice_lines(Dataset const& dataset, std::span<PartitionChoice const> choices,
                                      std::span<ModelSpec const> chosen, Criterion criterion) {
    constexpr std::size_t shown = 10;
    std::vector<std::string> lines;
    for (auto const& choice : choices) {
        auto const trials = ranked(dataset, choice, criterion);
        lines.push_back(fmt::format("partition {}: {} of {} models has the lowest {}",
                                    dataset.partitions[choice.partition].name, chosen[choice.partition].text,
                                    trials.size(), name(criterion)));
        lines.push_back(fmt::format("  {:<22}  {:>16}  {:>10}  {:>14}  {:>6}", "model", "log-likelihood", "parameters",
                                    name(criterion), "weight"));
        for (std::size_t i = 0; i < std::min(trials.size(), shown); ++i) {
            auto const& [trial, scores, weight] = trials[i];
            lines.push_back(fmt::format("  {:<22}  {:>16.4f}  {:>10}  {:>14.4f}  {:>6.3f}", trial.candidate.name(),
                                        trial.loglh, trial.parameters, scores.by(criterion), weight));
        }
    }
    return lines;
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

std::optional<std::uint64_t> prepare_output(Options const& options, Trial trial) {
    auto const inputs = options.input.files();
    for (auto const* extension : output_extensions()) {
        auto const path = options.output.path(extension);
        common::refuse_input(path.string(), inputs);
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
