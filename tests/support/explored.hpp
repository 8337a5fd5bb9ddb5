// What explorations of protocols find, and what tests of them expect: no violation, or the one of a mutant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

namespace regraft::test {

/// The protocol did what it must never do.
class Violation : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Findings {
    std::size_t states = 0;
    std::size_t ends = 0;            // states in which all living ranks have come to the end
    std::string violation;           // empty: none
    std::vector<std::string> story;  // what led to it
    friend std::ostream& operator<<(std::ostream& out, Findings const& findings) {
        out << findings.violation;
        for (auto const& line : findings.story) out << "\n  " << line;
        return out;
    }
};

/// Explores all that can happen to a job, depth first. Rules, which derives from it, says what that is: start(),
/// fingerprint(job), moves(job), apply(job, move), is_over(job), and describe(job, move) for the story.
template <class Rules>
class Exploration {
public:
    /// Stops at the first violation.
    Findings run() {
        try {
            auto job = rules().start();
            visit(job);
        } catch (Violation const& violation) {
            findings_.violation = violation.what();
        }
        findings_.states = seen_.size();
        return findings_;
    }

private:
    Rules& rules() { return static_cast<Rules&>(*this); }

    template <class Job>
    void visit(Job& job) {
        if (!seen_.insert(rules().fingerprint(job)).second) return;
        auto const possible = rules().moves(job);
        if (rules().is_over(job)) {
            ++findings_.ends;
        } else if (possible.empty()) {
            throw Violation("survivors wait for ever");
        }
        for (auto const move : possible) {
            Job next = job;
            try {
                rules().apply(next, move);
                visit(next);
            } catch (Violation const&) {
                findings_.story.insert(findings_.story.begin(), rules().describe(job, move));
                throw;
            }
        }
    }

    Findings findings_;
    std::unordered_set<std::uint64_t> seen_;
};

template <class Scenario>
struct Named {
    char const* name;
    Scenario scenario;
    friend std::ostream& operator<<(std::ostream& out, Named const& named) { return out << named.name; }
};

/// A protocol without one of its parts, and what goes wrong then.
template <class Scenario, class Mutant>
struct Broken {
    char const* name;
    Mutant mutant;
    Scenario scenario;
    char const* violation;
    friend std::ostream& operator<<(std::ostream& out, Broken const& broken) { return out << broken.name; }
};

/// The names of parameters, for INSTANTIATE_TEST_SUITE_P.
inline constexpr auto by_name = [](auto const& test) { return std::string(test.param.name); };

template <class Explorer, class Scenario>
void expect_sound(Scenario const& scenario) {
    auto const findings = Explorer(scenario).run();
    EXPECT_EQ(findings.violation, "") << findings;
    EXPECT_GT(findings.ends, 0u);
}

/// Without this check the exploration would prove nothing, and a part of the protocol would be of no use.
template <class Explorer, class Scenario, class Mutant>
void expect_found(Broken<Scenario, Mutant> const& broken) {
    auto const findings = Explorer(broken.scenario, broken.mutant).run();
    EXPECT_EQ(findings.violation, broken.violation) << findings;
    EXPECT_FALSE(findings.story.empty());
}

}  // namespace regraft::test
