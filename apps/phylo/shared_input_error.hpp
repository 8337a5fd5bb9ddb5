// Bad input that one PE has found, and all have heard of.
#pragma once

#include <string>

#include "regraft/core/errors.hpp"
#include "regraft/ft/communicator.hpp"

namespace regraft::phylo {

class SharedInputError : public InputError, public ft::Uniform {
public:
    using InputError::InputError;
};

/// Throws SharedInputError on all members, with the first message, if one of them has a problem: it is not empty.
/// Collective, uniform.
void agree_on_input(ft::Communicator& comm, std::string const& problem);

}  // namespace regraft::phylo
