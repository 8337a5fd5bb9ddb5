// Tests of trees: samples of several sizes, of which one is an item.
#include <array>

#include <nlohmann/json.hpp>

#include "kinds/kinds.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/random.hpp"
#include "regraft/search/tree_tests.hpp"

namespace regraft::phylo {
namespace {

/// The number with the digits that are told of a p-value that is computed, not counted.
double rounded(double value) {
    return std::stod(fmt::format("{:.6g}", value));
}

constexpr double level = 0.05;

/// A column of the table. A tree is rejected by a small p-value, or where the value is a share of all trees, outside of
/// the smallest set of trees that has almost all.
struct TestColumn {
    char const* name;
    double (*value)(TreeTest const&);
    bool is_share = false;
};
constexpr std::array columns{
    TestColumn{"bp", [](TreeTest const& test) { return test.bp; }, true},
    TestColumn{"kh", [](TreeTest const& test) { return test.kh; }},
    TestColumn{"sh", [](TreeTest const& test) { return test.sh; }},
    TestColumn{"wkh", [](TreeTest const& test) { return test.weighted_kh; }},
    TestColumn{"wsh", [](TreeTest const& test) { return test.weighted_sh; }},
    TestColumn{"elw", [](TreeTest const& test) { return test.elw; }, true},
    TestColumn{"au", [](TreeTest const& test) { return test.au.p; }},
};

std::vector<bool> accepted(TestColumn const& column, std::span<TreeTest const> tests) {
    std::vector<double> values;
    for (auto const& test : tests) values.push_back(column.value(test));
    if (column.is_share) return confidence_set(values, 1 - level);
    std::vector<bool> result;
    for (auto const value : values) result.push_back(value >= level);
    return result;
}

/// A table for people: a line per tree, with a mark at each value that rejects the tree.
std::vector<std::string> test_lines(std::span<TreeTest const> tests) {
    std::vector<std::string> lines{fmt::format("{:>5}  {:>18}  {:>12}", "tree", "log-likelihood", "difference")};
    for (std::size_t i = 0; i < tests.size(); ++i)
        lines.push_back(fmt::format("{:>5}  {:>18.6f}  {:>12.4f}", i + 1, tests[i].loglh, tests[i].difference));
    for (auto const& column : columns) {
        auto const good = accepted(column, tests);
        lines.front() += fmt::format("  {:>6} ", column.name);
        for (std::size_t i = 0; i < tests.size(); ++i)
            lines[i + 1] += fmt::format("  {:>6.4f}{}", column.value(tests[i]), good[i] ? ' ' : '-');
    }
    lines.emplace_back(
        "-: rejects the tree, as a p-value below 0.05 (kh, sh, wkh, wsh, au), or by the 95 % set (bp, elw)");
    return lines;
}

/// The text of PREFIX.test: a line per tree, and one above them; columns are separated by tabs.
std::string test_table(std::span<TreeTest const> tests) {
    std::string text = "tree\tlog_likelihood\tdifference";
    for (auto const& column : columns) text += fmt::format("\t{}", column.name);
    text += "\tau_error\n";
    for (std::size_t i = 0; i < tests.size(); ++i) {
        text += fmt::format("{}\t{:.17g}\t{:.6f}", i + 1, tests[i].loglh, tests[i].difference);
        for (auto const& column : columns) text += fmt::format("\t{:.6g}", column.value(tests[i]));
        text += fmt::format("\t{:.6g}\n", tests[i].au.error);
    }
    return text;
}

Json test_to_json(TreeTest const& test) {
    return {{"log_likelihood", test.loglh},
            {"difference", test.difference},
            {"bp", test.bp},
            {"kh", test.kh},
            {"sh", test.sh},
            {"weighted_kh", test.weighted_kh},
            {"weighted_sh", test.weighted_sh},
            {"elw", test.elw},
            {"au", rounded(test.au.p)},
            {"au_error", rounded(test.au.error)},
            {"au_distance", rounded(test.au.d)},
            {"au_curvature", rounded(test.au.c)},
            {"au_fit", test.au.is_fitted ? Json(rounded(test.au.fit)) : Json(nullptr)}};
}

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
    SearchState first_state(std::uint32_t, Progress const& progress, StartSites const*) const override {
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
        if (most() == 0) return;
        auto const tests = results(progress);
        result.citations.emplace_back("AU test: Shimodaira 2002");
        result.files.push_back({".test", [tests](Result const&) { return test_table(tests); }});
        result.json.emplace_back([tests](Json& json, Result const&) {
            for (auto const& test : tests) json["tests"].push_back(test_to_json(test));
        });
    }

private:
    std::uint32_t num_trees() const { return checked_cast<std::uint32_t>(plan_.start_trees.starts.size()); }
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
