// A model in the form in which likelihoods use it: what depends on the model alone is computed once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "likelihood/kernels/aligned.hpp"
#include "likelihood/kernels/kernels.hpp"
#include "regraft/likelihood/site_model.hpp"

namespace regraft::likelihood {

/// Transition matrices of all categories, and their derivatives, for any time. Times are lengths in the tree.
class Transitions {
public:
    /// branch_scale: factor by which branches are longer than those of the tree. own: systems of the sites instead of
    /// those of the model, or null. Keeps a view of them.
    void set(SiteModel model, double branch_scale, kernels::SiteSystems const* own);

    SiteModel const& model() const { return model_; }
    double branch_scale() const { return branch_scale_; }
    kernels::Shape const& shape() const { return shape_; }
    /// The systems that sites have of their own, or null.
    kernels::SiteSystems const* own() const { return own_; }

    /// Fills out with the matrices of all categories, as a kernels::Side has them.
    void fill_matrices(double time, double* out);
    /// The inverse eigenvectors, as matrices.
    double const* inverses() const { return inverses_.get(); }
    /// The factors of kernels::add_derivatives for a time: [3][category][state]. Valid until the next call.
    std::span<double const> terms(double time);
    /// The same if sites have systems of their own. Valid until the next change of the model.
    kernels::SiteTerms own_terms(double time) const { return {own_, speeds_.data(), weights_.data(), time}; }

private:
    Eigensystem const& system(std::size_t category) const { return model_.systems[model_.categories[category].system]; }

    SiteModel model_;
    double branch_scale_ = 1;
    kernels::Shape shape_;
    std::vector<double> columns_;    // of eigenvectors: [system][k][row]
    Aligned<double> inverses_;       // as matrices
    std::vector<double> exponents_;  // [category][state] eigenvalue * rate
    kernels::SiteSystems const* own_ = nullptr;
    std::vector<double> speeds_;   // of the categories
    std::vector<double> weights_;  // of the categories

    // Memory that is used again.
    std::vector<double> factors_;    // [category][state]
    std::vector<double> diagonals_;  // [category][state]
    std::vector<double> terms_;
};

}  // namespace regraft::likelihood
