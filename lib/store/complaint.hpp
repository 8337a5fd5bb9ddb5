// What went wrong on one member, told to all.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/ft/collectives.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::store {

using Complaint = std::optional<std::string>;

/// What went wrong, if something did, and only this PE knows.
template <class Body>
Complaint attempt(Body body) {
    try {
        body();
        return std::nullopt;
    } catch (std::exception const& error) {
        return error.what();
    }
}

/// Replaces values by the root's, also their number. Collective, not uniform.
template <class T>
void broadcast(ft::Communicator& comm, std::vector<T>& values, PeId from) {
    std::uint64_t size = values.size();
    ft::broadcast(comm, std::as_writable_bytes(std::span(&size, 1)), from);
    values.resize(size);
    ft::broadcast(comm, std::as_writable_bytes(std::span(values)), from);
}

/// What the first member that has something to complain of says. Collective, uniform.
Complaint first_complaint(ft::Communicator& comm, Complaint const& mine);

}  // namespace regraft::store
