#include "simulate/simulation.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "common/input.hpp"
#include "input/rules.hpp"
#include "recover/failures.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::plan::simulated {

using namespace common;

namespace {

constexpr std::uint64_t most_blocks = std::uint64_t{1} << 40;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 56;  // sums of all copies are below 2^63
constexpr std::size_t most_candidates = 1000;

std::vector<std::string> items_of(std::string const& list) {
    std::vector<std::string> items;
    for (std::size_t begin = 0; begin <= list.size();) {
        auto const end = std::min(list.find(',', begin), list.size());
        items.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return items;
}

double parse_decimal(std::string_view text, double least, std::string_view option, std::string_view expected) {
    double number = -1;
    auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || rest != text.data() + text.size() || !(least <= number && number <= 1e9))
        throw InputError(fmt::format("{}: '{}', expected {}", option, escaped(text), expected));
    return number;
}

std::vector<std::optional<double>> intervals_of(SimulateOptions const& options) {
    std::vector<std::optional<double>> intervals;
    for (auto const& item : items_of(options.interval)) {
        if (item == "auto") {
            intervals.emplace_back();
        } else {
            intervals.emplace_back(
                60 * parse_decimal(item, 1e-6, "--interval", "minutes above 0, or auto, as in auto,10,30"));
        }
    }
    return intervals;
}

std::vector<std::string> placements_of(SimulateOptions const& options) {
    auto const known = rule_names();
    auto placements = items_of(options.placement);
    for (auto const& name : placements) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            throw InputError(
                fmt::format("--placement: '{}', expected mod-k, permuted, pairwise or node-aware", escaped(name)));
        }
    }
    return placements;
}

std::vector<std::uint32_t> replicas_of(SimulateOptions const& options) {
    constexpr std::uint32_t most_replicas = 64;
    auto const most = std::min(most_replicas, options.ranks);
    auto replicas = parse_list(options.replicas, most + 1, "--replicas", "number of replicas");
    if (replicas.front() == 0) throw InputError("--replicas: 0, expected 1 or more: 1 is no copy beside the first");
    return replicas;
}

std::uint32_t pieces_of(std::string_view text, std::string const& whole) {
    std::uint32_t number = 0;
    auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || rest != text.data() + text.size() || number < 1 || number > 254) {
        throw InputError(fmt::format("--code: '{}', expected K+M, pieces of data and parities, 255 together, as in 8+2",
                                     escaped(whole)));
    }
    return number;
}

std::optional<erasure::Code> code_of(SimulateOptions const& options) {
    if (!options.code) return std::nullopt;
    auto const& text = *options.code;
    auto const plus = std::min(text.find('+'), text.size());
    auto const data = pieces_of(std::string_view(text).substr(0, plus), text);
    auto const parity = pieces_of(std::string_view(text).substr(std::min(plus + 1, text.size())), text);
    if (data + parity > 255 || data + parity > options.ranks) {
        throw InputError(
            fmt::format("--code: {} pieces, expected at most 255 and no more than there are ranks", data + parity));
    }
    return erasure::Code(data, parity);
}

Machine machine_of(SimulateOptions const& options) {
    auto const times = [&](std::uint32_t size, std::uint32_t count) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{size} * count, options.ranks));
    };
    Machine machine{options.ranks, {1, options.node_size, 0, 0}};
    machine.ranks_of_unit[2] = times(options.node_size, options.rack_nodes);
    machine.ranks_of_unit[3] = times(machine.ranks_of_unit[2], options.switch_racks);
    return machine;
}

Constants constants_of(SimulateOptions const& options) {
    auto constants = options.constants.empty()
                         ? Constants{}
                         : parse_constants(read_text(options.constants), shown_input(options.constants));
    for (auto const& assignment : options.set) set_constant(constants, assignment, "--set");
    return constants;
}

Transport transport_of(std::string const& name) {
    if (name == "two-tier") return Transport::two_tier;
    return name == "rounds" ? Transport::rounds : Transport::collective;
}

