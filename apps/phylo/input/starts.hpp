// The starts of searches: start trees by rule, or the user's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace regraft::phylo {

struct Start {
    enum class Kind : std::uint8_t { user, parsimony, random };
    Kind kind;
    std::uint32_t number = 0;  // from 0, among starts of its kind
    friend bool operator==(Start const&, Start const&) = default;
};

/// "tree 1", "parsimony 2", "random 1": counted from 1.
std::string to_string(Start start);

/// Parses "pars{5},rand{2}": numbers of trees of each kind; without {} the number is one. Throws InputError.
std::vector<Start> parse_starts(std::string_view text);

/// The seed for the random choices of a start: the first of a kind has the user's seed.
std::uint64_t seed_of(Start start, std::uint64_t seed);

}  // namespace regraft::phylo
