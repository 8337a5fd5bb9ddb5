// Collects errors within a parallel loop, which must not leave it. The error with the lowest index is what a sequential
// loop would throw.
#pragma once

#include <cstddef>
#include <exception>
#include <limits>

namespace regraft::codec {

class FirstError {
public:
    /// Runs the body of iteration `index`. Any number of threads may call it at once.
    template <class Body>
    void run(std::size_t index, Body body) noexcept {
        try {
            body();
        } catch (...) {
#pragma omp critical(regraft_codec_first_error)
            if (index < index_) {
                index_ = index;
                error_ = std::current_exception();
            }
        }
    }
    /// Throws the error, if any, after the loop.
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    std::size_t index_ = std::numeric_limits<std::size_t>::max();
    std::exception_ptr error_;
};

}  // namespace regraft::codec
