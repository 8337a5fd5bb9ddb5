// The transport by point-to-point messages, pair by pair.
#include <deque>
#include <limits>
#include <memory>

#include "exchange/slices.hpp"
#include "exchange/transports.hpp"
#include "regraft/core/checked_cast.hpp"
#include "regraft/ft/collectives.hpp"
#include "regraft/schedule/edge_colouring.hpp"

namespace regraft::exchange {
namespace {

constexpr int nobody = MPI_PROC_NULL;

/// The partners with which a member exchanges messages at the same time.
struct Round {
    int to = nobody;
    int from = nobody;
};

std::vector<Round> ring(std::size_t self, std::size_t size) {
    std::vector<Round> rounds;
    for (std::size_t k = 1; k < size; ++k) {
        rounds.push_back({checked_cast<int>((self + k) % size), checked_cast<int>((self + size - k) % size)});
    }
    return rounds;
}

/// The rounds of this member; there are as many as the busiest member has partners. Every member computes the same.
std::vector<Round> coloured(std::span<Message const> messages, std::size_t self) {
    std::vector<schedule::Edge> edges;
    for (auto const& message : messages) {
        if (message.sender != message.receiver && message.bytes > 0)
            edges.push_back({message.sender, message.receiver});
    }
    auto const colours = schedule::colour_edges(edges);
    std::vector<Round> rounds;
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (colours[i] >= rounds.size()) rounds.resize(colours[i] + std::size_t{1});
        if (edges[i].left == self) rounds[colours[i]].to = checked_cast<int>(edges[i].right);
        if (edges[i].right == self) rounds[colours[i]].from = checked_cast<int>(edges[i].left);
    }
    return rounds;
}

std::vector<Round> rounds_of(std::optional<std::span<Message const>> messages, std::size_t self, std::size_t size) {
    return messages ? coloured(*messages, self) : ring(self, size);
}

/// Number of slices of one pair that are under way at the same time.
constexpr std::size_t slices_at_once = 16;

template <class Byte>
struct Posted {
    Slice<Byte> slice;
    std::vector<std::byte> buffer;  // empty if the slice is sent, or received, in place
};

template <class Byte>
Byte* memory_of(Posted<Byte>& posted) {
    if (posted.slice.contiguous()) return posted.slice.parts().front().data();
    posted.buffer.resize(posted.slice.size());
    if constexpr (std::is_const_v<Byte>) posted.slice.copy_to(posted.buffer.data());
    return posted.buffer.data();
}

}  // namespace

/// Messages under way and the memory they use.
class Parcels {
public:
    explicit Parcels(ft::Communicator& comm) : comm_(comm), tag_(comm.next_tag()), epoch_(comm.epoch()) {}
    Parcels(Parcels const&) = delete;
    Parcels& operator=(Parcels const&) = delete;
    ~Parcels() {
        // After a failure the communicator is revoked, which ends the requests.
        auto const count = checked_cast<int>(requests_.size());
        if (MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE) != MPI_SUCCESS) comm_.dismiss_errors();
    }

    /// Receives the next slices of a row, at most `most`.
    void receive(Slicer<std::byte>& slicer, int from, std::size_t most) {
        post(slicer, most, in_, "MPI_Irecv", [&](std::byte* memory, int size, MPI_Request* request) {
            return MPI_Irecv(memory, size, MPI_BYTE, from, tag_, comm_.native(), request);
        });
    }
    void send(Slicer<std::byte const>& slicer, int to, std::size_t most) {
        post(slicer, most, out_, "MPI_Isend", [&](std::byte const* memory, int size, MPI_Request* request) {
            return MPI_Isend(memory, size, MPI_BYTE, to, tag_, comm_.native(), request);
        });
    }
    void wait() {
        REGRAFT_EXPECTS(comm_.epoch() == epoch_ && "the communicator was not renewed since the messages were sent");
        ft::wait_all(comm_, requests_);
        requests_.clear();
        for (auto const& posted : in_) {
            if (!posted.buffer.empty()) posted.slice.copy_from(posted.buffer.data());
        }
        in_.clear();
        out_.clear();
    }

private:
    template <class Byte, class Start>
    void post(Slicer<Byte>& slicer, std::size_t most, std::deque<Posted<Byte>>& under_way, char const* call,
              Start start) {
        for (std::size_t i = 0; i < most && !slicer.done(); ++i) {
            auto& posted = under_way.emplace_back();
            slicer.next(posted.slice);
            auto* const memory = memory_of(posted);
            comm_.check(
                start(memory, checked_cast<int>(posted.slice.size()), &requests_.emplace_back(MPI_REQUEST_NULL)), call);
        }
    }

    ft::Communicator& comm_;
    int tag_;
    std::uint32_t epoch_;
    std::deque<Posted<std::byte>> in_;
    std::deque<Posted<std::byte const>> out_;
    std::vector<MPI_Request> requests_;
};

namespace {

/// The slices of a row that is exchanged with `partner`; none if there is no partner.
template <class Byte>
Slicer<Byte> slicer_of(CsrView<std::span<Byte>> rows, int partner, Limits const& limits) {
    auto const row = partner == nobody ? std::span<std::span<Byte> const>{} : rows[static_cast<std::size_t>(partner)];
    return {row, 1, limits};
}

}  // namespace

void by_rounds(ft::Communicator& comm, ft::FailPoint& inside, Outgoing out, Incoming in,
               std::optional<std::span<Message const>> messages, Limits const& limits) {
    Parcels parcels(comm);
    for (auto const& round : rounds_of(messages, comm.position(comm.self()), comm.size())) {
        comm.reach(inside);
        auto sent = slicer_of(out, round.to, limits);
        auto received = slicer_of(in, round.from, limits);
        while (!sent.done() || !received.done()) {
            parcels.receive(received, round.from, slices_at_once);
            parcels.send(sent, round.to, slices_at_once);
            parcels.wait();
        }
    }
}

Pending::Pending(ft::Communicator& comm, Outgoing out, Incoming in, std::optional<std::span<Message const>> messages,
                 std::optional<Limits> const& wanted_limits)
    : parcels_(std::make_unique<Parcels>(comm)) {
    auto const limits = wanted_limits.value_or(limits_of(ft::Transport::rounds));
    REGRAFT_EXPECTS(out.size() == comm.size() && in.size() == comm.size());
    auto const self = comm.position(comm.self());
    copy_row(out[self], in[self]);
    constexpr auto all = std::numeric_limits<std::size_t>::max();
    auto const rounds = rounds_of(messages, self, comm.size());
    for (auto const& round : rounds) {
        auto received = slicer_of(in, round.from, limits);
        parcels_->receive(received, round.from, all);
    }
    for (auto const& round : rounds) {
        auto sent = slicer_of(out, round.to, limits);
        parcels_->send(sent, round.to, all);
    }
}

Pending::Pending(Pending&&) noexcept = default;
Pending::~Pending() = default;

void Pending::wait() {
    parcels_->wait();
}

}  // namespace regraft::exchange
