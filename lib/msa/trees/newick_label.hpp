// The characters that end unquoted labels of Newick text.
#pragma once

#include <string_view>

#include "msa/text/text.hpp"

namespace regraft::msa {

constexpr bool is_newick_space(char c) {
    return is_blank(c) || c == '\n';
}
constexpr bool ends_newick_label(char c) {
    return is_newick_space(c) || std::string_view("()[]:;,'").find(c) != std::string_view::npos;
}

}  // namespace regraft::msa
