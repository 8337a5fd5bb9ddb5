#include "shield/session/families.hpp"

#include <cstdio>

#include <dlfcn.h>

#include "shield/session/session.hpp"

namespace regraft::shield {

Counts& Counts::operator+=(Counts const& others) {
    for (auto const& counter : counters) this->*counter.member += others.*counter.member;
    return *this;
}

std::string place_of(void const* caller) {
    Dl_info info{};
    // The return address is that of the next instruction; the call itself is before it.
    auto const* const call = static_cast<char const*>(caller) - 1;
    if (dladdr(call, &info) == 0 || info.dli_fname == nullptr) return {};
    char offset[32];
    std::snprintf(offset, sizeof offset, "0x%tx", call - static_cast<char const*>(info.dli_fbase));
    std::string const file = info.dli_fname;
    return file.substr(file.rfind('/') + 1) + "+" + offset + "; addr2line -e " + file + " " + offset;
}

}  // namespace regraft::shield
