// The parts of Newick text: labels, lengths, comments.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "msa/text/text.hpp"
#include "msa/trees/nexus_trees.hpp"

namespace regraft::msa {

constexpr bool is_newick_space(char c) {
    return is_blank(c) || c == '\n';
}
/// Whether a label that is not quoted ends here.
constexpr bool ends_newick_label(char c) {
    return is_newick_space(c) || std::string_view("()[]:;,'").find(c) != std::string_view::npos;
}

/// Lengths are at most this, so that sums stay finite.
inline constexpr double longest_branch = 1e300;

/// The text, and the place up to which it was read. A text in NEXUS is read from tree to tree.
class NewickText {
public:
    NewickText(std::string_view text, std::string const& file);

    std::size_t at() const { return at_; }
    bool at_end() const { return at_ == text_.size(); }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    void skip() { ++at_; }
    /// Skips comments, too.
    void skip_space();
    /// Moves to the next tree, or to the end. Skips what is behind '//' on a line.
    void skip_to_tree();
    /// What the label of a tip stands for.
    std::string name_of(std::string label) const;
    /// A label, quoted or not; empty if there is none.
    std::string take_label();
    /// The length that follows, if there is one.
    std::optional<double> take_length(bool may_be_negative);
    /// The labels of tips before the first ';', in any order and not checked.
    std::vector<std::string> take_tip_labels();

    [[noreturn]] void fail(std::size_t at, std::string const& message) const;
    [[noreturn]] void fail_expected(std::string const& expected) const;

private:
    /// The ']' of the comment that begins here. In NEXUS comments may be in comments.
    std::size_t end_of_comment() const;
    std::string take_quoted_label();

    std::string_view text_;
    std::string const& file_;
    std::size_t at_ = 0;
    std::optional<NexusTrees> nexus_{};
    std::size_t next_tree_ = 0;  // in NEXUS
};

}  // namespace regraft::msa
