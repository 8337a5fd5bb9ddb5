#include "c/communicator.hpp"
#include "regraft/checkpoint/snapshot_reports.hpp"
#include "regraft/store/disk.hpp"
#include "regraft/store/reports.hpp"

namespace regraft::c {

void Shared::renewed() {
    failure.reset();
    members.clear();
    for (auto const pe : comm.members()) members.push_back(value(pe));
}

regraft_status status_of_exception(Shared& shared) noexcept {
    try {
        try {
            throw;
        } catch (ft::ProcessFailure const& failure) {
            if (!shared.failure) shared.failure = failure;
            return fail(REGRAFT_PROCESS_FAILURE, ("a member died, noticed in " + failure.call()).c_str());
        } catch (ft::Departed const&) {
            shared.departed = true;
            return fail(REGRAFT_DEPARTED, "the simulated death of this PE");
        } catch (store::DataLost const& error) {
            return fail(REGRAFT_DATA_LOST, error.what());
        } catch (checkpoint::EntitiesLost const& error) {
            return fail(REGRAFT_DATA_LOST, error.what());
        } catch (checkpoint::DuplicateEntity const& error) {
            return fail(REGRAFT_DUPLICATE, error.what());
        } catch (store::DamagedInTransit const& error) {
            return fail(REGRAFT_DAMAGED, error.what());
        } catch (store::DiskError const& error) {
            return fail(REGRAFT_DISK, error.what());
        } catch (ft::Divergence const& error) {
            return fail(REGRAFT_DIVERGENCE, error.what());
        } catch (ft::MpiError const& error) {
            return fail(REGRAFT_ERROR_MPI, error.what());
        }
    } catch (...) {  // any other exception, including errors above
        return status_of_exception();
    }
}

}  // namespace regraft::c
