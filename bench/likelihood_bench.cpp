// Likelihood kernels on one thread, with every vector instruction set, beside libpll and a copy of the same bytes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include "likelihood_engines.hpp"
#include "regraft/likelihood/instructions.hpp"

namespace {

using namespace regraft;
using namespace regraft::bench;

constexpr std::size_t fewest_sites = 1000;
constexpr std::size_t usual_sites = 10'000;
constexpr std::size_t most_sites = 100'000;
/// The relative agreement with libpll, which adds up the likelihoods in another order.
constexpr double tolerance = 1e-10;
constexpr double slope_tolerance = 1e-8;

struct Instance {
    TreeShape shape;
    std::uint32_t num_states;
    std::size_t num_sites;

    /// CLVs of 64 MB are kept only for few taxa.
    std::uint32_t num_taxa() const { return num_states * num_sites > 1'000'000 ? 16 : 64; }
    bool operator==(Instance const&) const = default;
};

struct Program {
    std::string_view library;  // regraft, plain (the same without repeats), libpll or memcpy
    std::string_view instructions;

    std::string name() const {
        if (library == "memcpy") return "memcpy";
        return std::string(library) + "_" + std::string(instructions);
    }
    std::unique_ptr<LikelihoodEngine> start(Evolved const& evolved) const {
        if (library == "libpll") return libpll_engine(evolved, instructions);
        return regraft_engine(evolved, instructions,
                              library == "plain" ? likelihood::Repeats::off : likelihood::Repeats::automatic);
    }
    bool operator==(Program const&) const = default;
};

bool agree(double a, double b, double relative) {
    return std::abs(a - b) <= relative * std::abs(b);
}

/// The results that one program computed for an instance.
struct Answer {
    double loglh;
    double slope;

    explicit Answer(LikelihoodEngine& engine) : loglh(engine.traverse(Nodes::all)) {
        engine.make_table();
        slope = engine.slope(0.1);
    }
    bool has_bits_of(Answer const& other) const {
        return std::bit_cast<std::uint64_t>(loglh) == std::bit_cast<std::uint64_t>(other.loglh) &&
               std::bit_cast<std::uint64_t>(slope) == std::bit_cast<std::uint64_t>(other.slope);
    }
};

/// The instance and the program that were used last: making them takes longer than measuring.
class Setup {
public:
    LikelihoodEngine& engine(Instance const& instance, Program const& program) {
        if (use(instance) || program_ != program) {
            engine_.reset();
            engine_ = program.start(*evolved_);
            program_ = program;
            check();
        }
        return *engine_;
    }
    Evolved const& evolved(Instance const& instance) {
        use(instance);
        return *evolved_;
    }
    /// What is wrong with the answers of the program; empty if nothing is.
    std::string const& problem() const { return problem_; }

private:
    /// Makes this the present instance. Returns whether it was another one before.
    bool use(Instance const& instance) {
        if (instance_ == instance) return false;
        engine_.reset();
        program_.reset();
        ours_.reset();
        evolved_ =
            std::make_unique<Evolved>(instance.shape, instance.num_states, instance.num_taxa(), instance.num_sites);
        instance_ = instance;
        return true;
    }

    void check() {
        problem_.clear();
        Answer const answer(*engine_);
        if (program_->library == "regraft" || program_->library == "plain") {
            if (ours_ && !answer.has_bits_of(*ours_)) problem_ = "other bits than with other instructions";
            ours_ = answer;
        } else if (!ours_) {
            ours_ = Answer(*regraft_engine(*evolved_, likelihood::used_instructions(), likelihood::Repeats::automatic));
        }
        if (!agree(answer.loglh, ours_->loglh, tolerance)) problem_ = "another log-likelihood";
        if (!agree(answer.slope, ours_->slope, slope_tolerance)) problem_ = "another derivative";
        if (!agree(engine_->traverse(Nodes::without_tips), ours_->loglh, tolerance)) problem_ = "not the same nodes";
    }

