#include "input/starts.hpp"

#include <algorithm>
#include <charconv>

#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"

namespace regraft::phylo {
namespace {

constexpr std::uint32_t most_starts = 100'000;

[[noreturn]] void refuse(std::string_view text) {
    throw InputError("--starts: '" + std::string(text) +
                     "': expected pars{N}, rand{N} or both, such as pars{5},rand{5}, with N from 1 to " +
                     std::to_string(most_starts) + ", or tree");
}

Start::Kind kind_of(std::string_view word) {
    if (word == "pars") return Start::Kind::parsimony;
    if (word == "rand") return Start::Kind::random;
    refuse(word);
}

}  // namespace

std::string to_string(Start start) {
    auto const number = " " + std::to_string(start.number + 1);
    switch (start.kind) {
        case Start::Kind::user:
            return "tree" + number;
        case Start::Kind::parsimony:
            return "parsimony" + number;
        case Start::Kind::random:
            return "random" + number;
    }
    return "";
}

std::vector<Start> parse_starts(std::string_view text) {
    std::vector<Start> starts;
    do {
        auto const comma = std::min(text.find(','), text.size());
        auto const item = text.substr(0, comma);
        auto const brace = std::min(item.find('{'), item.size());
        auto const kind = kind_of(item.substr(0, brace));
        std::uint32_t count = 1;
        if (brace < item.size()) {
            auto const digits = item.substr(brace + 1);
            auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
            bool const closed = end + 1 == digits.data() + digits.size() && *end == '}';
            if (error != std::errc{} || !closed || count == 0 || count > most_starts) refuse(item);
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            auto const number = static_cast<std::uint32_t>(std::ranges::count(starts, kind, &Start::kind));
            starts.push_back({kind, number});
        }
        if (comma + 1 == text.size()) refuse("");  // the last comma of "pars{1}," announces another start
        text.remove_prefix(std::min(comma + 1, text.size()));
    } while (!text.empty());
    return starts;
}

std::uint64_t seed_of(Start start, std::uint64_t seed) {
    return start.number == 0 ? seed : mix(seed) + start.number;
}

}  // namespace regraft::phylo
