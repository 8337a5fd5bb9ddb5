#include "kinds/kinds.hpp"

namespace regraft::phylo {

std::vector<KindOf> all_kinds(Plan const& plan) {
    std::vector<KindOf> kinds;
    kinds.push_back({Purpose::model_choice, choice_kind(plan)});
    kinds.push_back({Purpose::start, start_kind(plan)});
    kinds.push_back({Purpose::fusion, fusion_kind(plan)});
    kinds.push_back({Purpose::pilot, pilot_kind(plan)});
    kinds.push_back({Purpose::ultrafast, ultrafast_kind(plan)});
    kinds.push_back({Purpose::replicate, replicate_kind(plan)});
    kinds.push_back({Purpose::support, support_kind(plan)});
    kinds.push_back({Purpose::test, test_kind(plan)});
    kinds.push_back({Purpose::merge, merge_kind(plan)});
    return kinds;
}

std::vector<Model> start_models(std::span<ModelSpec const> specs, std::span<CountedData const> counted) {
    std::vector<Model> models;
    for (std::size_t q = 0; q < specs.size(); ++q) models.push_back(start_model(specs[q], counted[q]));
    return models;
}

}  // namespace regraft::phylo
