#include "regraft/search/check.hpp"

#include <algorithm>

#include "regraft/search/search.hpp"
#include "search/tasks/checks.hpp"

namespace regraft::search {
namespace {

void check_models(SearchState const& state, Expected const& expected) {
    require(state.specs.size() == expected.specs.size() && state.models.size() == expected.specs.size(),
            "with models of other partitions");
    for (std::size_t q = 0; q < state.specs.size(); ++q) {
        auto const& spec = state.specs[q];
        bool const is_chosen = std::ranges::binary_search(expected.automatic, q);
        auto const& wanted = expected.specs[q];
        bool const fits = is_chosen ? spec.alphabet == wanted.alphabet && !spec.scaler_from &&
                                          spec.ascertainment == wanted.ascertainment && spec.left_out == wanted.left_out
                                    : spec.text == wanted.text;
        require(fits, "with another model than this job");
        check_model(spec, state.models[q], expected.counted[q]);
    }
}

}  // namespace

void check(SearchState const& state, Expected const& expected) {
    check_tree(state.tree, expected);
    check_models(state, expected);
    std::visit([&](auto const& task) { task.check(state, expected); }, state.task);
}

}  // namespace regraft::search
