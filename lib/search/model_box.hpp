// The free parameters of a model as the variables of a minimisation.
#pragma once

#include <span>
#include <vector>

#include "regraft/likelihood/model.hpp"
#include "search/minimise.hpp"

namespace regraft::search {

/// The variables are logarithms: of alpha, of the odds of invariable sites, and of the scaler. Where only ratios of
/// numbers matter (exchangeabilities, frequencies, free rates and their weights), they are logarithms of the ratios to
/// the greatest one. The data determine that one best; relative to a small one all others would have to change
/// together. The box reaches to factors of e^2 around the start; a further optimum needs another minimisation.
class ModelBox {
public:
    /// start also has the values of parameters that are not free. Keeps a reference to the spec.
    ModelBox(likelihood::ModelSpec const& spec, likelihood::Model start, bool scaler_is_free);

    Box const& box() const { return box_; }
    /// The model at x. At box().start it is the start model, bit for bit. Precondition: x is in the box.
    likelihood::Model model(std::span<double const> x) const;

private:
    void add(double x, double low, double high);
    void add_ratios(std::vector<double> const& numbers);

    likelihood::ModelSpec const& spec_;
    likelihood::Model start_;
    bool scaler_is_free_;
    Box box_;
};

}  // namespace regraft::search
