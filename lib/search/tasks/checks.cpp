#include "search/tasks/checks.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "regraft/core/errors.hpp"

namespace regraft::search {

void require(bool good, char const* what) {
    if (!good) throw InputError(std::string("has a search ") + what);
}

void check_tree(msa::Tree const& tree, Expected const& expected) {
    auto const sets = expected.linkage == BranchLinkage::unlinked ? expected.specs.size() : 1;
    require(tree.num_tips() == expected.num_taxa, "whose tree has other taxa");
    require(tree.num_length_sets() == sets, "whose tree has lengths of other partitions");
    require(tree.is_complete(), "whose tree is none");
    for (auto const h : tree.edges()) {
        for (std::uint32_t set = 0; set < sets; ++set)
            require(std::isfinite(tree.length(h, set)), "whose tree has a length that is no number");
    }
    require(expected.constraint == nullptr || expected.constraint->allows(tree), "whose tree breaks the constraint");
}

namespace {

/// Checks that values equal those at the start, which the user may have given, or are values that an optimiser may
/// find.
void check_values(std::vector<double> const& values, std::vector<double> const& start) {
    require(values.size() == start.size(), "whose model has more or fewer values than it needs");
    // Beyond these bounds products of some of them are 0 or infinite.
    auto const is_positive = [](double value) { return 1e-50 <= value && value <= 1e50; };
    require(values == start || std::ranges::all_of(values, is_positive), "whose model has impossible values");
}

}  // namespace

void check_model(ModelSpec const& spec, Model const& model, CountedData const& counted) {
    auto const start = start_model(spec, counted);
    check_values(model.rates, start.rates);
    check_values(model.frequencies, start.frequencies);
    check_values(model.category_rates, start.category_rates);
    check_values(model.category_weights, start.category_weights);
    check_values(model.class_weights, start.class_weights);
    check_values({model.scaler}, {start.scaler});
    require(
        model.alpha == start.alpha || (likelihood::min_alpha <= model.alpha && model.alpha <= likelihood::max_alpha),
        "whose alpha is impossible");
    bool const may_be_invariant = spec.ascertainment == likelihood::Ascertainment::none;
    require(model.invariant == start.invariant ||
                (may_be_invariant && 0 <= model.invariant && model.invariant <= likelihood::max_invariant),
            "whose proportion of invariant sites is impossible");
}

void check_lengths(std::span<double const> lengths, char const* what) {
    require(std::ranges::all_of(lengths, [](double length) { return std::isfinite(length) && length >= 0; }), what);
}

}  // namespace regraft::search
