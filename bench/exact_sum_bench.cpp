// ExactSum beside sums that round: the cost per term of the same bits on any number of ranks.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "regraft/core/exact_sum.hpp"
#include "regraft/core/random.hpp"

namespace {

using regraft::ExactSum;
using regraft::Random;
__extension__ using Quad = __float128;

/// Terms like the log-likelihoods of sites: all negative, within a few powers of ten.
std::vector<double> likelihoods(std::size_t size) {
    Random random(1);
    std::vector<double> terms(size);
    for (auto& term : terms) term = -std::exp(6 * random.unit());
    return terms;
}

/// Terms with signs and exponents of all kinds, so that every addition meets other digits.
std::vector<double> wild(std::size_t size) {
    Random random(2);
    std::vector<double> terms(size);
    for (auto& term : terms) {
        term = std::ldexp(random.unit() - 0.5, static_cast<int>(random.below(200)) - 100);
    }
    return terms;
}

double exact(std::vector<double> const& terms) {
    ExactSum sum;
    for (auto const term : terms) sum.add(term);
    return sum.value();
}

template <class Float>
double rounded(std::vector<double> const& terms) {
    Float sum = 0;
    for (auto const term : terms) sum += term;
    return static_cast<double>(sum);
}

/// Whether the sum is within a relative error that the type can keep on these terms: a check that all sum the same
/// terms.
bool agree(double a, double b, std::vector<double> const& terms) {
    double scale = 0;
    for (auto const term : terms) scale += std::abs(term);
    return std::abs(a - b) <= 1e-9 * scale;
}

using Terms = std::vector<double> (*)(std::size_t);
using Sum = double (*)(std::vector<double> const&);

void run(benchmark::State& state, Terms make, Sum sum) {
    auto terms = make(static_cast<std::size_t>(state.range(0)));
    auto const truth = exact(terms);
    if (!agree(sum(terms), truth, terms)) state.SkipWithError("a wrong sum");
    auto backwards = terms;
    std::reverse(backwards.begin(), backwards.end());
    if (exact(backwards) != truth) state.SkipWithError("the exact sum depends on the order");
    for (auto _ : state) {
        benchmark::DoNotOptimize(terms.data());
        benchmark::DoNotOptimize(sum(terms));
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.counters["same_bits_backwards"] = sum(backwards) == sum(terms) ? 1 : 0;
}

void add(std::string const& name, Terms make, Sum sum) {
    benchmark::RegisterBenchmark(name.c_str(), run, make, sum)->ArgName("terms")->Arg(1000)->Arg(1'000'000);
}

}  // namespace

int main(int argc, char** argv) {
    add("exact_sum/likelihoods", likelihoods, exact);
    add("double/likelihoods", likelihoods, rounded<double>);
    add("long_double/likelihoods", likelihoods, rounded<long double>);
    add("float128/likelihoods", likelihoods, rounded<Quad>);
    add("exact_sum/wild", wild, exact);
    add("double/wild", wild, rounded<double>);
    add("float128/wild", wild, rounded<Quad>);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
