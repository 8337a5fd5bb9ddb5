#include "trees/nexus_tree.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace regraft::phylo {
namespace {

constexpr char quote = '\'';

/// A name in NEXUS, in quotes unless it has letters, digits, '.' and '_' only.
std::string in_nexus(std::string_view name) {
    auto const is_plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c >= 0x80; };
    if (!name.empty() && std::ranges::all_of(name, is_plain)) return std::string(name);
    std::string result(1, quote);
    for (char const c : name) result.append(c == quote ? 2 : 1, c);
    return result + quote;
}

/// The annotation of an inner node; empty without a label.
std::string annotation(std::string const& label, std::string_view key) {
    if (label.empty()) return "";
    std::string const name(key);
    auto const is_number = [](std::string_view text) { return text.find_first_not_of("0123456789.") == text.npos; };
    if (is_number(label)) return "[&" + name + '=' + label + ']';
    auto result = "[&" + name + "=\"" + label + '"';
    std::size_t number = 1;
    for (std::size_t begin = 0; begin <= label.size(); ++number) {
        auto const end = std::min(label.find('/', begin), label.size());
        auto const part = label.substr(begin, end - begin);
        if (!part.empty() && is_number(part)) result += ',' + name + std::to_string(number) + '=' + part;
        begin = end + 1;
    }
    return result + ']';
}

/// Takes a label, with or without quotes, from a text that does not begin with punctuation.
std::string take_label(std::string_view& text) {
    if (!text.starts_with(quote)) {
        auto const size = std::min(text.find_first_of("(),:;"), text.size());
        std::string label(text.substr(0, size));
        text.remove_prefix(size);
        return label;
    }
    std::string label;
    do {
        auto const end = std::min(text.find(quote, 1), text.size() - 1);
        if (!label.empty()) label += quote;
        label += text.substr(1, end - 1);
        text.remove_prefix(end + 1);
    } while (text.starts_with(quote));
    return label;
}

}  // namespace

std::string nexus_tree(std::string_view newick, std::span<std::string const> taxa, std::string_view key) {
    auto text = "#NEXUS\nbegin taxa;\n  dimensions ntax=" + std::to_string(taxa.size()) + ";\n  taxlabels";
    for (auto const& taxon : taxa) text += "\n    " + in_nexus(taxon);
    text += ";\nend;\nbegin trees;\n  tree tree_1 = [&U] ";
    bool is_inner = false;  // whether a label belongs to an inner node
    while (!newick.empty() && newick.front() != '\n') {
        auto const c = newick.front();
        if (c == ':') {
            auto const size = std::min(newick.find_first_of("(),;"), newick.size());
            text += newick.substr(0, size);
            newick.remove_prefix(size);
        } else if (std::string_view("(),;").find(c) != std::string_view::npos) {
            is_inner = c == ')';
            text += c;
            newick.remove_prefix(1);
        } else {
            auto const label = take_label(newick);
            text += is_inner ? annotation(label, key) : in_nexus(label);
        }
    }
    return text + "\nend;\n";
}

}  // namespace regraft::phylo
