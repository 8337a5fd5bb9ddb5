#include "likelihood/partition/root_values.hpp"

namespace regraft::likelihood {

void RootValues::set(SiteModel const& model, Tips const& tips, OwnSystems const* own) {
    own_ = own;
    frequencies_.clear();
    category_weights_.clear();
    for (auto const& category : model.categories) {
        auto const& frequencies = model.systems[category.system].frequencies;
        frequencies_.insert(frequencies_.end(), frequencies.begin(), frequencies.end());
        category_weights_.push_back(category.weight);
    }
    proportion_ = model.invariant;
    invariant_frequencies_ = mean_frequencies(model);
    can_be_invariant_ = model.invariant > 0;
    if (!can_be_invariant_) return;
    if (common_.empty()) common_ = tips.common_sets();
    if (invariant_ == nullptr) invariant_ = make_aligned<double>(common_.size());
    for (std::size_t i = 0; i < common_.size(); ++i) {
        double sum = 0;
        for (std::size_t state = 0; state < model.num_states; ++state) {
            if ((common_[i] >> state & 1) != 0) sum += invariant_frequency(i, state);
        }
        invariant_[i] = model.invariant * sum;
    }
}

/// The mean over the categories, which all share the same proportion of sites that never change.
std::vector<double> RootValues::mean_frequencies(SiteModel const& model) const {
    if (model.systems.size() == 1) return model.systems[0].frequencies;
    std::vector<double> mean(model.num_states, 0);
    double weight = 0;
    for (std::size_t c = 0; c < model.categories.size(); ++c) {
        weight += category_weights_[c];
        for (std::size_t i = 0; i < model.num_states; ++i) {
            mean[i] += category_weights_[c] * frequencies_[c * model.num_states + i];
        }
    }
    for (auto& frequency : mean) frequency /= weight;
    return mean;
}

}  // namespace regraft::likelihood
