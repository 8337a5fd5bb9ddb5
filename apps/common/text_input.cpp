#include "common/text_input.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/input.hpp"
#include "regraft/core/errors.hpp"

namespace regraft::common {
namespace {

constexpr std::size_t piece_size = std::size_t{1} << 18;
constexpr std::string_view zip_magic = "PK\x03\x04";

}  // namespace

TextInput::TextInput(std::string const& path, SizeLimit limit)
    : TextInput(std::make_shared<InputFile>(path), shown_input(path), limit) {}

TextInput::TextInput(std::shared_ptr<InputFile> const& file, std::string name, SizeLimit limit)
    : TextInput([file](std::span<char> buffer) { return file->read(buffer); }, std::move(name), file->size(), limit) {}

TextInput::TextInput(ByteReader source, std::string name, std::optional<std::uint64_t> size, SizeLimit limit)
    : source_(std::move(source)), name_(std::move(name)), size_(size), limit_(limit) {
    while (pending_.size() < packed_head && !is_over_) refill();
    packing_ = packing_of(pending_);
    if (packing_ != nullptr) {
        unpacker_ = packing_->make_unpacker(limit_ == SizeLimit::none ? UnpackMemory::any : UnpackMemory::usual);
    } else if (pending_.starts_with(zip_magic)) {
        throw InputError({name_},
                         "is packed by zip, expected a text, or one packed by gzip, bzip2, xz or zstd; unzip "
                         "unpacks it");
    }
}

/// Reads more of the source behind what is pending.
void TextInput::refill() {
    std::string more(pending_);
    auto const used = more.size();
    more.resize(used + piece_size);
    auto const size = source_(std::span(more).subspan(used));
    more.resize(used + size);
    buffer_ = std::move(more);
    pending_ = buffer_;
    bytes_read_ += size;
    is_over_ = size == 0;
}

void TextInput::fail(std::string const& what) const {
    throw InputError({name_}, fmt::format("is packed by {}, {}", packing_->name, what));
}

/// Checks a piece of unpacked text.
void TextInput::check_text(std::string_view piece) {
    if (text_size_ == 0 && piece.starts_with("BCF\2"))
        fail("but is BCF, the binary form of VCF; expected a text, which bcftools view makes of it");
    if (auto const nul = piece.find('\0'); nul != std::string_view::npos)
        fail(fmt::format("but byte {} of the unpacked data is 0; expected a text", text_size_ + nul + 1));
    text_size_ += piece.size();
    auto const packed = size_.value_or(bytes_read_);
    if (limit_ == SizeLimit::most_text && text_size_ > most_text(packed))
        fail(fmt::format("with a text over {} times as large; if that is meant, unpack it with {}",
                         most_text(packed) / packed, packing_->unpacker));
}

/// Whether another member follows, which then begins.
bool TextInput::next_member() {
    std::size_t zeros = 0;
    while (true) {
        if (packing_->padding != 0) {
            auto const end = std::min(pending_.find_first_not_of('\0'), pending_.size());
            zeros += end;
            pending_.remove_prefix(end);
        }
        if (pending_.size() >= packed_head || is_over_) break;
        refill();
    }
    bool const is_padding = zeros == 0 || zeros % packing_->padding == 0;
    if (is_padding && pending_.empty()) return false;
    if (!is_padding || !packing_->begins_member(pending_)) fail("but something else follows");
    unpacker_->begin_member();
    return true;
}

std::size_t TextInput::unpack(std::span<char> buffer) {
    auto room = buffer;
    while (unpacker_ && room.size() == buffer.size()) {
        if (pending_.empty() && !is_over_) refill();
        auto const before = pending_.size();
        auto const state = unpacker_->unpack(pending_, room);
        bool const is_stuck = is_over_ && pending_.size() == before && room.size() == buffer.size();
        if (state == Unpacker::State::damaged) fail("but is damaged");
        if (state == Unpacker::State::needs_memory)
            fail(fmt::format(
                "but needs more memory than usual to be unpacked; if that is meant, unpack it with {}{}, or let "
                "regraft-msa read it with --any-size",
                packing_->unpacker, packing_->any_memory));
        if (state == Unpacker::State::in_member && is_stuck)
            fail(pending_.empty() ? "but is cut off" : "but is damaged");
        if (state == Unpacker::State::at_end_of_member && !next_member()) unpacker_.reset();
    }
    auto const size = buffer.size() - room.size();
    check_text({buffer.data(), size});
    return size;
}

std::size_t TextInput::read(std::span<char> buffer) {
    if (packing_ != nullptr) return buffer.empty() ? 0 : unpack(buffer);
    auto const size = std::min(buffer.size(), pending_.size());
    if (size == 0) return is_over_ ? 0 : source_(buffer);
    std::copy_n(pending_.begin(), size, buffer.begin());
    pending_.remove_prefix(size);
    return size;
}

std::string TextInput::rest() {
    std::string text;
    std::size_t used = 0;
    // A byte more than a plain file has lets the end be noticed.
    auto size = std::max<std::size_t>(packing_ == nullptr ? size_.value_or(0) + 1 : 0, piece_size);
    for (;;) {
        text.resize(size);
        while (used < text.size()) {
            auto const more = read(std::span(text).subspan(used));
            if (more == 0) {
                text.resize(used);
                return text;
            }
            used += more;
        }
        size = 2 * text.size();
    }
}

std::string read_head(TextInput& input) {
    std::string head(64, ' ');
    std::size_t used = 0;
    for (std::size_t more = 1; more > 0 && used < head.size(); used += more)
        more = input.read(std::span(head).subspan(used));
    head.resize(used);
    return head;
}

std::size_t read_behind(std::string& head, TextInput& input, std::span<char> buffer) {
    auto const size = std::min(head.size(), buffer.size());
    if (size == 0) return input.read(buffer);
    std::copy_n(head.begin(), size, buffer.begin());
    head.erase(0, size);
    return size;
}

std::string read_unpacked(std::string const& path, SizeLimit limit) {
    return TextInput(path, limit).rest();
}

}  // namespace regraft::common
