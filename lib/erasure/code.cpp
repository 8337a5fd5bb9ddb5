// Reed-Solomon codes on ISA-L's kernels, with Cauchy matrices: Bloemer et al. 1995, "An XOR-Based Erasure-Resilient
// Coding Scheme".
#include "regraft/erasure/code.hpp"

#include <algorithm>
#include <utility>

#include <isa-l/erasure_code.h>

#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::erasure {
namespace {

constexpr std::uint32_t max_pieces = 255;
constexpr std::size_t table_bytes = 32;       // per factor
constexpr std::size_t call_bytes = 1U << 30;  // the kernels count with int

/// ISA-L's interface is not const-correct: it writes neither to sources nor to tables.
unsigned char* unconst(void const* bytes) {
    return const_cast<unsigned char*>(static_cast<unsigned char const*>(bytes));  // NOLINT
}

std::vector<std::uint8_t> kernel_tables(std::size_t sources, std::size_t targets,
                                        std::span<std::uint8_t const> factors) {
    std::vector<std::uint8_t> tables(table_bytes * factors.size());
    if (!factors.empty()) {
        ec_init_tables(static_cast<int>(sources), static_cast<int>(targets), unconst(factors.data()), tables.data());
    }
    return tables;
}

/// Adds source number i, times its factors, to all targets.
void add_to_all(std::size_t sources, std::size_t i, std::span<std::uint8_t const> tables,
                std::span<std::byte const> bytes, std::span<std::span<std::byte> const> targets, std::size_t offset) {
    std::vector<unsigned char*> to(targets.size());
    for (std::size_t done = 0; done < bytes.size(); done += call_bytes) {
        auto const size = std::min(call_bytes, bytes.size() - done);
        for (std::size_t t = 0; t < to.size(); ++t) to[t] = unconst(targets[t].data() + offset + done);
        ec_encode_data_update(static_cast<int>(size), static_cast<int>(sources), static_cast<int>(to.size()),
                              static_cast<int>(i), unconst(tables.data()), unconst(bytes.data() + done), to.data());
    }
}

/// Computes all targets, which have one size, from the sources by the tables.
void combine_all(std::span<std::uint8_t const> tables, std::span<std::span<std::byte const> const> sources,
                 std::span<std::span<std::byte> const> targets) {
    if (targets.empty()) return;
    auto common = targets[0].size();  // processing all sources at once is faster, up to the length of the shortest
    for (auto const& source : sources) common = std::min(common, source.size());
    std::vector<unsigned char*> from(sources.size());
    std::vector<unsigned char*> to(targets.size());
    for (std::size_t done = 0; done < common; done += call_bytes) {
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = unconst(sources[i].data() + done);
        for (std::size_t t = 0; t < to.size(); ++t) to[t] = unconst(targets[t].data() + done);
        ec_encode_data(static_cast<int>(std::min(call_bytes, common - done)), static_cast<int>(from.size()),
                       static_cast<int>(to.size()), unconst(tables.data()), from.data(), to.data());
    }
    for (auto const& target : targets)
        std::fill(target.begin() + static_cast<std::ptrdiff_t>(common), target.end(), std::byte{0});
    for (std::size_t i = 0; i < sources.size(); ++i) {
        add_to_all(sources.size(), i, tables, sources[i].subspan(common), targets, common);
    }
}

}  // namespace

Combination::Combination(std::vector<std::uint8_t> factors)
    : factors_(std::move(factors)), tables_(kernel_tables(factors_.size(), 1, factors_)) {}

void Combination::combine(std::span<std::span<std::byte const> const> sources, std::span<std::byte> target) const {
    REGRAFT_EXPECTS(sources.size() == num_sources());
    for (auto const& source : sources) REGRAFT_EXPECTS(source.size() <= target.size());
    combine_all(tables_, sources, std::span(&target, 1));
}

void Combination::add(std::size_t source, std::span<std::byte const> bytes, std::span<std::byte> target) const {
    REGRAFT_EXPECTS(source < num_sources() && bytes.size() <= target.size());
    add_to_all(num_sources(), source, tables_, bytes, std::span(&target, 1), 0);
}

Code::Code(std::uint32_t data, std::uint32_t parity) : data_(data), parity_(parity) {
    REGRAFT_EXPECTS(data >= 1 && parity <= max_pieces && data <= max_pieces - parity);
    std::vector<std::uint8_t> factors;
    for (auto piece = data; piece < pieces(); ++piece) {
        auto const factors_of_piece = row(piece);
        factors.insert(factors.end(), factors_of_piece.begin(), factors_of_piece.end());
    }
    tables_ = kernel_tables(data, parity, factors);
}

Code Code::fitted(std::uint32_t places) const {
    REGRAFT_EXPECTS(places >= 1);
    auto const parity = std::min(parity_, places - 1);
    return {std::min(data_, places - parity), parity};
}

/// The factors of the data in a piece: Cauchy's 1 / (x + y) with x = piece >= k > y, so it is never 1 / 0.
std::vector<std::uint8_t> Code::row(std::uint32_t piece) const {
    REGRAFT_EXPECTS(piece < pieces());
    std::vector<std::uint8_t> factors(data_);
    if (piece < data_) {
        factors[piece] = 1;
    } else {
        for (std::uint32_t i = 0; i < data_; ++i) {
            factors[i] = parity_ == 1 ? std::uint8_t{1} : gf_inv(static_cast<std::uint8_t>(piece ^ i));
        }
    }
    return factors;
}

Combination Code::from_data(std::uint32_t piece) const {
    return Combination(row(piece));
}

Combination Code::rebuild(std::span<std::uint32_t const> sources, std::uint32_t wanted) const {
    REGRAFT_EXPECTS(sources.size() == data_);
    std::vector<std::uint8_t> matrix;  // the sources as combinations of the data
    for (auto source : sources) {
        auto const factors = row(source);
        matrix.insert(matrix.end(), factors.begin(), factors.end());
    }
    std::vector<std::uint8_t> inverse(matrix.size());
    bool const invertible = gf_invert_matrix(matrix.data(), inverse.data(), static_cast<int>(data_)) == 0;
    REGRAFT_EXPECTS(invertible);  // false only if a source is given twice
    auto const target = row(wanted);
    std::vector<std::uint8_t> factors(data_);
    for (std::uint32_t i = 0; i < data_; ++i) {
        for (std::uint32_t j = 0; j < data_; ++j) {
            factors[i] = static_cast<std::uint8_t>(factors[i] ^ gf_mul(target[j], inverse[std::size_t{j} * data_ + i]));
        }
    }
    return Combination(std::move(factors));
}

void Code::encode(std::span<std::span<std::byte const> const> data,
                  std::span<std::span<std::byte> const> parities) const {
    REGRAFT_EXPECTS(data.size() == data_ && parities.size() == parity_);
    for (auto const& parity : parities) REGRAFT_EXPECTS(parity.size() == parities[0].size());
    for (auto const& piece : data) REGRAFT_EXPECTS(parities.empty() || piece.size() <= parities[0].size());
    combine_all(tables_, data, parities);
}

}  // namespace regraft::erasure
