// Data of the program's types, with functions to pack, unpack and clear them.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace regraft::shield {

/// A type without gaps that is not made from others, so it cannot be freed. Its bytes are its packed form.
struct PlainType {
    MPI_Datatype type = MPI_BYTE;
    int size = 1;
};

/// count items of a type.
struct Buffer {
    void* data = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;

    /// Whether the type is a PlainType.
    bool is_plain() const { return type == last_plain_.type || find_plain(type); }
    /// The number of bytes of the data, without gaps.
    std::size_t bytes() const { return is_plain() ? plain_bytes() : packed_bytes(); }
    /// Replaces the contents of bytes.
    void pack(std::vector<std::byte>& bytes) const {
        if (!is_plain()) return pack_items(bytes);
        auto const* const begin = static_cast<std::byte const*>(data);
        bytes.assign(begin, begin + plain_bytes());
    }
    void unpack(std::span<std::byte const> bytes) const;
    /// Makes the buffer a hole, the place of a dead member: counts it, and fills it as REGRAFT_SHIELD_HOLES says.
    void make_hole() const;
    /// Part i of parts with an equal number of items.
    Buffer part(int i) const;

private:
    static inline PlainType last_plain_;  // the type that was asked for last

    std::size_t plain_bytes() const {
        return count < 0 ? 0 : static_cast<std::size_t>(last_plain_.size) * static_cast<std::size_t>(count);
    }
    std::size_t packed_bytes() const;
    void pack_items(std::vector<std::byte>& bytes) const;
    static bool find_plain(MPI_Datatype type);
};

/// Copies the items of one buffer to the places of those of the other, which has as many items of the same kinds.
void copy(Buffer const& from, Buffer const& to);

/// A copy of data to be sent. Items of a plain type stay as they are; others are packed, which matches any type. Data
/// for which MPI has an error stay as they are.
struct SentCopy {
    std::vector<std::byte> bytes;
    int count;
    MPI_Datatype type;
    explicit SentCopy(Buffer const& buffer);
};

/// Memory for as many items of the same type.
class Scratch {
public:
    explicit Scratch(Buffer const& like);
    Buffer const& buffer() const { return buffer_; }

private:
    std::vector<std::byte> bytes_;
    Buffer buffer_;
};

/// A copy of what an operation in place destroys, kept for another attempt. It is also the buffer where the data end:
/// on the way, an algorithm may use their place.
class Kept {
public:
    Kept(bool keep, Buffer buffer) : kept_(keep), buffer_(buffer) {
        if (kept_) buffer_.pack(bytes_);
    }
    /// Restores the data; called before each attempt.
    void restore() {
        if (kept_ && used_) buffer_.unpack(bytes_);
        used_ = true;
    }

private:
    bool kept_;
    bool used_ = false;
    Buffer buffer_;
    std::vector<std::byte> bytes_;
};

/// A type of count items in a row, which this object frees.
class BlockType {
public:
    BlockType(int count, MPI_Datatype type);
    BlockType(BlockType const&) = delete;
    BlockType& operator=(BlockType const&) = delete;
    ~BlockType();
    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace regraft::shield
