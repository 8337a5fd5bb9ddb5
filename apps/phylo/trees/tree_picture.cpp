#include "trees/tree_picture.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/svg.hpp"
#include "regraft/core/contracts.hpp"
#include "trees/tree_layout.hpp"

namespace regraft::phylo {
namespace {

using common::svg_text;
using msa::HalfEdge;
using msa::Tree;

constexpr double margin = 20;
constexpr double tree_width = 720;
constexpr double row_height = 17;
constexpr double name_size = 12;
constexpr double support_size = 8;
constexpr double gap = 4;  // between a tip and its name
constexpr double scale_height = 40;
constexpr double legend_height = 16;

// ---- Texts

/// An upper bound for the width of the text in any sans-serif font.
double text_width(std::string_view text, double size) {
    constexpr std::string_view wide = "MW@%mw";
    double ems = 0;
    for (char const c : text) {
        bool const is_first = (static_cast<unsigned char>(c) & 0xc0U) != 0x80;  // of a character in UTF-8
        if (!is_first) continue;
        bool const is_narrow =
            ('a' <= c && c <= 'z') || ('0' <= c && c <= '9') || c == '.' || c == '_' || c == '-' || c == ' ';
        ems += wide.find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80 ? 1.0
               : is_narrow                                                                     ? 0.65
                                                                                               : 0.8;
    }
    return ems * size;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// Any bytes as the content of an element: characters that XML does not allow become U+FFFD.
std::string xml(std::string_view bytes) {
    constexpr std::string_view unknown = "\xef\xbf\xbd";
    using Json = nlohmann::json;
    auto text = Json::parse(Json(bytes).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
    for (std::string_view const noncharacter : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
        replace_all(text, noncharacter, unknown);
    std::string out;
    for (char const c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            default:
                static_cast<unsigned char>(c) < 0x20 ? out += unknown : out += c;
        }
    }
    return out;
}

/// A rectangle in the drawing that contains a text.
struct Box {
    double left = 0;
    double right = 0;
    double top = 0;
    double bottom = 0;
};

/// The occupied places, by rows.
class Places {
public:
    explicit Places(std::size_t num_rows) : boxes_(num_rows + 2) {}

    bool is_free(Box const& box) const {
        for (auto band = first_band(box); band <= last_band(box); ++band) {
            for (auto const& other : boxes_[band]) {
                if (box.left < other.right && other.left < box.right && box.top < other.bottom &&
                    other.top < box.bottom)
                    return false;
            }
        }
        return true;
    }
    void take(Box const& box) {
        for (auto band = first_band(box); band <= last_band(box); ++band) boxes_[band].push_back(box);
    }

private:
    std::size_t band(double y) const {
        return std::min(static_cast<std::size_t>(std::max(0.0, y / row_height)), boxes_.size() - 1);
    }
    std::size_t first_band(Box const& box) const { return band(box.top); }
    std::size_t last_band(Box const& box) const { return band(box.bottom); }

    std::vector<std::vector<Box>> boxes_;
};

// ---- The drawing

class Picture {
public:
    Picture(Tree const& tree, std::span<std::string const> taxa, std::span<std::string const> supports,
            PictureOptions const& options)
        : tree_(tree),
          taxa_(taxa),
          options_(options),
          root_(options.outgroup.empty() ? midpoint(tree) : above(tree, options.outgroup)),
          layout_(make_layout(tree, root_)),
          per_unit_(layout_.deepest > 0 ? tree_width / layout_.deepest : 0),
          top_(margin + (options.title.empty() ? 0 : 1.5 * row_height)),
          places_(taxa.size() + 2) {
        support_.resize(tree.num_half_edges());
        auto const edges = tree.edges();
        REGRAFT_EXPECTS(supports.empty() || supports.size() == edges.size());
        for (std::size_t i = 0; i < supports.size(); ++i)
            support_[edges[i]] = support_[tree.back(edges[i])] = supports[i];
    }

    std::string draw() {
        auto const names = draw_names();  // drawn first, to occupy their places
        auto const bottom = top_ + row_height * static_cast<double>(taxa_.size());
        auto const explained = legend(bottom + scale_height);  // it may be wider than the tree
        auto svg = common::svg_begin(right_ + margin, bottom + scale_height + legend_height + margin);
        if (!options_.title.empty()) {
            svg += svg_text(margin, margin + name_size, "font-size=\"13\" font-weight=\"bold\"", xml(options_.title));
        }
        return svg + branches() + names + draw_supports() + scale(bottom) + explained + "</svg>\n";
    }

private:
    double x(double depth) const { return margin + depth * per_unit_; }
    double y(double row) const { return top_ + (row + 0.5) * row_height; }
    double x(HalfEdge g) const { return x(layout_.depth[g]); }
    double y(HalfEdge g) const { return y(layout_.row[g]); }

    std::string branches() const;
    std::string draw_names();
    std::string draw_supports();
    std::string draw_support(HalfEdge g, std::string const& text);
    std::string scale(double bottom) const;
    std::string legend(double top);

    Tree const& tree_;
    std::span<std::string const> taxa_;
    PictureOptions const& options_;
    DrawnRoot root_;
    Layout layout_;
    double per_unit_;  // pixels per unit of branch length
    double top_;
    Places places_;
    std::vector<std::string> support_;  // per half-edge
    double right_ = margin + tree_width;
};

/// All branches as one path: from each node up or down to its parent's row and back to its parent.
std::string Picture::branches() const {
    std::string svg = "<path fill=\"none\" stroke=\"#333333\" d=\"";
    auto const root_x = x(0.0);
    auto const line = [&](HalfEdge g, double parent_x) {
        svg += fmt::format("M{:.1f} {:.1f}H{:.1f}", parent_x, y(g), x(g));
    };
    auto const bar = [&](double at, HalfEdge a, HalfEdge b) {
        svg += fmt::format("M{:.1f} {:.1f}V{:.1f}", at, std::min(y(a), y(b)), std::max(y(a), y(b)));
    };
    for (auto i = layout_.order.size(); i-- > 0;) {
        auto const g = layout_.order[i];
        if (tree_.is_tip(g)) continue;
        auto const a = tree_.back(tree_.next(g));
        auto const b = tree_.back(tree_.next(tree_.next(g)));
        bar(x(g), a, b);
        line(a, x(g));
        line(b, x(g));
    }
    auto const other = tree_.back(root_.h);
    bar(root_x, root_.h, other);
    line(root_.h, root_x);
    line(other, root_x);
    return svg + fmt::format("M{:.1f} {:.1f}H{:.1f}\"/>\n", root_x - margin / 2, y(layout_.root_row), root_x);
}

std::string Picture::draw_names() {
    auto svg = fmt::format("<g font-size=\"{}\" xml:space=\"preserve\">\n", name_size);
    for (auto const g : layout_.order) {
        if (!tree_.is_tip(g)) continue;
        auto const left = x(g) + gap;
        Box const box{left, left + text_width(taxa_[g], name_size), y(g) - name_size / 2, y(g) + name_size / 2};
        places_.take(box);
        right_ = std::max(right_, box.right);
        svg += svg_text(left, y(g) + 0.35 * name_size, "class=\"taxon\"", xml(taxa_[g]));
    }
    return svg + "</g>\n";
}

std::string Picture::draw_supports() {
    auto svg = fmt::format("<g font-size=\"{}\" text-anchor=\"end\" fill=\"#0072b2\">\n", support_size);
    bool is_any = false;
    for (auto i = layout_.order.size(); i-- > 0;) {
        auto const g = layout_.order[i];
        bool const is_inner = !tree_.is_tip(g) && !tree_.is_tip(tree_.back(g));
        bool const is_second = g == tree_.back(root_.h);  // the root's two branches are one edge
        if (!is_inner || is_second || support_[g].empty()) continue;
        is_any = true;
        svg += draw_support(g, support_[g]);
    }
    return is_any ? svg + "</g>\n" : "";
}

/// Draws a support above or below the branch, at its node, or a dot if both places are occupied.
std::string Picture::draw_support(HalfEdge g, std::string const& text) {
    auto const right = x(g) - 2;
    for (auto const baseline : {y(g) - 2, y(g) + 1 + support_size}) {
        Box const box{right - text_width(text, support_size), right, baseline - 0.8 * support_size, baseline};
        if (box.left < 0 || !places_.is_free(box)) continue;
        places_.take(box);
        return svg_text(right, baseline, "class=\"support\"", text);
    }
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"><title>{}</title></circle>\n", x(g), y(g), text);
}

/// A bar of 1, 2 or 5 times a power of ten, at most a quarter of the tree's width.
std::string Picture::scale(double bottom) const {
    if (layout_.deepest <= 0) return "";
    double length = 0;
    std::string text;
    // Powers of ten are written as texts, because those of the C library differ in the last digit.
    for (int exponent = -12; exponent <= 6; ++exponent) {
        for (int const digit : {1, 2, 5}) {
            auto const candidate = fmt::format("{}e{}", digit, exponent);
            double number = 0;
            std::from_chars(candidate.data(), candidate.data() + candidate.size(), number);
            if (number > layout_.deepest / 4) continue;
            length = number;
            text = fmt::format("{}", number);
        }
    }
    if (length == 0) return "";
    auto const line = bottom + scale_height / 2;
    return fmt::format("<path class=\"scale\" stroke=\"#333333\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", x(0.0), line,
                       x(length)) +
           svg_text(x(0.0), line + 14, "fill=\"#555555\"", text + " substitutions per site");
}

/// Explains the root and the numbers.
std::string Picture::legend(double top) {
    std::string const root = options_.outgroup.empty() ? "rooted at the midpoint of the longest path between two tips"
                                                       : "rooted at the outgroup";
    bool const has_numbers = std::ranges::any_of(support_, [](auto const& text) { return !text.empty(); });
    std::string const numbers = has_numbers ? "; blue: " + options_.numbers : "";
    right_ = std::max(right_, margin + text_width(root + numbers, name_size));
    return svg_text(margin, top + name_size, "class=\"legend\" fill=\"#555555\"", xml(root + numbers));
}

}  // namespace

std::string tree_svg(Tree const& tree, std::span<std::string const> taxa, std::span<std::string const> supports,
                     PictureOptions const& options) {
    REGRAFT_EXPECTS(taxa.size() == tree.num_tips() && tree.is_complete());
    return Picture(tree, taxa, supports, options).draw();
}

}  // namespace regraft::phylo
