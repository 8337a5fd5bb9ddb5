#include "regraft/ft/derived.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>

#include "ft/backend.hpp"
#include "ft/unchecked.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/core/contracts.hpp"

namespace regraft::ft {
namespace {

FailPhase derive_phase("derive", Moment::during_next_call);

/// Thrown on all members alike.
class CannotDerive : public MpiError, public Uniform {
public:
    using MpiError::MpiError;
};

/// Owns a communicator and frees it, unless it is released.
class Owned {
public:
    explicit Owned(MPI_Comm& comm) : comm_(comm) {}
    Owned(Owned const&) = delete;
    Owned& operator=(Owned const&) = delete;
    ~Owned() {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }

private:
    MPI_Comm& comm_;
};

/// Whether this process knows of deaths, or learns of them within the time that their announcement takes.
bool will_know_of_deaths(MPI_Comm comm) {
    auto const end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (!backend::knows_of_deaths(comm)) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// Whether there are enough members for all places of the grid.
bool fits(Grid const& grid, std::size_t members) {
    std::size_t places = 1;
    for (auto const length : grid.lengths) {
        if (length < 1 || static_cast<std::size_t>(length) > members / places) return false;
        places *= static_cast<std::size_t>(length);
    }
    return places <= members;
}

}  // namespace

Derived::Derived(Communicator& parent, Make make) : parent_(parent), make_(std::move(make)) {
    this->make();
    parent_.derived_.push_back(this);
}

Derived::~Derived() {
    std::erase(parent_.derived_, this);
    int finalized = 0;
    MPI_Finalized(&finalized);
    // After a failure other members may still be in a call on it. A large message to a communicator that is revoked is
    // refused, but one to a communicator that was freed is never answered, and its sender would wait for ever.
    if (finalized == 0 && !parent_.failed_) release();
}

void Derived::release() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

/// The new communicator is used only after an agreement, when all have left the call that made it: until then a revoke
/// or a message would disturb members that are still inside.
void Derived::make() {
    release();
    parent_.reach(derive_phase.before);
    parent_.reach(derive_phase.inside);
    MPI_Comm next = MPI_COMM_NULL;
    auto const native = parent_.native();
    auto& unchecked = *parent_.unchecked_;
    bool const is_clean = !unchecked.error();
    int const made_with = make_(native, &next);
    int const code = is_clean ? unchecked.returned(made_with) : made_with;
    parent_.dismiss_errors();
    bool const made = code == MPI_SUCCESS;
    if (!made) next = MPI_COMM_NULL;  // what an interrupted call has left there cannot be freed
    Owned const owned(next);
    // A death may make the call fail with an error that does not name it. Or the death is announced while the new
    // communicator is being made; then that never learns of it, and would wait for the dead for ever.
    if (backend::tells_process_failure(code) || (made ? backend::knows_of_deaths(native) : will_know_of_deaths(native)))
        parent_.declare_failure("the making of a derived communicator");
    if (!parent_.agree(made)) throw CannotDerive("a communicator could not be derived, although no rank died");
    comm_ = std::exchange(next, MPI_COMM_NULL);
    if (comm_ != MPI_COMM_NULL) parent_.unchecked_->watch(comm_);
    parent_.reach(derive_phase.after);
}

std::vector<PeId> Derived::members() const {
    std::vector<PeId> members;
    if (comm_ == MPI_COMM_NULL) return members;
    MPI_Group mine = MPI_GROUP_NULL;
    MPI_Group all = MPI_GROUP_NULL;
    int size = 0;
    MPI_Comm_size(comm_, &size);
    MPI_Comm_group(comm_, &mine);
    MPI_Comm_group(parent_.native(), &all);
    std::vector<int> ranks(static_cast<std::size_t>(size)), positions(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    MPI_Group_translate_ranks(mine, size, ranks.data(), all, positions.data());
    MPI_Group_free(&mine);
    MPI_Group_free(&all);
    for (auto const position : positions) members.push_back(parent_.members()[static_cast<std::size_t>(position)]);
    return members;
}

Derived split(Communicator& parent, std::function<int()> colour) {
    return {parent, [&parent, colour = std::move(colour)](MPI_Comm native, MPI_Comm* derived) {
                auto const key = checked_cast<int>(parent.position(parent.self()));
                return MPI_Comm_split(native, colour(), key, derived);
            }};
}

Derived dup(Communicator& parent) {
    return {parent, [](MPI_Comm native, MPI_Comm* derived) { return MPI_Comm_dup(native, derived); }};
}

int Grid::size() const {
    return std::accumulate(lengths.begin(), lengths.end(), 1, std::multiplies<>());
}

std::vector<int> Grid::coordinates(int rank) const {
    REGRAFT_EXPECTS(rank >= 0 && rank < size());
    std::vector<int> result(lengths.size());
    for (auto i = lengths.size(); i-- > 0; rank /= lengths[i]) result[i] = rank % lengths[i];
    return result;
}

int Grid::rank(std::span<int const> coordinates) const {
    REGRAFT_EXPECTS(coordinates.size() == lengths.size());
    int result = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        int const length = lengths[i];
        bool const outside = coordinates[i] < 0 || coordinates[i] >= length;
        if (outside && periodic[i] == 0) return MPI_PROC_NULL;
        result = result * length + (coordinates[i] % length + length) % length;
    }
    return result;
}

int Grid::neighbour(int rank, std::size_t dimension, int steps) const {
    REGRAFT_EXPECTS(dimension < lengths.size());
    auto there = coordinates(rank);
    if (periodic[dimension] != 0) steps %= lengths[dimension];
    if (steps > lengths[dimension] || steps < -lengths[dimension]) return MPI_PROC_NULL;
    there[dimension] += steps;
    return this->rank(there);
}

Cart::Cart(Communicator& parent, Dims dims, std::vector<int> periodic)
    : Cart(parent, std::make_shared<Grid>(Grid{{}, std::move(periodic)}), std::move(dims)) {}

Cart::Cart(Communicator& parent, std::shared_ptr<Grid> grid, Dims dims)
    : Derived(parent,
              [&parent, grid, dims = std::move(dims)](MPI_Comm native, MPI_Comm* derived) {
                  grid->lengths = dims(parent.size());
                  REGRAFT_EXPECTS(grid->lengths.size() == grid->periodic.size());
                  if (!fits(*grid, parent.size())) return MPI_ERR_DIMS;
                  auto const position = checked_cast<int>(parent.position(parent.self()));
                  return MPI_Comm_split(native, position < grid->size() ? 0 : MPI_UNDEFINED, position, derived);
              }),
      grid_(std::move(grid)) {}

int Cart::rank() const {
    REGRAFT_EXPECTS(has_self());
    int rank = 0;
    MPI_Comm_rank(native(), &rank);
    return rank;
}

std::vector<int> Cart::coordinates() const {
    return grid().coordinates(rank());
}

Cart::Shift Cart::shift(std::size_t dimension, int steps) const {
    auto const here = rank();
    return {grid().neighbour(here, dimension, -steps), grid().neighbour(here, dimension, steps)};
}

Cart cart(Communicator& parent, Cart::Dims dims, std::vector<int> periodic) {
    return {parent, std::move(dims), std::move(periodic)};
}

}  // namespace regraft::ft
