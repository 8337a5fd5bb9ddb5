#include "common/gzip.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>

#include "regraft/core/contracts.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::common {
namespace {

constexpr std::string_view magic = "\x1f\x8b";
constexpr int only_gzip = 16 + MAX_WBITS;
constexpr std::size_t piece = std::size_t{1} << 16;

/// zlib's state, which refers to the bytes that are left.
class Inflater {
public:
    explicit Inflater(std::string_view bytes) : rest_(bytes) {
        int const code = inflateInit2(&stream_, only_gzip);
        REGRAFT_EXPECTS(code == Z_OK);
    }
    Inflater(Inflater const&) = delete;
    Inflater& operator=(Inflater const&) = delete;
    ~Inflater() { inflateEnd(&stream_); }

    std::string_view rest() const { return rest_; }
    void begin_member() { inflateReset(&stream_); }

    /// Fills out as far as possible, and returns the number of bytes. `status` is zlib's.
    std::size_t fill(std::size_t size, char* out, int& status) {
        auto const given = std::min<std::size_t>(rest_.size(), std::numeric_limits<uInt>::max());
        stream_.next_in =
            reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));  // NOLINT: zlib does not write there
        stream_.avail_in = static_cast<uInt>(given);
        stream_.next_out = reinterpret_cast<Bytef*>(out);
        stream_.avail_out = static_cast<uInt>(size);
        status = inflate(&stream_, Z_NO_FLUSH);
        rest_.remove_prefix(given - stream_.avail_in);
        return size - stream_.avail_out;
    }

private:
    std::string_view rest_;
    z_stream stream_{};
};

}  // namespace

bool is_gzip(std::string_view bytes) {
    return bytes.starts_with(magic);
}

std::string gunzip(std::string_view bytes, std::string const& name) {
    auto const fail = [&](std::string const& what) { throw InputError({name}, "is packed by gzip, " + what); };
    auto const most = most_text(bytes.size());
    Inflater inflater(bytes);
    std::string text;
    for (int status = Z_OK;;) {
        auto const used = text.size();
        text.resize(used + piece);
        auto const size = inflater.fill(piece, text.data() + used, status);
        text.resize(used + size);
        if (auto const nul = text.find('\0', used); nul != std::string::npos)
            fail(fmt::format("but byte {} of the unpacked data is 0; expected a text", nul + 1));
        if (text.size() > most)
            fail(fmt::format("with a text over {} times as large; if that is meant, unpack it with gunzip",
                             most / bytes.size()));
        if (status == Z_STREAM_END) {
            if (inflater.rest().empty()) return text;
            if (!is_gzip(inflater.rest())) fail("but something else follows");
            inflater.begin_member();
        } else if (status != Z_OK || (size == 0 && inflater.rest().empty())) {
            fail(inflater.rest().empty() ? "but is cut off" : "but is damaged");
        }
    }
}

}  // namespace regraft::common
