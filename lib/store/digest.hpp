// What all members must give alike, as one number that goes along where they tell each other something anyway.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "regraft/core/bytes.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/placement/placement.hpp"
#include "regraft/store/options.hpp"

namespace regraft::store {

/// Instead of a size: blocks of different sizes.
constexpr auto various_bytes = std::numeric_limits<std::uint64_t>::max();

/// Every field is added by itself: a struct's padding differs from PE to PE.
class Digest {
public:
    template <class T>
    requires std::integral<T> || std::is_enum_v<T> Digest& add(T field) {
        fields_.put(static_cast<std::uint64_t>(field));
        return *this;
    }
    /// Its shape and who holds 16 of its blocks, so that another rule or another seed shows.
    Digest& add(placement::Any const& placement);
    Digest& add(CsrView<BlockRange> rows);
    /// All but what the function does, which may be of this PE alone.
    Digest& add(LoadOptions const& options);

    std::uint64_t value() const { return hash(fields_.bytes()); }

private:
    ByteWriter fields_;
};

}  // namespace regraft::store
