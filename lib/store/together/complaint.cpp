#include "store/together/complaint.hpp"

namespace regraft::store {

Complaint first_complaint(ft::Communicator& comm, Complaint const& mine) {
    if (comm.agree(!mine)) return std::nullopt;
    std::uint64_t first = mine ? comm.position(comm.self()) : comm.size();
    comm.check(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_UINT64_T, MPI_MIN, comm.native()), "MPI_Allreduce");
    std::vector<char> text;
    if (mine) text.assign(mine->begin(), mine->end());
    broadcast(comm, text, comm.members()[first]);
    comm.agree();
    return std::string(text.begin(), text.end());
}

}  // namespace regraft::store
