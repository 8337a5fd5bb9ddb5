// The instruction set for which a unit is compiled. meson.build compiles each unit of kernels once for each set, and
// names the set by REGRAFT_SET. Its kernels are in a namespace of the set, which instructions.cpp chooses.
#pragma once

#include <hwy/detect_targets.h>

#define REGRAFT_TARGET_OF(set) HWY_##set
#define REGRAFT_TARGET(set) REGRAFT_TARGET_OF(set)
#undef HWY_TARGET
#define HWY_TARGET REGRAFT_TARGET(REGRAFT_SET)
#include <hwy/highway.h>
