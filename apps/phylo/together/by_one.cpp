#include "together/by_one.hpp"

#include <exception>
#include <utility>

#include "regraft/ft/resilient.hpp"
#include "together/shared_input_error.hpp"

namespace regraft::phylo {

void do_by_one(ft::Communicator* comm, std::function<void()> const& look, std::function<void()> const& act) {
    if (comm == nullptr) {
        look();
        act();
        return;
    }
    Problem problem;
    auto const attempt = [&](bool& is_done, std::function<void()> const& step) {
        try {
            if (!std::exchange(is_done, true)) step();
        } catch (std::exception const& error) {  // including lack of memory: the other PEs must learn of it
            problem = Problem::of(error);
        }
    };
    bool has_looked = false;
    bool has_acted = false;
    auto const body = [&] {
        // All look before any PE writes: files that are there later may come from a PE that has died.
        attempt(has_looked, look);
        agree_on_input(*comm, problem);
        if (comm->leads()) attempt(has_acted, act);
        // Agreements do not include the dead. If no PE has acted, a dead one should have.
        if (comm->agree(!has_acted)) comm->declare_failure("what one does for all");
        agree_on_input(*comm, problem);
    };
    ft::resilient(*comm, body, [](ft::Failure const&) {});
}

}  // namespace regraft::phylo
