// What the parser of models says of a wrong one.
#pragma once

#include <string>
#include <string_view>

#include "regraft/core/errors.hpp"
#include "regraft/likelihood/model.hpp"

namespace regraft::likelihood::test {

/// The message of parse_model on a wrong model.
inline std::string complaint(std::string_view text) {
    try {
        parse_model(text);
    } catch (InputError const& error) {
        return error.what();
    }
    return "no complaint";
}

}  // namespace regraft::likelihood::test
