// Checkpoints of regraft-phylo, without the checksum around them.
#include "fuzz/checkpoint_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static regraft::fuzz::SomeJob const job;
    static regraft::fuzz::SomeGenes const genes;
    static_cast<void>(job.accepted(std::as_bytes(std::span(data, size))));
    static_cast<void>(genes.accepted(std::as_bytes(std::span(data, size))));
    return 0;
}
