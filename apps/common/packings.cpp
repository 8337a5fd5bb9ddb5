#include "common/packings.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "regraft/core/contracts.hpp"

namespace regraft::common {
namespace {

constexpr int usual_window_log = 27;
constexpr std::uint64_t usual_memory = std::uint64_t{160} << 20;  // of xz: a dictionary of 128 MiB, and its tables

/// The size of a buffer for a library that counts in unsigned int.
template <class Buffer>
unsigned int size_of(Buffer const& buffer) {
    return static_cast<unsigned int>(std::min<std::size_t>(buffer.size(), std::numeric_limits<unsigned int>::max()));
}

class Gzip final : public Unpacker {
public:
    Gzip() {
        constexpr int only_gzip = 16 + MAX_WBITS;
        int const code = inflateInit2(&stream_, only_gzip);
        REGRAFT_EXPECTS(code == Z_OK);
    }
    Gzip(Gzip const&) = delete;
    Gzip& operator=(Gzip const&) = delete;
    ~Gzip() override { inflateEnd(&stream_); }

    void begin_member() override { inflateReset(&stream_); }
    State unpack(std::string_view& packed, std::span<char>& text) override {
        auto const given = size_of(packed);
        auto const room = size_of(text);
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // NOLINT: it is not changed
        stream_.avail_in = given;
        stream_.next_out = reinterpret_cast<Bytef*>(text.data());
        stream_.avail_out = room;
        int const status = inflate(&stream_, Z_NO_FLUSH);
        packed.remove_prefix(given - stream_.avail_in);
        text = text.subspan(room - stream_.avail_out);
        if (status == Z_STREAM_END) return State::at_end_of_member;
        return status == Z_OK || status == Z_BUF_ERROR ? State::in_member : State::damaged;
    }

private:
    z_stream stream_{};
};

class Bzip2 final : public Unpacker {
public:
    Bzip2() { begin(); }
    Bzip2(Bzip2 const&) = delete;
    Bzip2& operator=(Bzip2 const&) = delete;
    ~Bzip2() override { BZ2_bzDecompressEnd(&stream_); }

    void begin_member() override {
        BZ2_bzDecompressEnd(&stream_);
        begin();
    }
    State unpack(std::string_view& packed, std::span<char>& text) override {
        auto const given = size_of(packed);
        auto const room = size_of(text);
        stream_.next_in = const_cast<char*>(packed.data());  // NOLINT: it is not changed
        stream_.avail_in = given;
        stream_.next_out = text.data();
        stream_.avail_out = room;
        int const status = BZ2_bzDecompress(&stream_);
        packed.remove_prefix(given - stream_.avail_in);
        text = text.subspan(room - stream_.avail_out);
        if (status == BZ_STREAM_END) return State::at_end_of_member;
        return status == BZ_OK ? State::in_member : State::damaged;
    }

private:
    void begin() {
        stream_ = {};
        int const code = BZ2_bzDecompressInit(&stream_, 0, 0);
        REGRAFT_EXPECTS(code == BZ_OK);
    }
    bz_stream stream_{};
};

class Xz final : public Unpacker {
public:
    explicit Xz(UnpackMemory memory) : memory_(memory) { begin_member(); }
    Xz(Xz const&) = delete;
    Xz& operator=(Xz const&) = delete;
    ~Xz() override { lzma_end(&stream_); }

