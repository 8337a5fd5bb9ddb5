// Newick text: a parser with its own stack, and a writer.
#include "regraft/msa/newick.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "msa/text.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa {
namespace {

constexpr std::string_view special = "()[]:;,'";
/// Lengths are at most this, so that sums stay finite.
constexpr double longest_branch = 1e300;
constexpr std::size_t nowhere = std::string_view::npos;

bool is_space(char c) {
    return is_blank(c) || c == '\n';
}
bool ends_label(char c) {
    return is_space(c) || special.find(c) != nowhere;
}

/// A subtree and the length of the edge above it. Below num_tips it is a tip, else group number subtree - num_tips.
struct Branch {
    std::uint32_t subtree = 0;
    std::optional<double> length;
};

/// A pair of parentheses that is still open; the innermost one has all children from the first one on.
struct Group {
    std::size_t opened = 0;
    std::size_t first_child = 0;
};

/// One pass over the text, with its own stack, so that nesting costs no recursion.
class NewickParser {
public:
    NewickParser(std::string_view text, std::string const& file, std::span<std::string const> names,
                 NewickOptions const& options)
        : text_(without_byte_order_mark(text)),
          file_(file),
          names_(names),
          resolves_(options.multifurcations == Multifurcations::resolved),
          seen_at_(names.size(), nowhere) {
        for (std::uint32_t t = 0; t < names.size(); ++t) tip_of_.emplace(names[t], t);
        REGRAFT_EXPECTS(tip_of_.size() == names.size());
    }
    /// Reads and checks the text.
    void read();
    /// The tree that was read. Precondition: at least three taxa.
    Tree build() const;

private:
    [[noreturn]] void fail(std::size_t at, std::string const& message) const;
    [[noreturn]] void fail_expected(std::string const& expected) const;
    void skip_space();
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void read_groups();
    void open_group();
    void begin_branch();
    void add_to_group(Branch branch);
    void check_branching() const;
    /// Closes the innermost group; its branch, or nothing if it was the root.
    std::optional<Branch> close_group();
    Branch join(Branch const& first, Branch const& second, std::optional<double> length);
    /// Makes `most` children of more.
    void resolve(std::size_t first_child, std::size_t most);
    void close_root();
    void end_of_text();

    std::string take_label();
    std::string take_quoted_label();
    std::uint32_t take_tip();
    std::optional<double> take_length();

    void check_all_seen() const;
    static void attach(Tree& tree, HalfEdge h, Branch const& child);

    std::string_view text_;
    std::string const& file_;
    std::span<std::string const> names_;
    bool resolves_;
    std::unordered_map<std::string_view, std::uint32_t> tip_of_;
    std::vector<std::size_t> seen_at_;  // per tip: where its label is
    std::size_t at_ = 0;
    std::vector<Group> open_;
    std::vector<Branch> children_;               // of all open groups
    std::vector<std::array<Branch, 2>> groups_;  // closed ones, without the root
    std::vector<Branch> root_;                   // its children, one to three
};

void NewickParser::fail(std::size_t at, std::string const& message) const {
    auto const before = text_.substr(0, at);
    auto const separator = line_end(text_);
    auto const line = static_cast<std::uint64_t>(std::ranges::count(before, separator)) + 1;
    auto const line_begin = before.rfind(separator) + 1;  // npos + 1 is 0
    throw InputError({file_, line, at - line_begin + 1}, message);
}

void NewickParser::fail_expected(std::string const& expected) const {
    auto const found =
        at_ < text_.size() ? in_quotes(first_character(text_.substr(at_))) : std::string("the end of the text");
    fail(at_, "expected " + expected + ", found " + found);
}

void NewickParser::skip_space() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '[')) {
        if (text_[at_] == '[') {
            auto const end = text_.find(']', at_);
            if (end == nowhere) fail(at_, "this comment has no closing ']'");
            at_ = end;
        }
        ++at_;
    }
}

