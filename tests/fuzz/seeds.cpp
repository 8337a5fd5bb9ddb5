// seeds DIRECTORY: writes inputs to start the fuzzers from to the folders texts, files and columns in it.
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/codec_check.hpp"

namespace {

void write(std::filesystem::path const& path, std::span<std::byte const> bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
    using regraft::codec::Kind;
    if (argc != 2) return 2;
    std::filesystem::path const directory = argv[1];
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        regraft::Random random(seed);
        auto const name = std::to_string(seed);
        auto const kind = std::array{Kind::plain, Kind::native, Kind::thesis}[seed % 3];
        auto const text = regraft::fuzz::seed_text(random);
        write(directory / "texts" / name, std::as_bytes(std::span(text)));
        write(directory / "files" / name, regraft::fuzz::seed_file(seed % 4 == 3 ? Kind::sparse : kind, random));
        regraft::fuzz::Bytes columns{static_cast<std::byte>(kind)};
        for (auto const byte : regraft::fuzz::seed_columns(kind, random)) columns.push_back(byte);
        write(directory / "columns" / name, columns);
    }
    return 0;
}
