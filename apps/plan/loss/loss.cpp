#include "loss/loss.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "common/input.hpp"
#include "input/rules.hpp"
#include "recover/failures.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/placement/loss_simulation.hpp"

namespace regraft::plan {

using namespace common;

namespace {

constexpr std::size_t most_rows = 1000;
constexpr std::uint32_t most_replicas = 64;
constexpr std::uint64_t most_simulated_copies = std::uint64_t{1} << 28;

std::vector<std::uint32_t> replicas_of(LossOptions const& options) {
    if (!options.replicas) {
        std::vector<std::uint32_t> replicas{2, 3, 4};
        std::erase_if(replicas, [&](auto r) { return r > options.ranks; });
        return replicas.empty() ? std::vector<std::uint32_t>{1} : replicas;
    }
    auto const most = std::min(most_replicas, options.ranks);
    auto const replicas = parse_list(*options.replicas, most + 1, "--replicas", "number of replicas");
    if (replicas.front() == 0) throw InputError("--replicas: 0, expected 1 or more: 1 is no copy beside the first");
    return replicas;
}

double parse_fraction(std::string_view text) {
    double number = -1;
    auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || rest != text.data() + text.size() || !(0 <= number && number <= 1))
        throw InputError(fmt::format("--fraction: '{}', expected numbers from 0 to 1, as in 0.01,0.02", escaped(text)));
    return number;
}

std::vector<std::uint64_t> failures_of(LossOptions const& options, std::uint32_t units) {
    std::vector<std::uint64_t> failures;
    auto const add = [&](double fraction) {
        failures.push_back(static_cast<std::uint64_t>(std::llround(fraction * units)));
    };
    if (options.failures) {
        auto const list = parse_list(*options.failures, units + 1, "--failures", "number of failures");
        failures.assign(list.begin(), list.end());
    }
    if (options.fractions) {
        std::string_view const text = *options.fractions;
        for (std::size_t begin = 0; begin <= text.size();) {
            auto const end = std::min(text.find(',', begin), text.size());
            add(parse_fraction(text.substr(begin, end - begin)));
            begin = end + 1;
        }
    }
    if (!options.failures && !options.fractions) {
        for (auto const fraction : {0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5}) add(fraction);
        std::erase(failures, 0U);
    }
    std::sort(failures.begin(), failures.end());
    failures.erase(std::unique(failures.begin(), failures.end()), failures.end());
    if (failures.size() > most_rows)
        throw InputError(fmt::format("{} numbers of failures, expected at most {}", failures.size(), most_rows));
    return failures;
}

std::vector<std::uint32_t> nodes_of_ranks(LossOptions const& options) {
    std::vector<std::uint32_t> nodes(options.ranks);
    for (std::uint32_t rank = 0; rank < options.ranks; ++rank) nodes[rank] = rank / options.node_size;
    return nodes;
}

/// What is known without asking the placement for all its blocks.
std::optional<placement::LossModel> closed_form(LossOptions const& options, std::uint32_t replicas) {
    if (options.placement == "node-aware") {
        // Equal nodes: those that are num_nodes / replicas apart keep the same.
        auto const nodes = num_nodes(options.ranks, options.node_size);
        auto const regular = options.ranks % options.node_size == 0 && nodes % replicas == 0;
        return regular ? std::optional(placement::mod_k_groups(nodes, replicas)) : std::nullopt;
    }
    if (options.placement != "mod-k" && options.ranks % replicas != 0) return std::nullopt;
    return placement::mod_k_nodes(options.ranks, replicas, options.node_size);
}

Safety make_safety(LossOptions const& options, std::uint32_t replicas) {
    Safety safety{replicas, closed_form(options, replicas), std::nullopt};
    if (options.trials == 0) return safety;
    if (std::uint64_t{options.ranks} * replicas > most_simulated_copies) {
        throw InputError(fmt::format("--simulate: {} ranks with {} replicas, expected a product of at most {}",
                                     options.ranks, replicas, most_simulated_copies));
    }
    // As many blocks as ranks: with fewer, some would keep nothing.
    auto const rule = make_rule(options.placement, {options.ranks, options.ranks, replicas}, options.node_size);
    auto const sets =
        options.node_size == 1 ? placement::HolderSets(rule) : placement::HolderSets(rule, nodes_of_ranks(options));
    if (!safety.model) safety.model = sets.model();
    safety.trials = Trials{sets.simulate(options.trials, options.seed)};
    std::sort(safety.trials->failures.begin(), safety.trials->failures.end());
    return safety;
}

Curve make_curve(std::uint32_t replicas) {
    Curve curve{replicas, {}};
    for (auto exponent = 8; exponent <= 25; ++exponent) {
        auto const units = std::uint64_t{1} << exponent;
        auto const model = placement::mod_k_groups(units, replicas);
        curve.fates.push_back({units, model.expected_failures(), model.quantile(0.1), model.quantile(0.9)});
    }
    return curve;
}

}  // namespace

double Trials::mean() const {
    auto const sum = std::accumulate(failures.begin(), failures.end(), std::uint64_t{0});
    return static_cast<double>(sum) / static_cast<double>(failures.size());
}

double Trials::standard_error() const {
    auto const middle = mean();
    auto squares = 0.0;
    for (auto const count : failures) squares += (count - middle) * (count - middle);
    auto const n = static_cast<double>(failures.size());
    return n > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
}

double Trials::loss(std::uint64_t after) const {
    auto const lost = std::upper_bound(failures.begin(), failures.end(), after) - failures.begin();
    return static_cast<double>(lost) / static_cast<double>(failures.size());
}

std::uint64_t Trials::quantile(double q) const {
    auto const rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(failures.size())));
    return failures[std::max<std::size_t>(rank, 1) - 1];
}

LossPlan plan_loss(LossOptions const& options) {
    LossPlan plan;
    auto const units = num_nodes(options.ranks, options.node_size);
    plan.units = units;
    plan.failures = failures_of(options, units);
    auto const replicas = replicas_of(options);
    for (auto const r : replicas) plan.safeties.push_back(make_safety(options, r));
    if (!options.json.empty() || !options.svg.empty()) {
        for (auto const r : replicas) plan.curves.push_back(make_curve(r));
    }
    return plan;
}

std::string unit_name(LossOptions const& options) {
    return options.node_size == 1 ? "rank" : "node";
}

}  // namespace regraft::plan
