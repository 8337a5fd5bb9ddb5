#include "regraft/likelihood/instructions.hpp"

#include <algorithm>
#include <array>

#include <hwy/highway.h>

#include "regraft/core/contracts.hpp"

namespace regraft::likelihood {
namespace {

struct Target {
    std::string_view name;
    std::int64_t bits;
};
constexpr std::array targets{
    Target{"avx512", HWY_AVX3 | HWY_AVX3_DL},
    Target{"avx2", HWY_AVX2},
    Target{"sse4", HWY_SSE4},
    Target{"neon", HWY_NEON},
    Target{"scalar", HWY_EMU128 | HWY_SCALAR},
};

}  // namespace

std::vector<std::string_view> available_instructions() {
    static std::int64_t const supported = hwy::SupportedTargets() | HWY_EMU128 | HWY_SCALAR;
    std::vector<std::string_view> names;
    for (auto const& target : targets) {
        if ((target.bits & supported & HWY_TARGETS) != 0) names.push_back(target.name);
    }
    return names;
}

void use_instructions(std::string_view name) {
    auto const target = std::find_if(targets.begin(), targets.end(), [&](auto& t) { return t.name == name; });
    REGRAFT_EXPECTS(target != targets.end());
    static_cast<void>(available_instructions());  // asks the CPU before the choice is overridden
    hwy::SetSupportedTargetsForTest(target->bits);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::string_view used_instructions() {
    auto const best = hwy::SupportedTargets() & HWY_TARGETS;
    for (auto const& target : targets) {
        if ((target.bits & best) != 0) return target.name;
    }
    return "scalar";
}

}  // namespace regraft::likelihood
