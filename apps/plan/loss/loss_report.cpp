#include "loss/loss_report.hpp"

// What the user sees of the probability of data loss.
#include <cmath>
#include <functional>

#include "common/words.hpp"
#include "files/json_writer.hpp"

namespace regraft::plan {

using namespace common;

namespace {

constexpr char const* unknown = "-";

std::string percent(double part) {
    return fmt::format("{:.4g} %", 100 * part);
}

/// A certain loss is seldom one: what is left says how seldom.
std::string shown_loss(double loss, double survival) {
    if (loss < 0.999 || survival == 0) return fmt::format("{:.4g}", loss);
    return fmt::format("1 - {:.3g}", survival);
}

/// A line of a table with a column per number of replicas.
std::string line(std::string_view left, LossPlan const& plan, std::function<std::string(Safety const&)> const& cell) {
    std::string text = fmt::format("{:>23}", left);
    for (auto const& safety : plan.safeties) text += fmt::format("  {:>20}", cell(safety));
    return text + "\n";
}

std::string heading(std::string_view left, LossPlan const& plan) {
    return line(left, plan, [](Safety const& safety) { return counted(safety.replicas, "replica"); });
}

std::string probability_cell(Safety const& safety, std::uint64_t failures) {
    if (safety.model)
        return shown_loss(safety.model->loss_probability(failures), safety.model->survival_probability(failures));
    return safety.trials ? fmt::format("~{:.4g}", safety.trials->loss(failures)) : unknown;
}

std::string probabilities(LossOptions const& options, LossPlan const& plan) {
    auto text = fmt::format("\nprobability that data is lost after so many failures of {}s\n", unit_name(options));
    text += heading("failures      of all", plan);
    for (auto const failures : plan.failures) {
        auto const part = static_cast<double>(failures) / static_cast<double>(plan.units);
        text += line(fmt::format("{} {:>11}", failures, percent(part)), plan,
                     [&](Safety const& safety) { return probability_cell(safety, failures); });
    }
    return text;
}

/// Failures, and which part of all that is.
std::string shown_failures(double failures, LossPlan const& plan) {
    auto const part = percent(failures / static_cast<double>(plan.units));
    return failures == std::floor(failures) ? fmt::format("{:.0f} ({})", failures, part)
                                            : fmt::format("{:.2f} ({})", failures, part);
}

std::string quantile_cell(Safety const& safety, LossPlan const& plan, double q) {
    if (!safety.model && !safety.trials) return unknown;
    auto const failures = safety.model ? safety.model->quantile(q) : safety.trials->quantile(q);
    return (safety.model ? "" : "~") + shown_failures(static_cast<double>(failures), plan);
}

std::string failures_until_loss(LossPlan const& plan) {
    auto text = "\nfailures until data is lost\n" + heading("", plan);
    text += line("mean", plan, [&](Safety const& safety) {
        if (safety.model) return shown_failures(safety.model->expected_failures(), plan);
        return safety.trials ? "~" + shown_failures(safety.trials->mean(), plan) : unknown;
    });
    text += line("mean with re-hits", plan, [&](Safety const& safety) {
        return safety.model ? shown_failures(safety.model->expected_hits(), plan) : unknown;
    });
    for (auto const q : told_quantiles) {
        text += line(fmt::format("in {} of all cases", percent(q)), plan,
                     [&](Safety const& safety) { return quantile_cell(safety, plan, q); });
    }
    return text;
}

std::string simulated_lines(LossOptions const& options, LossPlan const& plan) {
    auto text = fmt::format("\nsimulated: {}, seed {}\n", counted(options.trials, "trial"), options.seed);
    text += heading("", plan);
    text += line("mean", plan, [&](Safety const& safety) { return shown_failures(safety.trials->mean(), plan); });
    text += line("standard error", plan,
                 [](Safety const& safety) { return fmt::format("{:.3g}", safety.trials->standard_error()); });
    text += line("fewest", plan, [](Safety const& safety) { return fmt::to_string(safety.trials->failures.front()); });
    return text;
}

bool lacks_closed_form(LossPlan const& plan) {
    for (auto const& safety : plan.safeties) {
        if (!safety.model) return true;
    }
    return false;
}

Json quantiles_to_json(LossPlan const& plan, std::function<std::uint64_t(double)> const& quantile) {
    auto list = Json::array();
    for (auto const q : told_quantiles) {
        auto const failures = quantile(q);
        list.push_back({{"q", q},
                        {"failures", failures},
                        {"fraction", static_cast<double>(failures) / static_cast<double>(plan.units)}});
    }
    return list;
}

Json model_to_json(LossPlan const& plan, placement::LossModel const& model) {
    auto groups = Json::array();
    for (auto const& kind : model.groups()) groups.push_back({{"size", kind.size}, {"count", kind.count}});
    auto probabilities = Json::array();
    for (auto const failures : plan.failures) {
        probabilities.push_back({{"failures", failures},
                                 {"fraction", static_cast<double>(failures) / static_cast<double>(plan.units)},
                                 {"loss", model.loss_probability(failures)},
                                 {"survival", model.survival_probability(failures)}});
    }
    return {{"groups", groups},
            {"probabilities", probabilities},
            {"mean_failures", model.expected_failures()},
            {"mean_hits", model.expected_hits()},
            {"quantiles", quantiles_to_json(plan, [&](double q) { return model.quantile(q); })}};
}

Json trials_to_json(LossPlan const& plan, Trials const& trials) {
    auto probabilities = Json::array();
    for (auto const failures : plan.failures)
        probabilities.push_back({{"failures", failures}, {"loss", trials.loss(failures)}});
    return {{"mean_failures", trials.mean()},
            {"standard_error", trials.standard_error()},
            {"fewest", trials.failures.front()},
            {"most", trials.failures.back()},
            {"probabilities", probabilities},
            {"quantiles", quantiles_to_json(plan, [&](double q) { return trials.quantile(q); })}};
}

Json curve_to_json(Curve const& curve) {
    auto points = Json::array();
    for (auto const& fate : curve.fates) {
        points.push_back({{"units", fate.units},
                          {"mean_failures", fate.mean},
                          {"tenth", fate.tenth},
                          {"nine_tenths", fate.nine_tenths}});
    }
    return {{"replicas", curve.replicas}, {"points", points}};
}

}  // namespace

std::string text_of(LossOptions const& options, LossPlan const& plan) {
    Table table;
    table.row("job", fmt::format("{}, {}", counted(options.ranks, "rank"), options.placement));
    table.row("failures", options.node_size == 1
                              ? "of ranks, one after the other, in random order"
                              : fmt::format("of whole nodes of {} ranks, one after the other, in random order: {}",
                                            options.node_size, counted(plan.units, "node")));
    table.row("loss", fmt::format("as soon as all {}s that keep some block have failed", unit_name(options)));
    auto text = table.take() + probabilities(options, plan) + failures_until_loss(plan);
    if (options.trials > 0) text += simulated_lines(options, plan);
    if (lacks_closed_form(plan)) {
        text += fmt::format("\n{}: the sets of {}s that keep the same block overlap, so there is no closed form{}\n",
                            options.trials > 0 ? "~" : unknown, unit_name(options),
                            options.trials > 0 ? "; this is simulated" : ". Add --simulate 10000");
    }
    return text;
}

void write_json(LossOptions const& options, LossPlan const& plan) {
    JsonWriter json(options.json);
    json.member("ranks", options.ranks);
    json.member("node_size", options.node_size);
    json.member("placement", options.placement);
    json.member("unit", unit_name(options));
    json.member("units", plan.units);
    json.member("trials", options.trials);
    json.member("seed", options.seed);
    auto safeties = Json::array();
    for (auto const& safety : plan.safeties) {
        safeties.push_back({{"replicas", safety.replicas},
                            {"computed", safety.model ? model_to_json(plan, *safety.model) : Json()},
                            {"simulated", safety.trials ? trials_to_json(plan, *safety.trials) : Json()}});
    }
    json.member("safety", safeties);
    auto curves = Json::array();
    for (auto const& curve : plan.curves) curves.push_back(curve_to_json(curve));
    json.member("curves", curves);
    json.finish();
}

}  // namespace regraft::plan
