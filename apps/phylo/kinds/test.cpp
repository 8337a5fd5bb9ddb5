// Tests of trees: samples of several sizes, of which one is an item.
#include "kinds/kinds.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/random.hpp"
#include "report/test_report.hpp"

namespace regraft::phylo {
namespace {

class TestKind final : public Kind {
public:
    using Kind::Kind;
    std::uint32_t wanted(Progress const&) override { return most(); }
    std::uint32_t most() const override { return plan_.tests() ? num_sample_sizes : 0; }
    std::string name(std::uint32_t number) const override {
        return fmt::format("samples of {:.1f} of the sites", 0.1 * sample_size(number).tenths);
    }
    void change(SearchOptions& options, std::uint32_t number, Progress const&) const override {
        auto const seed = mix(plan_.options.search.seed) + number;
        options.test_samples = {nullptr, sample_size(number), plan_.options.test.samples, seed};
    }
    SearchState first_state(std::uint32_t, Progress const& progress, msa::Patterns const*) const override {
        return start_tests(plan_.best(progress));
    }
    bool needs_trees() const override { return true; }
    bool does(SearchState const& state) const override { return std::holds_alternative<search::Tests>(state.task); }
    void expect(Expected& expected, std::uint32_t number) const override {
        expected.num_trees = num_trees();
        expected.num_samples = plan_.options.test.samples;
        expected.is_usual_size = number == usual_size;
    }
    bool tells_stages() const override { return false; }
    bool commits_each_step() const override { return true; }
    std::vector<std::string> lines(std::span<Item const>, Progress const& progress) override {
        return test_lines(results(progress));
    }
    void add_to(Result& result, Progress const& progress) override {
        if (most() > 0) result.tests = results(progress);
    }

private:
    std::uint32_t num_trees() const { return checked_cast<std::uint32_t>(plan_.beginnings.starts.size()); }
    std::vector<TreeTest> results(Progress const& progress) const {
        std::vector<double> loglh;
        for (std::uint32_t i = 0; i < num_trees(); ++i) loglh.push_back(progress.find({Purpose::start, i})->loglh);
        std::vector<SampleCounts> counts;
        for (std::uint32_t k = 0; k < num_sample_sizes; ++k)
            counts.push_back(progress.find({Purpose::test, k})->as<search::Tests>().counts);
        return tree_tests(loglh, counts, plan_.options.test.samples, plan_.dataset.num_sites());
    }
};

}  // namespace

std::unique_ptr<Kind> test_kind(Plan const& plan) {
    return std::make_unique<TestKind>(plan);
}

}  // namespace regraft::phylo
