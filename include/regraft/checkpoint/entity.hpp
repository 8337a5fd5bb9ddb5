// A named piece of the state of a PE, and how it becomes bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::checkpoint {

/// Functions that live as long as the entity is registered. Neither calls a collective; one that throws ends the
/// process (ft::resilient), for the others have gone on.
struct Entity {
    /// Appends the state, and does nothing else with the writer: it writes straight into the snapshot.
    std::function<void(ByteWriter&)> save;
    /// Makes the state what save has written, and reads all of it.
    std::function<void(ByteReader&)> restore;
    /// If the state lies in one piece of memory as it is to be stored: that piece. Then save is not called, and a
    /// compressed snapshot needs no memory for the state in between.
    std::function<std::span<std::byte const>()> bytes{};
};

/// Values of a fixed number. They must live as long as the entity.
template <PlainValue T>
Entity entity_of(std::span<T> values) {
    return {[values](ByteWriter& out) { out.put_plain(std::span<T const>(values)); },
            [values](ByteReader& in) {
                REGRAFT_EXPECTS(in.size() == values.size_bytes() && "an entity has as many values as were saved");
                in.get_plain(values);
            },
            [values] { return std::as_bytes(values); }};
}

/// Values of any number: values is resized when it is restored. It must live, where it is, as long as the entity.
template <PlainValue T>
Entity entity_of(std::vector<T>& values) {
    return {[&values](ByteWriter& out) { out.put_plain(std::span<T const>(values)); },
            [&values](ByteReader& in) {
                REGRAFT_EXPECTS(in.size() % sizeof(T) == 0);
                values.resize(in.size() / sizeof(T));
                in.get_plain(std::span(values));
            },
            [&values] { return std::as_bytes(std::span(values)); }};
}

}  // namespace regraft::checkpoint
