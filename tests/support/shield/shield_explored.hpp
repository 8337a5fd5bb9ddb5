// Names of explorations that tests of the shield use as their own.
#pragma once

#include "support/explored.hpp"

namespace regraft::shield::test {

using regraft::test::Broken;
using regraft::test::by_name;
using regraft::test::expect_found;
using regraft::test::expect_sound;
using regraft::test::Findings;
using regraft::test::Named;
using regraft::test::Violation;

}  // namespace regraft::shield::test
