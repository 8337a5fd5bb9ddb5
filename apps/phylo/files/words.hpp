// The words of a text, one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "regraft/core/errors.hpp"

namespace regraft::phylo {

/// A word of a text, and its place.
struct Word {
    std::string_view text;
    TextPosition where;
};

/// Takes words, separated by blanks or line ends, from a text.
class Words {
public:
    Words(std::string_view text, std::string const& file) : left_(text), where_{file, 1, 1} {}

    /// The next word; empty at the end, with the place behind the last one.
    Word next() {
        auto const is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
        while (!left_.empty() && is_space(left_.front())) {
            ++where_.column;
            if (left_.front() == '\n') where_ = {where_.file, where_.line + 1, 1};
            left_.remove_prefix(1);
        }
        auto const size = static_cast<std::size_t>(std::ranges::find_if(left_, is_space) - left_.begin());
        Word word{left_.substr(0, size), where_};
        left_.remove_prefix(size);
        where_.column += size;
        return word;
    }

private:
    std::string_view left_;
    TextPosition where_;
};

}  // namespace regraft::phylo
