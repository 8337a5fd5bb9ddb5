// Tests of trees for people: the table of the log, and PREFIX.test. Their JSON is made in report_json.cpp.
#include "report/test_report.hpp"

#include <array>
#include <iterator>

#include <fmt/format.h>

namespace regraft::phylo {
namespace {

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

}  // namespace

double rounded(double value) {
    return std::stod(fmt::format("{:.6g}", value));
}

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

std::string site_table(Dataset const& dataset, std::span<std::vector<double> const> loglh) {
    auto text = fmt::format("{} {}\n", loglh.size(), dataset.pattern_of_site.size());
    for (std::size_t t = 0; t < loglh.size(); ++t) {
        text += fmt::format("tree{}", t + 1);
        for (auto const pattern : dataset.pattern_of_site)
            fmt::format_to(std::back_inserter(text), " {}", loglh[t][pattern]);
        text += '\n';
    }
    return text;
}

}  // namespace regraft::phylo
