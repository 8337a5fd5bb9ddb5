// The profile mixtures of amino acids by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "regraft/likelihood/model.hpp"

namespace regraft::likelihood {

/// The classes of the mixture of that name, in upper case. Empty if there is none.
std::span<Profile const> find_profiles(std::string_view name);

/// All names that find_profiles knows, separated by spaces.
std::string profile_names();

}  // namespace regraft::likelihood
