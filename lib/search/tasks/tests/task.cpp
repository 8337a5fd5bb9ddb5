// The steps of tests of trees: batches of samples.
#include <algorithm>

#include "regraft/core/checked_cast.hpp"
#include "regraft/search/search_options.hpp"
#include "regraft/search/tasks/tests.hpp"
#include "search/tasks/checks.hpp"

namespace regraft::search {
namespace {

ft::FailPhase test_phase("test");

}  // namespace

std::string Tests::describe() const {
    return is_over ? "done" : "tests";
}

void Tests::step(Estimate&, DistributedLikelihood& likelihood, SearchOptions const& options) {
    likelihood.reach(test_phase.before);
    auto const& samples = *options.test_samples;
    auto const& trees = *samples.trees;
    auto const first = checked_cast<std::uint32_t>(position);
    SampleNumbers const numbers{first, first + std::min(trees.batch(), samples.count - first), samples.seed,
                                samples.size};
    for (auto const& loglh : trees.resample(likelihood, numbers)) counts.add(loglh, trees.contest(), samples.size);
    likelihood.reach(test_phase.inside);
    position = numbers.last;
    is_over = numbers.last == samples.count;
    likelihood.reach(test_phase.after);
}

void Tests::check(Estimate const&, Expected const& expected) const {
    require(position <= expected.num_samples && is_over == (position == expected.num_samples),
            "of more samples than this job has");
    auto const all = position > 0 ? expected.num_trees : 0;
    auto const usual = expected.is_usual_size ? all : 0;
    auto const is_count = [&](auto number) { return 0 <= number && number <= expected.num_samples; };
    auto const require_counts = [&](auto const& numbers, std::size_t size) {
        require(numbers.size() == size, "with counts of more or fewer trees");
        require(std::ranges::all_of(numbers, is_count), "with a count of more samples than there are");
    };
    require_counts(counts.wins, all);
    for (auto const* numbers : {&counts.kh, &counts.sh, &counts.weighted_kh, &counts.weighted_sh})
        require_counts(*numbers, usual);
    for (auto const* sums : {&counts.shares, &counts.weights}) require_counts(*sums, usual);
}

void Tests::write(ByteWriter& out) const {
    out.put(position);
    out.put(is_over);
    counts.write(out);
}

Tests Tests::read(ByteReader& in) {
    Tests task;
    task.position = in.get<std::uint64_t>();
    task.is_over = in.get_flag();
    task.counts = SampleCounts::read(in);
    return task;
}

}  // namespace regraft::search