JobPlan plan_of(SimulateOptions const& options, Machine const& machine) {
    JobPlan plan;
    plan.machine = machine;
    plan.work_seconds = options.hours * seconds_per_hour;
    plan.blocks_per_rank = options.blocks_per_rank;
    plan.block_bytes = options.block_bytes;
    plan.state_bytes = options.state_bytes;
    plan.code = code_of(options);
    plan.apart = unit_of(options.apart).value();
    if (machine.size(plan.apart) == 0) {
        throw InputError(
            fmt::format("--apart: there is no {}, give their size by --rack-nodes and --switch-racks", options.apart));
    }
    plan.mending = options.no_repair ? Mending::left : Mending::wanted;
    plan.constants = constants_of(options);
    plan.transport = transport_of(options.transport);
    auto const ranks = std::uint64_t{machine.ranks};
    if (plan.blocks_per_rank > most_blocks / ranks)
        throw InputError(fmt::format("--blocks-per-rank: {} for each of {} ranks, expected at most 2^40 in all",
                                     plan.blocks_per_rank, ranks));
    if (plan.blocks_per_rank * plan.block_bytes > most_bytes / ranks)
        throw InputError(
            fmt::format("--block-bytes: {} blocks of {} bytes for each of {} ranks, expected at most 2^56 "
                        "bytes in all",
                        plan.blocks_per_rank, plan.block_bytes, ranks));
    if (plan.state_bytes > most_bytes / ranks)
        throw InputError(fmt::format("--state-bytes: {} for each of {} ranks, expected at most 2^56 bytes in all",
                                     plan.state_bytes, ranks));
    return plan;
}

std::vector<Candidate> candidates_of(SimulateOptions const& options, Machine const& machine) {
    auto const plan = plan_of(options, machine);
    auto const intervals = intervals_of(options);
    auto const placements = plan.code ? std::vector<std::string>{""} : placements_of(options);
    auto const replicas = plan.code ? std::vector<std::uint32_t>{1} : replicas_of(options);
    auto const count = intervals.size() * placements.size() * replicas.size();
    if (count > 1 && !options.optimise)
        throw InputError("several replicas, placements or intervals are given, expected one of each, or --optimise");
    if (count > most_candidates)
        throw InputError(fmt::format("--optimise: {} combinations, expected at most {}", count, most_candidates));
    std::vector<Candidate> candidates;
    for (auto const& placement : placements) {
        for (auto const r : replicas) {
            for (auto const& interval : intervals) {
                auto& candidate = candidates.emplace_back(Candidate{plan, interval, {}});
                candidate.plan.placement = placement;
                candidate.plan.replicas = r;
            }
        }
    }
    return candidates;
}

FailureRates rates_of(SimulateOptions const& options, Machine const& machine) {
    FailureRates rates{{options.mtbf_rank, options.mtbf_node, options.mtbf_rack, options.mtbf_switch}, options.shape};
    for (auto const unit : all_units) {
        if (rates.mtbf(unit) > 0 && machine.size(unit) == 0) {
            throw InputError(
                fmt::format("--mtbf-{}: there are none, give their size by --rack-nodes and "
                            "--switch-racks",
                            name_of(unit)));
        }
    }
    return rates;
}

/// Runs task(0), ..., task(count - 1) on so many threads; rethrows what the first task threw that did.
void on_threads(std::size_t count, std::size_t threads, std::function<void(std::size_t)> const& task) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr error;
    std::size_t first_error = count;
    std::mutex mutex;
    auto const work = [&] {
        for (auto i = next++; i < count; i = next++) {
            try {
                task(i);
            } catch (...) {
                std::lock_guard const lock(mutex);
                if (i < first_error) error = std::current_exception();
                first_error = std::min(first_error, i);
            }
        }
    };
    std::vector<std::thread> workers;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) workers.emplace_back(work);
    work();
    for (auto& worker : workers) worker.join();
    if (error) std::rethrow_exception(error);
}

std::uint32_t most_threads(SimulateOptions const& options) {
    return options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
}

/// The mean time between the failures of a trace of a job that takes so long; infinite if there are none.
double seconds_between(std::span<Failure const> trace, double job_seconds) {
    if (trace.empty()) return std::numeric_limits<double>::infinity();
    return std::max(trace.back().seconds, job_seconds) / static_cast<double>(trace.size());
}

/// The index of the candidate with the fewest expected node hours, the first if there are several.
std::size_t cheapest(std::span<Candidate const> candidates) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].expected_node_hours() < candidates[best].expected_node_hours()) best = i;
    }
    return best;
}

