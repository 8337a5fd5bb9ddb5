// seeds DIRECTORY: writes inputs to start the fuzzers from to the folders texts, maple, packed, files and columns in
// it.
#include <array>
#include <filesystem>
#include <string>

#include "fuzz/codec_check.hpp"
#include "fuzz/packed_check.hpp"
#include "fuzz/seed_files.hpp"

int main(int argc, char** argv) {
    using regraft::codec::Kind;
    using regraft::fuzz::write_seed;
    if (argc != 2) return 2;
    std::filesystem::path const directory = argv[1];
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        regraft::Random random(seed);
        auto const name = std::to_string(seed);
        auto const kind = std::array{Kind::plain, Kind::native, Kind::thesis}[seed % 3];
        auto const text = regraft::fuzz::seed_text(random);
        write_seed(directory / "texts" / name, std::as_bytes(std::span(text)));
        auto const maple = regraft::fuzz::seed_maple(random);
        write_seed(directory / "maple" / name, std::as_bytes(std::span(maple)));
        auto const packed = regraft::fuzz::seed_packed(random).bytes;
        write_seed(directory / "packed" / name, std::as_bytes(std::span(packed)));
        write_seed(directory / "files" / name, regraft::fuzz::seed_file(seed % 4 == 3 ? Kind::sparse : kind, random));
        regraft::fuzz::Bytes columns{static_cast<std::byte>(kind)};
        for (auto const byte : regraft::fuzz::seed_columns(kind, random)) columns.push_back(byte);
        write_seed(directory / "columns" / name, columns);
    }
    return 0;
}
