// Trees of Newick text: a parser with its own stack.
#include "regraft/msa/newick.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "msa/text/text.hpp"
#include "msa/trees/newick_text.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::msa {
namespace {

constexpr std::size_t nowhere = std::string_view::npos;

/// A subtree and the length of the edge above it. A number below num_tips is a tip; otherwise it is that of group
/// subtree - num_tips.
struct Branch {
    std::uint32_t subtree = 0;
    std::optional<double> length;
};

/// A pair of parentheses that is still open. The innermost one has all children from first_child on.
struct Group {
    std::size_t opened = 0;
    std::size_t first_child = 0;
};

/// The number of children that a node may have.
enum class Degrees : std::uint8_t { binary, resolved, at_random, any };

Degrees degrees(NewickOptions const& options) {
    switch (options.multifurcations) {
        case Multifurcations::resolved:
            return Degrees::resolved;
        case Multifurcations::at_random:
            return Degrees::at_random;
        case Multifurcations::rejected:
            break;
    }
    return Degrees::binary;
}

/// One pass over the text, tree by tree, with its own stack, so that nesting costs no recursion.
class NewickParser {
public:
    NewickParser(std::string_view text, std::string const& file, std::span<std::string const> names,
                 NewickOptions const& options)
        : NewickParser(text, file, names, degrees(options), options.origin) {
        limits_ = options.limits;
        random_ = Random(options.seed);
    }
    /// `origin`: where the names come from, for messages.
    NewickParser(std::string_view text, std::string const& file, std::span<std::string const> names, Degrees degrees,
                 std::string const& origin)
        : in_(text, file), names_(names), degrees_(degrees), origin_(origin), seen_at_(names.size(), nowhere) {
        for (std::uint32_t t = 0; t < names.size(); ++t) tip_of_.emplace(names[t], t);
        REGRAFT_EXPECTS(tip_of_.size() == names.size());
    }
    /// Reads and checks the next tree.
    void read();
    /// The same, but taxa may be missing.
    void read_some();
    bool at_end() const { return in_.at_end(); }
    /// Throws if the text continues.
    void expect_end() const;
    /// The tree that was read last. Precondition: at least three taxa; degrees are not `any`.
    Tree build();
    /// The same for nodes of any degree. Precondition: at least three taxa.
    GeneralTree build_general() const;
    /// The same for the taxa that were seen, with their numbers.
    PartialTree build_partial() const;
    std::uint64_t num_resolved() const { return num_resolved_; }
    std::uint64_t num_limited() const { return num_limited_; }
    std::uint64_t num_missing() const { return num_missing_; }

private:
    using TipOf = std::unordered_map<std::string_view, std::uint32_t>;

    void read_groups();
    void open_group();
    void begin_branch();
    void add_to_group(Branch branch);
    void check_branching() const;
    /// Closes the innermost group. Returns its branch, or nothing if it was the root.
    std::optional<Branch> close_group();
    Branch close(std::span<Branch const> children, std::optional<double> length);
    /// Resolves more children so that `most` are left.
    void resolve(std::size_t first_child, std::size_t most);
    bool is_resolved() const { return degrees_ == Degrees::resolved || degrees_ == Degrees::at_random; }
    void close_root();
    void end_of_tree();

    TipOf::const_iterator tip_called(std::string const& label) const;
    std::uint32_t take_tip();
    std::optional<double> take_length() {
        // Other programs write negative lengths too, for example those of neighbour joining.
        return in_.take_length(degrees_ == Degrees::any || limits_.has_value());
    }

    void check_all_seen() const;
    /// The length within the limits.
    double limited(std::optional<double> length);
    void attach(Tree& tree, HalfEdge h, Branch const& child);
    /// The children of the root, three or more: if there are two, an inner one of them is dissolved.
    std::vector<Branch> unrooted() const;

