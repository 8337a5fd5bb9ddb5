#include "peers.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include <brotli/decode.h>
#include <brotli/encode.h>
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

namespace regraft::bench {
namespace {

void require(bool succeeded, char const* what) {
    if (!succeeded) throw std::runtime_error(std::string(what) + " failed");
}

/// Checks sizes, for interfaces that count in 32 bits.
unsigned short_size(std::size_t size) {
    require(size <= 0xffffffff, "a text of more than 4 GiB");
    return static_cast<unsigned>(size);
}

// ---- gzip

constexpr int gzip_format = 16 + 15;  // header of gzip, largest window

Bytes gzip(std::span<char const> text) {
    z_stream stream{};
    require(deflateInit2(&stream, 9, Z_DEFLATED, gzip_format, 9, Z_DEFAULT_STRATEGY) == Z_OK, "deflateInit2");
    Bytes out(deflateBound(&stream, text.size()));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = short_size(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = short_size(out.size());
    auto const code = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    require(code == Z_STREAM_END, "deflate");
    return out;
}

void gunzip(std::span<std::byte const> bytes, std::span<char> out) {
    z_stream stream{};
    require(inflateInit2(&stream, gzip_format) == Z_OK, "inflateInit2");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream.avail_in = short_size(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = short_size(out.size());
    auto const code = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    require(code == Z_STREAM_END, "inflate");
}

// ---- bzip2

Bytes bzip2(std::span<char const> text) {
    Bytes out(text.size() + text.size() / 100 + 600);  // as its manual says
    auto size = short_size(out.size());
    auto const code = BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(out.data()), &size,
                                               const_cast<char*>(text.data()), short_size(text.size()), 9, 0, 0);
    require(code == BZ_OK, "BZ2_bzBuffToBuffCompress");
    out.resize(size);
    return out;
}

void bunzip2(std::span<std::byte const> bytes, std::span<char> out) {
    auto size = short_size(out.size());
    auto* const in = reinterpret_cast<char*>(const_cast<std::byte*>(bytes.data()));
    auto const code = BZ2_bzBuffToBuffDecompress(out.data(), &size, in, short_size(bytes.size()), 0, 0);
    require(code == BZ_OK && size == out.size(), "BZ2_bzBuffToBuffDecompress");
}

// ---- xz

Bytes xz(std::span<char const> text) {
    Bytes out(lzma_stream_buffer_bound(text.size()));
    std::size_t size = 0;
    auto const code = lzma_easy_buffer_encode(9 | LZMA_PRESET_EXTREME, LZMA_CHECK_CRC64, nullptr,
                                              reinterpret_cast<std::uint8_t const*>(text.data()), text.size(),
                                              reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size());
    require(code == LZMA_OK, "lzma_easy_buffer_encode");
    out.resize(size);
    return out;
}

void unxz(std::span<std::byte const> bytes, std::span<char> out) {
    auto memory = UINT64_MAX;
    std::size_t read = 0;
    std::size_t written = 0;
    auto const code =
        lzma_stream_buffer_decode(&memory, 0, nullptr, reinterpret_cast<std::uint8_t const*>(bytes.data()), &read,
                                  bytes.size(), reinterpret_cast<std::uint8_t*>(out.data()), &written, out.size());
    require(code == LZMA_OK && written == out.size(), "lzma_stream_buffer_decode");
}

// ---- zstd

constexpr int zstd_window = 27;  // --long=27

Bytes zstd(std::span<char const> text) {
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> const context(ZSTD_createCCtx(), ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 19);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, 1);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, zstd_window);
    Bytes out(ZSTD_compressBound(text.size()));
    auto const size = ZSTD_compress2(context.get(), out.data(), out.size(), text.data(), text.size());
    require(ZSTD_isError(size) == 0, "ZSTD_compress2");
    out.resize(size);
    return out;
}

void unzstd(std::span<std::byte const> bytes, std::span<char> out) {
    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> const context(ZSTD_createDCtx(), ZSTD_freeDCtx);
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, zstd_window);
    require(ZSTD_decompressDCtx(context.get(), out.data(), out.size(), bytes.data(), bytes.size()) == out.size(),
            "ZSTD_decompressDCtx");
}

// ---- brotli

Bytes brotli(std::span<char const> text) {
    Bytes out(BrotliEncoderMaxCompressedSize(text.size()) + 1);
    auto size = out.size();
    auto const succeeded = BrotliEncoderCompress(BROTLI_MAX_QUALITY, BROTLI_MAX_WINDOW_BITS, BROTLI_MODE_GENERIC,
                                                 text.size(), reinterpret_cast<std::uint8_t const*>(text.data()), &size,
                                                 reinterpret_cast<std::uint8_t*>(out.data()));
    require(succeeded == BROTLI_TRUE, "BrotliEncoderCompress");
    out.resize(size);
    return out;
}

void unbrotli(std::span<std::byte const> bytes, std::span<char> out) {
    auto size = out.size();
    auto const code = BrotliDecoderDecompress(bytes.size(), reinterpret_cast<std::uint8_t const*>(bytes.data()), &size,
                                              reinterpret_cast<std::uint8_t*>(out.data()));
    require(code == BROTLI_DECODER_RESULT_SUCCESS && size == out.size(), "BrotliDecoderDecompress");
}

constexpr std::array<Peer, 5> all{{
    {"gzip", "gzip -9", gzip, gunzip},
    {"bzip2", "bzip2 -9", bzip2, bunzip2},
    {"xz", "xz -9e", xz, unxz},
    {"zstd", "zstd -19 --long=27", zstd, unzstd},
    {"brotli", "brotli -q 11", brotli, unbrotli},
}};

}  // namespace

std::span<Peer const> peers() {
    return all;
}

}  // namespace regraft::bench
