// The free parameters of a model as the variables of a minimisation.
#pragma once

#include <span>
#include <vector>

#include "minimise.hpp"
#include "regraft/likelihood/model.hpp"

namespace regraft::phylo {

/// Variables are logarithms: of alpha, of the odds of invariable sites, of the scaler; and where only ratios of numbers
/// matter (exchangeabilities, frequencies, free rates and their weights) of those to the greatest of them. The data say
/// most about that one; relative to a small one all others would have to change together. The box reaches to factors of
/// e^2 around the start: further is for another minimisation.
class ModelBox {
public:
    /// start: also where parameters that are not free stay. Keeps a reference to the spec.
    ModelBox(likelihood::ModelSpec const& spec, likelihood::Model start, bool scaler_is_free);

    Box const& box() const { return box_; }
    /// Start itself, bit for bit, at box().start. Precondition: x is of the box.
    likelihood::Model model(std::span<double const> x) const;

private:
    void add(double x, double low, double high);
    void add_ratios(std::vector<double> const& numbers);

    likelihood::ModelSpec const& spec_;
    likelihood::Model start_;
    bool scaler_is_free_;
    Box box_;
};

}  // namespace regraft::phylo
