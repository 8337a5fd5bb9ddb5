#include "shield/calls/collectives/identity.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>

namespace regraft::shield {
namespace {

template <class Item>
void fill(Buffer const& buffer, Item const& item) {
    std::fill_n(static_cast<Item*>(buffer.data), buffer.count, item);
}

template <class Number>
Number least() {
    using Limits = std::numeric_limits<Number>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}
template <class Number>
Number greatest() {
    using Limits = std::numeric_limits<Number>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

template <class Number>
void fill_numbers(MPI_Op op, Buffer const& buffer) {
    if (op == MPI_MAX) fill(buffer, least<Number>());
    if (op == MPI_MIN) fill(buffer, greatest<Number>());
    if (op == MPI_PROD || op == MPI_LAND) fill(buffer, Number{1});
}

template <class Number>
void fill_products(MPI_Op op, Buffer const& buffer) {
    if (op == MPI_PROD || op == MPI_LAND) fill(buffer, Number{1});
}

template <class Number>
struct Indexed {
    Number number;
    int index;
};

/// Fills pairs of a number and an index. For equal numbers the lower index wins.
template <class Number>
void fill_indexed(MPI_Op op, Buffer const& buffer) {
    constexpr int last = std::numeric_limits<int>::max();
    if (op == MPI_MAXLOC) fill(buffer, Indexed<Number>{least<Number>(), last});
    if (op == MPI_MINLOC) fill(buffer, Indexed<Number>{greatest<Number>(), last});
}

struct Kind {
    MPI_Datatype type;
    void (*fill)(MPI_Op, Buffer const&);
};

/// Types of C and C++ for which the operation is defined, with a neutral element other than all zeros or all ones.
Kind const* find_kind(MPI_Datatype type) {
    static Kind const kinds[]{
        {MPI_SIGNED_CHAR, fill_numbers<signed char>},
        {MPI_UNSIGNED_CHAR, fill_numbers<unsigned char>},
        {MPI_SHORT, fill_numbers<short>},
        {MPI_UNSIGNED_SHORT, fill_numbers<unsigned short>},
        {MPI_INT, fill_numbers<int>},
        {MPI_UNSIGNED, fill_numbers<unsigned>},
        {MPI_LONG, fill_numbers<long>},
        {MPI_UNSIGNED_LONG, fill_numbers<unsigned long>},
        {MPI_LONG_LONG, fill_numbers<long long>},
        {MPI_UNSIGNED_LONG_LONG, fill_numbers<unsigned long long>},
        {MPI_INT8_T, fill_numbers<std::int8_t>},
        {MPI_UINT8_T, fill_numbers<std::uint8_t>},
        {MPI_INT16_T, fill_numbers<std::int16_t>},
        {MPI_UINT16_T, fill_numbers<std::uint16_t>},
        {MPI_INT32_T, fill_numbers<std::int32_t>},
        {MPI_UINT32_T, fill_numbers<std::uint32_t>},
        {MPI_INT64_T, fill_numbers<std::int64_t>},
        {MPI_UINT64_T, fill_numbers<std::uint64_t>},
        {MPI_AINT, fill_numbers<MPI_Aint>},
        {MPI_OFFSET, fill_numbers<MPI_Offset>},
        {MPI_COUNT, fill_numbers<MPI_Count>},
        {MPI_FLOAT, fill_numbers<float>},
        {MPI_DOUBLE, fill_numbers<double>},
        {MPI_LONG_DOUBLE, fill_numbers<long double>},
        {MPI_C_BOOL, fill_products<bool>},
        {MPI_CXX_BOOL, fill_products<bool>},
        {MPI_C_FLOAT_COMPLEX, fill_products<std::complex<float>>},
        {MPI_CXX_FLOAT_COMPLEX, fill_products<std::complex<float>>},
        {MPI_C_DOUBLE_COMPLEX, fill_products<std::complex<double>>},
        {MPI_CXX_DOUBLE_COMPLEX, fill_products<std::complex<double>>},
        {MPI_C_LONG_DOUBLE_COMPLEX, fill_products<std::complex<long double>>},
        {MPI_CXX_LONG_DOUBLE_COMPLEX, fill_products<std::complex<long double>>},
        {MPI_2INT, fill_indexed<int>},
        {MPI_SHORT_INT, fill_indexed<short>},
        {MPI_LONG_INT, fill_indexed<long>},
        {MPI_FLOAT_INT, fill_indexed<float>},
        {MPI_DOUBLE_INT, fill_indexed<double>},
        {MPI_LONG_DOUBLE_INT, fill_indexed<long double>},
    };
    auto const* const found =
        std::find_if(std::begin(kinds), std::end(kinds), [&](auto const& kind) { return kind.type == type; });
    return found == std::end(kinds) ? nullptr : found;
}

bool is_one_of(MPI_Op op, std::initializer_list<MPI_Op> ops) {
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}

}  // namespace

bool is_built_in(MPI_Op op) {
    return is_one_of(op, {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR,
                          MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP});
}

void make_identity(MPI_Op op, Buffer const& buffer) {
    constexpr int all_ones = 0xff;
    if (buffer.bytes() == 0) return;
    if (is_one_of(op, {MPI_SUM, MPI_LOR, MPI_LXOR, MPI_BOR, MPI_BXOR})) {
        std::memset(buffer.data, 0, buffer.bytes());
    } else if (op == MPI_BAND) {
        std::memset(buffer.data, all_ones, buffer.bytes());
    } else if (auto const* const kind = find_kind(buffer.type)) {
        kind->fill(op, buffer);
    }
}

}  // namespace regraft::shield