std::string NewickParser::take_quoted_label() {
    std::string label;
    auto const begin = at_++;
    for (;;) {
        auto const quote = text_.find('\'', at_);
        if (quote == nowhere) fail(begin, "this label has no closing quote");
        label += text_.substr(at_, quote - at_);
        at_ = quote + 1;
        if (peek() != '\'') return label;
        label += '\'';
        ++at_;
    }
}

/// A label, quoted or not; empty if there is none.
std::string NewickParser::take_label() {
    if (peek() == '\'') return take_quoted_label();
    auto const begin = at_;
    while (at_ < text_.size() && !ends_label(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
}

std::uint32_t NewickParser::take_tip() {
    auto const begin = at_;
    auto const label = take_label();
    if (label.empty()) fail_expected("a taxon or '('");
    auto const found = tip_of_.find(label);
    if (found == tip_of_.end()) fail(begin, "taxon " + in_quotes(label) + " is not in the alignment");
    auto& seen_at = seen_at_[found->second];
    if (seen_at != nowhere) fail(begin, "taxon " + in_quotes(label) + " is in the tree twice");
    seen_at = begin;
    return found->second;
}

std::optional<double> NewickParser::take_length() {
    skip_space();
    if (peek() != ':') return std::nullopt;
    ++at_;
    skip_space();
    auto const begin = at_;
    if (peek() == '+') ++at_;
    double length = 0;
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), length);
    at_ = static_cast<std::size_t>(end - text_.data());
    auto const is_whole = at_ == text_.size() || ends_label(text_[at_]);
    if (error == std::errc{} && is_whole && 0 <= length && length <= longest_branch) return std::abs(length);
    at_ = begin;
    auto const word = take_label();
    fail(begin, "expected the length of a branch (a number from 0), found " +
                    (word.empty() ? in_quotes(text_.substr(begin, 1)) : in_quotes(word)));
}

void NewickParser::open_group() {
    if (!resolves_ && open_.size() >= names_.size()) {
        fail(at_, "nested deeper than a binary tree of " + std::to_string(names_.size()) + " taxa can be");
    }
    open_.push_back({.opened = at_, .first_child = children_.size()});
    ++at_;
}

/// Reads up to and including the next tip.
void NewickParser::begin_branch() {
    for (skip_space(); peek() == '('; skip_space()) open_group();
    auto const tip = take_tip();
    add_to_group({tip, take_length()});
}

void NewickParser::add_to_group(Branch branch) {
    children_.push_back(branch);
    skip_space();
    if (!resolves_) check_branching();
}

/// Whether what follows leaves the innermost group binary.
void NewickParser::check_branching() const {
    auto const num_children = children_.size() - open_.back().first_child;
    auto const most = open_.size() == 1 ? 3U : 2U;
    if (peek() == ',' && num_children == most) {
        fail(at_, std::string("only binary trees are supported: ") +
                      (most == 3 ? "the root has more than three children" : "a node has more than two children"));
    }
    if (peek() == ')' && num_children < 2) fail(at_, "only binary trees are supported: a node has one child");
}

Branch NewickParser::join(Branch const& first, Branch const& second, std::optional<double> length) {
    groups_.push_back({first, second});
    return {static_cast<std::uint32_t>(names_.size() + groups_.size() - 1), length};
}

/// Two of them at a time become one, which queues up behind the others, so that no path gets long.
void NewickParser::resolve(std::size_t first_child, std::size_t most) {
    auto first = first_child;
    for (; children_.size() - first > most; first += 2)
        children_.push_back(join(children_[first], children_[first + 1], 0.0));
    auto const begin = children_.begin();
    children_.erase(begin + static_cast<std::ptrdiff_t>(first_child), begin + static_cast<std::ptrdiff_t>(first));
}

/// The length of two edges in one: none if neither has one.
std::optional<double> sum_of(std::optional<double> a, std::optional<double> b) {
    if (!a && !b) return std::nullopt;
    return std::min(a.value_or(0) + b.value_or(0), longest_branch);
}

