// checkpoint_seeds DIRECTORY: writes checkpoints to start checkpoint_fuzzer from to the folder checkpoints in it.
#include "fuzz/checkpoint_check.hpp"
#include "fuzz/seed_files.hpp"

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    regraft::fuzz::SomeJob const job;
    regraft::fuzz::SomeGenes const genes;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        regraft::Random random(seed);
        auto const path = std::filesystem::path(argv[1]) / "checkpoints";
        regraft::fuzz::write_seed(path / std::to_string(seed), job.progress(random).to_bytes());
        regraft::fuzz::write_seed(path / ("genes" + std::to_string(seed)), genes.progress(random).to_bytes());
    }
    return 0;
}
