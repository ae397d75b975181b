#pragma once
/// Every public header includes this file first, directly or indirectly. A compiler set to an older
/// standard then reports one clear line before it meets anything that it does not know.

#if __cplusplus < 202002L
#error \
    "onehop needs C++20: compile with -std=c++20, or link onehop::onehop in CMake, which asks for it"
// A compiler reports hundreds of follow-up errors after #error, but stops at a missing file.
#include <onehop/needs_cpp20>
#endif
