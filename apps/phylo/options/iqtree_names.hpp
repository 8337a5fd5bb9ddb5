// Answers command lines of IQ-TREE with those of this program.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace regraft::phylo {

/// A command line of this program that does what one of IQ-TREE does, and what to know about it.
struct Answer {
    std::vector<std::string> words;  // without the program
    std::vector<std::string> notes;  // on options that have no counterpart, or another meaning
};

/// The answer to a command line of IQ-TREE. None if it is of another program: those of IQ-TREE begin with an option,
/// and have one, such as -s or -te, that this program, RAxML-NG and RAxML 8 do not have. arguments[0] is the program.
std::optional<Answer> from_iqtree(std::span<std::string const> arguments);

/// What to do instead of giving this option of IQ-TREE, such as "-bb". None if it is not known.
std::optional<std::string> iqtree_advice(std::string_view option);

}  // namespace regraft::phylo
