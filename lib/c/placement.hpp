// The handle behind regraft_placement.
#pragma once

#include <utility>

#include "c/status.hpp"
#include "regraft/placement/placement.hpp"

struct regraft_placement {
    explicit regraft_placement(regraft::placement::Any any) : rule(std::move(any)) {}
    regraft::placement::Any rule;
};
