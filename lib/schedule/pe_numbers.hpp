// Numbers for the PEs that occur in a plan.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "regraft/core/ids.hpp"

namespace regraft::schedule {

/// Numbers PEs 0, 1, ... in ascending order, leaving out those that do not occur. Memory: 4 bytes * largest PeId.
class PeNumbers {
public:
    /// The PE occurs.
    void note(PeId pe) {
        if (value(pe) >= number_.size()) number_.resize(std::max<std::size_t>(value(pe) + 1ULL, 2 * number_.size()), 0);
        number_[value(pe)] = 1;
    }
    /// Gives the PEs their numbers. Precondition: called once, after the last note.
    void assign() {
        for (std::size_t pe = 0; pe < number_.size(); ++pe) {
            if (number_[pe] == 0) continue;
            number_[pe] = size();
            pes_.push_back(PeId{static_cast<std::uint32_t>(pe)});
        }
    }
    /// The number of PEs that occur.
    std::uint32_t size() const { return static_cast<std::uint32_t>(pes_.size()); }
    /// The number of a PE. Precondition: it occurs.
    std::uint32_t number(PeId pe) const { return number_[value(pe)]; }
    /// The PE with a number below size().
    PeId pe(std::uint32_t number) const { return pes_[number]; }

private:
    std::vector<std::uint32_t> number_;  // by PeId; before assign: 1 if the PE occurs
    std::vector<PeId> pes_;              // by number
};

}  // namespace regraft::schedule
