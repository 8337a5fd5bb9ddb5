// Errors that one PE has found and that end the job on all of them.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

#include "common/program.hpp"
#include "regraft/core/errors.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

/// Bad input that one PE has found, thrown on all.
class SharedInputError : public InputError, public ft::Uniform {
public:
    using InputError::InputError;
};

/// An error on one PE that is not caused by the input, thrown on all: for example a full disk or lack of memory.
class SharedFailure : public std::runtime_error, public ft::Uniform {
public:
    using std::runtime_error::runtime_error;
};

/// The problem of a PE that prevents the job from going on.
struct Problem {
    std::string text;  // empty: no problem
    int exit_code = common::bad_input;

    /// The problem for an exception, with a text for the user.
    static Problem of(std::exception const& error);
};

/// Throws on all members, with the first text, if one of them has a problem: SharedInputError or SharedFailure,
/// depending on its exit code. Collective, uniform.
void agree_on_input(ft::Communicator& comm, Problem const& problem);

}  // namespace regraft::phylo
