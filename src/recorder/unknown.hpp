#pragma once
/// Functions that communicate but are unknown to the recorder are counted. Each has a few
/// instructions that leave its arguments in place, because the recorder does not know these either,
/// and continue in the MPI library.

#include <cstdint>
#include <span>

namespace onehop::recorder {

struct unknown_function {
  const char* name;
  const std::uint64_t* calls;
};

/// The list includes functions that the recorder does know; their counts stay zero.
std::span<const unknown_function> unknown_functions() noexcept;

}  // namespace onehop::recorder
