// The least time in which bytes can move between ranks: MPI alone, with everything known and all buffers there.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace regraft::bench {

/// Bytes from each of a number of ranks to each.
class ByteMatrix {
public:
    explicit ByteMatrix(std::size_t size) : size_(size), bytes_(size * size, 0) {}
    void add(std::size_t from, std::size_t to, std::uint64_t bytes) { bytes_[from * size_ + to] += bytes; }
    std::size_t size() const { return size_; }
    std::uint64_t operator()(std::size_t from, std::size_t to) const { return bytes_[from * size_ + to]; }
    /// Bytes from some ranks to others.
    std::uint64_t between() const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < bytes_.size(); ++i) sum += i / size_ == i % size_ ? 0 : bytes_[i];
        return sum;
    }

private:
    std::size_t size_;
    std::vector<std::uint64_t> bytes_;
};

enum class Peer {
    alltoallv,       // MPI_Alltoallv
    point_to_point,  // MPI_Irecv and MPI_Isend to all, MPI_Waitall
    cold,            // MPI_Alltoallv into memory that no process touched before, in huge pages where there are some
    copy,            // no MPI: memcpy of what is received
};
constexpr std::size_t num_peers = 4;
char const* name_of(Peer peer);

/// The bytes of a matrix, moved by MPI from one buffer into another. All ranks of the communicator call alike.
class Floor {
public:
    Floor(ByteMatrix const& matrix, std::size_t self);
    void run(Peer peer, MPI_Comm comm);

private:
    void alltoallv(MPI_Comm comm, std::byte* in);
    void point_to_point(MPI_Comm comm);

    std::size_t self_;
    std::vector<int> sent_, sent_at_, received_, received_at_;
    std::vector<std::byte> out_, in_;
};

}  // namespace regraft::bench