    NewickText in_;
    std::span<std::string const> names_;
    Degrees degrees_;
    std::string const& origin_;
    TipOf tip_of_;
    std::vector<std::size_t> seen_at_;  // per tip: position of its label
    std::size_t tree_begin_ = 0;
    std::vector<Group> open_;
    std::vector<Branch> children_;  // children of all open groups
    Csr<Branch> groups_;            // children of closed groups, without the root; each has two unless degrees are
                                    // `any`
    std::vector<Branch> root_;      // children of the root: one to three, or any number
    std::optional<LengthLimits> limits_;
    Random random_{1};
    std::uint64_t num_resolved_ = 0;
    std::uint64_t num_limited_ = 0;
    std::uint64_t num_missing_ = 0;
};

/// The tip of this name or, if there is none, of the name with blanks for underscores, or underscores for blanks: they
/// are the same in Newick, but not in other formats.
NewickParser::TipOf::const_iterator NewickParser::tip_called(std::string const& label) const {
    auto found = tip_of_.find(label);
    for (auto const& [from, to] : {std::pair{'_', ' '}, {' ', '_'}}) {
        if (found != tip_of_.end()) break;
        auto other = label;
        std::ranges::replace(other, from, to);
        found = tip_of_.find(other);
    }
    return found;
}

std::uint32_t NewickParser::take_tip() {
    auto const begin = in_.at();
    auto const label = in_.name_of(in_.take_label());
    if (label.empty()) in_.fail_expected("a taxon or '('");
    auto const found = tip_called(label);
    if (found == tip_of_.end()) in_.fail(begin, "taxon " + in_quotes(label) + " is not in " + origin_);
    auto& seen_at = seen_at_[found->second];
    if (seen_at != nowhere) in_.fail(begin, "taxon " + in_quotes(label) + " is in the tree twice");
    seen_at = begin;
    return found->second;
}

void NewickParser::open_group() {
    if (degrees_ == Degrees::binary && open_.size() >= names_.size()) {
        in_.fail(in_.at(), "nested deeper than a binary tree of " + std::to_string(names_.size()) + " taxa can be");
    }
    open_.push_back({.opened = in_.at(), .first_child = children_.size()});
    in_.skip();
}

/// Reads up to and including the next tip.
void NewickParser::begin_branch() {
    for (in_.skip_space(); in_.peek() == '('; in_.skip_space()) open_group();
    auto const tip = take_tip();
    add_to_group({tip, take_length()});
}

void NewickParser::add_to_group(Branch branch) {
    children_.push_back(branch);
    in_.skip_space();
    if (degrees_ == Degrees::binary) check_branching();
}

/// Checks whether what follows leaves the innermost group binary.
void NewickParser::check_branching() const {
    auto const num_children = children_.size() - open_.back().first_child;
    auto const most = open_.size() == 1 ? 3U : 2U;
    if (in_.peek() == ',' && num_children == most) {
        in_.fail(in_.at(),
                 std::string("only binary trees are supported: ") +
                     (most == 3 ? "the root has more than three children" : "a node has more than two children"));
    }
    if (in_.peek() == ')' && num_children < 2)
        in_.fail(in_.at(), "only binary trees are supported: a node has one child");
}

Branch NewickParser::close(std::span<Branch const> children, std::optional<double> length) {
    groups_.push_row(children);
    return {static_cast<std::uint32_t>(names_.size() + groups_.size() - 1), length};
}

/// Joins two children at a time to one, which is appended behind the others, so that no path gets long.
void NewickParser::resolve(std::size_t first_child, std::size_t most) {
    if (children_.size() - first_child > most) ++num_resolved_;
    auto first = first_child;
    for (; children_.size() - first > most; first += 2) {
        auto const pair = std::span(children_).subspan(first, 2);
        if (degrees_ == Degrees::at_random) {
            for (std::size_t i = 0; i < 2; ++i)
                std::swap(pair[i], children_[first + i + random_.below(children_.size() - first - i)]);
        }
        children_.push_back(close(pair, limits_ ? limits_->least : 0.0));
    }
    auto const begin = children_.begin();
    children_.erase(begin + static_cast<std::ptrdiff_t>(first_child), begin + static_cast<std::ptrdiff_t>(first));
}

/// The sum of the lengths of two joined edges; none if neither has one.
std::optional<double> sum_of(std::optional<double> a, std::optional<double> b) {
    if (!a && !b) return std::nullopt;
    return std::clamp(a.value_or(0) + b.value_or(0), -longest_branch, longest_branch);
}

std::optional<Branch> NewickParser::close_group() {
    in_.skip();
    auto const first = open_.back().first_child;
    open_.pop_back();
    in_.skip_space();
    in_.take_label();
    auto const length = take_length();
    if (open_.empty()) {
        close_root();
        return std::nullopt;
    }
    if (is_resolved()) resolve(first, 2);
    auto const children = std::span<Branch const>(children_).subspan(first);
    auto const branch = children.size() == 1 ? Branch{children[0].subtree, sum_of(children[0].length, length)}
                                             : close(children, length);
    children_.resize(first);
    return branch;
}

void NewickParser::close_root() {
    if (is_resolved()) resolve(0, 3);
    root_ = std::exchange(children_, {});
    if (root_.size() > 1 || root_[0].subtree < names_.size()) return;
    // An only child is the root itself, which was closed last.
    auto const last = std::as_const(groups_)[groups_.size() - 1];
    root_.assign(last.begin(), last.end());
    groups_.values.resize(groups_.values.size() - last.size());
    groups_.offsets.pop_back();
}

void NewickParser::end_of_tree() {
    in_.skip_space();
    if (in_.peek() == ')') in_.fail(in_.at(), "this ')' closes no '('");
    if (in_.peek() != ';') in_.fail_expected("';' after the tree");
    in_.skip();
    in_.skip_to_tree();
}

void NewickParser::expect_end() const {
    if (!at_end()) in_.fail_expected("nothing after the tree's ';'");
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
    in_.fail(tree_begin_, "the tree lacks " + std::to_string(missing) + " of the " + std::to_string(names_.size()) +
                              " taxa: " + list);
}

/// Connects h to the child. A group leads to its parent by its first half-edge.
void NewickParser::attach(Tree& tree, HalfEdge h, Branch const& child) {
    tree.connect(h, tree.half_edge(child.subtree), limited(child.length));
}

double NewickParser::limited(std::optional<double> length) {
    if (!length) ++num_missing_;
    auto const given = length.value_or(limits_ ? std::clamp(Tree::default_length, limits_->least, limits_->most)
                                               : Tree::default_length);
    if (!limits_ || (limits_->least <= given && given <= limits_->most)) return given;
    ++num_limited_;
    return std::clamp(given, limits_->least, limits_->most);
}

Tree NewickParser::build() {
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
    tree.connect(tree.half_edge(left), tree.half_edge(right), limited(sum_of(left_length, right_length)));
    return tree;
}

std::vector<Branch> NewickParser::unrooted() const {
    if (root_.size() > 2) return root_;
    auto const inner = root_[0].subtree >= names_.size() ? 0U : 1U;
    auto const children = groups_[root_[inner].subtree - names_.size()];
    std::vector<Branch> result(children.begin(), children.end());
    result.push_back({root_[1 - inner].subtree, sum_of(root_[0].length, root_[1].length)});
    return result;
}

GeneralTree NewickParser::build_general() const {
    GeneralTree tree;
    std::vector<std::pair<Branch, std::uint32_t>> pending;  // branches with the number of their parent
    auto const add = [&](std::optional<std::uint32_t> taxon, std::optional<double> length, std::uint32_t parent) {
        tree.parent.push_back(parent);
        tree.taxon.push_back(taxon.value_or(GeneralTree::no_taxon));
        tree.length.push_back(length.value_or(std::numeric_limits<double>::quiet_NaN()));
        return static_cast<std::uint32_t>(tree.parent.size() - 1);
    };
    add({}, {}, 0);
    for (auto const& branch : unrooted()) pending.emplace_back(branch, 0);
    while (!pending.empty()) {
        auto const [branch, parent] = pending.back();
        pending.pop_back();
        if (branch.subtree < names_.size()) {
            add(branch.subtree, branch.length, parent);
            continue;
        }
        auto const v = add({}, branch.length, parent);
        for (auto const& child : groups_[branch.subtree - names_.size()]) pending.emplace_back(child, v);
    }
    return tree;
}

PartialTree NewickParser::build_partial() const {
    PartialTree result;
    std::vector<std::uint32_t> number(names_.size());
    for (std::uint32_t t = 0; t < names_.size(); ++t) {
        if (seen_at_[t] == nowhere) continue;
        number[t] = static_cast<std::uint32_t>(result.taxa.size());
        result.taxa.push_back(t);
    }
    if (result.taxa.size() < 3) return result;
    result.tree = build_general();
    for (auto& taxon : result.tree.taxon) {
        if (taxon != GeneralTree::no_taxon) taxon = number[taxon];
    }
    return result;
}

void NewickParser::read() {
    read_some();
    check_all_seen();
}

void NewickParser::read_some() {
    groups_ = {};
    std::ranges::fill(seen_at_, nowhere);
    in_.skip_space();
    tree_begin_ = in_.at();
    // A tree of one taxon has no parentheses.
    if (is_resolved() && names_.size() == 1 && in_.peek() != '(') {
        take_tip();
        take_length();
    } else {
        read_groups();
    }
    end_of_tree();
}

void NewickParser::read_groups() {
    if (in_.peek() != '(') in_.fail_expected("'(' at the beginning of a tree");
    open_group();
    begin_branch();
    while (!open_.empty()) {
        in_.skip_space();
        if (in_.peek() == ',') {
            in_.skip();
            begin_branch();
        } else if (in_.peek() == ')') {
            auto const branch = close_group();
            if (branch) add_to_group(*branch);
        } else if (in_.at_end()) {
            in_.fail(open_.back().opened, "this '(' is never closed");
        } else {
            in_.fail_expected("',' or ')'");
        }
    }
}

void require_three(std::string const& file, std::span<std::string const> taxon_names) {
    if (taxon_names.size() < 3) throw InputError({file}, "a tree needs at least three taxa");
}

}  // namespace

