#pragma once
/// Functions that communicate and that the recorder does not know are counted: each has a few
/// instructions that leave its arguments where they are, since the recorder does not know them
/// either, and go on in the MPI library.

#include <cstdint>
#include <span>

namespace onehop::recorder {

struct unknown_function {
  const char* name;
  const std::uint64_t* calls;
};

/// Functions that the recorder knows after all are among them, with no calls.
std::span<const unknown_function> unknown_functions() noexcept;

}  // namespace onehop::recorder