std::optional<Branch> NewickParser::close_group() {
    ++at_;
    auto const first = open_.back().first_child;
    open_.pop_back();
    skip_space();
    take_label();
    auto const length = take_length();
    if (open_.empty()) {
        close_root();
        return std::nullopt;
    }
    resolve(first, 2);
    auto const branch = children_.size() - first == 1
                            ? Branch{children_[first].subtree, sum_of(children_[first].length, length)}
                            : join(children_[first], children_[first + 1], length);
    children_.resize(first);
    return branch;
}

void NewickParser::close_root() {
    resolve(0, 3);
    root_ = std::move(children_);
    if (root_.size() > 1 || root_[0].subtree < names_.size()) return;
    // An only child is the root; it was closed last.
    root_.assign(groups_.back().begin(), groups_.back().end());
    groups_.pop_back();
}

void NewickParser::end_of_text() {
    skip_space();
    if (peek() == ')') fail(at_, "this ')' closes no '('");
    if (peek() != ';') fail_expected("';' after the tree");
    ++at_;
    skip_space();
    if (at_ < text_.size()) fail_expected("nothing after the tree's ';'");
}

void NewickParser::check_all_seen() const {
    auto const missing = static_cast<std::size_t>(std::ranges::count(seen_at_, nowhere));
    if (missing == 0) return;
    constexpr std::size_t most_listed = 3;
    std::string list;
    std::size_t num_listed = 0;
    for (std::size_t t = 0; t < names_.size() && num_listed < most_listed; ++t) {
        if (seen_at_[t] != nowhere) continue;
        list += (num_listed == 0 ? "" : ", ") + in_quotes(names_[t]);
        ++num_listed;
    }
    if (missing > num_listed) list += " and " + std::to_string(missing - num_listed) + " more";
    throw InputError({file_}, "the tree lacks " + std::to_string(missing) + " of the " + std::to_string(names_.size()) +
                                  " taxa: " + list);
}

/// Connects h to the child. A group leads to its parent by its first half-edge.
void NewickParser::attach(Tree& tree, HalfEdge h, Branch const& child) {
    tree.connect(h, tree.half_edge(child.subtree), child.length.value_or(Tree::default_length));
}

Tree NewickParser::build() const {
    auto const num_tips = static_cast<std::uint32_t>(names_.size());
    Tree tree(num_tips);
    for (std::uint32_t i = 0; i < groups_.size(); ++i) {
        auto const h = tree.half_edge(num_tips + i);
        attach(tree, h + 1, groups_[i][0]);
        attach(tree, h + 2, groups_[i][1]);
    }
    if (root_.size() == 3) {
        auto const h = tree.half_edge(num_tips + static_cast<std::uint32_t>(groups_.size()));
        for (std::uint32_t i = 0; i < 3; ++i) attach(tree, h + i, root_[i]);
        return tree;
    }
    auto const& [left, left_length] = root_[0];
    auto const& [right, right_length] = root_[1];
    tree.connect(tree.half_edge(left), tree.half_edge(right),
                 sum_of(left_length, right_length).value_or(Tree::default_length));
    return tree;
}

void NewickParser::read() {
    skip_space();
    // A tree of one taxon has no parentheses.
    if (resolves_ && names_.size() == 1 && peek() != '(') {
        take_tip();
        take_length();
    } else {
        read_groups();
    }
    end_of_text();
    check_all_seen();
}

void NewickParser::read_groups() {
    if (peek() != '(') fail_expected("'(' at the beginning of a tree");
    open_group();
    begin_branch();
    while (!open_.empty()) {
        skip_space();
        if (peek() == ',') {
            ++at_;
            begin_branch();
        } else if (peek() == ')') {
            auto const branch = close_group();
            if (branch) add_to_group(*branch);
        } else if (at_ == text_.size()) {
            fail(open_.back().opened, "this '(' is never closed");
        } else {
            fail_expected("',' or ')'");
        }
    }
}