    void begin_member() override {
        auto const most = memory_ == UnpackMemory::any ? std::numeric_limits<std::uint64_t>::max() : usual_memory;
        auto const code = lzma_stream_decoder(&stream_, most, 0);
        REGRAFT_EXPECTS(code == LZMA_OK);
    }
    State unpack(std::string_view& packed, std::span<char>& text) override {
        stream_.next_in = reinterpret_cast<std::uint8_t const*>(packed.data());
        stream_.avail_in = packed.size();
        stream_.next_out = reinterpret_cast<std::uint8_t*>(text.data());
        stream_.avail_out = text.size();
        auto const status = lzma_code(&stream_, LZMA_RUN);
        packed.remove_prefix(packed.size() - stream_.avail_in);
        text = text.last(stream_.avail_out);
        if (status == LZMA_STREAM_END) return State::at_end_of_member;
        if (status == LZMA_MEMLIMIT_ERROR || status == LZMA_MEM_ERROR) return State::needs_memory;
        return status == LZMA_OK || status == LZMA_BUF_ERROR ? State::in_member : State::damaged;
    }

private:
    UnpackMemory memory_;
    lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Zstd final : public Unpacker {
public:
    explicit Zstd(UnpackMemory memory) : stream_(ZSTD_createDStream()) {
        REGRAFT_EXPECTS(stream_ != nullptr);
        auto const most =
            memory == UnpackMemory::any ? ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound : usual_window_log;
        auto const code = ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, most);
        REGRAFT_EXPECTS(ZSTD_isError(code) == 0);
    }
    Zstd(Zstd const&) = delete;
    Zstd& operator=(Zstd const&) = delete;
    ~Zstd() override { ZSTD_freeDStream(stream_); }

    void begin_member() override { ZSTD_DCtx_reset(stream_, ZSTD_reset_session_only); }
    State unpack(std::string_view& packed, std::span<char>& text) override {
        ZSTD_inBuffer in{packed.data(), packed.size(), 0};
        ZSTD_outBuffer out{text.data(), text.size(), 0};
        auto const hint = ZSTD_decompressStream(stream_, &out, &in);
        packed.remove_prefix(in.pos);
        text = text.subspan(out.pos);
        if (ZSTD_isError(hint) == 0) return hint == 0 ? State::at_end_of_member : State::in_member;
        auto const code = ZSTD_getErrorCode(hint);
        bool const is_large = code == ZSTD_error_frameParameter_windowTooLarge || code == ZSTD_error_memory_allocation;
        return is_large ? State::needs_memory : State::damaged;
    }

private:
    ZSTD_DStream* stream_;
};

constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";
constexpr std::string_view skippable_magic = "\x2a\x4d\x18";  // behind a byte whose high half is 5; pzstd begins so

bool begins_zstd(std::string_view head) {
    bool const may_be_skippable = !head.empty() && (static_cast<unsigned char>(head[0]) & 0xf0U) == 0x50;
    return head.starts_with(zstd_magic) || (may_be_skippable && head.substr(1).starts_with(skippable_magic));
}

constexpr std::array<Packing, 4> known{
    {{"gzip", "gunzip", "", ".gz", 0, [](std::string_view head) { return head.starts_with("\x1f\x8b"); },
      [](UnpackMemory) -> std::unique_ptr<Unpacker> { return std::make_unique<Gzip>(); }},
     {"bzip2", "bunzip2", "", ".bz2", 0, [](std::string_view head) { return head.starts_with("BZh"); },
      [](UnpackMemory) -> std::unique_ptr<Unpacker> { return std::make_unique<Bzip2>(); }},
     {"xz", "unxz", "", ".xz", 4,
      [](std::string_view head) {
          return head.starts_with(
              std::string_view("\xfd"
                               "7zXZ\0",
                               6));
      },
      [](UnpackMemory memory) -> std::unique_ptr<Unpacker> { return std::make_unique<Xz>(memory); }},
     {"zstd", "unzstd", " --long=31", ".zst", 0, begins_zstd,
      [](UnpackMemory memory) -> std::unique_ptr<Unpacker> { return std::make_unique<Zstd>(memory); }}}};

}  // namespace

std::span<Packing const> packings() {
    return known;
}

Packing const* packing_of(std::string_view head) {
    auto const found = std::ranges::find_if(known, [&](auto const& packing) { return packing.begins_member(head); });
    return found == known.end() ? nullptr : &*found;
}

}  // namespace regraft::common
