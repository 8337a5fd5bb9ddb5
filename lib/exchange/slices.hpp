// Cuts a row of pieces into slices, each of which fits into one message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "exchange/exchange.hpp"

namespace regraft::exchange {

template <class Byte>
std::uint64_t bytes_of(std::span<std::span<Byte> const> pieces) {
    std::uint64_t bytes = 0;
    for (auto const& piece : pieces) bytes += piece.size();
    return bytes;
}

/// Pieces of memory that travel together; those that touch are joined.
template <class Byte>
class Slice {
public:
    void add(std::span<Byte> piece) {
        size_ += piece.size();
        if (!parts_.empty() && parts_.back().data() + parts_.back().size() == piece.data()) {
            parts_.back() = {parts_.back().data(), parts_.back().size() + piece.size()};
        } else {
            parts_.push_back(piece);
        }
    }
    void clear() {
        parts_.clear();
        size_ = 0;
    }
    std::uint64_t size() const { return size_; }
    bool contiguous() const { return parts_.size() <= 1; }
    std::span<std::span<Byte> const> parts() const { return parts_; }

    void copy_to(std::byte* buffer) const {
        for (auto const& part : parts_) {
            std::memcpy(buffer, part.data(), part.size());
            buffer += part.size();
        }
    }
    void copy_from(std::byte const* buffer) const {
        for (auto const& part : parts_) {
            std::memcpy(part.data(), buffer, part.size());
            buffer += part.size();
        }
    }

private:
    std::vector<std::span<Byte>> parts_;
    std::uint64_t size_ = 0;
};

/// Copies what a member has for itself.
inline void copy_row(std::span<std::span<std::byte const> const> out, std::span<std::span<std::byte> const> in) {
    REGRAFT_EXPECTS(out.size() == in.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        REGRAFT_EXPECTS(out[i].size() == in[i].size());
        if (!out[i].empty()) std::memcpy(in[i].data(), out[i].data(), out[i].size());
    }
}

/// Walks along a row, slice by slice.
template <class Byte>
class Slicer {
public:
    Slicer(std::span<std::span<Byte> const> row, std::uint64_t partners, Limits const& limits)
        : row_(row), cut_(cut_of(bytes_of(row), row.size(), partners, limits)) {
        skip_empty();
    }

    bool done() const { return piece_ == row_.size(); }
    /// Replaces slice by the next one; empty when all are done.
    void next(Slice<Byte>& slice) {
        slice.clear();
        while (!done() && slice.size() < cut_.slice_bytes) {
            auto const rest = row_[piece_].subspan(offset_);
            auto const part = rest.first(std::min<std::uint64_t>(rest.size(), cut_.slice_bytes - slice.size()));
            slice.add(part);
            offset_ += part.size();
            bool const piece_ends = part.size() == rest.size();
            skip_empty();
            if (piece_ends && cut_.at == Cut::At::pieces) break;
        }
    }

private:
    void skip_empty() {
        while (!done() && offset_ == row_[piece_].size()) {
            ++piece_;
            offset_ = 0;
        }
    }
    std::span<std::span<Byte> const> row_;
    Cut cut_;
    std::size_t piece_ = 0;
    std::size_t offset_ = 0;
};

}  // namespace regraft::exchange
