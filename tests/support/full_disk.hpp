// A disk on which this process can write no more.
#pragma once

#include <csignal>

#include <sys/resource.h>

namespace regraft::test {

/// Files of this process cannot become longer as long as it lives, as on a full disk.
class ShortFiles {
public:
    explicit ShortFiles(rlim_t most_bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &before_);
        rlimit const limit{most_bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ShortFiles(ShortFiles const&) = delete;
    ShortFiles& operator=(ShortFiles const&) = delete;
    ~ShortFiles() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int);
};

}  // namespace regraft::test
