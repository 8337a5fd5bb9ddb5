// What a collective of the program consists of.
#pragma once

namespace regraft::shield {

/// The functions of a collective. attempt(comm): makes the call on the lane and returns its code. pack(bytes): appends
/// the result, in place. unpack(bytes): takes the result of others. skip(): sets the result if the root is dead.
template <class Attempt, class Pack, class Unpack, class Skip>
struct Operation {
    Attempt attempt;
    Pack pack;
    Unpack unpack;
    Skip skip;
};
template <class... Parts>
Operation(Parts...) -> Operation<Parts...>;

/// An operation to a root: Role::gives or Role::takes. bytes(rank): the number of bytes that the member gives; asked at
/// the root and by that member. pack(bytes): appends the input of this process. combine(inputs): at the root, computes
/// the result if its attempt has failed; the caller has the root's own input.
template <class Attempt, class Bytes, class Pack, class Combine, class Skip>
struct OperationToRoot {
    Attempt attempt;
    Bytes bytes;
    Pack pack;
    Combine combine;
    Skip skip;
};
template <class... Parts>
OperationToRoot(Parts...) -> OperationToRoot<Parts...>;

inline constexpr auto nothing = [](auto&&...) {};

}  // namespace regraft::shield
