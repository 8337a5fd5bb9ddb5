#include <cmath>
#include <exception>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/input.hpp"
#include "regraft/ft/failure_plan.hpp"
#include "regraft/likelihood/instructions.hpp"
#include "regraft/msa/newick.hpp"
#include "report/report.hpp"
#include "report/tree_files.hpp"

namespace regraft::phylo {
namespace {

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
    Json json{{"name", dataset.partitions[q].name},          {"model", spec.text},
              {"sites", dataset.sites_per_partition[q]},     {"patterns", dataset.num_weighted_patterns(q)},
              {"log_likelihood", result.partition_loglh[q]}, {"frequencies", model.frequencies}};
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
    if (!model.class_weights.empty()) json["class_weights"] = model.class_weights;
    json["fitted_model"] = likelihood::to_string(spec, model);
    if (linkage == BranchLinkage::scaled) json["branch_scaler"] = model.scaler;
    if (linkage == BranchLinkage::unlinked && result.has_tree) {
        json["tree"] = msa::to_newick(result.state.tree, dataset.taxa, static_cast<std::uint32_t>(q));
    }
    return json;
}

/// Trees with supports at the nodes below their edges, and the means of the supports. Null without supports.
Json supports_to_json(Dataset const& dataset, Result const& result) {
    Json json;
    for (auto const& support : result.supports) {
        double sum = 0;
        auto list = Json::array();
        for (auto const value : support.values) {
            if (std::isnan(value)) continue;
            list.push_back(value);
            sum += value;
        }
        auto const mean = list.empty() ? 0 : sum / static_cast<double>(list.size());
        json[support.name] = {{"values", std::move(list)},
                              {"mean", mean},
                              {"tree", labelled(dataset, result.state.tree, support.values, support.form)}};
    }
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

}  // namespace

std::string to_json(Options const& options, Dataset const& dataset, Result const& result, FinishedJob const& job) {
    Json json{{"program", "regraft-phylo"},
              {"version", REGRAFT_VERSION},
              {"command", name(options.command)},
              {"job", {{"identity", fmt::format("{:016x}", job.identity)}, {"files", job.files}}},
              {"msa", options.input.source().string()},
              {"taxa", dataset.taxa.size()},
              {"sites", dataset.num_sites()},
              {"patterns", dataset.num_weighted_patterns()},
              {"seed", options.search.seed},
              {"branch_lengths", name(options.input.linkage)},
              {"instruction_set", std::string(likelihood::used_instructions())},
              {"tree", result.has_tree ? Json(newick(dataset, result.state.tree)) : Json(nullptr)},
              {"ranks", {{"started", result.ranks_started}, {"lost", numbers(result.ranks_lost)}}},
              {"failure_plan", result.failure_plan},
              {"failures", Json::array()},
              {"partitions", Json::array()},
              {"evaluations", result.evaluations},
              {"starts", Json::array()},  // this and the next two are there in any case
              {"bootstrap", nullptr},
              {"ultrafast_bootstrap", nullptr},
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
    for (auto const& recovery : result.recoveries) json["failures"].push_back(to_json(recovery));
    for (std::size_t q = 0; q < dataset.partitions.size(); ++q) {
        json["partitions"].push_back(partition_to_json(dataset, result, options.input.linkage, q));
    }
    for (auto const& add : result.json) add(json, result);
    for (auto const* point : ft::fail_points()) {
        if (point->occurrences() > 0) json["points_reached"][point->name()] = point->occurrences();
    }
    // The JSON library prints the fewest digits that reproduce a number; here all 17 are promised.
    auto const loglh = std::isfinite(result.state.loglh) ? fmt::format("{:.17g}", result.state.loglh) : "null";
    auto const rest = json.dump(2, ' ', false, Json::error_handler_t::replace);  // paths need not be UTF-8
    return fmt::format("{{\n  \"log_likelihood\": {},\n  \"bits\": \"{:a}\",{}\n", loglh, result.state.loglh,
                       rest.substr(1));
}

std::optional<FinishedJob> finished_job(std::filesystem::path const& json) {
    try {
        auto const job = Json::parse(common::read_text(json.string())).at("job");
        return FinishedJob{std::stoull(job.at("identity").get<std::string>(), nullptr, 16), job.at("files")};
    } catch (std::exception const&) {
        return std::nullopt;
    }
}

}  // namespace regraft::phylo