Tree parse_newick(std::string_view text, std::string const& file, std::span<std::string const> taxon_names,
                  NewickOptions const& options) {
    require_three(file, taxon_names);
    NewickParser parser(text, file, taxon_names, options);
    parser.read();
    parser.expect_end();
    return parser.build();
}

Tree read_newick(std::filesystem::path const& path, std::span<std::string const> taxon_names,
                 NewickOptions const& options) {
    return read_trees(path, taxon_names, options, TreeCount::one).trees.front();
}

ReadTrees read_trees(std::filesystem::path const& path, std::span<std::string const> taxon_names,
                     NewickOptions const& options, TreeCount count) {
    auto const file = path.string();
    auto const text = read_file(path);
    require_three(file, taxon_names);
    NewickParser parser(text, file, taxon_names, options);
    std::vector<Tree> trees;
    do {
        parser.read();
        if (count == TreeCount::one) parser.expect_end();
        trees.push_back(parser.build());
    } while (!parser.at_end());
    return {std::move(trees), parser.num_resolved(), parser.num_limited(), parser.num_missing()};
}

std::vector<Tree> read_newick_trees(std::filesystem::path const& path, std::span<std::string const> taxon_names,
                                    NewickOptions const& options) {
    return read_trees(path, taxon_names, options, TreeCount::any).trees;
}

