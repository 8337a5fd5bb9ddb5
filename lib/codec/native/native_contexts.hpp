// What the tables of a symbol are chosen by: sizes and states that came before.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "codec/native/native_model.hpp"

namespace regraft::codec {

/// The rough size of a count: 0, 1, 2 for 2 to 3, 3 for up to 9, 4 for more.
inline std::uint32_t rough(std::size_t count) {
    return count < 2 ? static_cast<std::uint32_t>(count) : count < 4 ? 2 : count < 10 ? 3 : 4;
}

/// The numbers of changes of the last three sites, 0 before the first.
struct CountMemory {
    std::array<std::uint32_t, 3> last{};

    std::uint32_t context(CountContext how) const {
        if (how == CountContext::none) return 0;
        return how == CountContext::last_site ? rough(last[0]) : 5 * rough(last[0]) + rough(last[2]);
    }
    void add(std::uint32_t count) { last = {count, last[0], last[1]}; }
};

/// Predicts the new state of a residue: the one to which the same state last changed at this site. If it did not change
/// yet, it expects the state from which the last change came, or that of the root.
class TargetMemory {
public:
    explicit TargetMemory(std::uint32_t root) : before_(root) { next_.fill(none); }

    std::uint32_t table(TableLayout const& layout, std::uint32_t state) const {
        if (layout.contexts.target == TargetContext::state) return layout.residue_target + state;
        auto const expected = next_[state] != none ? next_[state] : before_;
        auto const candidate = expected == state ? 5U : std::min<std::uint32_t>(expected, 4);
        return layout.residue_target + 6 * state + candidate;
    }
    void add(std::uint32_t from, std::uint32_t to) {
        next_[from] = static_cast<std::uint8_t>(to);
        before_ = from;
    }

private:
    static constexpr std::uint8_t none = 0xFF;
    std::array<std::uint8_t, most_symbols> next_;
    std::uint32_t before_;
};

}  // namespace regraft::codec
