#include "by_one.hpp"

#include <exception>
#include <utility>

#include "regraft/ft/resilient.hpp"
#include "shared_input_error.hpp"

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
        } catch (std::exception const& error) {  // also lack of memory: the others must hear of it
            problem = Problem::of(error);
        }
    };
    bool has_looked = false;
    bool has_acted = false;
    auto const body = [&] {
        // Everybody looks before anybody writes: what is there afterwards may be by one who has died.
        attempt(has_looked, look);
        agree_on_input(*comm, problem);
        if (comm->leads()) attempt(has_acted, act);
        // Agreements do not see the dead: if nobody has acted, then because it was for a dead one to do.
        if (comm->agree(!has_acted)) comm->declare_failure("what one does for all");
        agree_on_input(*comm, problem);
    };
    ft::resilient(*comm, body, [](ft::Failure const&) {});
}

}  // namespace regraft::phylo
