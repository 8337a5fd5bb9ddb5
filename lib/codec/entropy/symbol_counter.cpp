#include "codec/entropy/symbol_counter.hpp"

namespace regraft::codec {

std::uint64_t table_bits(TableLayout const& layout, std::span<SymbolCounts const> counts, std::uint32_t first,
                         std::uint32_t last) {
    BitWriter out;
    for (auto t = first; t < last; ++t) FrequencyTable(counts[t]).write(out, layout.num_symbols(t));
    return out.size() << 8;
}

}  // namespace regraft::codec
