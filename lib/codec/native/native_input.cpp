#include "codec/native/native_input.hpp"

#include "codec/native/vector_bytes.hpp"

namespace regraft::codec {

std::vector<char> NativeInput::columns(std::size_t block) const {
    std::size_t const num_tips = tree.num_tips();
    std::vector<char> cells(num_tips * num_sites(block));
    auto const row = [&](std::size_t tip) {
        return alignment.cells.data() + tree.row_of_tip[tip] * alignment.num_sites() + block * sites_per_block;
    };
    transpose(num_tips, num_sites(block), row, [&](std::size_t site) { return cells.data() + site * num_tips; });
    return cells;
}

}  // namespace regraft::codec