    std::optional<Instance> instance_;
    std::unique_ptr<Evolved> evolved_;
    std::optional<Program> program_;
    std::unique_ptr<LikelihoodEngine> engine_;
    std::optional<Answer> ours_;
    std::string problem_;
};

Setup& setup() {
    static Setup setup;
    return setup;
}

/// f(engine) is timed. items: how many sites times categories it computes.
template <class Function>
void run(benchmark::State& state, Instance const& instance, Program const& program, std::uint64_t items, Function f) {
    auto& engine = setup().engine(instance, program);
    if (!setup().problem().empty()) return state.SkipWithError(setup().problem().c_str());
    for (auto _ : state) f(engine);
    auto const of_site = items * setup().evolved(instance).model.categories.size();
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(of_site * instance.num_sites));
}

void set_bytes(benchmark::State& state, std::uint64_t bytes) {
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

void traverse(benchmark::State& state, Instance const& instance, Program const& program, Nodes nodes) {
    auto const [updates, bytes] = traffic(setup().evolved(instance), nodes);
    if (program.library == "memcpy") {
        ClvCopy copy(bytes);
        for (auto _ : state) {
            copy.run();
            benchmark::ClobberMemory();
        }
    } else {
        run(state, instance, program, updates,
            [&](LikelihoodEngine& engine) { benchmark::DoNotOptimize(engine.traverse(nodes)); });
    }
    set_bytes(state, bytes);
}

void evaluate(benchmark::State& state, Instance const& instance, Program const& program) {
    run(state, instance, program, 1, [](LikelihoodEngine& engine) { benchmark::DoNotOptimize(engine.evaluate()); });
}

void make_table(benchmark::State& state, Instance const& instance, Program const& program) {
    run(state, instance, program, 1, [](LikelihoodEngine& engine) { engine.make_table(); });
}

void derive(benchmark::State& state, Instance const& instance, Program const& program) {
    run(state, instance, program, 1, [](LikelihoodEngine& engine) { benchmark::DoNotOptimize(engine.slope(0.1)); });
}

template <class Function, class... More>
void add(std::string_view operation, Instance const& instance, Program const& program, Function function,
         More... more) {
    auto const name = program.name() + "/" + std::string(operation) + "_" + std::to_string(instance.num_states) +
                      "/patterns:" + std::to_string(instance.num_sites) +
                      "/taxa:" + std::to_string(instance.num_taxa());
    benchmark::RegisterBenchmark(name.c_str(), function, instance, program, more...)->Unit(benchmark::kMicrosecond);
}

void add_all(Instance const& instance, Program const& program) {
    switch (instance.shape) {
        case TreeShape::random:
            add("traversal", instance, program, traverse, Nodes::all);
            if (program.library == "memcpy") return;
            add("edge", instance, program, evaluate);
            add("table", instance, program, make_table);
            add("derivatives", instance, program, derive);
            return;
        case TreeShape::caterpillar:
            return add("tip_inner", instance, program, traverse, Nodes::all);
        case TreeShape::balanced:
            add("tips_then_inner", instance, program, traverse, Nodes::all);
            return add("inner_inner", instance, program, traverse, Nodes::without_tips);
    }
}

/// Other programs are measured at the smallest size only.
bool is_fast(std::string_view instructions) {
    return instructions.starts_with("avx") || instructions == "neon";
}

std::vector<Program> programs(std::size_t num_sites) {
    std::vector<Program> all;
    for (auto const name : likelihood::available_instructions()) {
        if (is_fast(name) || num_sites == fewest_sites) all.push_back({"regraft", name});
        if (is_fast(name)) all.push_back({"plain", name});
    }
    for (auto const name : libpll_instructions()) all.push_back({"libpll", name});
    all.push_back({"memcpy", ""});
    return all;
}

void add_instance(Instance const& instance) {
    for (auto const& program : programs(instance.num_sites)) add_all(instance, program);
}

}  // namespace

int main(int argc, char** argv) {
    for (std::uint32_t const num_states : {4, 20}) {
        for (auto const num_sites : {fewest_sites, usual_sites, most_sites}) {
            add_instance({TreeShape::random, num_states, num_sites});
        }
        for (auto const shape : {TreeShape::caterpillar, TreeShape::balanced})
            add_instance({shape, num_states, usual_sites});
    }
    auto const fastest = std::string(likelihood::available_instructions().front());
    benchmark::AddCustomContext("subject", "regraft_" + fastest);
    benchmark::AddCustomContext("unit", "patterns");
    benchmark::AddCustomContext("clock", "cpu_time");
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
