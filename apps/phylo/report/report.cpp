#include "report/report.hpp"

#include <algorithm>
#include <cmath>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/input.hpp"
#include "files/checkpoint_file.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/disk/new_file.hpp"
#include "regraft/ft/failure_plan.hpp"
#include "regraft/likelihood/instructions.hpp"
#include "regraft/msa/newick.hpp"
#include "report/tree_files.hpp"
#include "trees/support_labels.hpp"

namespace regraft::phylo {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view log_title = "regraft-phylo " REGRAFT_VERSION ": ";
constexpr std::string_view log_extension = ".log";
constexpr std::string_view last_words = "final log-likelihood:";

std::vector<std::uint32_t> numbers(std::vector<PeId> const& pes) {
    std::vector<std::uint32_t> result;
    for (auto pe : pes) result.push_back(value(pe));
    return result;
}

Json to_json(Recovery const& r) {
    return {{"lost", numbers(r.lost)},
            {"survivors", r.survivors},
            {"during", r.during},
            {"noticed_in", r.noticed_in},
            {"noticed_within_ms", r.silence_ms},
            {"shrink_ms", r.shrink_ms},
            {"reassign_ms", r.reassign_ms},
            {"load_ms", r.load_ms},
            {"repair_ms", r.repair_ms},
            {"reread_ms", r.reread_ms},
            {"restore_ms", r.restore_ms},
            {"b", r.b},
            {"rounds", r.rounds},
            {"new_pairs", r.new_pairs},
            {"blocks_taken_over", r.blocks_taken_over},
            {"blocks_reread", r.blocks_reread},
            {"bytes_loaded", r.bytes_loaded},
            {"bytes_repaired", r.bytes_repaired},
            {"work_lost_ms", r.work_lost_ms},
            {"work_lost_evaluations", r.work_lost_evaluations}};
}

char const* name(Command command) {
    switch (command) {
        case Command::check:
            return "check";
        case Command::loglh:
            return "loglh";
        case Command::evaluate:
            return "evaluate";
        case Command::search:
            return "search";
    }
    return "";
}

char const* name(BranchLinkage linkage) {
    switch (linkage) {
        case BranchLinkage::linked:
            return "linked";
        case BranchLinkage::scaled:
            return "scaled";
        case BranchLinkage::unlinked:
            return "unlinked";
    }
    return "";
}

Json partition_to_json(Dataset const& dataset, Result const& result, BranchLinkage linkage, std::size_t q) {
    auto const& spec = result.state.specs[q];
    auto const& model = result.state.models[q];
    Json json{{"name", dataset.partitions[q].name},
              {"model", spec.text},
              {"sites", dataset.sites_per_partition[q]},
              {"patterns", dataset.partition_begin[q + 1] - dataset.partition_begin[q]},
              {"log_likelihood", result.partition_loglh[q]},
              {"frequencies", model.frequencies}};
    if (!spec.rate_classes.empty()) {
        auto& rates = json["exchangeabilities"] = Json::array();
        for (auto const rate_class : spec.rate_classes) rates.push_back(model.rates[rate_class]);
    }
    if (spec.has_gamma()) json["alpha"] = model.alpha;
    if (model.invariant > 0) json["invariant"] = model.invariant;
    if (!model.category_rates.empty()) {
        json["category_rates"] = model.category_rates;
        json["category_weights"] = model.category_weights;
    }
    json["fitted_model"] = likelihood::to_string(spec, model);
    if (linkage == BranchLinkage::scaled) json["branch_scaler"] = model.scaler;
    if (linkage == BranchLinkage::unlinked) {
        json["tree"] = msa::to_newick(result.state.tree, dataset.taxa, static_cast<std::uint32_t>(q));
    }
    return json;
}

/// A trial of one partition with its scores; the best comes first.
struct RankedModel {
    TriedModel trial;
    Scores scores;
    double weight = 0;
};

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

Json choice_to_json(Dataset const& dataset, SearchState const& state, PartitionChoice const& choice,
                    Criterion criterion) {
    Json json{{"partition", dataset.partitions[choice.partition].name},
              {"criterion", name(criterion)},
              {"chosen", state.specs[choice.partition].text},
              {"candidates", Json::array()}};
    for (auto const& [trial, scores, weight] : ranked(dataset, choice, criterion)) {
        json["candidates"].push_back({{"model", trial.candidate.name()},
                                      {"log_likelihood", trial.loglh},
                                      {"parameters", trial.parameters},
                                      {"aic", scores.aic},
                                      {"aicc", scores.aicc},
                                      {"bic", scores.bic},
                                      {"weight", weight}});
    }
    return json;
}

/// The bootstrap; null without replicates.
Json bootstrap_to_json(Result const& result) {
    if (result.replicates.empty()) return nullptr;
    Json json{{"replicates", result.replicates.size()}};
    if (result.convergence) {
        json["converged"] = result.convergence->is_reached;
        json["mean_distance"] = result.convergence->mean_distance;
    }
    return json;
}

/// Trees with supports at the nodes below their edges, and the means of the supports. Null without supports.
Json supports_to_json(Dataset const& dataset, Result const& result) {
    auto const& supports = result.supports;
    Json json;
    auto const add = [&](char const* name, std::vector<double> const& values, SupportForm form) {
        if (values.empty()) return;
        double sum = 0;
        std::size_t count = 0;
        auto& list = json[name]["values"] = Json::array();
        for (auto const value : values) {
            if (std::isnan(value)) continue;
            list.push_back(value);
            sum += value;
            ++count;
        }
        json[name]["mean"] = count == 0 ? 0 : sum / static_cast<double>(count);
        json[name]["tree"] = labelled(dataset, result.state.tree, values, form);
    };
    add("felsenstein", supports.felsenstein, SupportForm::percent);
    add("transfer", supports.transfer, SupportForm::fraction);
    add("alrt", supports.alrt, SupportForm::percent);
    return json;
}

/// What was under way when an earlier run of the job stopped; null if there was none.
Json resumed_to_json(Checkpoints const& checkpoints) {
    if (!checkpoints.resumed) return nullptr;
    auto json = Json::array();
    for (auto const& [search, during, loglh] : checkpoints.resumed_from) {
        json.push_back({{"search", search}, {"during", during}, {"log_likelihood", loglh}});
    }
    return json;
}

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

}  // namespace

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
    if (result.starts.size() > 1) {
        auto const worst = std::ranges::min(result.starts, {}, [](auto const& start) { return start.state.loglh; });
        text += fmt::format("\n  best of {} starts, of which the worst ended {:.3f} below", result.starts.size(),
                            result.state.loglh - worst.state.loglh);
    }
    if (!result.replicates.empty()) {
        auto const& supports = result.supports.felsenstein;
        auto const inner = std::ranges::count_if(supports, [](double support) { return !std::isnan(support); });
        auto const high = std::ranges::count_if(supports, [](double support) { return support >= 0.95; });
        text += fmt::format("\n  {} of {} inner edges have support of 95 % and more, by {} replicates{}", high, inner,
                            result.replicates.size(),
                            !result.convergence || result.convergence->is_reached ? "" : ", which have not converged");
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
    if (!result.supports.alrt.empty()) text += "; SH-aLRT: Guindon et al. 2010";
    if (result.starts.size() > 1) text += "; tree fusing: Goloboff 1999";
    text += "\n  in " + options.prefix + ".bestTree, .svg, .bestModel, .json, .log";
    if (result.state.tree.num_length_sets() > 1) text += ", .bestPartitionTrees";
    if (result.starts.size() > 1) text += ", .mlTrees";
    if (!result.replicates.empty()) text += ", .support, .supportTBE, .consensus, .bootstraps";
    if (!result.supports.alrt.empty()) text += ", .supportAlrt";
    if (options.profile) text += ", .profile.json, .profile.svg";
    return text;
}

