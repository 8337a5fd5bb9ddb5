// Pieces of SVG drawings.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace regraft::common {

/// Colours that colour-blind people can distinguish (Okabe and Ito 2008).
inline constexpr std::array svg_colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                        "#e69f00", "#56b4e9", "#555555", "#000000"};

/// The beginning of a drawing on white; it ends with "</svg>\n".
inline std::string svg_begin(double width, double height) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        width, height);
}

/// Precondition: attributes and content are well-formed XML.
inline std::string svg_text(double x, double y, std::string_view attributes, std::string_view content) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, content);
}

}  // namespace regraft::common
