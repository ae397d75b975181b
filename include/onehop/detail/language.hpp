#pragma once
/// Every public header includes this one first, itself or by another, so that an older standard is
/// told in one line before a compiler meets what it does not know.

#if __cplusplus < 202002L
#error \
    "onehop needs C++20: compile with -std=c++20, or link onehop::onehop in CMake, which asks for it"
// A compiler goes on after an error with hundreds that follow from it, but not without a file.
#include <onehop/needs_cpp20>
#endif
