#include "msa/trees/newick_text.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "msa/text/nexus_text.hpp"

namespace regraft::msa {

namespace {

/// The end of a first line of numbers: PHYLIP has there how many trees follow, and PAML how many taxa and trees. 0 if
/// there is none.
std::size_t end_of_counts(std::string_view text) {
    constexpr auto none = std::string_view::npos;
    auto const begin = text.find_first_not_of(" \t\r\n");
    if (begin == none || !is_digit(text[begin])) return 0;
    auto end = text.find_first_not_of("0123456789 \t", begin);
    if (end != none && text.substr(end).starts_with("//")) end = text.find_first_of("\r\n", end);  // a remark of PAML
    if (end == none || (text[end] != '\n' && text[end] != '\r')) return 0;
    auto const tree = text.find_first_not_of(" \t\r\n", end);
    return tree != none && std::string_view("([/").find(text[tree]) != none ? tree : 0;
}

}  // namespace

NewickText::NewickText(std::string_view text, std::string const& file)
    : text_(without_byte_order_mark(text)), file_(file) {
    if (is_nexus(text_)) {
        nexus_.emplace(text_, file);
    } else {
        at_ = end_of_counts(text_);
    }
    skip_to_tree();
}

void NewickText::skip_space() {
    while (at_ < text_.size() && (is_newick_space(text_[at_]) || text_[at_] == '[')) {
        if (text_[at_] == '[') at_ = end_of_comment();
        ++at_;
    }
}

void NewickText::skip_to_tree() {
    if (nexus_) {
        at_ = next_tree_ < nexus_->size() ? nexus_->begin(next_tree_++) : text_.size();
        return;
    }
    for (skip_space(); text_.substr(at_).starts_with("//"); skip_space())  // a remark, as PAML has it
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
}

std::string NewickText::name_of(std::string label) const {
    return nexus_ ? nexus_->name_of(label, next_tree_ - 1) : std::move(label);
}

std::string NewickText::take_label() {
    if (peek() == '\'' || (nexus_ && peek() == '"')) return take_quoted_label();
    auto const begin = at_;
    while (at_ < text_.size() && !ends_newick_label(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
}

std::optional<double> NewickText::take_length(bool may_be_negative) {
    skip_space();
    if (peek() != ':') return std::nullopt;
    ++at_;
    skip_space();
    auto const begin = at_;
    if (peek() == '+' && !text_.substr(at_).starts_with("+-")) ++at_;
    double length = 0;
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), length);
    at_ = static_cast<std::size_t>(end - text_.data());
    auto const is_whole = at_ == text_.size() || ends_newick_label(text_[at_]);
    auto const least = may_be_negative ? -longest_branch : 0;
    if (error == std::errc{} && is_whole && least <= length && length <= longest_branch) return length + 0.0;  // no -0
    at_ = begin;
    auto const word = take_label();
    fail(begin, std::string("expected the length of a branch (a number") + (may_be_negative ? "" : " from 0") +
                    "), found " + (word.empty() ? in_quotes(text_.substr(begin, 1)) : in_quotes(word)));
}

std::vector<std::string> NewickText::take_tip_labels() {
    std::vector<std::string> labels;
    bool is_tip_next = true;  // after '(' and ','
    for (skip_space(); at_ < text_.size() && peek() != ';'; skip_space()) {
        auto const begin = at_;
        if (auto label = take_label(); at_ > begin) {
            if (is_tip_next) labels.push_back(name_of(std::move(label)));
            is_tip_next = false;
        } else {
            is_tip_next = peek() == '(' || peek() == ',';
            ++at_;
        }
    }
    return labels;
}

void NewickText::fail(std::size_t at, std::string const& message) const {
    throw InputError(position(file_, text_, at), message);
}

void NewickText::fail_expected(std::string const& expected) const {
    auto const found =
        at_ < text_.size() ? in_quotes(first_character(text_.substr(at_))) : std::string("the end of the text");
    fail(at_, "expected " + expected + ", found " + found);
}

std::size_t NewickText::end_of_comment() const {
    constexpr auto none = std::string_view::npos;
    auto end = text_.find(']', at_);
    for (auto inner = text_.find('[', at_ + 1); nexus_ && inner < end && end != none; end = text_.find(']', end + 1))
        inner = text_.find('[', inner + 1);
    if (end == none) fail(at_, "this comment has no closing ']'");
    return end;
}

std::string NewickText::take_quoted_label() {
    std::string label;
    auto const mark = peek();
    auto const begin = at_++;
    for (;;) {
        auto const quote = text_.find(mark, at_);
        if (quote == std::string_view::npos) fail(begin, "this label has no closing quote");
        label += text_.substr(at_, quote - at_);
        at_ = quote + 1;
        if (peek() != mark) return label;
        label += mark;
        ++at_;
    }
}

}  // namespace regraft::msa
