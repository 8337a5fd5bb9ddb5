// The index consists of the number of bytes of a checksum; if there are several blocks, the size of the smallest one,
// the number of low bits of the Rice codes, and a Rice code for each block of the bytes beyond the smallest size; and
// the checksums.
#include <algorithm>

#include "codec/entropy/bit_stream.hpp"
#include "codec/entropy/rice.hpp"
#include "codec/rgm/rgm_format.hpp"
#include "regraft/core/bytes.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::codec {
namespace {

constexpr std::size_t fewest_check_bytes = 2;
constexpr std::size_t most_check_bytes = 4;

/// Checksums take at most about 3 % of the blocks' bytes, unless blocks are smaller than 64 bytes.
std::size_t check_bytes_for(std::uint64_t body_size, std::uint64_t num_blocks) {
    constexpr std::uint64_t block_bytes_per_check_byte = 32;
    if (num_blocks == 0) return fewest_check_bytes;
    return std::clamp<std::uint64_t>(body_size / num_blocks / block_bytes_per_check_byte, fewest_check_bytes,
                                     most_check_bytes);
}

void encode_sizes(CsrView<std::byte> blocks, FormatWriter& out) {
    std::vector<std::uint64_t> sizes;
    for (std::size_t block = 0; block < blocks.size(); ++block) sizes.push_back(blocks[block].size());
    auto const smallest = std::ranges::min(sizes);
    for (auto& size : sizes) size -= smallest;
    auto const low_bits = best_rice_bits(std::span<std::uint64_t const>(sizes));
    out.number(smallest);
    out.fixed(low_bits, 1);
    BitWriter bits;
    for (auto const size : sizes) put_rice(bits, size, low_bits);
    out.append(bits.take());
}

[[noreturn]] void fail_damaged_index() {
    throw InputError("the index of the blocks is damaged");
}

/// Reads the sizes of all blocks, and returns the bytes behind them.
std::span<std::byte const> decode_sizes(std::span<std::byte const> bytes, std::uint64_t num_blocks,
                                        std::uint64_t body_size, BlockIndex& index) {
    if (num_blocks == 1) {
        index.offsets.push_back(body_size);
        return bytes;
    }
    FormatReader numbers(bytes);
    auto const smallest = numbers.number();
    auto const low_bits = static_cast<std::uint32_t>(numbers.fixed(1));
    if (low_bits > max_rice_bits || smallest > body_size) fail_damaged_index();
    BitReader in(numbers.rest());
    index.offsets.reserve(num_blocks + 1);
    for (std::uint64_t block = 0; block < num_blocks; ++block) {
        auto const left = body_size - index.offsets.back();
        if (smallest > left) fail_damaged_index();
        index.offsets.push_back(index.offsets.back() + smallest + get_rice(in, low_bits, left - smallest));
    }
    return in.rest();
}

}  // namespace

std::uint32_t check_of(std::span<std::byte const> block, std::size_t check_bytes) {
    return static_cast<std::uint32_t>(hash(block) & ((std::uint64_t{1} << 8 * check_bytes) - 1));
}

std::vector<std::byte> encode_index(CsrView<std::byte> blocks) {
    auto const check_bytes = check_bytes_for(blocks.values.size(), blocks.size());
    FormatWriter out;
    out.fixed(check_bytes, 1);
    if (blocks.size() == 0) return out.take();

    if (blocks.size() > 1) encode_sizes(blocks, out);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        out.fixed(check_of(blocks[block], check_bytes), check_bytes);
    }
    return out.take();
}

BlockIndex decode_index(std::span<std::byte const> bytes, std::uint64_t num_blocks, std::uint64_t body_size) {
    FormatReader in(bytes);
    BlockIndex index;
    index.check_bytes = in.fixed(1);
    if (index.check_bytes < fewest_check_bytes || index.check_bytes > most_check_bytes) fail_damaged_index();
    // Each block takes a few bytes here, so memory stays in proportion to the file's size.
    if (num_blocks > in.rest().size() / index.check_bytes) fail_damaged_index();
    if (num_blocks > 0) in = FormatReader(decode_sizes(in.rest(), num_blocks, body_size, index));
    if (index.offsets.back() != body_size) fail_damaged_index();
    if (in.rest().size() != num_blocks * index.check_bytes) fail_damaged_index();
    index.checks.resize(num_blocks);
    for (auto& check : index.checks) check = static_cast<std::uint32_t>(in.fixed(index.check_bytes));
    return index;
}

}  // namespace regraft::codec
