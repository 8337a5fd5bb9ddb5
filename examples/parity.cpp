// parity FILE: a file in ten pieces of data and four of parity, of which any four may be lost; without MPI.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>
#include <vector>

#include "regraft/core/errors.hpp"
#include "regraft/core/random.hpp"
#include "regraft/erasure/code.hpp"

using namespace regraft;

namespace {

using Bytes = std::vector<std::byte>;

Bytes read(char const* name) {
    std::ifstream const file(name, std::ios::binary);
    std::ostringstream content;
    if (!file || !(content << file.rdbuf())) throw InputError({name}, "cannot be read, or is empty");
    auto const text = content.str();
    Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

/// The bytes in k pieces of one size, the last of which end with zeros, and the parities of the code.
std::vector<Bytes> encode(erasure::Code const& code, Bytes const& bytes) {
    auto const each = (bytes.size() + code.data() - 1) / code.data();
    std::vector<Bytes> pieces(code.pieces(), Bytes(each));
    for (std::size_t i = 0; i < bytes.size(); ++i) pieces[i / each][i % each] = bytes[i];
    std::vector<std::span<std::byte const>> const data(pieces.begin(), pieces.begin() + code.data());
    std::vector<std::span<std::byte>> const parities(pieces.begin() + code.data(), pieces.end());
    code.encode(data, parities);
    return pieces;
}

/// A lost piece, from ten of the others.
Bytes rebuild(erasure::Code const& code, std::vector<Bytes> const& pieces, std::vector<std::uint32_t> const& living,
              std::uint32_t lost) {
    std::vector<std::uint32_t> const sources(living.begin(), living.begin() + code.data());
    std::vector<std::span<std::byte const>> bytes;
    for (auto const source : sources) bytes.emplace_back(pieces[source]);
    Bytes piece(bytes[0].size());
    code.rebuild(sources, lost).combine(bytes, piece);
    return piece;
}

void run(char const* name) {
    erasure::Code const code(10, 4);
    auto const bytes = read(name);
    auto const pieces = encode(code, bytes);

    std::vector<std::uint32_t> order(code.pieces());
    std::iota(order.begin(), order.end(), 0U);
    Random random(1);
    shuffle(std::span(order), random);
    std::vector<std::uint32_t> const lost(order.begin(), order.begin() + code.parity());
    std::vector<std::uint32_t> const living(order.begin() + code.parity(), order.end());

    std::size_t same = 0;
    for (auto const piece : lost) {
        bool const right = rebuild(code, pieces, living, piece) == pieces[piece];
        std::printf("piece %u of %u is lost and %s\n", piece, code.pieces(), right ? "rebuilt" : "not what it was");
        same += right ? 1 : 0;
    }
    std::printf("%zu of %zu lost pieces of %zu bytes came back, for %u %% more memory\n", same, lost.size(),
                pieces[0].size(), 100 * code.parity() / code.data());
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) return 2;
    run(argv[1]);
} catch (InputError const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
}
