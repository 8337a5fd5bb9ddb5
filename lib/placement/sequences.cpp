#include "placement/sequences.hpp"

#include <numeric>

#include "regraft/core/random.hpp"

namespace regraft::placement {
namespace {

/// The number y < n with x * y = 1 modulo n, by the extended Euclidean algorithm. Precondition: x and n are coprime, n
/// > 1.
std::uint32_t inverse_modulo(std::uint32_t x, std::uint32_t n) {
    std::int64_t a = n;
    std::int64_t b = x;
    std::int64_t factor_a = 0;  // a = factor_a * x modulo n, likewise for b
    std::int64_t factor_b = 1;
    while (b != 0) {
        auto const quotient = a / b;
        a = std::exchange(b, a - quotient * b);
        factor_a = std::exchange(factor_b, factor_a - quotient * factor_b);
    }
    return static_cast<std::uint32_t>(factor_a < 0 ? factor_a + n : factor_a);
}

}  // namespace

std::uint64_t sequence_key(std::uint64_t seed, std::uint64_t x) {
    return mix(Random(seed).bits() + x);  // a bijection: different x have different keys
}

DoubleHashing::DoubleHashing(std::uint32_t num_slots, std::uint64_t key) : num_slots_(num_slots) {
    REGRAFT_EXPECTS(num_slots > 0);
    if (num_slots == 1) return;
    Random random(key);
    start_ = static_cast<std::uint32_t>(random.below(num_slots));
    do step_ = static_cast<std::uint32_t>(1 + random.below(num_slots - 1));
    while (std::gcd(step_, num_slots) != 1);  // O(log log num_slots) draws are expected
    inverse_step_ = inverse_modulo(step_, num_slots);
}

Slot DoubleHashing::operator[](std::uint32_t i) const {
    REGRAFT_EXPECTS(i < num_slots_);
    return Slot{static_cast<std::uint32_t>((start_ + std::uint64_t{i} * step_) % num_slots_)};
}

std::uint32_t DoubleHashing::index(Slot slot) const {
    REGRAFT_EXPECTS(value(slot) < num_slots_);
    auto const distance = (std::uint64_t{value(slot)} + num_slots_ - start_) % num_slots_;
    return static_cast<std::uint32_t>(distance * inverse_step_ % num_slots_);
}

}  // namespace regraft::placement
