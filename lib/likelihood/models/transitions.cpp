#include "likelihood/models/transitions.hpp"

#include <algorithm>
#include <utility>

namespace regraft::likelihood {

void Transitions::set(SiteModel model, double branch_scale, kernels::SiteSystems const* own) {
    model_ = std::move(model);
    branch_scale_ = branch_scale;
    shape_ = {model_.num_states, model_.categories.size()};
    own_ = own;
    speeds_.clear();
    weights_.clear();
    for (auto const& category : model_.categories) {
        speeds_.push_back(category.rate * branch_scale_);
        weights_.push_back(category.weight);
    }
    auto const n = shape_.states;
    auto const stride = shape_.stride();
    columns_.assign(model_.systems.size() * n * stride, 0);
    for (std::size_t s = 0; s < model_.systems.size(); ++s) {
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t k = 0; k < n; ++k)
                columns_[(s * n + k) * stride + i] = model_.systems[s].vectors[i * n + k];
        }
    }
    inverses_ = make_aligned<double>(shape_.matrices_size());
    std::fill_n(inverses_.get(), shape_.matrices_size(), 0.0);
    exponents_.clear();
    for (std::size_t c = 0; c < shape_.categories; ++c) {
        auto const& eigen = system(c);
        for (std::size_t k = 0; k < n; ++k) {
            exponents_.push_back(eigen.values[k] * model_.categories[c].rate * branch_scale_);
            for (std::size_t j = 0; j < n; ++j) {
                inverses_[c * shape_.matrix_size() + j * stride + k] = eigen.inverse[k * n + j];
            }
        }
    }
}

void Transitions::fill_matrices(double time, double* out) {
    if (own_ != nullptr) {
        for (std::size_t c = 0; c < shape_.categories; ++c) out[c] = speeds_[c] * time;
        return;
    }
    auto const t = time * branch_scale_;
    auto const n = shape_.states;
    auto const size = shape_.categories * n;
    factors_.resize(size);
    diagonals_.assign(kernels::padded(size), 0);
    for (std::size_t c = 0; c < shape_.categories; ++c) {
        auto const& values = system(c).values;
        for (std::size_t k = 0; k < n; ++k) factors_[c * n + k] = values[k] * model_.categories[c].rate * t;
        // In a short time little changes: beside the 1 for no change, much of it would be lost.
        if (factors_[c * n + n - 1] > -1) std::fill_n(&diagonals_[c * n], n, 1);
    }
    kernels::exponentials_minus(factors_, diagonals_.data());
    for (std::size_t c = 0; c < shape_.categories; ++c) {
        kernels::transition(shape_, &columns_[model_.categories[c].system * n * shape_.stride()],
                            system(c).inverse.data(), &factors_[c * n], diagonals_[c * n],
                            out + c * shape_.matrix_size());
    }
}

std::span<double const> Transitions::terms(double time) {
    auto const size = shape_.categories * shape_.states;
    terms_.resize(3 * size);
    for (std::size_t i = 0; i < size; ++i) terms_[i] = exponents_[i] * time;
    kernels::exponentials(std::span(terms_).first(size));
    for (std::size_t i = 0; i < size; ++i) {
        terms_[i] *= model_.categories[i / shape_.states].weight;
        terms_[size + i] = exponents_[i] * terms_[i];
        terms_[2 * size + i] = exponents_[i] * terms_[size + i];
    }
    return terms_;
}

}  // namespace regraft::likelihood
