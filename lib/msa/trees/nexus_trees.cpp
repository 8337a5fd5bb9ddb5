#include "msa/trees/nexus_trees.hpp"

#include <charconv>
#include <cstddef>

#include "msa/text/nexus_text.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::msa {
namespace {

std::string take_taxon(NexusText& text) {
    auto name = text.take_name("a taxon");
    if (name.empty()) text.cursor().fail_expected("the name of a taxon");
    return name;
}

/// The names in `taxlabels`.
std::vector<std::string> take_taxa(NexusText& text) {
    std::vector<std::string> names;
    while (!text.cursor().take(';')) names.push_back(take_taxon(text));
    return names;
}

/// The pairs in `translate`, which commas separate.
std::map<std::string, std::string> take_table(NexusText& text) {
    std::map<std::string, std::string> table;
    auto& cursor = text.cursor();
    while (!cursor.take(';')) {
        auto const* const at = cursor.here();
        auto const label = take_taxon(text);
        if (!table.emplace(label, take_taxon(text)).second)
            cursor.fail_at(at, "the label " + in_quotes(label) + " has a meaning already");
        cursor.take(',');
    }
    return table;
}

/// Moves behind the '=' of `tree NAME = ...`.
void take_name_of_tree(NexusText& text) {
    text.cursor().take('*');  // the tree that is shown first
    text.take_name("a tree");
    text.expect('=', "after the name of a tree");
}

}  // namespace

NexusTrees::NexusTrees(std::string_view all, std::string const& file) {
    NexusText text(all, file);
    auto const visible = text.visible(without_byte_order_mark(all));
    while (auto const block = text.take_block()) {
        if (*block == "trees") tables_.emplace_back();
        while (auto const command = text.take_command()) {
            if (*block == "taxa" && *command == "taxlabels") {
                taxa_ = take_taxa(text);
            } else if (*block == "trees" && *command == "translate") {
                tables_.back() = take_table(text);
            } else {
                if (*block == "trees" && (*command == "tree" || *command == "utree")) {
                    take_name_of_tree(text);
                    begins_.push_back(
                        {static_cast<std::size_t>(text.cursor().here() - visible.data()), tables_.size() - 1});
                }
                text.skip_command();
            }
        }
    }
    if (begins_.empty())
        throw InputError({file}, "has no tree; expected a block such as 'begin trees; tree a = (x,y,z); end;'");
}

std::string NexusTrees::name_of(std::string const& label, std::size_t tree) const {
    auto const& table = tables_[begins_[tree].block];
    if (auto const found = table.find(label); found != table.end()) return found->second;
    std::size_t number = 0;
    auto const [end, error] = std::from_chars(label.data(), label.data() + label.size(), number);
    bool const is_number = error == std::errc{} && end == label.data() + label.size();
    return is_number && table.empty() && 1 <= number && number <= taxa_.size() ? taxa_[number - 1] : label;
}

}  // namespace regraft::msa