std::string title(Options const& options) {
    return fmt::format("{}{}\n  seed {}, model {}", log_title, options.command_line, options.seed,
                       !options.model.empty()        ? options.model
                       : !options.partitions.empty() ? "as in " + options.partitions.string()
                                                     : "as in " + options.msa.string());
}

std::vector<std::string> choice_lines(Dataset const& dataset, SearchState const& state, Criterion criterion) {
    constexpr std::size_t shown = 10;
    std::vector<std::string> lines;
    for (auto const& choice : state.choices) {
        auto const trials = ranked(dataset, choice, criterion);
        lines.push_back(fmt::format("partition {}: {} of {} models has the lowest {}",
                                    dataset.partitions[choice.partition].name, state.specs[choice.partition].text,
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

void prepare_output(Options const& options, Trial trial) {
    // As long as some output is missing, there is a checkpoint.
    bool const resumes = !options.redo && !find_checkpoints(options.prefix).empty();
    for (auto const* extension : output_extensions()) {
        auto const path = options.output(extension);
        std::error_code error;
        auto const status = std::filesystem::status(path, error);
        if (std::filesystem::is_directory(status))
            throw InputError({path.string()}, "cannot be written: it is a directory");
        if (std::filesystem::exists(status) && !options.redo && !resumes &&
            !(extension == log_extension && is_unfinished_log(path))) {
            throw InputError({path.string()}, "exists already; --redo overwrites it, --prefix chooses another name");
        }
    }
    if (trial == Trial::look) return;
    disk::NewFile const is_possible(options.output(".bestTree"));
    for (auto const* extension : output_extensions()) disk::remove_unfinished(options.output(extension));
}

void remove_outputs_but(std::set<std::string> const& extensions, Options const& options) {
    for (auto const* extension : output_extensions()) {
        std::error_code ignored;
        if (!extensions.contains(extension)) std::filesystem::remove(options.output(extension), ignored);
    }
}

std::string best_models(Dataset const& dataset, SearchState const& state) {
    auto partitions = dataset.partitions;
    for (std::size_t q = 0; q < partitions.size(); ++q) {
        partitions[q].model = likelihood::to_string(state.specs[q], state.models[q]);
    }
    return msa::to_text(partitions);
}

std::string to_json(Options const& options, Dataset const& dataset, Result const& result) {
    Json json{{"program", "regraft-phylo"},
              {"version", REGRAFT_VERSION},
              {"command", name(options.command)},
              {"msa", options.msa.string()},
              {"taxa", dataset.taxa.size()},
              {"sites", dataset.num_sites()},
              {"patterns", dataset.num_patterns()},
              {"seed", options.seed},
              {"branch_lengths", name(options.linkage)},
              {"instruction_set", std::string(likelihood::used_instructions())},
              {"tree", newick(dataset, result.state.tree)},
              {"ranks", {{"started", result.ranks_started}, {"lost", numbers(result.ranks_lost)}}},
              {"failure_plan", result.failure_plan},
              {"failures", Json::array()},
              {"partitions", Json::array()},
              {"evaluations", result.evaluations},
              {"starts", Json::array()},
              {"bootstrap", bootstrap_to_json(result)},
              {"supports", supports_to_json(dataset, result)},
              {"resumed_from", resumed_to_json(result.checkpoints)},
              {"checkpoints",
               {{"count", result.checkpoints.count},
                {"ms", result.checkpoints.ms},
                {"on_disk", result.checkpoints.on_disk},
                {"bytes_on_disk", result.checkpoints.bytes_on_disk},
                {"disk_ms", result.checkpoints.disk_ms}}},
              {"seconds", result.seconds},
              {"warnings", dataset.warnings}};
    for (auto const& [start, state] : result.starts) {
        json["starts"].push_back(
            {{"start", start}, {"log_likelihood", state.loglh}, {"evaluations", state.evaluations}});
    }
    for (auto const& recovery : result.recoveries) json["failures"].push_back(to_json(recovery));
    for (std::size_t q = 0; q < dataset.partitions.size(); ++q) {
        json["partitions"].push_back(partition_to_json(dataset, result, options.linkage, q));
    }
    for (auto const& choice : result.state.choices) {
        json["model_choice"].push_back(choice_to_json(dataset, result.state, choice, options.criterion));
    }
    for (auto const* point : ft::fail_points()) {
        if (point->occurrences() > 0) json["points_reached"][point->name()] = point->occurrences();
    }
    // The JSON library prints the fewest digits that reproduce a number; here all 17 are promised.
    auto const loglh = std::isfinite(result.state.loglh) ? fmt::format("{:.17g}", result.state.loglh) : "null";
    auto const rest = json.dump(2, ' ', false, Json::error_handler_t::replace);  // paths need not be UTF-8
    return fmt::format("{{\n  \"log_likelihood\": {},\n  \"bits\": \"{:a}\",{}\n", loglh, result.state.loglh,
                       rest.substr(1));
}

}  // namespace regraft::phylo
