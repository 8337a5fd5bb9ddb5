// Values in place of bytes, for the stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"
#include "regraft/core/csr.hpp"
#include "regraft/core/ids.hpp"
#include "regraft/store/options.hpp"

#pragma GCC visibility push(default)
namespace regraft::store {

/// Loads blocks that consist of values, one behind the other in the order of the request. Precondition: as load() of
/// the store, and the blocks together are values of type T. Collective, uniform.
template <PlainValue T, class Store>
std::vector<T> load(Store& store, std::span<BlockRange const> wanted, LoadOptions const& options = {}) {
    std::uint64_t bytes = 0;
    for (auto const& range : wanted) bytes += store.sizes().bytes(range);
    REGRAFT_EXPECTS(bytes % sizeof(T) == 0 && "blocks are values of this type");
    std::vector<T> values(bytes / sizeof(T));
    static_cast<void>(store.load(wanted, std::as_writable_bytes(std::span(values)), options));
    return values;
}

/// Rows of values as rows of bytes, such as the rows of a sparse matrix, each of which becomes a block. A view: the
/// values must outlive it.
class ByteRows {
public:
    /// O(rows).
    template <PlainValue T>
    explicit ByteRows(CsrView<T> rows)
        : offsets_(rows.offsets.begin(), rows.offsets.end()), bytes_(std::as_bytes(rows.values)) {
        for (auto& offset : offsets_) offset *= sizeof(T);
    }
    /// The same from rows that own their values.
    template <PlainValue T>
    explicit ByteRows(Csr<T> const& rows) : ByteRows(CsrView<T>(rows)) {}
    /// What submit() of a store takes.
    operator CsrView<std::byte>() const { return {offsets_, bytes_}; }

private:
    std::vector<std::uint64_t> offsets_;
    std::span<std::byte const> bytes_;
};

}  // namespace regraft::store
#pragma GCC visibility pop
