#include "store_floor.hpp"

#include <cstring>
#include <numeric>

#include "regraft/core/checked_cast.hpp"
#include "store/blocks/memory.hpp"

namespace regraft::bench {
namespace {

std::vector<int> begins(std::vector<int> const& counts) {
    std::vector<int> result(counts.size(), 0);
    std::exclusive_scan(counts.begin(), counts.end(), result.begin(), 0);
    return result;
}

std::size_t sum(std::vector<int> const& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0},
                           [](std::size_t total, int count) { return total + static_cast<std::size_t>(count); });
}

}  // namespace

char const* name_of(Peer peer) {
    switch (peer) {
        case Peer::alltoallv:
            return "alltoallv";
        case Peer::point_to_point:
            return "point_to_point";
        case Peer::cold:
            return "cold";
        case Peer::copy:
            return "memcpy";
    }
    return "";
}

Floor::Floor(ByteMatrix const& matrix, std::size_t self) : self_(self) {
    for (std::size_t rank = 0; rank < matrix.size(); ++rank) {
        sent_.push_back(checked_cast<int>(matrix(self, rank)));
        received_.push_back(checked_cast<int>(matrix(rank, self)));
    }
    sent_at_ = begins(sent_);
    received_at_ = begins(received_);
    out_.assign(sum(sent_), std::byte{1});
    in_.assign(sum(received_), std::byte{2});
}

void Floor::run(Peer peer, MPI_Comm comm) {
    switch (peer) {
        case Peer::alltoallv:
            return alltoallv(comm, in_.data());
        case Peer::point_to_point:
            return point_to_point(comm);
        case Peer::copy:
            for (std::size_t done = 0; done < in_.size() && !out_.empty();) {
                auto const part = std::min(out_.size(), in_.size() - done);
                std::memcpy(in_.data() + done, out_.data(), part);
                done += part;
            }
            return;
        case Peer::cold: {
            store::Memory memory(in_.size());
            alltoallv(comm, memory.bytes().data());
        }
    }
}

void Floor::alltoallv(MPI_Comm comm, std::byte* in) {
    MPI_Alltoallv(out_.data(), sent_.data(), sent_at_.data(), MPI_BYTE, in, received_.data(), received_at_.data(),
                  MPI_BYTE, comm);
}

void Floor::point_to_point(MPI_Comm comm) {
    std::vector<MPI_Request> requests;
    auto const size = sent_.size();
    for (std::size_t k = 1; k < size; ++k) {
        auto const from = (self_ + size - k) % size;
        if (received_[from] > 0) {
            MPI_Irecv(in_.data() + received_at_[from], received_[from], MPI_BYTE, static_cast<int>(from), 1, comm,
                      &requests.emplace_back());
        }
    }
    for (std::size_t k = 1; k < size; ++k) {
        auto const to = (self_ + k) % size;
        if (sent_[to] > 0) {
            MPI_Isend(out_.data() + sent_at_[to], sent_[to], MPI_BYTE, static_cast<int>(to), 1, comm,
                      &requests.emplace_back());
        }
    }
    std::memcpy(in_.data() + received_at_[self_], out_.data() + sent_at_[self_],
                static_cast<std::size_t>(sent_[self_]));
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace regraft::bench
