// Writes trees as Newick text: children in the order of their smallest taxa, with a stack instead of recursion.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "msa/trees/newick_text.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/msa/newick.hpp"

namespace regraft::msa {
namespace {

/// A part that is still to be written: the subtree at a node, or punctuation.
struct Pending {
    enum class What : std::uint8_t { subtree, comma, close } what;
    std::uint32_t node = 0;
};

class NewickWriter {
public:
    NewickWriter(GeneralTree const& tree, std::span<std::string const> names)
        : tree_(tree), names_(names), children_(tree.children()), smallest_taxon_(tree.taxon) {
        for (auto v = tree.num_nodes(); v-- > 1;) {
            auto& above = smallest_taxon_[tree.parent[v]];
            above = std::min(above, smallest_taxon_[v]);
        }
        for (std::size_t v = 0; v < children_.size(); ++v) {
            std::ranges::sort(children_[v], {}, [&](std::uint32_t child) { return smallest_taxon_[child]; });
        }
    }
    std::string write();

private:
    void write_label(std::uint32_t v);
    void write_edge(std::uint32_t v);
    void push_children(std::uint32_t v);

    GeneralTree const& tree_;
    std::span<std::string const> names_;
    Csr<std::uint32_t> children_;
    std::vector<std::uint32_t> smallest_taxon_;  // per node: the smallest taxon below it
    std::vector<Pending> pending_;
    std::string out_;
};

void NewickWriter::write_label(std::uint32_t v) {
    if (!tree_.label.empty() && !tree_.label[v].empty()) out_ += newick_label(tree_.label[v]);
}

/// Writes the label and the length, if there are any.
void NewickWriter::write_edge(std::uint32_t v) {
    write_label(v);
    if (std::isnan(tree_.length[v])) return;
    std::array<char, 40> digits{};
    // As few digits as make the same number again.
    char const* const end =
        std::to_chars(digits.data(), digits.data() + digits.size(), tree_.length[v], std::chars_format::general).ptr;
    out_ += ':';
    out_.append(static_cast<char const*>(digits.data()), end);
}

/// Pushes children in the reverse order of the text, because the last one pushed is written first.
void NewickWriter::push_children(std::uint32_t v) {
    auto const children = children_[v];
    for (auto i = children.size(); i-- > 0;) {
        pending_.push_back({Pending::What::subtree, children[i]});
        if (i > 0) pending_.push_back({Pending::What::comma});
    }
}

std::string NewickWriter::write() {
    out_ += '(';
    push_children(0);
    while (!pending_.empty()) {
        auto const [what, v] = pending_.back();
        pending_.pop_back();
        if (what == Pending::What::comma) {
            out_ += ',';
        } else if (what == Pending::What::close) {
            out_ += ')';
            write_edge(v);
        } else if (tree_.is_tip(v)) {
            out_ += newick_label(names_[tree_.taxon[v]]);
            write_edge(v);
        } else {
            out_ += '(';
            pending_.push_back({Pending::What::close, v});
            push_children(v);
        }
    }
    out_ += ')';
    write_label(0);
    return out_ + ';';
}

/// Whether a character must not be in a label without quotes: besides those that end it here, those with a meaning for
/// other programs, which are the punctuation of NEXUS that is not common in names.
bool needs_quotes(char c) {
    return ends_newick_label(c) || std::string_view("\"{}=\\").find(c) != std::string_view::npos;
}

}  // namespace

std::string newick_label(std::string_view name) {
    if (!name.empty() && std::ranges::none_of(name, needs_quotes)) return std::string(name);
    std::string label = "'";
    for (char c : name) label.append(c == '\'' ? 2 : 1, c);
    return label + '\'';
}

std::string to_newick(GeneralTree const& tree, std::span<std::string const> taxon_names) {
    REGRAFT_EXPECTS(taxon_names.size() == tree.num_taxa());
    REGRAFT_EXPECTS(tree.label.empty() || tree.label.size() == tree.num_nodes());
    return NewickWriter(tree, taxon_names).write();
}

std::string to_newick(Tree const& tree, std::span<std::string const> taxon_names, std::uint32_t set) {
    return to_newick(tree, taxon_names, NewickFeatures{.set = set});
}

std::string to_newick(Tree const& tree, std::span<std::string const> taxon_names, NewickFeatures const& features) {
    auto [general, node_of_edge] = to_general(tree, features.set);
    if (!features.labels.empty()) {
        REGRAFT_EXPECTS(features.labels.size() == node_of_edge.size());
        general.label.resize(general.num_nodes());
        for (std::size_t i = 0; i < node_of_edge.size(); ++i) {
            if (!general.is_tip(node_of_edge[i])) general.label[node_of_edge[i]] = features.labels[i];
        }
    }
    if (features.outgroup.empty()) return to_newick(general, taxon_names);
    return to_newick(hung_up_at(general, features.outgroup, taxon_names), taxon_names);
}

}  // namespace regraft::msa