DiskPlan disk_plan_of(SimulateOptions const& options, JobPlan const& plan, double seconds_between_failures) {
    auto const bytes = static_cast<double>(options.ranks) * static_cast<double>(options.state_bytes);
    auto const input = static_cast<double>(options.ranks) * static_cast<double>(options.blocks_per_rank) *
                       static_cast<double>(options.block_bytes);
    auto const bandwidth = plan.constants.disk_gbps * 1e9;
    return {plan.work_seconds, bytes / bandwidth, 60 * options.restart_minutes + (bytes + input) / bandwidth,
            seconds_between_failures};
}

}  // namespace

Share share_of(std::uint64_t count, std::uint64_t all) {
    constexpr double z = 1.959963984540054;
    auto const n = static_cast<double>(all);
    auto const part = static_cast<double>(count) / n;
    auto const centre = (part + z * z / (2 * n)) / (1 + z * z / n);
    auto const half = z / (1 + z * z / n) * std::sqrt(part * (1 - part) / n + z * z / (4 * n * n));
    return {part, count == 0 ? 0 : centre - half, count == all ? 1 : centre + half};
}

double quantile(std::vector<double> values, double q) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    auto const rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
    return values[std::max<std::size_t>(rank, 1) - 1];
}

std::uint64_t Candidate::count(Fate fate) const {
    return static_cast<std::uint64_t>(
        std::count_if(lives.begin(), lives.end(), [&](Life const& life) { return life.fate == fate; }));
}

Life const& Candidate::median_life() const {
    std::vector<std::size_t> order(lives.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](auto i) {
        return std::pair{lives[i].fate != Fate::finished, lives[i].seconds};
    });
    return lives[order[(order.size() - 1) / 2]];
}

double Candidate::mean_seconds() const {
    double sum = 0;
    for (auto const& life : lives) sum += life.fate == Fate::finished ? life.seconds : 0;
    auto const finished = count(Fate::finished);
    return finished == 0 ? 0 : sum / static_cast<double>(finished);
}

double Candidate::expected_node_hours() const {
    double sum = 0;
    for (auto const& life : lives) sum += life.seconds;
    auto const finished = static_cast<double>(count(Fate::finished));
    if (finished == 0) return std::numeric_limits<double>::infinity();
    return sum / finished / seconds_per_hour * plan.machine.count(Unit::node);
}

Simulation simulate(SimulateOptions const& options) {
    Simulation simulation;
    simulation.machine = machine_of(options);
    auto const& machine = simulation.machine;
    simulation.rates = rates_of(options, machine);
    simulation.candidates = candidates_of(options, machine);
    LifeOptions life_options;  // of all candidates
    life_options.most_seconds = options.limit * options.hours * seconds_per_hour;
    std::vector<Failure> trace;
    if (options.trace) {
        trace = parse_trace(read_text(*options.trace), shown_input(*options.trace), machine);
        simulation.seconds_between_failures = seconds_between(trace, options.hours * seconds_per_hour);
    } else {
        simulation.seconds_between_failures = simulation.rates.seconds_between(machine);
    }
    if (options.burst > machine.count(Unit::node)) {
        throw InputError(fmt::format("--burst: {} nodes, expected at most {}, as there are no more", options.burst,
                                     machine.count(Unit::node)));
    }
    life_options.seconds_between_failures = simulation.seconds_between_failures;

    auto const failures_of = [&](std::uint64_t life) {
        auto const seed = mix(options.seed) + life;
        if (options.trace) return trace;
        if (options.burst > 0) return draw_burst(machine, options.burst, options.hours * seconds_per_hour / 2, seed);
        return draw_failures(machine, simulation.rates, life_options.most_seconds, seed);
    };
    for (auto& candidate : simulation.candidates) candidate.lives.resize(options.jobs);
    auto const jobs = static_cast<std::size_t>(options.jobs);
    on_threads(jobs * simulation.candidates.size(), most_threads(options), [&](std::size_t i) {
        auto& candidate = simulation.candidates[i / jobs];
        auto own_options = life_options;
        own_options.interval = candidate.interval;
        candidate.lives[i % jobs] = live(candidate.plan, failures_of(i % jobs), own_options);
    });
    simulation.best = cheapest(simulation.candidates);
    auto const& plan = simulation.candidates.front().plan;
    simulation.disk_plan = disk_plan_of(options, plan, simulation.seconds_between_failures);
    simulation.disk = job_on_disk(simulation.disk_plan);
    simulation.disk_node_hours =
        simulation.disk.seconds / seconds_per_hour * (machine.count(Unit::node) + options.spares);
    return simulation;
}

}  // namespace regraft::plan::simulated
