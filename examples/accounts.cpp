// Transfers between accounts that lie in the memory of the ranks. Each step changes a few, and only these travel to the
// other copies. When ranks die, survivors go on after the last step on which all had agreed: no transfer is lost, and
// none is done twice.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "program.hpp"
#include "regraft/core/random.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/placement/mod_k.hpp"
#include "regraft/store/replicated_store.hpp"

using namespace regraft;

namespace {

constexpr std::int64_t at_first = 1000;  // on each account

struct Transfer {
    std::uint64_t from, to;
    std::int64_t amount;
};

/// The transfers of a step, for all ranks: a hundredth as many as there are accounts. Real ones would come from
/// outside.
std::vector<Transfer> transfers(example::Options const& options, std::uint64_t step) {
    Random random(mix(options.seed) + step);
    std::vector<Transfer> result(options.size / 100 + 1);
    for (auto& [from, to, amount] : result) {
        from = random.below(options.size);
        to = random.below(options.size);
        amount = static_cast<std::int64_t>(1 + random.below(100));
    }
    return result;
}

/// The accounts that a rank keeps, and those among them that a step has changed.
class Part {
public:
    Part(BlockRange accounts, std::int64_t balance) : accounts_(accounts), balances_(accounts.size(), balance) {}

    BlockRange accounts() const { return accounts_; }
    std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(balances_)); }
    std::span<std::int64_t const> balances() const { return balances_; }
    void add(std::uint64_t account, std::int64_t amount) {
        if (account < value(accounts_.first) || value(accounts_.last) <= account) return;
        balances_[account - value(accounts_.first)] += amount;
        changed_.push_back({BlockId{account}, BlockId{account + 1}});
    }
    /// Gives what has changed to all that have copies. A death leaves this step on all survivors, or on none.
    void update(store::ReplicatedStore& store) {
        std::ranges::sort(changed_);
        changed_.erase(std::ranges::unique(changed_).begin(), changed_.end());
        std::vector<std::int64_t> now;
        for (auto const& account : changed_) now.push_back(balances_[value(account.first) - value(accounts_.first)]);
        static_cast<void>(store.update(changed_, std::as_bytes(std::span(now))));
        changed_.clear();
    }

private:
    BlockRange accounts_;
    std::vector<std::int64_t> balances_;
    std::vector<BlockRange> changed_;
};

void accounts(ft::Communicator& comm, example::Options const& options) {
    store::ReplicatedStore store(comm);
    auto const compute = [&] {
        auto const size = static_cast<std::uint32_t>(comm.size());
        Part mine(even_part<BlockId>(options.size, comm.position(comm.self()), size), at_first);
        if (store.version() == 0) {
            store.submit(placement::ModK(options.size, size, std::min(3U, size)), mine.accounts(), mine.bytes(),
                         sizeof(std::int64_t));
        } else {
            auto const part = mine.accounts();
            static_cast<void>(store.load(std::span(&part, 1), mine.bytes()));
        }
        auto const begin = std::chrono::steady_clock::now();
        auto const first = store.version() - 1;  // version 1 is what was submitted
        for (auto step = first; step < options.steps; ++step) {
            for (auto const& [from, to, amount] : transfers(options, step)) {
                mine.add(from, -amount);
                mine.add(to, amount);
            }
            mine.update(store);
        }
        example::print_steps(comm, options.steps - first, milliseconds_since(begin));
        std::uint64_t sums[] = {0, 0};  // of what is on the accounts, and a hash of who has what
        for (std::uint64_t i = 0; i < mine.accounts().size(); ++i) {
            auto const balance = static_cast<std::uint64_t>(mine.balances()[i]);
            sums[0] += balance;
            sums[1] += mix(balance ^ mix(value(mine.accounts().first) + i));
        }
        comm.check(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UINT64_T, MPI_SUM, comm.native()), "MPI_Allreduce");
        if (comm.leads()) std::printf("%llu on all accounts\n", static_cast<unsigned long long>(sums[0]));
        example::print_result(comm, sums[1]);
    };
    auto const recover = [&](ft::Failure const& failure) {
        auto const repaired = store.repair();
        example::print_recovery(comm, failure, repaired.bytes_copied);
    };
    ft::resilient(comm, compute, recover);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("accounts: transfers between accounts, on ranks that may die");
    example::Options options{.steps = 50, .size = 20'000};
    example::add_options(app, options, "in which a hundredth of the accounts pays another one", "number of accounts");
    return example::run(argc, argv, app, options, [&](ft::Communicator& comm) { accounts(comm, options); });
}
