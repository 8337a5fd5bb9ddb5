// Programs that compute likelihoods on one thread, behind one interface: ours with any instruction set, and libpll.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "evolved.hpp"

namespace regraft::bench {

/// The inner nodes of a traversal.
enum class Nodes : std::uint8_t { all, without_tips };

/// The memory traffic of all CLVs that point towards the root edge. Scalers are the same for all programs and left out.
struct ClvTraffic {
    std::uint64_t updates = 0;
    std::uint64_t bytes = 0;  // read from children and written
};
ClvTraffic traffic(Evolved const& evolved, Nodes nodes);

class LikelihoodEngine {
public:
    LikelihoodEngine() = default;
    LikelihoodEngine(LikelihoodEngine const&) = delete;
    LikelihoodEngine& operator=(LikelihoodEngine const&) = delete;
    virtual ~LikelihoodEngine() = default;

    /// Computes the CLVs of those nodes, which point towards the root edge, and there the log-likelihood. A call with
    /// all nodes comes first.
    virtual double traverse(Nodes nodes) = 0;
    /// Returns the log-likelihood at the root edge, where all CLVs are known.
    virtual double evaluate() = 0;
    /// Prepares slope at the root edge.
    virtual void make_table() = 0;
    /// The log-likelihood's first derivative at a length; computes the second, too.
    virtual double slope(double length) = 0;
};

/// Our engine; instructions are named as by likelihood::available_instructions().
std::unique_ptr<LikelihoodEngine> regraft_engine(Evolved const& evolved, std::string_view instructions,
                                                 likelihood::Repeats repeats);

/// libpll with tips as patterns; "avx2" or "avx". Null if there is no libpll.
std::unique_ptr<LikelihoodEngine> libpll_engine(Evolved const& evolved, std::string_view instructions);

/// The names with which libpll_engine may be called; empty without libpll.
std::vector<std::string_view> libpll_instructions();

/// An engine that copies CLVs instead: as many bytes as a traversal of these nodes reads and writes.
class ClvCopy {
public:
    explicit ClvCopy(std::uint64_t bytes) : from_(bytes / 2, 'a'), to_(bytes / 2, 'b') {}
    void run();

private:
    std::string from_;
    std::string to_;
};

}  // namespace regraft::bench
