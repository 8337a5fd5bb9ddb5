#include "kinds/kinds.hpp"

namespace regraft::phylo {

std::vector<KindOf> all_kinds(Plan const& plan) {
    std::vector<KindOf> kinds;
    kinds.push_back({Purpose::model_choice, 5, choice_kind(plan)});
    kinds.push_back({Purpose::start, 0, start_kind(plan)});
    kinds.push_back({Purpose::fusion, 7, fusion_kind(plan)});
    kinds.push_back({Purpose::pilot, 8, pilot_kind(plan)});
    kinds.push_back({Purpose::ultrafast, 2, ultrafast_kind(plan)});
    kinds.push_back({Purpose::replicate, 1, replicate_kind(plan)});
    kinds.push_back({Purpose::support, 3, support_kind(plan)});
    kinds.push_back({Purpose::test, 4, test_kind(plan)});
    kinds.push_back({Purpose::merge, 6, merge_kind(plan)});
    kinds.push_back({Purpose::gene, 9, gene_kind(plan)});
    kinds.push_back({Purpose::gene_replicate, 10, gene_replicate_kind(plan)});
    return kinds;
}

std::vector<Model> start_models(std::span<ModelSpec const> specs, std::span<CountedData const> counted) {
    std::vector<Model> models;
    for (std::size_t q = 0; q < specs.size(); ++q) models.push_back(start_model(specs[q], counted[q]));
    return models;
}

}  // namespace regraft::phylo
