// The identity of what a store has submitted. It travels with what members compare anyway, so that collectives of
// different stores do not match silently.
#pragma once

#include <cstddef>
#include <cstdint>

#include "regraft/core/csr.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::store {

/// A number for a submit that was just agreed on: the same on all members, because they agree on submits in the same
/// order. Numbers of one communicator differ, also in the few bits that an agreement compares. Not collective.
std::uint64_t next_identity(ft::Communicator& comm);

/// Throws ft::Divergence on all members if the gathered rows do not have the same identity at this place. Collective,
/// not uniform, but uniform if it throws.
void expect_same_store(ft::Communicator& comm, CsrView<std::uint64_t> rows, std::size_t place);

}  // namespace regraft::store