/// What is still to be written: a subtree, or punctuation.
struct Pending {
    enum class What { subtree, comma, close } what;
    HalfEdge h = no_half_edge;
};

class NewickWriter {
public:
    NewickWriter(Tree const& tree, std::span<std::string const> names, std::uint32_t set)
        : tree_(tree), names_(names), set_(set), smallest_tip_(tree.num_half_edges()) {
        for (auto h : postorder(tree, tree.back(0))) {
            smallest_tip_[h] = tree.is_tip(h) ? h : std::min(smallest_tip_[child(h, 0)], smallest_tip_[child(h, 1)]);
        }
    }
    std::string write();

private:
    HalfEdge child(HalfEdge h, int index) const {
        return tree_.back(index == 0 ? tree_.next(h) : tree_.next(tree_.next(h)));
    }
    void write_length(HalfEdge h);
    void push_children(HalfEdge h);

    Tree const& tree_;
    std::span<std::string const> names_;
    std::uint32_t set_;
    std::vector<std::uint32_t> smallest_tip_;  // per half-edge towards tip 0
    std::vector<Pending> pending_;
    std::string out_;
};

void NewickWriter::write_length(HalfEdge h) {
    std::array<char, 40> digits{};
    char const* const end = std::to_chars(digits.data(), digits.data() + digits.size(), tree_.length(h, set_),
                                          std::chars_format::general, 17)
                                .ptr;
    out_ += ':';
    out_.append(static_cast<char const*>(digits.data()), end);
}

/// In the order opposite to that of the text, since the last one pushed is the first one written.
void NewickWriter::push_children(HalfEdge h) {
    auto first = child(h, 0);
    auto second = child(h, 1);
    if (smallest_tip_[second] < smallest_tip_[first]) std::swap(first, second);
    pending_.push_back({Pending::What::subtree, second});
    pending_.push_back({Pending::What::comma});
    pending_.push_back({Pending::What::subtree, first});
}

std::string NewickWriter::write() {
    out_ += '(';
    out_ += newick_label(names_[0]);
    write_length(0);
    out_ += ',';
    push_children(tree_.back(0));
    while (!pending_.empty()) {
        auto const [what, h] = pending_.back();
        pending_.pop_back();
        if (what == Pending::What::comma) {
            out_ += ',';
        } else if (what == Pending::What::close) {
            out_ += ')';
            write_length(h);
        } else if (tree_.is_tip(h)) {
            out_ += newick_label(names_[h]);
            write_length(h);
        } else {
            out_ += '(';
            pending_.push_back({Pending::What::close, h});
            push_children(h);
        }
    }
    return out_ + ");";
}

}  // namespace

Tree parse_newick(std::string_view text, std::string const& file, std::span<std::string const> taxon_names,
                  NewickOptions const& options) {
    if (taxon_names.size() < 3) throw InputError({file}, "a tree needs at least three taxa");
    NewickParser parser(text, file, taxon_names, options);
    parser.read();
    return parser.build();
}

Tree read_newick(std::filesystem::path const& path, std::span<std::string const> taxon_names,
                 NewickOptions const& options) {
    return parse_newick(read_file(path), path.string(), taxon_names, options);
}

void check_newick(std::string_view text, std::string const& file, std::span<std::string const> taxon_names,
                  NewickOptions const& options) {
    NewickParser(text, file, taxon_names, options).read();
}

std::string newick_label(std::string_view name) {
    if (!name.empty() && std::ranges::none_of(name, ends_label)) return std::string(name);
    std::string label = "'";
    for (char c : name) label.append(c == '\'' ? 2 : 1, c);
    return label + '\'';
}

std::string to_newick(Tree const& tree, std::span<std::string const> taxon_names, std::uint32_t set) {
    REGRAFT_EXPECTS(taxon_names.size() == tree.num_tips() && set < tree.num_length_sets());
    REGRAFT_EXPECTS(tree.is_complete());
    return NewickWriter(tree, taxon_names, set).write();
}

}  // namespace regraft::msa
