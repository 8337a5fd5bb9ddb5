// A digest of the arguments that must be the same on all members: one number that travels with messages that are sent
// anyway.
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

/// Stands in place of a size for blocks of different sizes.
constexpr auto various_bytes = std::numeric_limits<std::uint64_t>::max();

/// Fields are added one by one, because a struct's padding differs from PE to PE.
class Digest {
public:
    template <class T>
    requires std::integral<T> || std::is_enum_v<T> Digest& add(T field) {
        fields_.put(static_cast<std::uint64_t>(field));
        return *this;
    }
    /// Adds the placement's shape and the holders of 16 of its blocks, so that another rule or another seed shows.
    Digest& add(placement::Any const& placement);
    Digest& add(CsrView<BlockRange> rows);
    /// Adds everything except what the function does, which may differ between PEs.
    Digest& add(LoadOptions const& options);

    std::uint64_t value() const { return hash(fields_.bytes()); }

private:
    ByteWriter fields_;
};

}  // namespace regraft::store
