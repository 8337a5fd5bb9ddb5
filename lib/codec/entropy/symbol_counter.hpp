// Counts symbols by table; tables are made from the counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/entropy/frequency_table.hpp"

namespace regraft::codec {

/// The coder that counts what is coded.
class SymbolCounter {
public:
    explicit SymbolCounter(std::uint32_t num_tables) : counts_(num_tables) {}
    std::uint32_t symbol(std::uint32_t table, std::uint32_t s) {
        ++counts_[table][s];
        return s;
    }
    static std::uint32_t raw(std::uint32_t, std::uint32_t, std::uint32_t r) { return r; }
    /// line: of any type, as nothing of it counts.
    static std::uint32_t item(auto /*line*/, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t i) { return i; }

    void add(SymbolCounter const& other) {
        for (std::size_t t = 0; t < counts_.size(); ++t)
            for (std::size_t s = 0; s < most_symbols; ++s) counts_[t][s] += other.counts_[t][s];
    }
    std::vector<SymbolCounts> const& counts() const { return counts_; }

private:
    std::vector<SymbolCounts> counts_;
};

}  // namespace regraft::codec
