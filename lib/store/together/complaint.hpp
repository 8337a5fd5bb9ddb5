// Tells all members what went wrong on one of them.
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

/// Runs body and returns what went wrong, if anything did; only this PE knows of it.
template <class Body>
Complaint attempt(Body body) {
    try {
        body();
        return std::nullopt;
    } catch (std::exception const& error) {
        return error.what();
    }
}

/// Replaces values, and their number, by those of the root. Collective, not uniform.
template <class T>
void broadcast(ft::Communicator& comm, std::vector<T>& values, PeId from) {
    std::uint64_t size = values.size();
    ft::broadcast(comm, std::as_writable_bytes(std::span(&size, 1)), from);
    values.resize(size);
    ft::broadcast(comm, std::as_writable_bytes(std::span(values)), from);
}

/// The complaint of the first member that has one. Collective, uniform.
Complaint first_complaint(ft::Communicator& comm, Complaint const& mine);

}  // namespace regraft::store
