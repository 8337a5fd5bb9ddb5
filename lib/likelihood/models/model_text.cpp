// A model and all its values as text.
#include <array>
#include <charconv>

#include "regraft/likelihood/model.hpp"

namespace regraft::likelihood {
namespace {

/// Writes as few digits as make the same number again.
std::string number(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general).ptr};
}

template <class Number>
std::string braced(std::vector<Number> const& values) {
    std::string text = "{";
    for (auto const value : values) text += number(value) + '/';
    text.back() = '}';
    return text;
}
std::string braced(double value) {
    return braced(std::vector{value});
}

std::string categories(ModelSpec const& spec, Model const& model) {
    auto const count = std::to_string(spec.categories);
    switch (spec.heterogeneity) {
        case Heterogeneity::none:
            return "";
        case Heterogeneity::gamma_mean:
            return "+G" + count + 'm' + braced(model.alpha);
        case Heterogeneity::gamma_median:
            return "+G" + count + 'a' + braced(model.alpha);
        case Heterogeneity::free:
            return "+R" + count + braced(model.category_rates) + braced(model.category_weights);
    }
    return "";
}

std::string profiles_text(ModelSpec const& spec, Model const& model) {
    if (spec.profiles.empty()) return "";
    auto const name = "+C" + std::to_string(spec.profiles.size());
    return model.class_weights.empty() ? name : name + braced(model.class_weights);
}

std::string ascertainment(ModelSpec const& spec) {
    switch (spec.ascertainment) {
        case Ascertainment::none:
            return "";
        case Ascertainment::lewis:
            return "+ASC_LEWIS";
        case Ascertainment::felsenstein:
            return "+ASC_FELS" + braced(spec.left_out);
        case Ascertainment::stamatakis:
            return "+ASC_STAM" + braced(spec.left_out);
    }
    return "";
}

}  // namespace

std::string to_string(ModelSpec const& spec, Model const& model) {
    auto text = spec.name;
    if (!model.rates.empty()) text += braced(model.rates);
    text += profiles_text(spec, model);
    if (spec.frequencies == Frequencies::equal) {
        text += "+FE";
    } else if (spec.frequencies != Frequencies::of_matrix) {
        text += "+FU" + braced(model.frequencies);
    }
    if (model.invariant != 0) text += "+IU" + braced(model.invariant);
    text += categories(spec, model);
    if (model.scaler != 1 || spec.scaler_from) text += "+BU" + braced(model.scaler);
    return text + ascertainment(spec);
}

}  // namespace regraft::likelihood
