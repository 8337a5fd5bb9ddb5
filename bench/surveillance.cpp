// surveillance TAXA SITES SEED: writes an alignment as genome surveillance makes them to standard output.
#include "support/msa/surveillance.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fputs("surveillance TAXA SITES SEED\n", stderr);
        return 2;
    }
    auto const number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
    regraft::test::Surveillance const size{static_cast<std::uint32_t>(number(1)), static_cast<std::uint32_t>(number(2)),
                                           number(3)};
    regraft::test::write_surveillance(
        size, [](std::string_view piece) { std::fwrite(piece.data(), 1, piece.size(), stdout); });
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1;
}
