#include "regraft/core/zstd.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <zstd.h>

#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft {
namespace {

/// The window that level 19 needs, 8 MiB. Frames that need more are refused, because a decoder allocates its window
/// before it knows whether the rest is valid.
constexpr int max_window_log = 23;

/// Whether the bytes begin a frame that is neither to be skipped nor of an old version.
bool begins_a_frame(std::span<std::byte const> bytes) {
    constexpr std::array magic{std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f}, std::byte{0xfd}};
    return bytes.size() >= magic.size() && std::ranges::equal(bytes.first(magic.size()), magic);
}

}  // namespace

std::vector<std::byte> zstd_compress(std::span<std::byte const> bytes, int level) {
    std::vector<std::byte> frame(ZSTD_compressBound(bytes.size()));
    auto const size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), level);
    REGRAFT_EXPECTS(!ZSTD_isError(size));
    frame.resize(size);
    return frame;
}

std::vector<std::byte> zstd_compress_pieces(std::span<std::span<std::byte const> const> pieces, int level) {
    std::size_t size = 0;
    for (auto const& piece : pieces) size += piece.size();
    std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> const stream(ZSTD_createCCtx(), &ZSTD_freeCCtx);
    REGRAFT_EXPECTS(stream != nullptr);
    ZSTD_CCtx_setParameter(stream.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setPledgedSrcSize(stream.get(), size);

    std::vector<std::byte> frame(ZSTD_compressBound(size));
    ZSTD_outBuffer out{frame.data(), frame.size(), 0};
    auto const pass_on = [&](ZSTD_inBuffer in, ZSTD_EndDirective directive) {
        std::size_t left = 1;
        while (directive == ZSTD_e_end ? left != 0 : in.pos != in.size) {
            left = ZSTD_compressStream2(stream.get(), &out, &in, directive);
            REGRAFT_EXPECTS(!ZSTD_isError(left) && (left == 0 || out.pos != out.size));
        }
    };
    for (auto const& piece : pieces) pass_on({piece.data(), piece.size(), 0}, ZSTD_e_continue);
    pass_on({nullptr, 0, 0}, ZSTD_e_end);
    frame.resize(out.pos);
    return frame;
}

std::vector<std::byte> zstd_decompress(std::span<std::byte const> frame, std::uint64_t max_size) {
    constexpr std::size_t first_step = 1 << 12;
    if (!begins_a_frame(frame)) throw InputError("compressed bytes are damaged");
    max_size = std::min(max_size, zstd_max_content(frame.size()));
    std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> const stream(ZSTD_createDStream(), &ZSTD_freeDStream);
    REGRAFT_EXPECTS(stream != nullptr);
    ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, max_window_log);

    std::vector<std::byte> content;
    ZSTD_inBuffer in{frame.data(), frame.size(), 0};
    ZSTD_outBuffer out{nullptr, 0, 0};
    for (std::size_t left = 1; left != 0;) {
        if (out.pos == out.size) {
            // One byte more than allowed, to distinguish a content that just fits from one that does not.
            content.resize(std::min<std::uint64_t>(std::max(first_step, 2 * content.size()), max_size + 1));
            out.dst = content.data();
            out.size = content.size();
        }
        auto const in_before = in.pos;
        auto const out_before = out.pos;
        left = ZSTD_decompressStream(stream.get(), &out, &in);
        bool const is_stuck = left != 0 && in.pos == in_before && out.pos == out_before;
        if (ZSTD_isError(left) || is_stuck) throw InputError("compressed bytes are damaged");
        if (out.pos > max_size) throw InputError("compressed bytes have more content than there can be");
    }
    if (in.pos != in.size) throw InputError("something follows the compressed bytes");
    content.resize(out.pos);
    return content;
}

}  // namespace regraft
