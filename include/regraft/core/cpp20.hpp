// C++20, without which no header of regraft compiles. Those that include no other of ours include this one, so that a
// compiler for an older C++ says first what is missing.
#pragma once

#if !defined(__cpp_concepts) || __cpp_concepts < 201907L
#error "regraft needs C++20, from g++ 12 or clang 14: compile with -std=c++20"
#endif
