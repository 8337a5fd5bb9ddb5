#include "regraft/core/random.hpp"

#include <bit>

namespace regraft {
namespace {
constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15ULL;
}

std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

Random::Random(std::uint64_t seed) {
    for (auto& word : state_) word = mix(seed += golden_gamma);
}

std::uint64_t Random::bits() {
    auto const result = std::rotl(state_[1] * 5, 7) * 9;
    auto const shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
}

std::uint64_t Random::below(std::uint64_t n) {
    REGRAFT_EXPECTS(n > 0);
    __extension__ using Wide = unsigned __int128;
    // Lemire 2019: multiply, and draw again in the rare case that would be biased.
    auto const threshold = (0 - n) % n;
    for (;;) {
        auto const product = Wide{bits()} * n;
        if (static_cast<std::uint64_t>(product) >= threshold) return static_cast<std::uint64_t>(product >> 64);
    }
}

double Random::unit() {
    return static_cast<double>(bits() >> 11) * 0x1p-53;
}

}  // namespace regraft
