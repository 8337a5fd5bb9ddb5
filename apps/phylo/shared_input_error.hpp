// What one PE has found that ends the job on all of them.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "common/program.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// Bad input that one PE has found, and all have heard of.
class SharedInputError : public InputError, public ft::Uniform {
public:
    using InputError::InputError;
};

/// Something went wrong on one PE that is not the input's fault, and all have heard of it: a full disk, lack of memory.
class SharedFailure : public std::runtime_error, public ft::Uniform {
public:
    using std::runtime_error::runtime_error;
};

/// What a PE has against going on.
struct Problem {
    std::string text;  // empty: nothing
    int exit_code = common::bad_input;

    /// What was thrown, for the user.
    static Problem of(std::exception const& error);
};

/// Throws on all members, with the first text, if one of them has a problem: SharedInputError or SharedFailure by its
/// exit code. Collective, uniform.
void agree_on_input(ft::Communicator& comm, Problem const& problem);

}  // namespace regraft::phylo