std::vector<GeneralTree> parse_general_trees(std::string_view text, std::string const& file,
                                             std::span<std::string const> taxon_names, std::string const& origin) {
    require_three(file, taxon_names);
    NewickParser parser(text, file, taxon_names, Degrees::any, origin);
    std::vector<GeneralTree> trees;
    do {
        parser.read();
        trees.push_back(parser.build_general());
    } while (!parser.at_end());
    return trees;
}

void for_each_partial_tree(std::string_view text, std::string const& file, std::span<std::string const> taxon_names,
                           std::string const& origin, std::function<void(PartialTree const&)> const& f) {
    NewickParser parser(text, file, taxon_names, Degrees::any, origin);
    do {
        parser.read_some();
        f(parser.build_partial());
    } while (!parser.at_end());
}

std::vector<GeneralTree> read_general_trees(std::filesystem::path const& path, std::span<std::string const> taxon_names,
                                            std::string const& origin) {
    return parse_general_trees(read_file(path), path.string(), taxon_names, origin);
}

std::vector<std::string> taxa_in_text_order(std::string_view text, std::string const& file) {
    parse_named_trees(text, file);  // refuses what is no tree
    return NewickText(text, file).take_tip_labels();
}

NamedTrees parse_named_trees(std::string_view text, std::string const& file) {
    NamedTrees result;
    result.taxa = NewickText(text, file).take_tip_labels();
    std::ranges::sort(result.taxa);
    auto const repeated = std::ranges::unique(result.taxa);  // their positions are reported below
    result.taxa.erase(repeated.begin(), repeated.end());
    if (result.taxa.size() < 3) NewickParser(text, file, result.taxa, Degrees::any, "").read();  // reports the error
    result.trees = parse_general_trees(text, file, result.taxa, "the first tree");
    return result;
}

NamedTrees read_named_trees(std::filesystem::path const& path) {
    return parse_named_trees(read_file(path), path.string());
}

void check_newick(std::string_view text, std::string const& file, std::span<std::string const> taxon_names,
                  NewickOptions const& options) {
    NewickParser parser(text, file, taxon_names, options);
    parser.read();
    parser.expect_end();
}

}  // namespace regraft::msa
