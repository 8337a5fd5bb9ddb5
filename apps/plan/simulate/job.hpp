// A job among failures: what its ranks compute and keep, and what the library decides when some of them die.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regraft/assign/assignment.hpp"
#include "regraft/erasure/code.hpp"
#include "simulate/constants.hpp"
#include "simulate/kept.hpp"
#include "simulate/machine.hpp"
#include "simulate/traffic.hpp"

namespace regraft::plan::simulated {

/// What a job is, and how it is protected.
struct JobPlan {
    Machine machine;
    double work_seconds = 0;               // of computing, as long as all ranks live
    std::uint64_t blocks_per_rank = 64;    // of the input
    std::uint64_t block_bytes = 1 << 14;   // size of a block of the input
    std::uint64_t state_bytes = 0;         // of each rank, in snapshots; 0: the state is small, and on every rank
    std::uint32_t replicas = 3;            // of input and state
    std::optional<erasure::Code> code;     // in place of replicas
    std::string placement = "node-aware";  // of the input (rule_names)
    Unit apart = Unit::node;               // copies are in different units of this kind, as far as possible
    Mending mending = Mending::wanted;
    Constants constants;
    Transport transport = Transport::collective;
};

/// The parts of a recovery, in seconds.
struct RecoveryTime {
    double notice = 0;
    double shrink = 0;
    double plan = 0;
    double load = 0;     // the input of the work that survivors take over
    double repair = 0;   // of the redundancy of the input
    double restore = 0;  // of the state, with its redundancy
    double sum() const { return notice + shrink + plan + load + repair + restore; }
};

/// How long a recovery takes, and how many bytes it moves.
struct Recovery {
    RecoveryTime seconds;
    Volume volume;
};

/// A job, of which no rank exists: it makes the plans of the library and computes how long they would take.
class Job {
public:
    explicit Job(JobPlan const& plan);

    /// The ranks that lived after the last recovery, ascending.
    std::span<PeId const> members() const { return members_; }
    /// The speed relative to a job with all ranks. It is that of the busiest rank.
    double speed() const;
    /// The exchange that submits the input for the first time.
    Volume submit();
    /// The exchange that commits the state once. It changes when ranks die.
    Volume commit();
    /// Says that at least one commit has been made since the last recovery, so that members() keep the newest state.
    void committed();

    /// Ranks die, and the survivors plan the recovery. Returns none if data is lost or no rank is left. The plan takes
    /// effect at recovered(). If more ranks die before that, this is called again and plans anew.
    std::optional<Recovery> recover(std::span<PeId const> survivors);
    /// Says that the planned recovery has been carried out.
    void recovered();

    /// The bytes of the rank that keeps the most: input, state and their redundancy. O(ranks).
    std::uint64_t most_memory() const;

private:
    /// The state of each founding rank is one entity; survivors take over those of the dead.
    struct State {
        std::unique_ptr<Kept> kept;
        std::vector<PeId> home;                // by entity
        std::vector<std::uint32_t> entity_of;  // block of kept -> entity
        std::vector<std::uint32_t> block_of;   // entity -> block of kept
        bool is_newest = false;                // whether kept is as the last commit has left it
    };
    void keep_state();
    std::uint64_t most_entities() const;
    Csr<BlockRange> state_of_members() const;
    std::optional<Recovery> plan_input(std::span<PeId const> survivors);
    bool plan_state(std::span<PeId const> survivors, Recovery& recovery);
    std::vector<PeId> homes_among(std::span<PeId const> survivors) const;
    Csr<BlockRange> missing_state(std::span<PeId const> homes) const;
    Volume submitted(Kept const& kept, CsrView<BlockRange> mine, Into memory);
    Volume carried_out(Transfers transfers, Into memory);
    double in_memory(std::uint64_t bytes) const;
    double agreements(double count) const;

    JobPlan plan_;
    std::vector<std::uint32_t> domains_;  // by PeId
    std::vector<PeId> members_;
    std::vector<PeId> survivors_;  // of the recovery that is planned
    std::uint64_t num_living_;
    Network network_;
    BlockSizes sizes_;
    std::unique_ptr<Kept> input_;
    assign::Assignment work_;
    assign::Assignment next_work_;
    State state_;
    std::vector<PeId> next_home_;
    std::optional<Volume> commit_;  // none: not known for these members
    std::uint64_t most_sites_ = 0;
};

}  // namespace regraft::plan::simulated
