#include "shield/session/buffer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "shield/session/session.hpp"

namespace regraft::shield {
namespace {

// Its errors do not end the process; the call that the program makes reports them.
MPI_Comm const packing = MPI_COMM_WORLD;

int packed_size(int count, MPI_Datatype type) {
    int size = 0;
    PMPI_Pack_size(count, type, packing, &size);
    return std::max(size, 0);
}

/// Processes the items in parts whose packed bytes MPI can count. part(buffer): some of the items.
template <class Part>
void in_parts(Buffer const& all, Part const& part) {
    constexpr int most_bytes = 1 << 26;
    int const most = std::max(1, most_bytes / std::max(1, packed_size(1, all.type)));
    for (int i = 0, left = all.count; left > 0; ++i, left -= most) {
        Buffer some = Buffer{all.data, most, all.type}.part(i);
        some.count = std::min(most, left);
        part(some);
    }
}

}  // namespace

bool Buffer::find_plain(MPI_Datatype type) {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = 0;
    if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) return false;
    if (combiner != MPI_COMBINER_NAMED) return false;
    int size = 0;
    MPI_Aint first = 0;
    MPI_Aint extent = 0;
    PMPI_Type_size(type, &size);
    PMPI_Type_get_extent(type, &first, &extent);
    if (first != 0 || extent != size) return false;
    last_plain_ = {type, size};
    return true;
}

std::size_t Buffer::packed_bytes() const {
    if (count < 0) return 0;
    int size = 0;
    if (PMPI_Type_size(type, &size) != MPI_SUCCESS) return 0;
    return static_cast<std::size_t>(size) * static_cast<std::size_t>(count);
}

void Buffer::pack_items(std::vector<std::byte>& bytes) const {
    bytes.clear();
    in_parts(*this, [&](Buffer const& some) {
        auto const begin = bytes.size();
        int const size = packed_size(some.count, type);
        int used = 0;
        bytes.resize(begin + static_cast<std::size_t>(size));
        PMPI_Pack(some.data, some.count, type, bytes.data() + begin, size, &used, packing);
        bytes.resize(begin + static_cast<std::size_t>(used));
    });
}

void Buffer::unpack(std::span<std::byte const> bytes) const {
    if (is_plain()) {
        if (!bytes.empty()) std::memcpy(data, bytes.data(), std::min(bytes.size(), plain_bytes()));
        return;
    }
    in_parts(*this, [&](Buffer const& some) {
        auto const size = std::min<std::size_t>(bytes.size(), std::numeric_limits<int>::max());
        int used = 0;
        PMPI_Unpack(bytes.data(), static_cast<int>(size), &used, some.data, some.count, type, packing);
        bytes = bytes.subspan(static_cast<std::size_t>(used));
    });
}

void Buffer::make_hole() const {
    auto const& policy = session().policy;
    if (count <= 0) return;
    session().count(&Counts::holes);
    if (!policy.fills_holes) return;
    if (is_plain()) {
        std::memset(data, std::to_integer<int>(policy.hole), plain_bytes());
        return;
    }
    in_parts(*this, [&](Buffer const& some) {
        some.unpack(std::vector<std::byte>(static_cast<std::size_t>(packed_size(some.count, type)), policy.hole));
    });
}

Buffer Buffer::part(int i) const {
    MPI_Aint first = 0;
    MPI_Aint extent = 0;
    PMPI_Type_get_extent(type, &first, &extent);
    return {static_cast<std::byte*>(data) + extent * count * i, count, type};
}

void copy(Buffer const& from, Buffer const& to) {
    std::vector<std::byte> bytes;
    from.pack(bytes);
    to.unpack(bytes);
}

SentCopy::SentCopy(Buffer const& buffer) : count(buffer.count), type(buffer.type) {
    buffer.pack(bytes);
    if (buffer.is_plain() || bytes.empty()) return;
    count = std::in_range<int>(bytes.size()) ? static_cast<int>(bytes.size()) : -1;
    type = MPI_PACKED;
}

Scratch::Scratch(Buffer const& like) : buffer_(like) {
    MPI_Aint first = 0;
    MPI_Aint extent = 0;
    MPI_Aint true_first = 0;
    MPI_Aint true_extent = 0;
    PMPI_Type_get_extent(like.type, &first, &extent);
    PMPI_Type_get_true_extent(like.type, &true_first, &true_extent);
    MPI_Aint const further = extent * std::max(like.count - 1, 0);  // from the first item to the last; may be negative
    bytes_.resize(static_cast<std::size_t>(true_extent + std::abs(further)));
    buffer_.data = bytes_.data() - true_first - std::min<MPI_Aint>(further, 0);
}

BlockType::BlockType(int count, MPI_Datatype type) {
    PMPI_Type_contiguous(count, type, &type_);
    PMPI_Type_commit(&type_);
}

BlockType::~BlockType() {
    PMPI_Type_free(&type_);
}

}  // namespace regraft::shield
