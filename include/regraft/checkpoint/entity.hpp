// A named piece of the state of a PE, and how it becomes bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "regraft/core/bytes.hpp"
#include "regraft/core/contracts.hpp"

#pragma GCC visibility push(default)
namespace regraft::checkpoint {

/// Whether T is a span.
template <class T>
inline constexpr bool is_span = false;
/// It is one.
template <class T, std::size_t N>
inline constexpr bool is_span<std::span<T, N>> = true;

/// Values whose bytes are the state itself, unlike those of a pointer or a view.
template <class T>
concept OwnValue = PlainValue<T> && !std::is_pointer_v<T> && !is_span<std::remove_cv_t<T>> &&
                   !std::is_same_v<std::remove_cv_t<T>, std::string_view>;

/// Functions that live as long as the entity is registered. They call no collective. If one throws, the process ends
/// (ft::resilient), because the others have gone on.
struct Entity {
    /// Appends the state. It must do nothing else with the writer, which writes straight into the snapshot.
    std::function<void(ByteWriter&)> save;
    /// Replaces the state by what save has written, and reads all of it.
    std::function<void(ByteReader&)> restore;
    /// The state's memory, if the state lies in one piece just as it is to be stored. If this is given, save is not
    /// called, and a compressed snapshot needs no memory for the state in between.
    std::function<std::span<std::byte const>()> bytes{};
    /// What is stored in front of that memory, if anything is; restore reads it first. Only beside bytes.
    std::function<std::span<std::byte const>()> head{};
};

/// An entity of a fixed number of values. They must live as long as the entity.
template <OwnValue T, std::size_t N>
Entity entity_of(std::span<T, N> values) {
    return {[values](ByteWriter& out) { out.put_plain(std::span<T const>(values)); },
            [values](ByteReader& in) {
                REGRAFT_EXPECTS(in.size() == values.size_bytes() && "an entity has as many values as were saved");
                in.get_plain(std::span<T>(values));
            },
            [values] { return std::as_bytes(values); }};
}

/// An entity of one value, which must live in its place as long as the entity.
template <OwnValue T>
Entity entity_of(T& value) {
    return entity_of(std::span<T>(&value, 1));
}

/// An entity of any number of values: the vector is resized when it is restored. It must live in its place as long as
/// the entity.
template <OwnValue T>
Entity entity_of(std::vector<T>& values) {
    return {[&values](ByteWriter& out) { out.put_plain(std::span<T const>(values)); },
            [&values](ByteReader& in) {
                REGRAFT_EXPECTS(in.size() % sizeof(T) == 0);
                values.resize(in.size() / sizeof(T));
                in.get_plain(std::span(values));
            },
            [&values] { return std::as_bytes(std::span(values)); }};
}

/// State that lies in its place: a value, a vector, or the values of a span.
template <class T>
concept InPlace = requires(std::remove_reference_t<T>& state) {
    entity_of(state);
}
&&(std::is_lvalue_reference_v<T> || is_span<std::remove_cvref_t<T>>);

}  // namespace regraft::checkpoint
#pragma GCC visibility pop
